/* diverge weights: two checkpoints compared, or one listed with its figures; single elements. */
#include <stdlib.h>

#include "base/json_write.h"
#include "base/mem.h"
#include "base/msg.h"
#include "base/num.h"
#include "report/weights_output.h"
#include "ui/cli_stage.h"
#include "ui/ending.h"
#include "weights/weights_section.h"

/* ---- one checkpoint listed ---- */

struct listing {
    struct weight_listing shown; /* first, because the writers take its address */
    struct weights w;
    struct side_figures *fig;
    bool *has;
    struct stage_run *run;
    pthread_mutex_t lock; /* of w, which gathers what could not be read */
};

static void compute_weight_figures(void *ctx, size_t i)
{
    struct listing *l = ctx;
    const struct weight *w = &l->w.list.v[i];
    struct tensor x;
    struct err why;
    if (w->problem || w->text || !w->numel || w->dtype == DTYPE_UNKNOWN)
        return;
    int rc = weights_tensor(&l->w, (uint32_t)i, &x, &why);
    if (rc == 0) {
        rc = figures_one(l->run->kern, &x, &l->fig[i], &l->run->watch, &why);
        tensor_close(&x);
    }
    l->has[i] = rc == 0;
    if (rc && why.code != ERR_CANCEL) {
        pthread_mutex_lock(&l->lock);
        l->w.list.v[i].problem = arena_cstr(&l->w.arena, str_of(why.text));
        weights_problem(&l->w, (uint32_t)i, "damaged", why.text);
        pthread_mutex_unlock(&l->lock);
    }
}

static int run_listing(struct stage_run *r, struct err *e)
{
    struct listing *l = r->result;
    l->run = r;
    if (weights_open(&l->w, r->o->arg[0], e))
        return -1;
    l->fig = mem_zalloc(l->w.list.n * sizeof *l->fig);
    l->has = mem_zalloc(l->w.list.n * sizeof *l->has);
    l->shown = (struct weight_listing){&l->w, l->fig, l->has};
    figures_each(&r->watch, r->workers, l->w.list.n, compute_weight_figures, l);
    r->verdict = l->w.problems.n ? STAGE_FAIL : STAGE_PASS;
    return atomic_load(&r->watch.cancel) ? err_set(e, ERR_CANCEL, "%s", _("interrupted")) : 0;
}


static void say_elements_read(void *run, struct buf *out)
{
    struct stage_run *r = run;
    char n[NUM_MAX];
    buf_fmt(out, _("read %s elements "), num_count(n, atomic_load(&r->watch.done)));
}

static int list_checkpoint(const struct options *o)
{
    static const struct stage stage = {run_listing,
                                       {.text = weights_list_text, .json = weights_list_json, .csv = weights_list_csv},
                                       say_elements_read};
    struct listing l = {.lock = PTHREAD_MUTEX_INITIALIZER};
    int status = stage_run(&stage, o, &l);
    free(l.fig);
    free(l.has);
    weights_release(&l.w);
    return status;
}

/* ---- two compared ---- */

struct weights_compared {
    struct weight_compare c;
    enum report_rows rows;
};

static int run_compare(struct stage_run *r, struct err *e)
{
    struct weight_compare *c = &((struct weights_compared *)r->result)->c;
    const struct options *o = r->o;
    const struct weight_options opt = {.heads = o->heads,
                                       .kv_heads = o->kv_heads,
                                       .tp = o->tp,
                                       .map = o->map,
                                       .maps = o->maps,
                                       .map_only = o->map_only,
                                       .exact = o->exact};
    if (weight_compare_open(c, o->arg[0], o->arg[1], &opt, e) ||
        weight_compare_run(c, r->kern, r->workers, &r->watch, e))
        return -1;
    r->verdict = weight_compare_verdict(c);
    return 0;
}

static void show_weights_section(struct document *d, const void *result)
{
    weights_section(d, &((const struct weights_compared *)result)->c);
}

static void compared_json(struct jsonw *w, struct out *o, const void *result)
{
    const struct weights_compared *x = result;
    const struct report_options opt = {.rows = x->rows};
    weights_json_object(w, o, &x->c, &opt);
}

static void compared_csv(struct out *o, const void *result)
{
    weights_csv(o, &((const struct weights_compared *)result)->c);
}

static int compare_two(const struct options *o)
{
    static const struct stage stage = {
        run_compare, {.section = show_weights_section, .json = compared_json, .csv = compared_csv}, say_elements_read};
    struct weights_compared x = {.rows = o->rows};
    int status = stage_run(&stage, o, &x);
    weight_compare_release(&x.c);
    return status;
}

/* ---- elements ---- */

#define ELEMENTS_MAX 256

/* "NAME[1,2]": an element, or all elements with these first indices. */
static int parse_element(const char *text, struct str *name, int64_t *index, int *n, struct err *e)
{
    struct str s = str_of(text), part;
    ptrdiff_t open = str_rfind(s, '[');
    *n = 0;
    *name = open < 0 ? s : str_n(s.p, (size_t)open);
    if (open < 0)
        return 0;
    s = str_cut(s, (size_t)open + 1);
    if (!s.n || s.p[s.n - 1] != ']')
        return err_set(e, ERR_USAGE, _("--element: expected NAME[I,J,…], found \"%s\""), text);
    s.n--;
    while (s.n) {
        unsigned long long v;
        part = str_next(&s, ',');
        if (*n == TENSOR_DIMS || !str_u64(str_trim(part), &v) || v > INT64_MAX)
            return err_set(e, ERR_USAGE, _("--element: expected NAME[I,J,…], found \"%s\""), text);
        index[(*n)++] = (int64_t)v;
    }
    return 0;
}

/* The weight of that name, or of the corresponding name of another framework. */
static uint32_t find_alike(const struct weights *w, struct str name)
{
    struct arena a = {0};
    struct weight_id want, have;
    uint32_t at = weights_find(w, name);
    weight_identify(name, &a, &want);
    for (uint32_t i = 0; i < w->list.n && at == MAP_NONE; i++) {
        weight_identify(w->list.v[i].name, &a, &have);
        if (str_eq(want.key, have.key))
            at = i;
    }
    arena_release(&a);
    return at;
}

static int find_weight_element(const struct weights *w, struct str name, const int64_t *index, int n, double *out,
                               size_t *count, struct err *e)
{
    struct tensor t;
    struct tensor_walk walk;
    uint32_t i = find_alike(w, name);
    uint64_t at = 0, under = 1;
    unsigned char raw[ELEMENTS_MAX * 16];
    if (i == MAP_NONE)
        return err_set(e, ERR_USAGE, _("%s: no tensor %.*s"), w->path, STR_ARG(name));
    const struct weight *x = &w->list.v[i];
    if (n > x->ndim)
        return err_set(e, ERR_USAGE, _("%.*s has %d axes, not %d"), STR_ARG(name), x->ndim, n);
    for (int a = 0; a < x->ndim; a++) {
        if (a < n && index[a] >= x->shape[a])
            return err_set(e, ERR_USAGE, _("%.*s: index out of range: axis %d has %lld indices, starting at "
                                           "0"), STR_ARG(name), a,
                           (long long)x->shape[a]);
        at = at * (uint64_t)x->shape[a] + (a < n ? (uint64_t)index[a] : 0);
        under *= a < n ? 1 : (uint64_t)x->shape[a];
    }
    if (weights_tensor(w, i, &t, e))
        return -1;
    *count = under < ELEMENTS_MAX ? (size_t)under : ELEMENTS_MAX;
    tensor_walk_init(&walk, &t);
    tensor_walk_seek(&walk, at);
    int rc = *count && tensor_walk_next(&walk, raw, *count, e) != (long)*count ? -1 : 0;
    if (rc == 0)
        dtype_to_f64(t.dtype, raw, *count, out);
    tensor_walk_release(&walk);
    tensor_close(&t);
    return rc;
}

static int show_element(const struct options *o, struct err *e)
{
    struct str name;
    int64_t index[TENSOR_DIMS];
    int n;
    double v[ELEMENTS_MAX];
    size_t count = 0;
    struct buf b = {0};
    char tmp[NUM_MAX];
    if (parse_element(o->element, &name, index, &n, e))
        return -1;
    int rc = 0;
    struct jsonw w;
    jw_init(&w, &b, false);
    if (o->json) {
        jw_object(&w);
        jw_kint(&w, "schema", 1);
        jw_kcstr(&w, "element", o->element);
        jw_karray(&w, "values");
    }
    for (int s = 0; s < o->args && rc == 0; s++) {
        struct weights list;
        rc = weights_open(&list, o->arg[s], e);
        if (rc == 0)
            rc = find_weight_element(&list, name, index, n, v, &count, e);
        weights_release(&list);
        if (rc)
            break;
        if (o->json)
            jw_array(&w);
        for (size_t i = 0; i < count; i++) {
            if (o->json)
                jw_num(&w, v[i]);
            else
                buf_fmt(&b, "%s%s", i ? " " : "", num_exact(tmp, v[i]));
        }
        o->json ? jw_end_array(&w) : buf_char(&b, '\n');
    }
    if (o->json) {
        jw_end_array(&w);
        jw_end_object(&w);
        buf_char(&b, '\n');
    }
    if (rc == 0)
        cli_print(&b);
    buf_release(&b);
    return rc;
}

/* ---- the command ---- */

int cli_weights(const struct options *o)
{
    struct err e = {0};
    if (o->element) {
        ending_catch(NULL);
        return show_element(o, &e) ? cli_fail(&e) : EXIT_ALIGNED;
    }
    if (!cli_can_write(o, true)) {
        err_set(&e, ERR_USAGE, _("%s: weights can only be written as .json or .csv"), o->output);
        return cli_fail(&e);
    }
    return o->args == 1 ? list_checkpoint(o) : compare_two(o);
}
