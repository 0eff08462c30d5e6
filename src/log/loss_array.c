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
    const size_t width = dtype_table[t.dtype].size;
    double *out = mem_alloc((t.numel + 1) * sizeof *out);
    char *raw = mem_alloc(4096 * width);
    uint64_t n = 0;
    long got;
    tensor_walk_init(&walk, &t);
    while ((got = tensor_walk_next(&walk, raw, 4096, e)) > 0) {
        dtype_to_f64(t.dtype, raw, (size_t)got, out + n);
        n += (uint64_t)got;
    }
    tensor_walk_release(&walk);
    tensor_close(&t);
    free(raw);
    if (got < 0) {
        free(out);
        return NULL;
    }
    return out;
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

int loss_array_read(struct series_builder *k, struct err *e)
{
    struct weights w;
    double *column[LOG_VALUES + 1] = {0};
    uint64_t n = 0;
    int highest = -1;
    int rc = weights_open(&w, k->file->name, e);
    for (uint32_t i = 0; rc == 0 && i < w.list.n; i++) {
        int as = array_meaning(&w, &w.list.v[i]);
        int rank = as == LOG_LOSS ? value_loss_rank(w.list.v[i].name) : 0;
        if (as < 0 || (column[as] && (as != LOG_LOSS || rank <= highest)))
            continue;
        if (column[as])
            log_loss_taken(k, w.list.v[i].name);
        free(column[as]);
        highest = as == LOG_LOSS ? rank : highest;
        column[as] = array_values(&w, i, e);
        rc = column[as] ? 0 : -1;
        if (rc == 0 && n && w.list.v[i].numel != n)
            rc = err_set(e, ERR_DATA, _("%s: %.*s has %llu values, the array before it %llu"), k->file->name,
                         STR_ARG(w.list.v[i].name), (unsigned long long)w.list.v[i].numel, (unsigned long long)n);
        n = w.list.v[i].numel;
    }
    const bool none = (!column[LOG_LOSS] && !column[LOG_NORM]) || n < 2;
    const bool lists = none && read_pickled_lists(k, &w);
    rc = lists ? 0 : rc == 0 && none ? expected_loss_arrays(k, e) : rc;
    if (lists)
        n = 0;
    for (uint64_t i = 0; rc == 0 && i < n; i++) {
        double step = column[LOG_VALUES] ? column[LOG_VALUES][i] : (double)i + 1;
        struct log_record r = {.step = step >= 0 && step < (double)LOG_STEP ? (int64_t)step : LOG_STEP};
        k->line = (uint32_t)i + 1;
        for (int v = 0; v < LOG_VALUES; v++)
            if (column[v])
                log_set(k, &r, (enum log_value)v, column[v][i], 0);
        log_add(k, &r);
    }
    k->stepless = lists ? k->stepless : !column[LOG_VALUES];
    vec_last(&k->s->files)->lines = k->line;
    for (int v = 0; v <= LOG_VALUES; v++)
        free(column[v]);
    weights_release(&w);
    return rc;
}
