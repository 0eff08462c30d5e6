/* Opens both sides of a pair under the layouts their names allow, relates their shapes and compares their values. */
#include "weights/weight_attempt.h"

#include <math.h>
#include <stdlib.h>

#include "base/msg.h"

#define CHUNK (16 * 1024)

/* ---- one side ---- */

static int blocks_of(const struct weight_compare *c, int s, uint32_t i)
{
    uint32_t own = c->side[s].list.v[i].blocks;
    return own > 1 ? (int)own : c->blocks[s];
}

bool weight_part_sizes(const struct weight_compare *c, const struct weight_pair *p, int s, int64_t size[3])
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
                size[q->part[s] - 1] = o->shape[q->turned[!s] && o->ndim == 2 ? 1 : 0];
        }
    int stack = p->expert[s] ? 1 : 0; /* axes before a matrix's; a bias has no other axis */
    int64_t rows = x->shape[stack + (p->turned[s] && x->ndim == stack + 2 ? 1 : 0)];
    return weight_layout_sizes(id->fusion, rows, c->heads, c->kv_heads, size);
}

enum weight_reading { READ_FINE, READ_FAILED, READ_UNKNOWN };

/* The side's elements under one order of its fused rows. READ_UNKNOWN: their layout is unknown. */
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

/* Whether `more` rows are `rows` padded: to a multiple of a power of two from 8 on, or of 128 times the
 * tensor-parallel size, as Megatron and MindFormers do. */
static bool is_padded_vocabulary(const struct weight_compare *c, int64_t rows, int64_t more)
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

static enum weight_relation relate_weight_shapes(const struct weight_compare *c, const struct weight_pair *p,
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
        if (is_padded_vocabulary(c, t < g ? t : g, t < g ? g : t))
            return SHAPE_PADDED;
    }
    if (n[0] != n[1])
        return SHAPE_OTHER;
    if (a[0].ndim == 2 && a[1].ndim == 2 && a[0].shape[0] == a[1].shape[1])
        return SHAPE_TRANSPOSED;
    /* frameworks add or drop axes of 1 ([3] and [3, 1]); anything else is another shape */
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

static int fill_weight_block(struct tensor_walk *w, void *raw, double *out, size_t n, struct err *e)
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
        else if (fill_weight_block(&w[0], raw, v[0], n, e) || fill_weight_block(&w[1], raw, v[1], n, e))
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

int weight_attempt_values(struct weights_running *x, const struct tensor *t, const struct tensor *g,
                          struct weight_outcome *o, struct err *e)
{
    *o = (struct weight_outcome){0};
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

bool weight_attempt_would_agree(struct weights_running *x, const struct tensor *t, const struct tensor *g)
{
    struct weight_outcome o;
    struct err quiet;
    return t->numel == g->numel && weight_attempt_values(x, t, g, &o, &quiet) == 0 && o.equal;
}

void weight_attempt_close(struct weight_attempt *y)
{
    tensor_close(&y->a[0].t);
    tensor_close(&y->a[1].t);
}

int weight_attempt_open(struct weights_running *x, const struct weight_pair *p, const enum weight_order order[2],
                        const int64_t size[2][3], struct weight_attempt *y, struct err *e)
{
    *y = (struct weight_attempt){0};
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
    y->relation = relate_weight_shapes(x->c, p, y->a);
    struct tensor t = y->a[0].t, g = y->a[1].t;
    if (y->relation == SHAPE_OTHER)
        return 0;
    if (y->relation == SHAPE_PADDED) /* rows are the outermost axis: the common ones are the first elements of both */
        t.numel = g.numel = t.numel < g.numel ? t.numel : g.numel;
    if (y->relation == SHAPE_TRANSPOSED) {
        struct weight_layout turned = y->a[1];
        weight_layout_transpose(&turned);
        g = turned.t;
    }
    y->compared = true;
    int rc = weight_attempt_values(x, &t, &g, &y->o, e);
    if (rc)
        weight_attempt_close(y);
    return rc;
}

bool weight_attempt_agrees(struct weights_running *x, const struct weight_pair *p, const enum weight_order order[2],
                           const int64_t size[2][3])
{
    struct weight_attempt y;
    struct err quiet;
    if (weight_attempt_open(x, p, order, size, &y, &quiet))
        return false;
    bool yes = y.compared && y.o.equal;
    weight_attempt_close(&y);
    return yes;
}
