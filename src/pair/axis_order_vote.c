/* Lets the pairs of one operand in all layers vote on an axis order, and gives the result to pairs that cannot decide
 * themselves. */
#include "pair/axis_order_vote.h"

#include "pair/axis_order.h"
#include "dump/family.h"
#include "pair/align_item.h"

#define ASKED 6     /* pairs asked per kind */
#define KINDS 1024
#define AGREES 0.1
#define FAR 0.5

struct axis_vote {
    struct view v;
    int n;
};

struct shape_kind {
    uint64_t shapes; /* hash of both shapes */
    bool told;       /* the elements of some pair agree under `v` */
    struct view v;
    VEC(uint32_t) pairs;
    VEC(uint32_t) lines;
};

struct ordering {
    struct pairing *p;
    const struct dump *d[2];
    VEC(struct shape_kind) kinds;
    struct nmap kind_of;
};

static bool row_is_readable(const struct dump *d, uint32_t row)
{
    return dump_row_readable(d, row) && dump_row_shape(d, row);
}

static bool shapes_differ(const struct dump *const d[2], const uint32_t row[2])
{
    struct tensor t[2];
    for (int s = 0; s < 2; s++) {
        const struct shape *x = dump_row_shape(d[s], row[s]);
        t[s].ndim = x->ndim < TENSOR_DIMS ? x->ndim : TENSOR_DIMS;
        memcpy(t[s].shape, x->dim, (size_t)t[s].ndim * sizeof *x->dim);
    }
    return axis_order_needed(&t[TARGET], &t[GOLDEN]);
}

/* An operand of a product, or a gradient, with two axes of equal length may be stored transposed on one side, like k,
 * or the gradient of a linear call's weight, which PyTorch's inner step stores transposed. A weight itself keeps its
 * axes. */
static bool may_be_transposed(const struct ordering *x, const struct line *l)
{
    const struct shape *s = dump_row_shape(x->d[TARGET], l->row[TARGET]);
    const struct row *r = &x->d[TARGET]->rows.v[l->row[TARGET]];
    const struct call *c = &x->d[TARGET]->calls.v[r->call];
    bool alike = false;
    for (int i = 0; i < s->ndim; i++)
        for (int k = i + 1; k < s->ndim; k++)
            alike = alike || (s->dim[i] > 1 && s->dim[i] == s->dim[k]);
    bool weight_gradient = c->phase == PHASE_BACKWARD && c->family == FAMILY_LINEAR && c->kind != CALL_MODULE &&
                           r->io == IO_OUTPUT;
    return alike && (s->ndim > 2 || weight_gradient) && r->kind == ROW_TENSOR &&
           (c->phase == PHASE_BACKWARD || (family_is_product(c->family) && r->io == IO_INPUT)) &&
           !dumps_of_one_framework(x->d[TARGET], x->d[GOLDEN]);
}

/* Key of one operand of one operator with these shapes. */
static uint64_t kind_key(const struct dump *const d[2], const uint32_t row[2], uint64_t *shapes)
{
    struct buf b = {0};
    for (int s = 0; s < 2; s++)
        shape_text(dump_row_shape(d[s], row[s]), &b);
    *shapes = hash_bytes(b.p, b.n, 31);
    for (int s = 0; s < 2; s++) {
        const struct row *r = &d[s]->rows.v[row[s]];
        buf_str(&b, align_item_operator(d[s], r->call));
        buf_fmt(&b, "|%d|%s|", d[s]->calls.v[r->call].phase, d[s]->slots.v[r->slot]);
    }
    uint64_t k = hash_bytes(b.p, b.n, 31);
    buf_release(&b);
    return k;
}

static void collect_shapes(struct ordering *x)
{
    for (uint32_t i = 0; i < x->p->lines.n; i++) {
        const struct line *l = &x->p->lines.v[i];
        if (l->pair == NONE || x->p->pairs.v[l->pair].view != NONE || !row_is_readable(x->d[0], l->row[0]) ||
            !row_is_readable(x->d[1], l->row[1]) ||
            dump_row_numel(x->d[0], l->row[0]) != dump_row_numel(x->d[1], l->row[1]) ||
            (!shapes_differ(x->d, l->row) && !may_be_transposed(x, l)))
            continue;
        uint64_t shapes, key = kind_key(x->d, l->row, &shapes);
        /* separately per slot: k is transposed but v, an operand of the same kind, is not */
        if (!shapes_differ(x->d, l->row)) {
            key ^= hash_bytes(&i, sizeof i, 31);
            shapes = key;
        }
        uint32_t k = nmap_get(&x->kind_of, key);
        if (k == MAP_NONE && x->kinds.n == KINDS)
            continue;
        if (k == MAP_NONE) {
            struct shape_kind fresh = {.shapes = shapes};
            k = (uint32_t)x->kinds.n;
            vec_push(&x->kinds, fresh);
            nmap_set(&x->kind_of, key, k);
        }
        vec_push(&x->kinds.v[k].pairs, l->pair);
        vec_push(&x->kinds.v[k].lines, i);
    }
}

/* The order in which this pair's elements agree, if any. */
static bool ask_axis_order(const struct ordering *x, uint32_t line, struct view *v)
{
    const uint32_t *row = x->p->lines.v[line].row;
    struct tensor t[2];
    struct err quiet;
    double stored, error;
    if (dump_tensor(x->d[TARGET], row[TARGET], &t[TARGET], &quiet))
        return false;
    bool told = false;
    if (dump_tensor(x->d[GOLDEN], row[GOLDEN], &t[GOLDEN], &quiet) == 0) {
        /* also for deviating pairs, if the error is much smaller than otherwise */
        told = t[TARGET].numel == t[GOLDEN].numel && t[TARGET].numel &&
               axis_order_find(&t[TARGET], &t[GOLDEN], v, &stored, &error, &quiet) == 0 &&
               (error < AGREES || (error < 1 && error < FAR * stored && shapes_differ(x->d, row)));
        tensor_close(&t[GOLDEN]);
    }
    tensor_close(&t[TARGET]);
    return told;
}

static void decide_axis_order(const struct ordering *x, struct shape_kind *k)
{
    struct axis_vote votes[ASKED];
    int n = 0, best = 0;
    size_t step = k->lines.n / ASKED + 1;
    for (size_t i = 0; i < k->lines.n; i += step) {
        struct view v;
        int at = 0;
        if (!ask_axis_order(x, k->lines.v[i], &v))
            continue;
        while (at < n && !view_same(&votes[at].v, &v))
            at++;
        if (at == n)
            votes[n++] = (struct axis_vote){v, 0};
        votes[at].n++;
        best = votes[at].n > votes[best].n ? at : best;
    }
    k->told = n > 0;
    if (n)
        k->v = votes[best].v;
}

/* The order found for other kinds with these shapes, if it is unique. */
static const struct view *of_shapes(const struct ordering *x, uint64_t shapes)
{
    const struct view *v = NULL;
    for (size_t i = 0; i < x->kinds.n; i++) {
        const struct shape_kind *k = &x->kinds.v[i];
        if (!k->told || k->shapes != shapes)
            continue;
        if (v && !view_same(v, &k->v))
            return NULL;
        v = &k->v;
    }
    return v;
}

void axis_order_vote_find(struct pairing *p, const struct dump *target, const struct dump *golden)
{
    struct ordering x = {.p = p, .d = {target, golden}};
    collect_shapes(&x);
    for (size_t i = 0; i < x.kinds.n; i++)
        decide_axis_order(&x, &x.kinds.v[i]);
    for (size_t i = 0; i < x.kinds.n; i++) {
        const struct shape_kind *k = &x.kinds.v[i];
        const struct view *v = k->told ? &k->v : of_shapes(&x, k->shapes);
        if (!v || !v->count)
            continue;
        for (size_t n = 0; n < k->pairs.n; n++)
            p->pairs.v[k->pairs.v[n]].view = (uint32_t)p->views.n;
        vec_push(&p->views, *v);
    }
    for (size_t i = 0; i < x.kinds.n; i++) {
        vec_release(&x.kinds.v[i].pairs);
        vec_release(&x.kinds.v[i].lines);
    }
    vec_release(&x.kinds);
    nmap_release(&x.kind_of);
}
