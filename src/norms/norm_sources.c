/* The table of sources of gradient norms. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/msg.h"
#include "norms/norms.h"
#include "fmt/find_recordings.h"

static void add_norm_value(struct norm_side *s, const char *name, bool named, double v, uint64_t elements)
{
    struct norm_value x = {.name = name, .value = v, .max = NAN, .min = NAN, .elements = elements, .named = named};
    if (named)
        weight_identify(str_of(name), &s->arena, &x.id);
    vec_push(&s->values, x);
}

/* ---- tensors ---- */

struct norms_reading {
    const struct norm_options *o;
    struct norm_side *out;
    const struct weights *w;   /* either */
    const struct dump *d;
    const uint32_t *which;     /* per value the weight or row */
    pthread_mutex_t lock; /* of out->unread */
    size_t read, failed;
    struct err err; /* while nothing was read */
};

#define UNREAD_SAID 100 /* tensors that could not be read are named */

static void read_norm_of_weight(void *ctx, size_t i)
{
    struct norms_reading *r = ctx;
    struct norm_value *v = &r->out->values.v[i];
    struct tensor t;
    struct side_figures f;
    struct err e = {0};
    if (!isnan(v->value) || r->which[i] == UINT32_MAX)
        return;
    int rc = r->w ? weights_tensor(r->w, r->which[i], &t, &e) : dump_tensor(r->d, r->which[i], &t, &e);
    if (rc == 0) {
        rc = figures_one(r->o->kern, &t, &f, r->o->watch, &e);
        tensor_close(&t);
    }
    if (rc == 0) {
        v->value = f.norm;
        v->max = f.max;
        v->min = f.min;
        v->elements = f.count;
    } else {
        v->unread = true;
    }
    pthread_mutex_lock(&r->lock);
    if (rc && r->failed < UNREAD_SAID)
        vec_push(&r->out->unread, arena_fmt(&r->out->arena, "%s: %s", v->name, e.text));
    r->read += rc == 0;
    r->failed += rc != 0;
    if (rc && !r->read)
        r->err = e;
    pthread_mutex_unlock(&r->lock);
}

/* Computes the norms of all values without one. -1 if cancelled or if none could be read. */
static int read_tensors(struct norms_reading *r, struct err *e)
{
    pthread_mutex_init(&r->lock, NULL);
    figures_each(r->o->watch, r->o->workers, r->out->values.n, read_norm_of_weight, r);
    pthread_mutex_destroy(&r->lock);
    if (r->o->watch && atomic_load(&r->o->watch->cancel))
        return err_set(e, ERR_CANCEL, "%s", _("interrupted"));
    if (r->failed > UNREAD_SAID)
        vec_push(&r->out->unread, arena_fmt(&r->out->arena, _("%zu tensors could not be read"), r->failed));
    if (r->failed && !r->read) {
        *e = r->err;
        return -1;
    }
    return 0;
}

/* "grad_12", "grad.model.norm.weight", "model.norm.weight.grad" → the name in it; *named is false for a number. */
static struct str gradient_name(struct str s, bool *named)
{
    static const char *const before[] = {"grads_", "grads.", "grad_", "grad.", "gradient_", "param_"};
    unsigned long long n;
    for (size_t i = 0; i < ARRAY_LEN(before); i++)
        if (str_starts(s, before[i])) {
            s = str_cut(s, strlen(before[i]));
            break;
        }
    if (str_ends(s, ".grad") || str_ends(s, "_grad"))
        s.n -= strlen(".grad");
    *named = !str_u64(s, &n);
    return s;
}

int norms_of_weights(const struct weights *w, const struct norm_options *o, bool gradients, struct arena *a,
                     struct norm_side *out,
                     struct err *e)
{
    VEC(uint32_t) which = {0};
    for (size_t i = 0; i < w->problems.n && i < UNREAD_SAID; i++)
        vec_push(&out->unread, arena_cstr(&out->arena, str_of(w->problems.v[i].text)));
    for (uint32_t i = 0; i < w->list.n; i++) {
        const struct weight *x = &w->list.v[i];
        bool named = true;
        struct str name = gradients ? gradient_name(x->name, &named) : x->name;
        struct weight_id id = {0};
        weight_identify(name, a, &id);
        if (x->text || id.training || x->dtype == DTYPE_UNKNOWN || !dtype_is_float(x->dtype) || !x->numel)
            continue;
        struct norm_value v = {.name = arena_cstr(a, x->name), .value = NAN, .max = NAN, .min = NAN,
                               .elements = x->numel, .named = named};
        if (named)
            v.id = id;
        vec_push(&out->values, v);
        vec_push(&which, i);
    }
    struct norms_reading r = {.o = o, .out = out, .w = w, .which = which.v};
    int rc = read_tensors(&r, e);
    vec_release(&which);
    return rc;
}

static int saved_open(struct norm_side *s, const struct norm_options *o, struct err *e)
{
    (void)o;
    (void)e;
    s->format = "gradients";
    return weights_probe(s->path);
}

static int saved_load(struct norm_side *s, const struct norm_options *o, struct err *e)
{
    struct weights w;
    int rc = weights_open(&w, s->path, e);
    if (rc == 0) {
        s->format = arena_cstr(&s->arena, str_of(w.format));
        s->unit = UNIT_TENSOR;
        rc = norms_of_weights(&w, o, true, &s->arena, s, e);
    }
    weights_release(&w);
    return rc;
}

static void saved_close(struct norm_side *s)
{
    (void)s;
}

/* ---- dumps ---- */

static bool of_weights(const struct reader *r)
{
    for (size_t i = 0; weight_formats[i]; i++)
        if (strcmp(weight_formats[i]->name, r->name) == 0)
            return true;
    return false;
}

static int by_step_number(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static int dump_open(struct norm_side *s, const struct norm_options *o, struct err *e)
{
    if (find_recordings(s->path, &s->places, e))
        return -1;
    s->opened = true;
    for (size_t i = 0; i < s->places.n; i++) {
        const struct place *p = &s->places.v[i];
        if (p->reader->table || of_weights(p->reader) || (o->rank >= 0 && p->rank != o->rank))
            continue;
        s->format = p->reader->name;
        vec_push(&s->steps, p->step);
    }
    vec_sort(&s->steps, by_step_number);
    s->base = 0;
    return s->steps.n > 0;
}

static const struct place *dump_place_of_step(const struct norm_side *s, const struct norm_options *o)
{
    for (size_t i = 0; i < s->places.n; i++) {
        const struct place *p = &s->places.v[i];
        if (!p->reader->table && !of_weights(p->reader) && p->step == s->step && (o->rank < 0 || p->rank == o->rank))
            return p;
    }
    return NULL;
}

/* Parameter gradients: {module's path}.{parameter}. */
static void gradient_rows(struct norm_side *s, const struct dump *d, struct norms_reading *r)
{
    VEC(uint32_t) which = {0};
    for (uint32_t i = 0; i < d->rows.n; i++) {
        const struct row *row = &d->rows.v[i];
        const struct call *c = &d->calls.v[row->call];
        if (row->io != IO_GRADIENT || row->kind != ROW_TENSOR)
            continue;
        bool file = row->has & HAS_FILE, norm = row->has & HAS_NORM;
        if (!file && !norm)
            continue;
        const char *scope = c->scope == NONE ? c->name : d->scopes.v[c->scope], *slot = d->slots.v[row->slot];
        add_norm_value(s, arena_fmt(&s->arena, "%s.%s", scope, slot), true, file ? NAN : row->stat[STAT_NORM],
                       dump_row_numel(d, i));
        vec_push(&which, file ? i : UINT32_MAX);
    }
    r->which = which.v;
}

static int dump_load(struct norm_side *s, const struct norm_options *o, struct err *e)
{
    const struct place *p = dump_place_of_step(s, o);
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct load load = {.lock = &lock};
    struct dump d;
    if (!p)
        return err_set(e, ERR_USAGE, _("%s: no step %lld"), s->path, (long long)s->step);
    dump_init(&d);
    place_set(&d, p);
    int rc = p->reader->open(&d, &load, e);
    d.complete = rc == 0;
    if (rc == 0) {
        struct norms_reading r = {.o = o, .out = s, .d = &d};
        gradient_rows(s, &d, &r);
        s->unit = UNIT_TENSOR;
        rc = read_tensors(&r, e);
        free((void *)r.which);
    }
    dump_release(&d);
    if (rc == 0 && !s->values.n)
        rc = err_set(e, ERR_DATA, _("%s: no weight gradients in this dump; record them with level L0 or mix "
                                    "(\"parameters_grad\")"), s->path);
    return rc;
}

static void dump_close(struct norm_side *s)
{
    if (s->opened)
        place_list_release(&s->places);
}

/* ---- logs ---- */

#define STEPS_ADDED 8 /* enough to tell */
#define ADDS_UP 0.02 /* both are printed rounded, and single weights may be left out */

/* Whether the local norms of a step, or their squares, add up to the global norm printed at step `at`. */
static bool norms_add_up_to_global(const struct norm_side *s, int64_t step, int64_t at)
{
    const struct log_record *r = series_at(&s->log, at);
    double sum[2] = {0, 0};
    if (!r || !log_has(r, LOG_NORM) || !(r->value[LOG_NORM] > 0))
        return false;
    for (size_t i = 0; i < s->log.names.n; i++) {
        const struct log_name *n = &s->log.names.v[i];
        for (size_t k = 0; log_is_norm(n) && k < n->n; k++) {
            const struct log_point *p = &s->log.points.v[n->first + k];
            sum[0] += p->step == step ? p->value : 0;
            sum[1] += p->step == step ? p->value * p->value : 0;
        }
    }
    for (int i = 0; i < 2; i++)
        if (fabs(sqrt(sum[i]) / r->value[LOG_NORM] - 1) < ADDS_UP)
            return true;
    return false;
}

/* Lists printed behind the record of their step were taken for the next one's: the global norms tell. */
static void move_to_step_before(struct norm_side *s)
{
    bool before = true;
    for (size_t i = 0; i < s->steps.n && i < STEPS_ADDED && before; i++)
        before = norms_add_up_to_global(s, s->steps.v[i], s->steps.v[i] - 1) &&
                 !norms_add_up_to_global(s, s->steps.v[i], s->steps.v[i]);
    if (!before)
        return;
    for (size_t i = 0; i < s->log.names.n; i++) {
        const struct log_name *n = &s->log.names.v[i];
        for (size_t k = 0; log_is_norm(n) && k < n->n; k++)
            s->log.points.v[n->first + k].step--;
    }
    for (size_t i = 0; i < s->steps.n; i++)
        s->steps.v[i]--;
    vec_push(&s->log.notes, arena_fmt(&s->arena, _("the local norms add up to the global norms of the steps before "
                                                   "them, and are taken for those")));
}

static int log_open(struct norm_side *s, const struct norm_options *o, struct err *e)
{
    if (!series_probe(s->path))
        return 0;
    s->opened = true;
    if (series_open(&s->log, s->path, &o->log, e))
        return -1;
    s->format = s->log.format && *s->log.format ? s->log.format : "local-norm";
    for (size_t i = 0; i < s->log.names.n; i++) {
        const struct log_name *n = &s->log.names.v[i];
        if (!log_is_norm(n))
            continue;
        for (size_t k = 0; k < n->n; k++)
            vec_push(&s->steps, s->log.points.v[n->first + k].step);
    }
    if (!s->steps.n && s->log.unread.n)
        return err_set(e, ERR_DATA, "%s", s->log.unread.v[0].text);
    if (!s->steps.n)
        return err_set(e, ERR_DATA,
                       _("%s: no local norms in this log. MindFormers: runner_wrapper: {local_norm: True} or "
                         "monitor_config: {local_norm_format: log}; Megatron: needs a patch; msprobe monitor or saved "
                         "gradients can be used instead"),
                       s->path);
    vec_sort(&s->steps, by_step_number);
    size_t n = 1;
    for (size_t i = 1; i < s->steps.n; i++)
        if (s->steps.v[i] != s->steps.v[n - 1])
            s->steps.v[n++] = s->steps.v[i];
    s->steps.n = n;
    move_to_step_before(s);
    s->base = strcmp(s->format, "msprobe-monitor") == 0 || s->steps.v[0] == 0 ? 0 : 1;
    return 1;
}

static int log_load(struct norm_side *s, const struct norm_options *o, struct err *e)
{
    const struct series *l = &s->log;
    (void)o;
    for (size_t i = 0; i < l->names.n; i++) {
        const struct log_name *n = &l->names.v[i];
        if (!log_is_norm(n))
            continue;
        for (size_t k = 0; k < n->n; k++)
            if (l->points.v[n->first + k].step == s->step) {
                double v = l->points.v[n->first + k].value;
                s->square = s->square || n->square;
                s->unit = n->square ? UNIT_FORM : s->unit;
                add_norm_value(s, n->name, n->name[0] != '#', v, n->elements);
            }
    }
    for (size_t i = 0; i < l->replicas.n; i++) {
        const struct log_replica *r = &l->replicas.v[i];
        if (r->step != s->step)
            continue;
        struct norm_replica x = {.name = r->name, .rank = r->rank, .value = r->square ? sqrt(r->value) : r->value};
        weight_identify(str_of(x.name), &s->arena, &x.id);
        vec_push(&s->replicas, x);
    }
    if (!s->values.n)
        return err_set(e, ERR_USAGE, _("%s: no local norms at step %lld; available: steps %lld to %lld"), s->path,
                       (long long)s->step,
                       (long long)s->steps.v[0], (long long)*vec_last(&s->steps));
    return 0;
}

static void log_close(struct norm_side *s)
{
    if (s->opened)
        series_release(&s->log);
}

const struct norms_format norm_sources[] = {
    {"gradients", saved_open, saved_load, saved_close},
    {"dump", dump_open, dump_load, dump_close},
    {"log", log_open, log_load, log_close},
    {0},
};
