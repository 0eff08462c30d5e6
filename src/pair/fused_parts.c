/* Finds pairs in which one tensor is a part of a wider one, decides on the layout that most layers agree on, and
 * gives the pairs the view that selects the part. */
#include "pair/fused_parts.h"

#include <stdlib.h>

#include "pair/tensor_sample.h"
#include "pair/align_item.h"

#define PARTS 8      /* the most parts of one tensor */
#define ASKED 8      /* layers asked */
#define AXES 4       /* the most axes of a wide tensor that are also permuted */
#define KINDS 2048   /* the most kinds of parts: a model has a dozen */
#define PIECES 1024  /* the most head groups, experts or shards */
#define AGREES 0.1   /* relative error of a correct layout: wrong ones exceed the size of the values */

/* A possible layout of a part. */
struct part_layout {
    int64_t rows[2]; /* the wide tensor's first axis is divided into these; 0: it is not */
    int axis;        /* of the tensor divided so */
    int64_t pieces, from, to;
    int ndim, perm[AXES]; /* order of its axes; ndim 0: unchanged */
};

struct part_vote {
    struct part_layout l;
    double sum; /* sum of errors, each at most 1 */
    int good;
};

/* The same part of the same operator in every layer. */
struct part_kind {
    uint64_t key, whole; /* `whole`: the same for all slots of its operator */
    size_t index;        /* of the part, in the order of its calls */
    VEC(struct part_vote) votes;
    VEC(uint32_t) parts;
};

struct fused_part {
    uint32_t pair, kind;
    uint32_t row, wide; /* rows of the part and of the wide tensor */
    uint8_t side;       /* of the wide tensor */
    uint64_t other[PARTS]; /* sizes of the other parts; 0 after the last */
    bool alone;         /* the other parts are unknown */
};

struct splitting {
    struct pairing *p;
    const struct dump *d[2];
    VEC(struct fused_part) parts;
    VEC(struct part_kind) kinds;
    struct nmap kind_of;
    struct nmap module[2]; /* scope → the first forward call of the module */
};

/* Which part it is: the index in the order of the source; a graph's kernels run in another order in every layer, and
 * their names tell: the path without the numbers of layers and operators. */
static void write_part(const struct dump *d, uint32_t row, size_t index, struct buf *out)
{
    uint32_t call = d->rows.v[row].call;
    if (d->calls.v[call].kind != CALL_OPERATOR) {
        buf_fmt(out, "/%zu", index);
        return;
    }
    struct str name = dump_call_name(d, call);
    ptrdiff_t end = str_rfind(name, '_'); /* "…_attention-Attention_dense1-Linear" of "…-Linear_MatMul-op0" */
    buf_char(out, '/');
    for (ptrdiff_t i = 0; i < end; i++) {
        bool digit = name.p[i] >= '0' && name.p[i] <= '9', whole = i && (name.p[i - 1] == '_' || name.p[i - 1] == '-');
        while (digit && whole && i < end && name.p[i] >= '0' && name.p[i] <= '9')
            i++;
        if (i < end)
            buf_char(out, name.p[i]);
    }
}

/* Which fused tensor it is: of a graph's kernel the path; backward kernels bear other paths, there the size tells. */
static void write_whole(const struct dump *d, uint32_t row, struct buf *out)
{
    const struct call *c = &d->calls.v[d->rows.v[row].call];
    if (c->kind == CALL_OPERATOR && c->phase == PHASE_FORWARD)
        write_part(d, row, 0, out);
    else if (c->kind == CALL_OPERATOR)
        buf_fmt(out, "/%llu", (unsigned long long)dump_row_numel(d, row));
}

static void write_shape(const struct dump *d, uint32_t row, struct buf *out)
{
    const struct shape *shape = dump_row_shape(d, row);
    for (int i = 0; shape && i < shape->ndim; i++)
        buf_fmt(out, "/%lld", (long long)shape->dim[i]);
}

static uint32_t kind_number(struct splitting *x, const struct fused_part *p, size_t index)
{
    const struct dump *w = x->d[p->side], *n = x->d[!p->side];
    struct buf text = {0};
    buf_str(&text, align_item_operator(w, w->rows.v[p->wide].call));
    buf_str(&text, align_item_operator(n, n->rows.v[p->row].call));
    int others = 0;
    while (others < PARTS && p->other[others])
        others++;
    uint64_t wide = dump_row_numel(w, p->wide), narrow = dump_row_numel(n, p->row);
    write_part(n, p->row, index, &text);
    write_whole(w, p->wide, &text);
    buf_fmt(&text, " of %d/%d/%.6f", others, p->side, (double)narrow / (double)wide);
    uint64_t whole = hash_bytes(text.p, text.n, 23);
    buf_fmt(&text, "/%d/%s/%llu/%llu", w->calls.v[w->rows.v[p->wide].call].phase, w->slots.v[w->rows.v[p->wide].slot],
            (unsigned long long)wide, (unsigned long long)narrow);
    write_shape(w, p->wide, &text); /* two towers may hold as many values in other shapes */
    buf_char(&text, '/');
    write_shape(n, p->row, &text);
    uint64_t key = hash_bytes(text.p, text.n, 23);
    buf_release(&text);
    uint32_t k = nmap_get(&x->kind_of, key);
    if (k != MAP_NONE || x->kinds.n == KINDS)
        return k;
    struct part_kind fresh = {.key = key, .whole = whole, .index = index};
    vec_push(&x->kinds, fresh);
    nmap_set(&x->kind_of, key, (uint32_t)x->kinds.n - 1);
    return (uint32_t)x->kinds.n - 1;
}

struct member {
    uint32_t group, pair, row[2];
};

static int by_group(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    return x->group != y->group ? (x->group < y->group ? -1 : 1) : x->pair < y->pair ? -1 : x->pair > y->pair;
}

/* The forward call of a part, for its order: backward calls and gradients are in another order. */
static uint32_t forward_call(const struct splitting *x, int side, uint32_t row)
{
    const struct dump *d = x->d[side];
    uint32_t c = d->rows.v[row].call, scope = d->calls.v[c].scope;
    if (d->calls.v[c].gradient && scope != NONE && nmap_get(&x->module[side], scope) != MAP_NONE)
        return nmap_get(&x->module[side], scope);
    return d->calls.v[c].phase == PHASE_BACKWARD && d->calls.v[c].twin != NONE ? d->calls.v[c].twin : c;
}

static void add_group(struct splitting *x, const struct member *m, size_t n)
{
    uint64_t size[PARTS], sum = 0;
    uint64_t a = dump_row_numel(x->d[TARGET], m->row[TARGET]), b = dump_row_numel(x->d[GOLDEN], m->row[GOLDEN]);
    int wide = a > b ? TARGET : GOLDEN;
    if (a == b || n > PARTS)
        return;
    for (size_t i = 0; i < n; i++) {
        if (m[i].row[wide] != m->row[wide] || !dump_row_readable(x->d[!wide], m[i].row[!wide]))
            return;
        size[i] = dump_row_numel(x->d[!wide], m[i].row[!wide]);
        sum += size[i];
    }
    for (size_t i = 0; i < n && dump_row_readable(x->d[wide], m->row[wide]); i++) {
        struct fused_part p = {.pair = m[i].pair, .row = m[i].row[!wide], .wide = m->row[wide], .side = (uint8_t)wide};
        p.alone = sum != (wide == TARGET ? a : b);
        for (size_t k = 0, at = 0; k < n; k++)
            if (k != i)
                p.other[at++] = size[k];
        if (!size[i] || x->p->pairs.v[m[i].pair].view != NONE)
            continue;
        size_t index = 0;
        for (size_t k = 0; k < n; k++)
            index += forward_call(x, !wide, m[k].row[!wide]) < forward_call(x, !wide, p.row);
        p.kind = kind_number(x, &p, index);
        if (p.kind == MAP_NONE)
            continue;
        vec_push(&x->parts, p);
        vec_push(&x->kinds.v[p.kind].parts, (uint32_t)x->parts.n - 1);
    }
}

static void collect_parts(struct splitting *x)
{
    VEC(struct member) all = {0};
    for (size_t i = 0; i < x->p->lines.n; i++) {
        const struct line *l = &x->p->lines.v[i];
        const struct pair *q = l->pair == NONE ? NULL : &x->p->pairs.v[l->pair];
        bool narrow = q && dump_row_numel(x->d[TARGET], l->row[TARGET]) != dump_row_numel(x->d[GOLDEN], l->row[GOLDEN]);
        /* a part marked by hand in a wider row forms a group of its own */
        bool by_hand = narrow && q->group == NONE && (q->origin == ORIGIN_MARK || q->origin == ORIGIN_RULE);
        struct member m = {by_hand ? NONE : q ? q->group : NONE, l->pair, {l->row[0], l->row[1]}};
        if (by_hand)
            add_group(x, &m, 1);
        else if (q && q->group != NONE)
            vec_push(&all, m);
    }
    vec_sort(&all, by_group);
    for (size_t i = 0, n; i < all.n; i += n) {
        for (n = 1; i + n < all.n && all.v[i + n].group == all.v[i].group;)
            n++;
        add_group(x, &all.v[i], n);
    }
    vec_release(&all);
}

/* ---- trying ---- */

static void view_of(const struct part_layout *l, int side, struct view *v)
{
    *v = (struct view){.side = (uint8_t)side};
    if (l->rows[0])
        v->step[v->count++] = (struct view_step){.op = VIEW_RESHAPE, .n = 3, .v = {l->rows[0], l->rows[1], -1}};
    struct view_step *s = &v->step[v->count++];
    if (l->pieces == 1)
        *s = (struct view_step){.op = VIEW_SLICE, .n = 3, .v = {l->axis, l->from, l->to}};
    else
        *s = (struct view_step){.op = VIEW_SPLIT, .n = 4, .v = {l->axis, l->pieces, l->from, l->to}};
    if (!l->ndim)
        return;
    s = &v->step[v->count++];
    s->op = VIEW_PERMUTE;
    for (int i = 0; i < l->ndim; i++) { /* the divided axis has become two */
        s->v[s->n++] = l->perm[i] + (l->pieces > 1 && l->perm[i] > l->axis);
        if (l->pieces > 1 && l->perm[i] == l->axis)
            s->v[s->n++] = l->axis + 1;
    }
}

static bool same_layout(const struct part_layout *a, const struct part_layout *b)
{
    return a->axis == b->axis && a->pieces == b->pieces && a->from == b->from && a->to == b->to && a->ndim == b->ndim &&
           a->rows[0] == b->rows[0] && a->rows[1] == b->rows[1] &&
           memcmp(a->perm, b->perm, (size_t)a->ndim * sizeof *a->perm) == 0;
}

struct part_trial {
    struct part_kind *k;
    const struct fused_part *p;
    const struct tensor *stored, *wide, *narrow; /* wide: `stored`, its rows divided as the layout says */
    struct tensor_sample sample;
    uint64_t left; /* elements of the wide tensor per step of the divided axis */
};

static void try_layout(struct part_trial *t, const struct part_layout *l)
{
    struct view v;
    struct tensor cut = *t->stored;
    struct err quiet;
    double error;
    view_of(l, t->p->side, &v);
    if (view_apply(&v, &cut, &quiet) || cut.numel != t->narrow->numel ||
        tensor_sample_error(&t->sample, &cut, &error, &quiet))
        return;
    size_t i = 0;
    while (i < t->k->votes.n && !same_layout(&t->k->votes.v[i].l, l))
        i++;
    if (i == t->k->votes.n) {
        struct part_vote fresh = {.l = *l};
        vec_push(&t->k->votes, fresh);
    }
    t->k->votes.v[i].sum += error < 1 ? error : 1;
    t->k->votes.v[i].good += error < AGREES;
}

/* Tries the offsets of a part in a piece: after any of the other parts, or any multiple of its length if they are
 * unknown. */
static void try_places(struct part_trial *t, struct part_layout *l, int64_t piece, int64_t length)
{
    int others = 0;
    while (others < PARTS && t->p->other[others])
        others++;
    if (t->p->alone) {
        for (l->from = 0; l->from + length <= piece; l->from += length) {
            l->to = l->from + length;
            try_layout(t, l);
        }
        return;
    }
    int64_t seen[1 << (PARTS - 1)];
    int n = 0;
    for (int set = 0; set < 1 << others; set++) {
        int64_t from = 0;
        for (int i = 0; i < others; i++)
            from += set >> i & 1 ? (int64_t)(t->p->other[i] / t->left) / l->pieces : 0;
        int k = 0;
        while (k < n && seen[k] != from)
            k++;
        if (k < n || from + length > piece)
            continue;
        seen[n++] = from;
        l->from = from;
        l->to = from + length;
        try_layout(t, l);
    }
}

static void try_pieces(struct part_trial *t, struct part_layout *l)
{
    int64_t size = t->wide->shape[l->axis];
    t->left = t->wide->numel / (uint64_t)size;
    if (t->narrow->numel % t->left)
        return;
    int64_t length = (int64_t)(t->narrow->numel / t->left);
    for (l->pieces = 1; l->pieces <= length && l->pieces <= PIECES; l->pieces++) {
        bool even = size % l->pieces == 0 && length % l->pieces == 0;
        for (int i = 0; i < PARTS && t->p->other[i] && even; i++)
            even = t->p->other[i] % (t->left * (uint64_t)l->pieces) == 0;
        if (even)
            try_places(t, l, size / l->pieces, length / l->pieces);
    }
}

/* Tries the orders of the wide tensor's axes that give the part's shape after the cut. */
static void try_orders(struct part_trial *t, struct part_layout *l, int depth, unsigned used)
{
    int n = t->wide->ndim;
    if (depth == n) {
        bool moved = false;
        for (int i = 0; i < n; i++)
            moved = moved || l->perm[i] != i;
        l->ndim = moved ? n : 0;
        try_pieces(t, l);
        return;
    }
    for (int i = 0; i < n; i++) {
        bool cut = i == l->axis;
        if (used >> i & 1 || (t->narrow->ndim == n && !cut && t->wide->shape[i] != t->narrow->shape[depth]))
            continue;
        l->perm[depth] = i;
        try_orders(t, l, depth + 1, used | 1U << i);
    }
}

/* Tries the cuts of every axis, in every order of axes if `moved`. */
static void try_axes(struct part_trial *t, struct part_layout l, bool moved)
{
    for (l.axis = t->wide->ndim - 1; l.axis >= 0; l.axis--)
        if (moved && t->wide->ndim <= AXES)
            try_orders(t, &l, 0, 0);
        else
            try_pieces(t, &l);
}

/* Samples and sequence in one axis of the wide tensor and in two of its part, which has them in the other order:
 * [sequence * batch, widths] against [batch, sequence, width]. */
static void try_divided_rows(struct part_trial *t)
{
    const struct tensor *n = t->narrow;
    if (t->stored->ndim != 2 || n->ndim != 3 || n->shape[0] * n->shape[1] != t->stored->shape[0] || n->shape[0] == 1 ||
        n->shape[1] == 1)
        return;
    struct part_layout l = {.rows = {n->shape[1], n->shape[0]}};
    struct view rows = {.count = 1,
                        .step = {{.op = VIEW_RESHAPE, .n = 3, .v = {l.rows[0], l.rows[1], -1}}}};
    struct tensor divided = *t->stored;
    struct err quiet;
    if (view_apply(&rows, &divided, &quiet))
        return;
    t->wide = &divided;
    try_axes(t, l, true);
    t->wide = t->stored;
}

static void ask_part(struct splitting *x, struct part_kind *k, const struct fused_part *p)
{
    struct tensor wide, narrow;
    struct err quiet;
    if (dump_tensor(x->d[p->side], p->wide, &wide, &quiet))
        return;
    if (dump_tensor(x->d[!p->side], p->row, &narrow, &quiet) == 0) {
        struct part_trial t = {.k = k, .p = p, .stored = &wide, .wide = &wide, .narrow = &narrow};
        bool rows_merged = wide.ndim == 3 && narrow.ndim == 2; /* the other way round */
        if (wide.numel && tensor_sample_take(&t.sample, &narrow, &quiet) == 0) {
            try_axes(&t, (struct part_layout){.axis = 0}, narrow.ndim == wide.ndim || rows_merged);
            try_divided_rows(&t);
        }
        tensor_sample_release(&t.sample);
        tensor_close(&narrow);
    }
    tensor_close(&wide);
}

/* ---- deciding ---- */

/* Whether two layouts select the same share of a piece. */
static bool same_share(const struct part_layout *a, const struct part_layout *b)
{
    return a->from * (b->to - b->from) == b->from * (a->to - a->from);
}

/* Whether they select the same place in the fused axis: same number of pieces, same share of a piece. */
static bool same_place(const struct part_layout *a, const struct part_layout *b)
{
    return a->pieces == b->pieces && same_share(a, b);
}

/* The votes of all rows of the kind's part (results, weights, gradients, of every layer) for a place. */
static struct part_vote total_votes(const struct splitting *x, uint64_t whole, const struct part_layout *l)
{
    struct part_vote all = {.l = *l};
    for (size_t i = 0; i < x->kinds.n; i++)
        for (size_t n = 0; x->kinds.v[i].whole == whole && n < x->kinds.v[i].votes.n; n++)
            if (same_place(&x->kinds.v[i].votes.v[n].l, l)) {
                all.good += x->kinds.v[i].votes.v[n].good;
                all.sum += x->kinds.v[i].votes.v[n].sum;
            }
    return all;
}

static bool better_vote(const struct part_vote *a, const struct part_vote *b)
{
    if (a->good != b->good)
        return a->good > b->good;
    return a->sum < b->sum || (a->sum <= b->sum && a->l.pieces < b->l.pieces);
}

/* Whether the part lies where it stands in the order of its calls. */
static bool in_order(const struct part_layout *l, size_t index)
{
    return l->from == (int64_t)index * (l->to - l->from);
}

/* Of two places with as many votes the one in order: if layers contradict each other, one has exchanged parts. */
static bool better_place(const struct part_vote *a, const struct part_vote *b, size_t index)
{
    bool x = in_order(&a->l, index), y = in_order(&b->l, index);
    return a->good == b->good && x != y ? x : better_vote(a, b);
}

/* Rows of one size may be in more or fewer pieces than others of the part: a stage has heads of its own number. The
 * place of the same share in which they agree, if none of them does in the one that most rows agree on. */
static struct part_layout own_place(const struct part_kind *k, const struct part_layout *most)
{
    const struct part_vote *own = NULL;
    for (size_t i = 0; i < k->votes.n; i++) {
        const struct part_vote *v = &k->votes.v[i];
        if (v->good && same_place(&v->l, most))
            return *most;
        if (v->good && same_share(&v->l, most) && (!own || better_vote(v, own)))
            own = v;
    }
    return own ? own->l : *most;
}

/* The place that most rows of the part agree on, with the layout of smallest error here. NULL if no row agrees. */
static const struct part_vote *decide_place(const struct splitting *x, const struct part_kind *k)
{
    struct part_vote place = {.good = 0};
    const struct part_vote *best = NULL;
    for (size_t i = 0; i < k->votes.n; i++) {
        struct part_vote v = total_votes(x, k->whole, &k->votes.v[i].l);
        if (v.good && (!place.good || better_place(&v, &place, k->index)))
            place = v;
    }
    if (place.good)
        place.l = own_place(k, &place.l);
    for (size_t i = 0; i < k->votes.n && place.good; i++)
        if (same_place(&k->votes.v[i].l, &place.l) && (!best || better_vote(&k->votes.v[i], best)))
            best = &k->votes.v[i];
    return best;
}

static void find_modules(struct splitting *x)
{
    for (int s = 0; s < 2; s++)
        for (uint32_t c = 0; c < x->d[s]->calls.n; c++) {
            const struct call *call = &x->d[s]->calls.v[c];
            if (call->kind == CALL_MODULE && call->phase == PHASE_FORWARD && !call->gradient && call->scope != NONE)
                nmap_add(&x->module[s], call->scope, c);
        }
}

void fused_parts_find(struct pairing *p, const struct dump *target, const struct dump *golden)
{
    struct splitting x = {.p = p, .d = {target, golden}};
    find_modules(&x);
    collect_parts(&x);
    for (size_t i = 0; i < x.kinds.n; i++) {
        struct part_kind *k = &x.kinds.v[i];
        size_t step = k->parts.n / ASKED + 1;
        for (size_t n = 0; n < k->parts.n; n += step)
            ask_part(&x, k, &x.parts.v[k->parts.v[n]]);
    }
    for (size_t i = 0; i < x.kinds.n; i++) {
        struct part_kind *k = &x.kinds.v[i];
        const struct part_vote *best = decide_place(&x, k);
        struct view v;
        if (!best)
            continue;
        view_of(&best->l, x.parts.v[k->parts.v[0]].side, &v);
        for (size_t n = 0; n < k->parts.n; n++)
            p->pairs.v[x.parts.v[k->parts.v[n]].pair].view = (uint32_t)p->views.n;
        vec_push(&p->views, v);
    }
    for (size_t i = 0; i < x.kinds.n; i++) {
        vec_release(&x.kinds.v[i].votes);
        vec_release(&x.kinds.v[i].parts);
    }
    vec_release(&x.kinds);
    vec_release(&x.parts);
    nmap_release(&x.kind_of);
    nmap_release(&x.module[0]);
    nmap_release(&x.module[1]);
}
