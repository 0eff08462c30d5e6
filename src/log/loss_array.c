/* Reads losses, and steps, norms and rates beside them, from arrays of one axis. */
#include "log/loss_array.h"

#include <stdlib.h>

#include "base/msg.h"
#include "fmt/weights.h"
#include "log/loss_document.h"
#include "log/pickled_lists.h"
#include "log/value_names.h"

bool loss_array_sniff(struct str head, const char *path)
{
    static const char *const ends[] = {".npy", ".npz", ".pt", ".pth", ".pkl", ".pickle"};
    bool named = false;
    for (size_t i = 0; i < ARRAY_LEN(ends); i++)
        named = named || str_ends(str_of(path), ends[i]);
    return named && (str_starts(head, "\x93NUMPY") || str_starts(head, "PK\3\4") || str_starts(head, "\x80"));
}

/* All values of an array, or NULL. The caller frees them. */
static double *array_values(const struct weights *w, uint32_t i, struct err *e)
{
    struct tensor t;
    struct tensor_walk walk;
    if (weights_tensor(w, i, &t, e))
        return NULL;
    double *out = mem_alloc((t.numel + 1) * sizeof *out);
    tensor_walk_init(&walk, &t);
    bool read = tensor_walk_values(&walk, out, (size_t)t.numel, e) == 0;
    tensor_walk_release(&walk);
    tensor_close(&t);
    if (!read)
        free(out);
    return read ? out : NULL;
}

/* What an array holds: enum log_value, LOG_VALUES for the steps, -1 for something else. */
static int array_meaning(const struct weights *w, const struct weight *x)
{
    enum log_value v;
    bool column = x->ndim == 2 && x->shape[1] == 1;
    if ((x->ndim != 1 && !column) || x->text || dtype_table[x->dtype].klass == CLASS_UNKNOWN || x->numel > LOG_RECORDS)
        return -1;
    if (w->list.n == 1)
        return LOG_LOSS;
    if (value_is_step(x->name) ||
        (str_ends(x->name, "s") && value_is_step(str_n(x->name.p, x->name.n - 1))))
        return LOG_VALUES;
    if (value_named(x->name, &v) || (str_ends(x->name, "es") && value_named(str_n(x->name.p, x->name.n - 2), &v)))
        return (int)v;
    return -1;
}

static int expected_loss_arrays(const struct series_builder *k, struct err *e)
{
    return err_set(e, ERR_DATA, _("%s: expected losses: one array of one axis, or arrays or lists named loss, step, "
                                  "grad_norm, lr"), k->file->name);
}

/* A list of tensors without axes, "losses.0", "losses.1" …, as JSON. False: there is something else, or a place is
 * missing. */
static bool tensors_as_list(const struct weights *w, struct buf *json)
{
    struct str list = STR("");
    size_t n = 0;
    for (uint32_t i = 0; i < w->list.n; i++) {
        const struct weight *x = &w->list.v[i];
        struct err quiet;
        unsigned long long place;
        ptrdiff_t dot = str_rfind(x->name, '.');
        struct str own = str_n(x->name.p, dot < 0 ? 0 : (size_t)dot);
        if (x->ndim || x->text || dtype_table[x->dtype].klass == CLASS_UNKNOWN || (i && !str_eq(own, list)) ||
            !str_u64(str_cut(x->name, (size_t)(dot + 1)), &place) || place != n++)
            return false;
        double *v = array_values(w, i, &quiet);
        if (!v)
            return false;
        list = own;
        if (!i && own.n)
            buf_fmt(json, "{\"%.*s\":", STR_ARG(own));
        buf_fmt(json, "%c%.17e", i ? ',' : '[', v[0]);
        free(v);
    }
    buf_cstr(json, list.n ? "]}" : n ? "]" : "");
    return n > 0;
}

/* Lists of plain numbers, which are no tensors: torch.save({"losses": [2.5, 2.25]}), pickle.dump([2.5, 2.25]). */
static bool read_pickled_lists(struct series_builder *k, const struct weights *w)
{
    struct buf json = {0};
    struct err quiet;
    bool found = tensors_as_list(w, &json) && loss_document_take(k, buf_view(&json));
    if (!found)
        buf_clear(&json);
    found = found ||
            (pickled_document(k->file->name, &json, &quiet) == 0 && loss_document_take(k, buf_view(&json)));
    buf_release(&json);
    return found;
}

/* The arrays of a step's values, by enum log_value, and that of the steps; each has n elements. */
struct loss_columns {
    double *v[LOG_VALUES + 1];
    uint64_t n;
};

/* Of several losses the one whose name says most counts. */
static int take_columns(struct series_builder *k, const struct weights *w, struct loss_columns *c, struct err *e)
{
    int highest = -1;
    for (uint32_t i = 0; i < w->list.n; i++) {
        const struct weight *x = &w->list.v[i];
        int as = array_meaning(w, x), rank = as == LOG_LOSS ? value_loss_rank(x->name) : 0;
        if (as < 0 || (c->v[as] && (as != LOG_LOSS || rank <= highest)))
            continue;
        if (c->v[as])
            log_loss_taken(k, x->name);
        free(c->v[as]);
        highest = as == LOG_LOSS ? rank : highest;
        if (!(c->v[as] = array_values(w, i, e)))
            return -1;
        if (c->n && x->numel != c->n)
            return err_set(e, ERR_DATA, _("%s: %.*s has %llu values, the array before it %llu"), k->file->name,
                           STR_ARG(x->name), (unsigned long long)x->numel, (unsigned long long)c->n);
        c->n = x->numel;
    }
    return 0;
}

static void add_columns(struct series_builder *k, const struct loss_columns *c)
{
    const double *steps = c->v[LOG_VALUES];
    for (uint64_t i = 0; i < c->n; i++) {
        double step = steps ? steps[i] : (double)i + 1;
        struct log_record r = {.step = step >= 0 && step < (double)LOG_STEP ? (int64_t)step : LOG_STEP};
        k->line = (uint32_t)i + 1;
        for (int v = 0; v < LOG_VALUES; v++)
            if (c->v[v])
                log_set(k, &r, (enum log_value)v, c->v[v][i], 0);
        log_add(k, &r);
    }
    k->stepless = !steps;
}

int loss_array_read(struct series_builder *k, struct err *e)
{
    struct weights w;
    struct loss_columns c = {0};
    int rc = weights_open(&w, k->file->name, e);
    if (rc == 0)
        rc = take_columns(k, &w, &c, e);
    const bool none = (!c.v[LOG_LOSS] && !c.v[LOG_NORM]) || c.n < 2;
    if (none && read_pickled_lists(k, &w))
        rc = 0;
    else if (rc == 0 && none)
        rc = expected_loss_arrays(k, e);
    else if (rc == 0)
        add_columns(k, &c);
    vec_last(&k->s->files)->lines = k->line;
    for (int v = 0; v <= LOG_VALUES; v++)
        free(c.v[v]);
    weights_release(&w);
    return rc;
}
