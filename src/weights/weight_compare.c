/* Compares two checkpoints pair by pair: opens both sides with the layouts that their names allow, compares values,
 * and explains a difference by testing transposed, exchanged and rearranged layouts. */
#include "weights/weight_compare.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/threads.h"
#include "base/msg.h"
#include "base/num.h"
#include "base/json_read.h"
#include "weights/weight_layout.h"
#include "weights/weight_pairs.h"

#define CHUNK (16 * 1024)
#define EXPERTS_NAMED 8 /* of those that differ */
#define EXCHANGED_MAX 512 /* differing pairs among which exchanged weights are looked for */

struct weights_running {
    struct weight_compare *c;
    const struct kern *k;
    struct figures_watch *watch;
    struct work_crew crew;
    pthread_mutex_t lock; /* of the arena */
};

/* ---- opening ---- */

static int json_int(const cJSON *o, const char *key)
{
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(o, key);
    return cJSON_IsNumber(v) && v->valuedouble >= 1 && v->valuedouble < 1e6 ? (int)v->valuedouble : 0;
}

/* Hugging Face's config.json beside the weights. */
static void read_config(struct weights *w)
{
    struct buf path = {0};
    struct err quiet;
    struct str dir = path_is_dir(w->path) ? str_of(w->path) : path_parent(str_of(w->path));
    path_join(&path, dir.n ? arena_cstr(&w->arena, dir) : ".", "config.json");
    cJSON *root = path_is_file(path.p) ? json_load(path.p, 4 << 20, &quiet) : NULL;
    if (root) {
        struct weight_arch *a = &w->arch;
        a->heads = a->heads ? a->heads : json_int(root, "num_attention_heads");
        if (!a->kv_heads)
            a->kv_heads = json_int(root, "num_key_value_heads");
        if (!a->kv_heads)
            a->kv_heads = a->heads;
    }
    cJSON_Delete(root);
    buf_release(&path);
}

static void choose_heads(struct weight_compare *c)
{
    const struct weight_arch *t = &c->side[0].arch, *g = &c->side[1].arch;
    const struct weight_options *o = &c->opt;
    c->heads = o->heads ? o->heads : t->heads ? t->heads : g->heads;
    c->kv_heads = o->kv_heads ? o->kv_heads : o->heads ? o->heads : t->heads ? t->kv_heads : g->kv_heads;
    if (!o->heads && t->heads && g->heads && (t->heads != g->heads || t->kv_heads != g->kv_heads))
        vec_push(&c->warnings, arena_fmt(&c->arena, _("the head counts differ: %d (key-value heads: %d) and %d (%d)"),
                                         t->heads, t->kv_heads, g->heads, g->kv_heads));
    for (int s = 0; s < 2; s++)
        c->blocks[s] = o->tp > 1 && strcmp(c->side[s].format, "megatron") != 0 ? o->tp : 1;
}

int weight_compare_open(struct weight_compare *c, const char *target, const char *golden,
                        const struct weight_options *opt, struct err *e)
{
    const char *const path[2] = {target, golden};
    *c = (struct weight_compare){.opt = *opt};
    for (int s = 0; s < 2; s++) {
        if (weights_open(&c->side[s], path[s], e))
            return -1;
        read_config(&c->side[s]);
        for (size_t i = 0; i < c->side[s].problems.n && i < 100; i++)
            vec_push(&c->unread, c->side[s].problems.v[i].text);
    }
    choose_heads(c);
    for (int s = 0; s < 2; s++)
        if (c->side[s].arch.tp > 1 && strcmp(c->side[s].format, "megatron") != 0)
            vec_push(&c->warnings, arena_fmt(&c->arena, _("%s is one of %d tensor-parallel ranks by its saved "
                                                          "arguments; give the folder of all ranks to join them"),
                                             c->side[s].path, c->side[s].arch.tp));
    if (weight_pairs_plan(c, e))
        return -1;
    const struct weight_pair *example = NULL;
    for (size_t i = 0; i < c->pairs.n; i++) {
        enum dtype t = c->side[0].list.v[c->pairs.v[i].weight[0]].dtype,
                   g = c->side[1].list.v[c->pairs.v[i].weight[1]].dtype;
        if (t != g && t && g) {
            c->dtype_diff++;
            example = &c->pairs.v[i];
        }
    }
    if (example)
        vec_push(&c->warnings, arena_fmt(&c->arena, _("%zu pairs differ in element type, e.g. %s and %s: differences "
                                                      "within the rounding of the less precise type are tolerated"),
                                         c->dtype_diff, dtype_table[c->side[0].list.v[example->weight[0]].dtype].name,
                                         dtype_table[c->side[1].list.v[example->weight[1]].dtype].name));
    return 0;
}

void weight_compare_release(struct weight_compare *c)
{
    for (int s = 0; s < 2; s++) {
        weights_release(&c->side[s]);
        free(c->id[s]);
        vec_release(&c->only[s]);
        vec_release(&c->aside[s]);
    }
    vec_release(&c->pairs);
    vec_release(&c->unread);
    vec_release(&c->warnings);
    arena_release(&c->arena);
    *c = (struct weight_compare){0};
}

/* ---- texts ---- */

static const char *say(struct weights_running *x, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static const char *say(struct weights_running *x, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    pthread_mutex_lock(&x->lock);
    const char *s = arena_vfmt(&x->c->arena, fmt, ap);
    pthread_mutex_unlock(&x->lock);
    va_end(ap);
    return s;
}

const char *weight_verdict_name(enum weight_verdict v)
{
    static const char *const names[] = {"pending", "equal", "differs", "shape", "unread"};
    return names[v];
}

const char *weight_part_name(const struct weight_compare *c, const struct weight_pair *p, int side)
{
    const char *part[3];
    int n = weight_parts(&c->id[side][p->weight[side]], part);
    return p->part[side] && p->part[side] <= n ? part[p->part[side] - 1] : "";
}

static void shape_of(const int64_t *v, int n, struct buf *out)
{
    buf_char(out, '[');
    for (int i = 0; i < n; i++)
        buf_fmt(out, i ? ",%lld" : "%lld", (long long)v[i]);
    buf_char(out, ']');
}

/* ---- one side ---- */

static int blocks_of(const struct weight_compare *c, int s, uint32_t i)
{
    uint32_t own = c->side[s].list.v[i].blocks;
    return own > 1 ? (int)own : c->blocks[s];
}

/* Rows of the three parts; the other side's parts tell where this side does not know its heads. */
static bool part_sizes(const struct weight_compare *c, const struct weight_pair *p, int s, int64_t size[3])
{
    const struct weight_id *id = &c->id[s][p->weight[s]];
    const struct weight *x = &c->side[s].list.v[p->weight[s]];
    if (x->ndim < (p->expert[s] ? 2 : 1))
        return false;
    memset(size, 0, 3 * sizeof *size);
    if (id->fusion == FUSED_QKV && !p->part[!s])
        for (size_t i = 0; i < c->pairs.n; i++) {
            const struct weight_pair *q = &c->pairs.v[i];
            const struct weight *o = &c->side[!s].list.v[q->weight[!s]];
            if (q->weight[s] == p->weight[s] && q->part[s] && o->ndim)
                size[q->part[s] - 1] = o->shape[0];
        }
    int64_t rows = x->shape[!p->expert[s] ? 0 : p->turned[s] && x->ndim > 2 ? 2 : 1]; /* a bias has no other axis */
    return weight_layout_sizes(id->fusion, rows, c->heads, c->kv_heads, size);
}

enum weight_reading { READ_FINE, READ_FAILED, READ_UNKNOWN };

/* The side's elements under one order of its fused rows. READ_UNKNOWN: how they lie cannot be told. */
static enum weight_reading side_open(const struct weight_compare *c, const struct weight_pair *p, int s,
                                     const int64_t size[3],
                                     enum weight_order order, int groups, struct weight_layout *out, struct err *e)
{
    uint32_t i = p->weight[s];
    if (weight_layout_whole(&c->side[s], i, out, e))
        return READ_FAILED;
    if (p->expert[s] && !weight_layout_slice(out, p->expert[s] - 1)) {
        tensor_close(&out->t);
        err_set(e, ERR_DATA, "%s", _("its experts are sharded: join the shards first"));
        return READ_UNKNOWN;
    }
    if (p->turned[s] && out->ndim == 2)
        weight_layout_transpose(out);
    if (!p->part[s])
        return READ_FINE;
    int k = p->part[s] - 1;
    int64_t in_turn = c->id[s][i].fusion == FUSED_GATE_UP ? size[k] : groups;
    int64_t from = 0, of = order == ORDER_GROUPED ? in_turn : blocks_of(c, s, i);
    bool fine = of > 0 && size[k] % of == 0;
    for (int n = 0; n < k && fine; n++) {
        fine = size[n] % of == 0;
        from += size[n] / of;
    }
    if (fine && weight_layout_rows(out, of, from, size[k] / of))
        return READ_FINE;
    tensor_close(&out->t);
    err_set(e, ERR_DATA, order == ORDER_GROUPED && groups < 1
                             ? _("unknown head layout: set --heads (and --kv-heads)")
                             : _("its row count is not divisible by the number of heads or shards; see --heads, "
                                 "--kv-heads, --tp"));
    return READ_UNKNOWN;
}

/* ---- two sides ---- */

enum relation { SHAPE_SAME, SHAPE_PADDED, SHAPE_TRANSPOSED, SHAPE_RESHAPED, SHAPE_OTHER };

/* Whether `more` rows are `rows` padded: to a multiple of a power of two from 8 on, or of 128 times the
 * tensor-parallel size, as Megatron and MindFormers do. */
static bool padded(const struct weight_compare *c, int64_t rows, int64_t more)
{
    for (int s = 0; s < 2; s++) {
        int64_t unit = 128 * (int64_t)(c->side[s].arch.tp ? c->side[s].arch.tp : 1);
        if (more == c->side[s].arch.vocab || more == (rows + unit - 1) / unit * unit)
            return true;
    }
    for (int64_t unit = 8; unit <= 16384; unit *= 2)
        if (more == (rows + unit - 1) / unit * unit)
            return true;
    return false;
}

static enum relation relate(const struct weight_compare *c, const struct weight_pair *p,
                            const struct weight_layout a[2])
{
    const struct weight_id *id = &c->id[0][p->weight[0]], *id2 = &c->id[1][p->weight[1]];
    int64_t n[2] = {1, 1};
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < a[s].ndim; i++)
            n[s] *= a[s].shape[i];
    bool tail = a[0].ndim == a[1].ndim && a[0].ndim > 0;
    for (int i = 1; tail && i < a[0].ndim; i++)
        tail = a[0].shape[i] == a[1].shape[i];
    if (a[0].ndim == a[1].ndim && (a[0].ndim == 0 || (tail && a[0].shape[0] == a[1].shape[0])))
        return SHAPE_SAME;
    if (tail && (id->vocabulary || id2->vocabulary)) {
        int64_t t = a[0].shape[0], g = a[1].shape[0];
        if (padded(c, t < g ? t : g, t < g ? g : t))
            return SHAPE_PADDED;
    }
    if (n[0] != n[1])
        return SHAPE_OTHER;
    if (a[0].ndim == 2 && a[1].ndim == 2 && a[0].shape[0] == a[1].shape[1])
        return SHAPE_TRANSPOSED;
    /* axes of 1 come and go between frameworks ([3] and [3, 1]); anything else is another shape */
    int64_t plain[2][TENSOR_DIMS];
    int m[2] = {0, 0};
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < a[s].ndim; i++)
            if (a[s].shape[i] != 1)
                plain[s][m[s]++] = a[s].shape[i];
    return m[0] == m[1] && memcmp(plain[0], plain[1], (size_t)m[0] * sizeof **plain) == 0 ? SHAPE_RESHAPED
                                                                                          : SHAPE_OTHER;
}

/* One unit of the type's rounding around a value of that size. */
static double unit_of(enum dtype d, double size)
{
    return d == DTYPE_HIF8 ? dtype_spacing(d, size) : dtype_table[d].epsilon * size + dtype_table[d].least;
}

static int fill(struct tensor_walk *w, void *raw, double *out, size_t n, struct err *e)
{
    if (tensor_walk_next(w, raw, n, e) != (long)n)
        return -1;
    dtype_to_f64(w->t->dtype, raw, n, out);
    return 0;
}

/* Elements farther apart than one unit of the coarser type's rounding; the first of them. */
static int count_off(struct weights_running *x, const struct tensor *t, const struct tensor *g, uint64_t *off,
                     uint64_t *first, struct err *e)
{
    enum dtype d = dtype_coarser(t->dtype, g->dtype);
    double *v[2] = {NULL, NULL};
    struct tensor_walk w[2];
    void *raw = mem_alloc(CHUNK * 16);
    int rc = 0;
    *off = 0;
    *first = 0;
    for (int s = 0; s < 2; s++) {
        v[s] = mem_alloc(CHUNK * sizeof **v);
        tensor_walk_init(&w[s], s ? g : t);
    }
    for (uint64_t at = 0; at < t->numel && rc == 0; at += CHUNK) {
        size_t n = t->numel - at < CHUNK ? (size_t)(t->numel - at) : CHUNK;
        if (x->watch && atomic_load(&x->watch->cancel))
            rc = err_set(e, ERR_CANCEL, "%s", _("stopped"));
        else if (fill(&w[0], raw, v[0], n, e) || fill(&w[1], raw, v[1], n, e))
            rc = -1;
        for (size_t i = 0; rc == 0 && i < n; i++) {
            double a = v[0][i], b = v[1][i];
            if (a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= unit_of(d, fmax(fabs(a), fabs(b))))
                continue;
            if (!(*off)++)
                *first = at + i;
        }
    }
    for (int s = 0; s < 2; s++) {
        tensor_walk_release(&w[s]);
        free(v[s]);
    }
    free(raw);
    return rc;
}

struct layout_outcome {
    bool equal;
    uint64_t off, first;
    struct figures fig;
};

/* Equal: no element farther apart than the coarser type rounds (with --exact: than nothing). */
static int hold(struct weights_running *x, const struct tensor *t, const struct tensor *g, struct layout_outcome *o,
                struct err *e)
{
    *o = (struct layout_outcome){0};
    if (!t->numel) {
        o->equal = true;
        return 0;
    }
    if (figures_two(x->k, t, g, &o->fig, x->watch, e))
        return -1;
    if (!o->fig.two)
        return 0;
    o->equal = o->fig.max_abs == 0;
    if (o->equal || x->c->opt.exact)
        return 0;
    double eps = dtype_table[dtype_coarser(t->dtype, g->dtype)].epsilon;
    if (o->fig.rel_l2 > 1e4 * eps && o->fig.rel_l2 > 1e-2)
        return 0; /* far from rounding: no need to count */
    if (count_off(x, t, g, &o->off, &o->first, e))
        return -1;
    o->equal = o->off == 0;
    return 0;
}

/* The same comparison under another reading of one side; whether that makes the sides equal. */
static bool would_agree(struct weights_running *x, const struct tensor *t, const struct tensor *g)
{
    struct layout_outcome o;
    struct err quiet;
    return t->numel == g->numel && hold(x, t, g, &o, &quiet) == 0 && o.equal;
}

static bool transposed_agrees(struct weights_running *x, const struct weight_layout a[2])
{
    struct weight_layout turned = a[1];
    if (a[1].ndim != 2)
        return false;
    weight_layout_transpose(&turned);
    return a[0].shape[0] == turned.shape[0] && would_agree(x, &a[0].t, &turned.t);
}

static bool halves_agree(struct weights_running *x, const struct weight_pair *p, const struct weight_layout a[2],
                         int side)
{
    const struct weight_compare *c = x->c;
    const struct weight_id *id = &c->id[0][p->weight[0]];
    const char *part = weight_part_name(c, p, 0);
    bool q = str_is(id->role, "q") || strcmp(part, "q") == 0, k = str_is(id->role, "k") || strcmp(part, "k") == 0;
    struct weight_layout turned = a[side];
    if ((!q && !k) || !weight_layout_halves(&turned, q ? c->heads : c->kv_heads))
        return false;
    return would_agree(x, side ? &a[0].t : &turned.t, side ? &turned.t : &a[1].t);
}

struct attempt {
    struct weight_layout a[2];
    enum relation relation;
    struct layout_outcome o;
    bool compared;
};

static void attempt_close(struct attempt *y)
{
    tensor_close(&y->a[0].t);
    tensor_close(&y->a[1].t);
}

/* Opens both sides under these orders and compares. 0; 1: how a side lies is not known; -1 on an error. */
static int attempt(struct weights_running *x, const struct weight_pair *p, const enum weight_order order[2],
                   const int64_t size[2][3], struct attempt *y, struct err *e)
{
    *y = (struct attempt){0};
    for (int s = 0; s < 2; s++) {
        enum weight_reading r = side_open(x->c, p, s, size[s], order[s], x->c->kv_heads, &y->a[s], e);
        if (r != READ_FINE) {
            if (s)
                tensor_close(&y->a[0].t);
            y->a[0].t.file = y->a[1].t.file = (struct file){0};
            return r == READ_UNKNOWN ? 1 : -1;
        }
    }
    if (p->transpose && y->a[1].ndim == 2)
        weight_layout_transpose(&y->a[1]);
    y->relation = relate(x->c, p, y->a);
    struct tensor t = y->a[0].t, g = y->a[1].t;
    if (y->relation == SHAPE_OTHER)
        return 0;
    if (y->relation == SHAPE_PADDED) /* rows go first: the common ones are the first elements of both */
        t.numel = g.numel = t.numel < g.numel ? t.numel : g.numel;
    if (y->relation == SHAPE_TRANSPOSED) {
        struct weight_layout turned = y->a[1];
        weight_layout_transpose(&turned);
        g = turned.t;
    }
    y->compared = true;
    int rc = hold(x, &t, &g, &y->o, e);
    if (rc)
        attempt_close(y);
    return rc;
}

static bool agrees(struct weights_running *x, const struct weight_pair *p, const enum weight_order order[2],
                   const int64_t size[2][3])
{
    struct attempt y;
    struct err quiet;
    if (attempt(x, p, order, size, &y, &quiet))
        return false;
    bool yes = y.compared && y.o.equal;
    attempt_close(&y);
    return yes;
}

/* Whether each part of two fused weights agrees under these orders. */
static bool parts_agree(struct weights_running *x, const struct weight_pair *p, int parts,
                        const enum weight_order order[2])
{
    struct weight_pair part = *p;
    for (int k = 1; k <= parts; k++) {
        int64_t size[2][3] = {{0}, {0}};
        part.part[0] = part.part[1] = (uint8_t)k;
        if (!part_sizes(x->c, &part, 0, size[0]) || !part_sizes(x->c, &part, 1, size[1]) ||
            !agrees(x, &part, order, size))
            return false;
    }
    return parts > 0;
}

/* The same of every expert of two stacks. */
static bool stacks_agree(struct weights_running *x, const struct weight_pair *p, int parts,
                         const enum weight_order order[2])
{
    struct weight_pair one = *p;
    int64_t all = x->c->side[0].list.v[p->weight[0]].shape[0], e = 0;
    for (; e < all; e++) {
        one.expert[0] = one.expert[1] = (int32_t)e + 1;
        if (!parts_agree(x, &one, parts, order))
            break;
    }
    return e == all;
}

/* Whole fused weights whose rows lie differently: each part agrees where one side is read the other way. Of stacks the
 * rows may be either axis of a matrix. */
static bool rearranged_agrees(struct weights_running *x, const struct weight_pair *p)
{
    const struct weight_compare *c = x->c;
    enum weight_fusion fusion = (enum weight_fusion)c->id[0][p->weight[0]].fusion;
    bool either = p->stacks || (p->expert[0] && p->expert[1]);
    const char *name[3];
    if (p->part[0] || p->part[1] || c->id[1][p->weight[1]].fusion != fusion || (fusion == FUSED_QKV && !c->kv_heads))
        return false;
    int parts = weight_parts(&c->id[0][p->weight[0]], name);
    for (int i = 0; i < (either ? 4 : 2); i++) {
        enum weight_order order[2] = {i % 2 ? ORDER_GROUPED : ORDER_STACKED, i % 2 ? ORDER_STACKED : ORDER_GROUPED};
        struct weight_pair q = {.weight = {p->weight[0], p->weight[1]}, .expert = {p->expert[0], p->expert[1]}};
        for (int s = 0; s < 2; s++)
            q.turned[s] = i < 2 ? p->turned[s] : !p->turned[s];
        if (p->stacks ? stacks_agree(x, &q, parts, order) : parts_agree(x, &q, parts, order))
            return true;
    }
    return false;
}

static void explain(struct weights_running *x, struct weight_pair *p, const struct weight_layout a[2],
                    const struct layout_outcome *o)
{
    const struct figures *f = &o->fig;
    char n1[NUM_MAX], n2[NUM_MAX];
    if (!f->two)
        p->why = say(x, _("%llu elements are NaN or infinite on one side only, the first at %llu"),
                     (unsigned long long)f->unlike, (unsigned long long)f->unlike_at);
    else if (f->side[0].zero == f->side[0].count || f->side[1].zero == f->side[1].count)
        p->why = say(x, f->side[0].zero == f->side[0].count ? _("all zero on the target")
                                                            : _("all zero on the golden side"));
    else if (transposed_agrees(x, a))
        p->why = say(x, "%s", _("equal if one side is transposed: the storage order differs"));
    else if (halves_agree(x, p, a, 0))
        p->why = say(x, "%s", _("equal if the target heads are reordered from pairs to halves: the rotary layouts "
                                "differ"));
    else if (halves_agree(x, p, a, 1))
        p->why = say(x, "%s", _("equal if the golden heads are reordered from pairs to halves: the rotary layouts "
                                "differ"));
    else if (rearranged_agrees(x, p) && x->c->id[0][p->weight[0]].fusion == FUSED_GATE_UP)
        p->why = say(x, "%s", _("equal if the rows of gate and up are read alternating on one side and part by part on "
                                "the other"));
    else if (rearranged_agrees(x, p))
        p->why = say(x, "%s", _("equal if the rows are read by key-value group on one side and part by part on the "
                                "other"));
    else if (f->cosine < -0.999999)
        p->why = say(x, "%s", _("the sign is inverted"));
    else if (f->minus < 1e-9 && f->side[1].norm > 0)
        p->why =
            say(x, _("the target is the golden side times %s"), num_cell(n1, f->side[0].norm / f->side[1].norm, 6));
    else if (o->off)
        p->why = say(x, _("%llu of %llu elements differ by more than rounding, the first at %llu; rel L2 %s"),
                     (unsigned long long)o->off, (unsigned long long)a[0].t.numel, (unsigned long long)o->first,
                     num_error(n1, f->rel_l2));
    else
        p->why = say(x, _("values differ: rel L2 %s, largest difference %s at element %llu"), num_error(n1, f->rel_l2),
                     num_error(n2, f->max_abs), (unsigned long long)f->max_abs_at);
}

/* Of two stacks, the experts that differ where not all do. */
static void name_experts(struct weights_running *x, struct weight_pair *p, const struct weight_layout a[2])
{
    int64_t differ = 0, all = a[0].shape[0];
    struct buf which = {0};
    for (int64_t k = 0; k < all; k++) {
        struct weight_layout t = a[0], g = a[1];
        if (!weight_layout_slice(&t, k) || !weight_layout_slice(&g, k))
            break;
        if (would_agree(x, &t.t, &g.t))
            continue;
        if (differ++ < EXPERTS_NAMED)
            buf_fmt(&which, "%s%lld", which.n ? ", " : "", (long long)k);
    }
    if (differ && differ < all)
        p->why = say(x, _("%s; only %lld of %lld experts differ: %s%s"), p->why, (long long)differ, (long long)all,
                     which.p, differ > EXPERTS_NAMED ? ", …" : "");
    buf_release(&which);
}

static void explain_shape(struct weights_running *x, struct weight_pair *p, const struct weight_layout a[2])
{
    struct buf t = {0}, g = {0};
    shape_of(a[0].shape, a[0].ndim, &t);
    shape_of(a[1].shape, a[1].ndim, &g);
    const char *hint = "";
    if (a[0].ndim == a[1].ndim)
        for (int i = 0; i < a[0].ndim; i++) {
            int other = 0;
            int64_t m = a[0].shape[i], n = a[1].shape[i];
            bool multiple = m && n && m != n && (m % n == 0 || n % m == 0);
            for (int j = 0; j < a[0].ndim; j++)
                other += j != i && a[0].shape[j] != a[1].shape[j];
            if (multiple && !other) {
                hint = _("; this may be one tensor-parallel shard: give the folder of all ranks");
                break;
            }
        }
    p->verdict = WEIGHT_SHAPE;
    p->why = say(x, _("shapes differ: %s and %s%s"), t.p, g.p, hint);
    buf_release(&t);
    buf_release(&g);
}

static enum weight_order order_of(const struct weight_compare *c, const struct weight_pair *p, int s)
{
    const struct weight_id *id = &c->id[s][p->weight[s]];
    return id->fusion == FUSED_QKV && id->order != ORDER_STACKED
               ? (id->order == ORDER_ANY ? ORDER_STACKED : ORDER_GROUPED)
               : ORDER_STACKED;
}

static const char *order_text(enum weight_fusion f, enum weight_order o)
{
    if (o != ORDER_GROUPED)
        return _("part by part");
    return f == FUSED_GATE_UP ? _("gate and up alternating") : _("by key-value group");
}

/* How the sides were laid on each other, for people. */
static const char *view_of(struct weights_running *x, const struct weight_pair *p, const struct attempt *y,
                           const enum weight_order order[2])
{
    const struct weight_compare *c = x->c;
    struct buf b = {0};
    const char *out = NULL;
    for (int s = 0; s < 2; s++) {
        const struct weight *w = &c->side[s].list.v[p->weight[s]];
        const char *side = s ? _("golden") : _("target");
        if (p->expert[s])
            buf_fmt(&b, p->turned[s] ? _("%s%s: expert %d, transposed") : _("%s%s: expert %d"), b.n ? "; " : "", side,
                    p->expert[s] - 1);
        if (p->part[s])
            buf_fmt(&b, _("%s%s: the rows of %s (%s)"), b.n ? "; " : "", side, weight_part_name(c, p, s),
                    order_text((enum weight_fusion)c->id[s][p->weight[s]].fusion, order[s]));
        if (w->pieces > 1 && w->axes > w->ndim)
            buf_fmt(&b, _("%s%s: joined from %u shards"), b.n ? "; " : "", side, w->pieces);
    }
    if (y->relation == SHAPE_PADDED)
        buf_fmt(&b, _("%sthe first %lld of %lld rows; the rest is padding"), b.n ? "; " : "",
                (long long)(y->a[0].shape[0] < y->a[1].shape[0] ? y->a[0].shape[0] : y->a[1].shape[0]),
                (long long)(y->a[0].shape[0] > y->a[1].shape[0] ? y->a[0].shape[0] : y->a[1].shape[0]));
    if (y->relation == SHAPE_TRANSPOSED || p->transpose)
        buf_fmt(&b, _("%sgolden: transposed"), b.n ? "; " : "");
    if (y->relation == SHAPE_RESHAPED)
        buf_fmt(&b, _("%sreshaped"), b.n ? "; " : "");
    if (p->origin == PAIR_TIED)
        buf_fmt(&b, _("%scompared with the shared embedding"), b.n ? "; " : "");
    if (b.n)
        out = say(x, "%s", b.p);
    buf_release(&b);
    return out;
}

static void settle(struct weights_running *x, struct weight_pair *p, const struct attempt *y,
                   const enum weight_order order[2])
{
    for (int s = 0; s < 2; s++) {
        p->ndim[s] = y->a[s].ndim;
        memcpy(p->shape[s], y->a[s].shape, sizeof p->shape[s]);
    }
    if (!y->compared) {
        explain_shape(x, p, y->a);
        return;
    }
    p->fig = y->o.fig;
    p->read = true;
    p->view = view_of(x, p, y, order);
    if (y->relation == SHAPE_TRANSPOSED) {
        /* a view to propose, not to take: whoever loads these weights has to turn them too */
        explain_shape(x, p, y->a);
        if (y->o.equal)
            p->why = say(x, _("%s; the values are equal when one side is transposed (\"transpose\": true in a --map "
                              "accepts it)"), p->why);
        else
            p->read = false;
        p->view = NULL;
    } else if (y->o.equal) {
        p->verdict = WEIGHT_EQUAL;
    } else {
        p->verdict = WEIGHT_DIFFERS;
        explain(x, p, y->a, &y->o);
        if (p->stacks && y->relation == SHAPE_SAME)
            name_experts(x, p, y->a);
        if (p->origin == PAIR_TIED)
            p->why = say(x, "%s", _("one side has no output layer, and the values of its embedding differ"));
    }
}

/* Orders to try: the names' own, then, for fused weights whose name leaves it open, the other. */
static void one(struct weights_running *x, struct weight_pair *p)
{
    const struct weight_compare *c = x->c;
    enum weight_order order[2] = {order_of(c, p, 0), order_of(c, p, 1)};
    int64_t size[2][3] = {{0}, {0}};
    struct attempt y, other;
    struct err e = {0};
    for (int s = 0; s < 2; s++)
        if (p->part[s] && !part_sizes(c, p, s, size[s])) {
            p->verdict = WEIGHT_UNREAD;
            p->why = say(x, "%s", _("unknown head layout: set --heads (and --kv-heads)"));
            return;
        }
    int rc = attempt(x, p, order, size, &y, &e);
    if (rc) {
        p->verdict = e.code == ERR_CANCEL ? WEIGHT_PENDING : WEIGHT_UNREAD;
        p->why = say(x, "%s", e.text);
        return;
    }
    for (int s = 0; s < 2 && !(y.compared && y.o.equal); s++) {
        const struct weight_id *id = &c->id[s][p->weight[s]];
        if (!p->part[s])
            continue;
        enum weight_order swapped[2] = {order[0], order[1]};
        swapped[s] = order[s] == ORDER_GROUPED ? ORDER_STACKED : ORDER_GROUPED;
        if (attempt(x, p, swapped, size, &other, &e))
            continue;
        if (other.compared && other.o.equal && id->order == ORDER_ANY) {
            attempt_close(&y);
            y = other;
            order[s] = swapped[s];
        } else {
            if (other.compared && other.o.equal) {
                settle(x, p, &y, order);
                p->why = say(x, _("equal if the rows of %.*s are read %s: the layout differs from the one its name "
                                  "indicates"),
                             STR_ARG(c->side[s].list.v[p->weight[s]].name),
                             order_text((enum weight_fusion)id->fusion, swapped[s]));
            }
            attempt_close(&other);
        }
    }
    if (!p->why)
        settle(x, p, &y, order);
    if (p->why && (p->expert[0] || p->expert[1]))
        p->why = say(x, _("expert %d: %s"), (p->expert[0] ? p->expert[0] : p->expert[1]) - 1, p->why);
    attempt_close(&y);
}

static void each_pair(void *ctx, size_t i)
{
    struct weights_running *x = ctx;
    one(x, &x->c->pairs.v[i]);
}

/* ---- heads nobody told ---- */

/* The side whose fused rows may lie group by group, against parts of the other; -1: neither. */
static int grouped_side(const struct weight_compare *c, const struct weight_pair *p)
{
    for (int s = 0; s < 2; s++) {
        const struct weight_id *id = &c->id[s][p->weight[s]];
        if (p->part[s] && !p->part[!s] && id->fusion == FUSED_QKV && id->order != ORDER_STACKED)
            return s;
    }
    return -1;
}

static bool read_agrees(struct weights_running *x, const struct weight_pair *p, int s, enum weight_order how,
                        const int64_t size[2][3])
{
    enum weight_order order[2] = {ORDER_STACKED, ORDER_STACKED};
    order[s] = how;
    return agrees(x, p, order, size);
}

/* The number of key-value groups from the values: the only one under which a part agrees. */
static void infer_groups(struct weights_running *x)
{
    struct weight_compare *c = x->c;
    for (size_t i = 0; i < c->pairs.n; i++) {
        struct weight_pair *p = &c->pairs.v[i];
        int64_t size[2][3] = {{0}, {0}};
        int s = grouped_side(c, p), found = 0, hits = 0;
        if (s < 0 || !part_sizes(c, p, s, size[s]) ||
            (c->id[s][p->weight[s]].order == ORDER_ANY && read_agrees(x, p, s, ORDER_STACKED, size)))
            continue;
        for (int64_t n = 1; n <= size[s][1] / 2 && n <= 4096; n++) {
            if (size[s][1] % n || size[s][0] % n)
                continue;
            c->kv_heads = (int)n;
            if (read_agrees(x, p, s, ORDER_GROUPED, size)) {
                found = (int)n;
                hits++;
            }
        }
        c->kv_heads = hits == 1 ? found : 0;
        if (hits == 1)
            vec_push(&c->warnings, say(x, _("%d key-value groups, inferred from the values of %.*s; the number is not "
                                            "in the files: check it, or set --heads and --kv-heads"),
                                       found, STR_ARG(c->side[s].list.v[p->weight[s]].name)));
        return; /* one weight tells or none does */
    }
}

/* ---- exchanged weights ---- */

static bool same_figures(const struct side_figures *a, const struct side_figures *b)
{
    return a->count == b->count && a->count > 1 && a->norm == b->norm && a->max == b->max && a->min == b->min &&
           a->max != a->min;
}

/* A differing target weight that is another pair's golden one. */
static void find_exchanged(struct weights_running *x)
{
    struct weight_compare *c = x->c;
    VEC(size_t) bad = {0};
    for (size_t i = 0; i < c->pairs.n && bad.n < EXCHANGED_MAX; i++)
        if (c->pairs.v[i].verdict == WEIGHT_DIFFERS && c->pairs.v[i].read && c->pairs.v[i].fig.two)
            vec_push(&bad, i);
    for (size_t i = 0; i < bad.n; i++)
        for (size_t k = 0; k < bad.n; k++) {
            struct weight_pair *p = &c->pairs.v[bad.v[i]];
            const struct weight_pair *q = &c->pairs.v[bad.v[k]];
            if (i != k && same_figures(&p->fig.side[0], &q->fig.side[1]))
                p->why = say(x, _("same statistics as the golden %.*s: the weights may be swapped"),
                             STR_ARG(c->side[1].list.v[q->weight[1]].name));
        }
    vec_release(&bad);
}

int weight_compare_run(struct weight_compare *c, const struct kern *k, int workers, struct figures_watch *watch,
                       struct err *e)
{
    struct weights_running x = {.c = c, .k = k, .watch = watch, .lock = PTHREAD_MUTEX_INITIALIZER};
    if (!c->kv_heads)
        infer_groups(&x);
    work_crew_init(&x.crew);
    if (watch)
        watch->crew = &x.crew;
    work_crew_each(&x.crew, workers, c->pairs.n, watch ? &watch->cancel : NULL, each_pair, &x);
    if (watch)
        watch->crew = NULL;
    work_crew_release(&x.crew);
    if (watch && atomic_load(&watch->cancel))
        return err_set(e, ERR_CANCEL, "%s", _("interrupted"));
    find_exchanged(&x);
    return 0;
}

/* Whether some of the side's files could not be listed: it may have more weights than are known. */
static bool parts_missing(const struct weights *w)
{
    for (size_t i = 0; i < w->problems.n; i++)
        if (w->problems.v[i].weight == UINT32_MAX)
            return true;
    return false;
}

/* Paired for want of a better one, which may be in a part that could not be read. */
static bool guessed(const struct weight_pair *p)
{
    return p->origin == PAIR_TIED || p->origin == PAIR_BY_VALUE || p->origin == PAIR_BY_ORDER;
}

enum stage_verdict weight_compare_verdict(const struct weight_compare *c)
{
    bool unread = false, any = false, incomplete = parts_missing(&c->side[0]) || parts_missing(&c->side[1]);
    for (size_t i = 0; i < c->pairs.n; i++) {
        uint8_t v = c->pairs.v[i].verdict;
        if ((v == WEIGHT_DIFFERS || v == WEIGHT_SHAPE) && !(incomplete && guessed(&c->pairs.v[i])))
            return STAGE_FAIL;
        unread = unread || v != WEIGHT_EQUAL;
        any = any || v == WEIGHT_EQUAL;
    }
    bool alone = false;
    for (int s = 0; s < 2; s++)
        alone = alone || (c->only[s].n && !parts_missing(&c->side[!s]));
    if (alone)
        return any || unread ? STAGE_FAIL : STAGE_UNKNOWN;
    for (int s = 0; s < 2; s++)
        unread = unread || c->side[s].problems.n;
    return unread || !any ? STAGE_UNKNOWN : STAGE_PASS;
}
