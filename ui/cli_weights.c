/* diverge weights: two checkpoints compared, or one listed with its figures; single elements. */
#include <stdio.h>
#include <stdlib.h>

#include "base/json_write.h"
#include "base/mem.h"
#include "base/msg.h"
#include "base/num.h"
#include "base/threads.h"
#include "base/utf8.h"
#include "report/weights_output.h"
#include "ui/cli.h"
#include "ui/wait.h"

/* A comparison or a listing under way. */
struct weights_task {
    struct figures_watch watch;
    const struct kern *kern;
    int workers;
    struct weight_compare *compare;
    struct weights *list;
    struct side_figures *fig;
    bool *has;
    atomic_size_t next;
    pthread_mutex_t lock; /* of list, which gathers what could not be read */
};

static void *list_some(void *ctx)
{
    struct weights_task *t = ctx;
    for (;;) {
        size_t i = atomic_fetch_add(&t->next, 1);
        struct tensor x;
        struct err why;
        if (i >= t->list->list.n || atomic_load(&t->watch.cancel))
            return NULL;
        const struct weight *w = &t->list->list.v[i];
        if (w->problem || w->text || !w->numel || w->dtype == DTYPE_UNKNOWN)
            continue;
        int rc = weights_tensor(t->list, (uint32_t)i, &x, &why);
        if (rc == 0) {
            rc = figures_one(t->kern, &x, &t->fig[i], &t->watch, &why);
            tensor_close(&x);
        }
        t->has[i] = rc == 0;
        if (rc && why.code != ERR_CANCEL) {
            pthread_mutex_lock(&t->lock);
            t->list->list.v[i].problem = arena_cstr(&t->list->arena, str_of(why.text));
            weights_problem(t->list, (uint32_t)i, "damaged", why.text);
            pthread_mutex_unlock(&t->lock);
        }
    }
}

static int run(struct job *j, void *ctx, struct err *e)
{
    struct weights_task *t = ctx;
    (void)j;
    if (t->compare)
        return weight_compare_run(t->compare, t->kern, t->workers, &t->watch, e);
    threads_run(t->workers, list_some, t);
    return atomic_load(&t->watch.cancel) ? err_set(e, ERR_CANCEL, "%s", _("interrupted")) : 0;
}

static void say(void *ctx, struct buf *out)
{
    struct weights_task *t = ctx;
    char n[NUM_MAX];
    buf_fmt(out, _("read %s elements "), num_count(n, atomic_load(&t->watch.done)));
}

static int wait_for(struct weights_task *t, const struct options *o, struct err *e)
{
    struct waiting w = waiting_with(o, say, t, &t->watch.cancel);
    t->workers = threads_wanted(o->workers);
    t->kern = kern_select(o->cpu);
    if (!t->kern)
        return err_set(e, ERR_USAGE, _("this machine cannot run kernel %s"), o->cpu);
    return wait_for_run(&w, run, t, e);
}

/* The result where -o or --json want it, else text. */
static int deliver(const struct options *o, const struct weight_compare *c, const struct weight_listing *l, struct err *e)
{
    struct out out;
    struct report_options opt = {.rows = o->rows, .tool = TOOL};
    bool csv = o->output && !o->json && str_ends(str_of(o->output), ".csv");
    if (!o->json && !o->output) {
        struct buf b = {0};
        c ? weights_text(&b, c) : weights_list_text(&b, l);
        cli_print(&b);
        buf_release(&b);
        return 0;
    }
    if (!cli_out_standard(o) && !csv && !str_ends(str_of(o->output), ".json"))
        return err_set(e, ERR_USAGE, _("%s: weights are written as .json or .csv"), o->output);
    if (cli_out_named(o, &out, e))
        return -1;
    if (c)
        csv ? weights_csv(&out, c) : weights_json(&out, c, &opt);
    else
        csv ? weights_list_csv(&out, l) : weights_list_json(&out, l, TOOL);
    return out_close(&out, e);
}

/* ---- elements ---- */

#define ELEMENTS_MAX 256

/* "NAME[1,2]": the place named, or all that lies under it. */
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
        return err_set(e, ERR_USAGE, _("--element takes NAME[I,J,…], not \"%s\""), text);
    s.n--;
    while (s.n) {
        unsigned long long v;
        str_split(s, ',', &part, &s);
        if (*n == TENSOR_DIMS || !str_u64(str_trim(part), &v) || v > INT64_MAX)
            return err_set(e, ERR_USAGE, _("--element takes NAME[I,J,…], not \"%s\""), text);
        index[(*n)++] = (int64_t)v;
    }
    return 0;
}

/* By its name, or the name another framework gives it. */
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

static int element(const struct weights *w, struct str name, const int64_t *index, int n, double *out, size_t *count, struct err *e)
{
    struct tensor t;
    struct tensor_walk walk;
    uint32_t i = find_alike(w, name);
    uint64_t at = 0, under = 1;
    unsigned char raw[ELEMENTS_MAX * 16];
    if (i == MAP_NONE)
        return err_set(e, ERR_USAGE, _("%s: no tensor %.*s in it"), w->path, STR_ARG(name));
    const struct weight *x = &w->list.v[i];
    if (n > x->ndim)
        return err_set(e, ERR_USAGE, _("%.*s has %d axes, not %d"), STR_ARG(name), x->ndim, n);
    for (int a = 0; a < x->ndim; a++) {
        if (a < n && index[a] >= x->shape[a])
            return err_set(e, ERR_USAGE, _("%.*s: axis %d has %lld places, the first is 0"), STR_ARG(name), a, (long long)x->shape[a]);
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
        jw_key(&w, "values");
        jw_array(&w);
    }
    for (int s = 0; s < o->args && rc == 0; s++) {
        struct weights list;
        rc = weights_open(&list, o->arg[s], e);
        if (rc == 0)
            rc = element(&list, name, index, n, v, &count, e);
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

static int list_one(const struct options *o, struct err *e)
{
    struct weights w;
    struct weights_task t = {.list = &w, .lock = PTHREAD_MUTEX_INITIALIZER};
    int rc = weights_open(&w, o->arg[0], e);
    if (rc == 0) {
        t.fig = mem_zalloc(w.list.n * sizeof *t.fig);
        t.has = mem_zalloc(w.list.n * sizeof *t.has);
        rc = wait_for(&t, o, e);
    }
    if (rc == 0) {
        struct weight_listing l = {&w, t.fig, t.has};
        rc = deliver(o, NULL, &l, e);
    }
    int status = rc ? cli_fail(e) : w.problems.n ? EXIT_DEVIATES : EXIT_ALIGNED;
    free(t.fig);
    free(t.has);
    weights_release(&w);
    return status;
}

int cli_weights(const struct options *o)
{
    struct err e = {0};
    struct weight_compare c = {0};
    struct weights_task t = {.compare = &c};
    const struct weight_options opt = {
        .heads = o->heads, .kv_heads = o->kv_heads, .tp = o->tp, .map = o->map, .maps = o->maps, .map_only = o->map_only, .exact = o->exact};
    cli_catch_interrupts();
    if (o->element)
        return show_element(o, &e) ? cli_fail(&e) : EXIT_ALIGNED;
    if (o->args == 1)
        return list_one(o, &e);
    int rc = weight_compare_open(&c, o->arg[0], o->arg[1], &opt, &e), status;
    if (rc == 0)
        rc = wait_for(&t, o, &e);
    if (rc == 0)
        rc = deliver(o, &c, NULL, &e);
    if (rc)
        status = cli_fail(&e);
    else {
        static const int exits[] = {EXIT_ALIGNED, EXIT_DEVIATES, EXIT_UNJUDGED};
        status = exits[weight_compare_verdict(&c)];
    }
    weight_compare_release(&c);
    return status;
}
