/* Decides how parts make the whole: all joins the shapes allow are tried on the values, and the one that fits most
 * layers is taken. */
#include "ranks/shard_join.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/msg.h"
#include "ranks/dims.h"
#include "ranks/join_view.h"
#include "ranks/part_figures.h"
#include "ranks/part_values.h"

#define CANDIDATES 1024 /* of one row; several cuts at once have many */
#define HELD_MOST (1u << 22) /* elements of all parts held at once; of larger rows the class decides */

const char *join_how_name(enum join_how h)
{
    static const char *const names[JOIN_HOWS] = {"concat", "zigzag", "gated",   "heads",   "sum",    "mean",
                                                 "max",    "last",   "replica", "experts", "tokens", "vocab"};
    return names[h];
}

/* ---- what a row allows ---- */

struct candidate {
    struct join_step step[JOIN_STEPS];
    double scale;
    int ndim;
    int64_t shape[TENSOR_DIMS];
};

struct candidates {
    struct candidate *v; /* owned */
    size_t n, room;
    const struct whole_row *row;
    const struct whole_calls *calls;
    const struct whole_row *peer;  /* of the other side: no axis becomes longer than its parts can make it */
    const struct whole_row *other; /* the same where it is of one part only: its shape is what is wanted; or NULL */
    double scale[2];
    int scales;
    bool plain; /* no gradient */
};

static bool backward(const struct candidates *c)
{
    const struct whole_call *w = &c->calls->calls.v[c->row->call];
    return w->region == IN_BACKWARD;
}

static bool plain_gradient(const struct whole_rows *r, const struct whole_row *x)
{
    const struct whole_call *w = &r->calls->calls.v[x->call];
    return w->phase == PHASE_BACKWARD || w->gradient;
}

static bool shape_wanted(const struct candidates *c, const int64_t *shape)
{
    if (!c->other)
        return true;
    if (c->other->ndim != c->row->ndim)
        return false;
    for (int i = 0; i < c->row->ndim; i++)
        if (shape[i] != c->other->shape[i])
            return false;
    return true;
}

static void keep(struct candidates *c, const struct join_step *step, const int64_t *shape)
{
    for (int s = 0; s < c->scales && c->n < CANDIDATES; s++) {
        if (c->n == c->room) {
            c->room = 2 * c->room + 8;
            c->v = mem_resize_array(c->v, c->room, sizeof *c->v);
        }
        struct candidate *x = &c->v[c->n++];
        *x = (struct candidate){.scale = c->scale[s], .ndim = c->row->ndim};
        memcpy(x->step, step, sizeof x->step);
        memcpy(x->shape, shape, (size_t)c->row->ndim * sizeof *shape);
    }
}

static void go_on(struct candidates *c, struct join_step *step, int at, const int64_t *shape);

static void with_step(struct candidates *c, struct join_step *step, int at, const int64_t *shape, struct join_step s,
                      int64_t vocab)
{
    int64_t next[TENSOR_DIMS];
    memcpy(next, shape, sizeof next);
    if (s.axis >= 0)
        next[s.axis] *= s.n;
    if (s.how == JOIN_VOCAB)
        next[s.axis] = vocab;
    s.by = c->row->step[at].by;
    s.n = c->row->step[at].n;
    step[at] = s;
    go_on(c, step, at + 1, next);
}

static bool too_large(const struct candidates *c, const int64_t *shape, int axis, uint32_t n)
{
    int64_t most = axis < c->peer->ndim ? c->peer->shape[axis] : 0;
    for (int i = 0; i < c->peer->steps; i++)
        most *= c->peer->step[i].n;
    return shape[axis] * n > most;
}

/* Shards of a vocabulary, the last of them filled up: to the size that the other side makes of it, by itself or
 * joined. */
static void as_vocabulary(struct candidates *c, struct join_step *step, int at, const int64_t *shape, int axis)
{
    struct join_step s = {.how = JOIN_VOCAB, .n = c->row->step[at].n, .axis = (int8_t)axis, .keys = -1, .blocks = 1};
    uint32_t shards = 1;
    if (axis >= c->peer->ndim)
        return;
    for (int i = 0; i < c->peer->steps; i++)
        shards = c->peer->step[i].by == CUT_TP ? c->peer->step[i].n : shards;
    for (uint32_t k = 1; k <= shards; k += shards > 1 ? shards - 1 : 1) {
        int64_t whole = c->peer->shape[axis] * k;
        if (shape[axis] * s.n > whole && shape[axis] * (s.n - 1) < whole && shape[axis] < whole)
            with_step(c, step, at, shape, s, whole);
    }
}

/* Axis by axis end to end, in blocks, or as the zigzag of context parallel. */
static void along_axes(struct candidates *c, struct join_step *step, int at, const int64_t *shape)
{
    const struct join_step own = c->row->step[at];
    struct join_step s = {.n = own.n, .keys = -1, .blocks = 1};
    bool weight = c->row->io == IO_PARAMETER || c->row->gradient || c->calls->calls.v[c->row->call].gradient;
    for (int axis = 0; axis < c->row->ndim; axis++) {
        s.axis = (int8_t)axis;
        if (own.by == CUT_TP)
            as_vocabulary(c, step, at, shape, axis);
        if (too_large(c, shape, axis, own.n) || shape[axis] == 0)
            continue;
        if (own.by == CUT_CP && c->calls->layout->cp_cut != CP_CUT_NATURAL && shape[axis] % 2 == 0) {
            s.how = JOIN_ZIGZAG;
            with_step(c, step, at, shape, s, 0);
            for (int keys = 0; keys < c->row->ndim; keys++)
                if (keys != axis && shape[keys] == shape[axis] * own.n) {
                    s.keys = (int8_t)keys;
                    with_step(c, step, at, shape, s, 0);
                    s.keys = -1;
                }
        }
        if (own.by != CUT_CP || c->calls->layout->cp_cut != CP_CUT_ZIGZAG) {
            s.how = JOIN_CONCAT;
            with_step(c, step, at, shape, s, 0);
        }
        for (int64_t k = 2; k <= shape[axis] && k <= 4096; k++) {
            if (shape[axis] % k || (k > 3 && (weight || axis > 0)))
                continue;
            if (weight && own.by != CUT_TP)
                continue;
            s.how = k <= 3 && (weight || c->row->ndim == 2 || axis == c->row->ndim - 1) ? JOIN_GATED : JOIN_HEADS;
            s.blocks = (uint32_t)k;
            with_step(c, step, at, shape, s, 0);
        }
        s.blocks = 1;
    }
}

static void combined(struct candidates *c, struct join_step *step, int at, const int64_t *shape, enum join_how how)
{
    struct join_step s = {.how = (uint8_t)how, .axis = -1, .keys = -1, .blocks = 1, .n = c->row->step[at].n};
    if (how == JOIN_LAST)
        s.pick = s.n - 1;
    with_step(c, step, at, shape, s, 0);
    if (c->row->step[at].by != CUT_CP || c->calls->layout->cp_cut == CP_CUT_NATURAL)
        return;
    for (int keys = 0; keys < c->row->ndim; keys++)
        if (shape[keys] % (2 * (int64_t)s.n) == 0 && shape[keys]) {
            s.keys = (int8_t)keys;
            with_step(c, step, at, shape, s, 0);
        }
}

static void as_one(struct candidates *c, struct join_step *step, int at, const int64_t *shape)
{
    enum cut by = (enum cut)c->row->step[at].by;
    bool gradient = c->calls->calls.v[c->row->call].gradient, back = backward(c);
    bool small = c->row->ndim == 0 || (c->row->ndim == 1 && !dtype_is_float((enum dtype)c->row->dtype));
    if (gradient && by == CUT_MICRO) {
        combined(c, step, at, shape, JOIN_LAST);
        return;
    }
    if (back && by != CUT_TP && c->row->io != IO_PARAMETER)
        combined(c, step, at, shape, JOIN_SUM);
    combined(c, step, at, shape, JOIN_REPLICA);
    if (c->row->io == IO_PARAMETER)
        return;
    if (by != CUT_TP && c->row->ndim == 0 && c->plain)
        combined(c, step, at, shape, JOIN_MEAN);
    if (by == CUT_TP || (!back && (small || by == CUT_CP)))
        combined(c, step, at, shape, JOIN_SUM);
    if (by == CUT_TP && !back)
        combined(c, step, at, shape, JOIN_MAX);
}

static void go_on(struct candidates *c, struct join_step *step, int at, const int64_t *shape)
{
    if (c->n >= CANDIDATES)
        return;
    if (at == c->row->steps) {
        if (shape_wanted(c, shape))
            keep(c, step, shape);
        return;
    }
    as_one(c, step, at, shape);
    along_axes(c, step, at, shape);
}

static void find_candidates(struct candidates *c, const struct whole_rows *r, const struct whole_row *x,
                            const struct whole_row *peer)
{
    const struct layout *l = r->calls->layout;
    struct join_step step[JOIN_STEPS] = {{0}};
    double mean = 1.0 / (l->size[CUT_DP] * l->size[CUT_CP]);
    c->n = 0;
    c->row = x;
    c->calls = r->calls;
    c->peer = peer;
    c->other = peer->steps ? NULL : peer;
    c->scales = 0;
    c->plain = !plain_gradient(r, x);
    c->scale[c->scales++] = plain_gradient(r, x) ? mean : 1;
    if (backward(c) && !plain_gradient(r, x) && mean != 1)
        c->scale[c->scales++] = mean;
    go_on(c, step, 0, x->shape);
}

/* ---- values ---- */

/* The elements of all parts of a row, in memory. */
struct held {
    double **part;
    size_t parts;
    uint64_t numel;
};

static void let_go(struct held *h)
{
    for (size_t i = 0; h->part && i < h->parts; i++)
        free(h->part[i]);
    free(h->part);
    *h = (struct held){0};
}

static uint64_t elements(const struct whole_row *x)
{
    uint64_t n = 1;
    for (int i = 0; i < x->ndim; i++)
        n *= (uint64_t)x->shape[i];
    return n;
}

static bool hold(struct held *h, const struct whole_rows *r, const struct whole_row *x)
{
    *h = (struct held){.parts = x->parts.n, .numel = elements(x)};
    if (!h->numel || h->numel * x->parts.n > HELD_MOST)
        return false;
    h->part = mem_zalloc((h->parts + 1) * sizeof *h->part);
    for (size_t i = 0; i < h->parts; i++) {
        uint64_t n = 0;
        h->part[i] = part_values(&part_dump(r, &x->parts.v[i])->dump, x->parts.v[i].row, &n);
        if (!h->part[i] || n != h->numel) {
            let_go(h);
            return false;
        }
    }
    return true;
}

/* By how much parts differ along each step, as far as it was asked for: -1 before. */
struct spreads {
    double of[JOIN_STEPS];
};

static double spread_along(const struct whole_row *x, const struct held *h, int step)
{
    double most = 0;
    uint32_t stride = 1;
    for (int s = 0; s < step; s++)
        stride *= x->step[s].n;
    for (size_t i = 0; i < h->parts; i++) {
        size_t at = i / stride % x->step[step].n;
        double off = at ? part_distance_finite(h->part[i], h->part[i - at * stride], h->numel) : 0;
        most = off > most ? off : most;
    }
    return most;
}

/* Parts that should be one differ by as much. */
static double spread_of(const struct whole_row *x, const struct candidate *c, const struct held *h,
                        struct spreads *known)
{
    double most = 0;
    for (int s = 0; s < x->steps; s++) {
        if (c->step[s].how != JOIN_REPLICA)
            continue;
        if (known->of[s] < 0)
            known->of[s] = spread_along(x, h, s);
        most = known->of[s] > most ? known->of[s] : most;
    }
    return most;
}

static double *joined_values(const struct whole_row *x, const struct candidate *c, const struct held *h, uint64_t *n)
{
    struct joined_view v;
    int64_t vocab = -1;
    for (int s = 0; s < x->steps; s++)
        if (c->step[s].how == JOIN_VOCAB)
            vocab = c->shape[c->step[s].axis];
    if (!join_view(&v, x->shape, x->ndim, c->step, x->steps, c->scale, vocab))
        return NULL;
    *n = 1;
    for (int i = 0; i < v.ndim; i++)
        *n *= (uint64_t)v.shape[i];
    double *out = mem_alloc(((size_t)*n + 1) * sizeof *out);
    for (uint64_t i = 0; i < *n; i++)
        out[i] = join_view_value(&v, h->part, x->shape, i);
    joined_view_release(&v);
    return out;
}

/* ---- votes ---- */

/* A row with all ways to join it, and how far each is off. */
struct trial {
    uint32_t row[2];
    struct candidates *of[2]; /* shapes of both sides */
    size_t pairs;
    uint16_t (*pair)[2];      /* owned: candidates of both sides with one shape */
    float *error;             /* of each pair; NAN: not read */
    uint32_t class;
    bool figures;             /* errors are of recorded figures */
    uint32_t dims[2];         /* what a person says of the axes of each side: its number, or NONE */
};
typedef VEC(struct trial) trial_list;

struct deciding {
    struct whole_rows *side[2];
    trial_list trials;
    uint32_t unfit[2]; /* the first weight of each side whose parts do not fit, or NONE */
    /* weights that do not fit less those that do: above 0 the layout is wrong, whatever the run does */
    int64_t weights[2];
    const struct dims_list *dims;
    struct layout **layout;
    struct map classes;
    struct arena arena;
};

static bool same_shape(const struct candidate *a, const struct candidate *b)
{
    return a->ndim == b->ndim && memcmp(a->shape, b->shape, (size_t)a->ndim * sizeof *a->shape) == 0;
}

static void pair_up(struct trial *t)
{
    size_t room = 0;
    for (size_t b = 0; b < t->of[1]->n; b++)
        for (size_t a = 0; a < t->of[0]->n; a++)
            if (same_shape(&t->of[0]->v[a], &t->of[1]->v[b])) {
                if (t->pairs == room) {
                    room = 2 * room + 8;
                    t->pair = mem_resize_array(t->pair, room, sizeof *t->pair);
                }
                t->pair[t->pairs][0] = (uint16_t)a;
                t->pair[t->pairs++][1] = (uint16_t)b;
            }
    t->error = mem_alloc((t->pairs + 1) * sizeof *t->error);
    for (size_t i = 0; i < t->pairs; i++)
        t->error[i] = NAN;
}

/* As its first rank names it. */
static void name_row(const struct whole_rows *r, const struct whole_row *x, char *out, size_t size)
{
    const struct part_row *p = &x->parts.v[0];
    struct buf name = {0};
    dump_row_name(&part_dump(r, p)->dump, p->row, &name);
    snprintf(out, size, "%s", name.p);
    buf_release(&name);
}

/* What no candidate of the other side has as its shape is not looked at. */
static void drop_unpaired(struct trial *t, int side, bool *used)
{
    memset(used, 0, t->of[side]->n);
    for (size_t i = 0; i < t->pairs; i++)
        used[t->pair[i][side]] = true;
}

/* Without elements: as far as recorded figures tell. Of sums they tell nothing. */
static void measure_figures(const struct deciding *d, struct trial *t)
{
    struct part_figures *of[2];
    for (int s = 0; s < 2; s++) {
        const struct whole_row *x = &d->side[s]->rows.v[t->row[s]];
        of[s] = mem_zalloc((t->of[s]->n + 1) * sizeof *of[s]);
        for (size_t c = 0; c < t->of[s]->n; c++)
            of[s][c] = part_figures_join(d->side[s], x, t->of[s]->v[c].step, t->of[s]->v[c].scale);
    }
    for (size_t i = 0; i < t->pairs; i++) {
        const struct part_figures *a = &of[0][t->pair[i][0]], *b = &of[1][t->pair[i][1]];
        if (a->known && b->known)
            t->error[i] = (float)fmax(part_figures_away(a, b), fmax(a->spread, b->spread));
        t->figures |= a->known && b->known;
    }
    free(of[0]);
    free(of[1]);
}

static void measure_trial(const struct deciding *d, struct trial *t)
{
    struct held h[2];
    double **value[2], *spread[2];
    size_t most = t->of[0]->n > t->of[1]->n ? t->of[0]->n : t->of[1]->n;
    bool *used = mem_zalloc(most + 1);
    uint64_t n[2] = {0, 0};
    const struct whole_row *x[2] = {&d->side[0]->rows.v[t->row[0]], &d->side[1]->rows.v[t->row[1]]};
    for (int s = 0; s < 2; s++) {
        value[s] = mem_zalloc((most + 1) * sizeof **value);
        spread[s] = mem_zalloc((most + 1) * sizeof **spread);
    }
    bool there = hold(&h[0], d->side[0], x[0]);
    there = hold(&h[1], d->side[1], x[1]) && there;
    for (int s = 0; s < 2 && there; s++) {
        struct spreads known = {{-1, -1, -1, -1}};
        drop_unpaired(t, s, used);
        for (size_t c = 0; c < t->of[s]->n; c++)
            if (used[c]) {
                value[s][c] = joined_values(x[s], &t->of[s]->v[c], &h[s], &n[s]);
                spread[s][c] = spread_of(x[s], &t->of[s]->v[c], &h[s], &known);
            }
    }
    for (size_t i = 0; i < t->pairs && there; i++) {
        uint16_t a = t->pair[i][0], b = t->pair[i][1];
        if (!value[0][a] || !value[1][b])
            continue;
        uint64_t count = 1;
        for (int k = 0; k < t->of[0]->v[a].ndim; k++)
            count *= (uint64_t)t->of[0]->v[a].shape[k];
        double off = part_distance_finite(value[0][a], value[1][b], count);
        off = spread[0][a] > off ? spread[0][a] : off;
        off = spread[1][b] > off ? spread[1][b] : off;
        t->error[i] = (float)off;
    }
    for (int s = 0; s < 2; s++) {
        for (size_t c = 0; c < most; c++)
            free(value[s][c]);
        free(value[s]);
        free(spread[s]);
    }
    free(used);
    let_go(&h[0]);
    let_go(&h[1]);
    if (!there)
        measure_figures(d, t);
}

/* Rows of one class can be joined in the same ways: the same row of every layer, of the same shapes. */
static uint32_t class_of(struct deciding *d, const struct trial *t)
{
    struct buf key = {0};
    for (int s = 0; s < 2; s++) {
        const struct whole_row *x = &d->side[s]->rows.v[t->row[s]];
        buf_fmt(&key, "%s %s", d->side[s]->calls->calls.v[x->call].like, x->slot);
        for (int i = 0; i < x->ndim; i++)
            buf_fmt(&key, " %lld", (long long)x->shape[i]);
        for (int i = 0; i < x->steps; i++)
            buf_fmt(&key, " %s%u", cut_name((enum cut)x->step[i].by), x->step[i].n);
        if (t->dims[s] != NONE)
            buf_fmt(&key, " as %u", t->dims[s]);
    }
    uint32_t at = map_get(&d->classes, buf_view(&key));
    if (at == MAP_NONE) {
        at = (uint32_t)d->classes.n;
        map_add(&d->classes, arena_str(&d->arena, buf_view(&key)), at);
    }
    buf_release(&key);
    return at;
}

/* Below it two joins agree but for the noise of another order of additions; far above what a type of 8 bits mantissa
 * rounds away. A join that does not fit is off by about its own size. */
static bool fits(const struct deciding *d, const struct trial *t, size_t pair)
{
    enum dtype type = (enum dtype)d->side[0]->rows.v[t->row[0]].dtype;
    double eps = dtype_is_float(type) ? dtype_table[type].epsilon : 0;
    return (double)t->error[pair] < fmax(1e-3, 8 * eps);
}

/* Of a class: the pair of candidates that fits the most of its rows; of several the first, unless another one is right
 * where it is not and is the more particular of the two (two halves each against one block). */
static size_t best_of_class(const struct deciding *d, const uint32_t *member, size_t members)
{
    const struct trial *first = &d->trials.v[member[0]];
    size_t best = 0, most = 0;
    double nearest = INFINITY;
    for (size_t i = 0; i < first->pairs; i++) {
        size_t n = 0;
        double off = 0;
        for (size_t m = 0; m < members; m++) {
            const struct trial *t = &d->trials.v[member[m]];
            n += i < t->pairs && fits(d, t, i);
            off += i < t->pairs && !isnan(t->error[i]) ? fmin((double)t->error[i], 10) : 0;
        }
        bool particular = false;
        if (n && n == most) {
            const struct candidates *c = first->of[0];
            particular = true;
            for (size_t m = 0; m < members; m++)
                particular &= !(fits(d, &d->trials.v[member[m]], i) && fits(d, &d->trials.v[member[m]], best));
            bool blocks = false, plain = false;
            for (int s = 0; s < c->row->steps; s++) {
                blocks |= c->v[first->pair[i][0]].step[s].blocks > 1;
                plain |= c->v[first->pair[best][0]].step[s].how == JOIN_CONCAT;
            }
            particular &= blocks && plain;
        }
        /* Nothing fits: clearly nearer. All fit: far nearer, as where what a mask fills outweighs the rest. */
        bool nearer = !n && !most && off < nearest * 0.5 && members == 1;
        bool far_nearer = n && n == most && off * 8 < nearest;
        if (n > most || particular || far_nearer || (i == 0)) {
            best = i;
            most = n;
        } else if (nearer) {
            best = i;
        }
        if (i == best)
            nearest = off;
    }
    for (size_t i = 0; i < first->pairs && !most && first->figures; i++)
        if (isnan(first->error[i])) /* a sum, of which figures tell nothing, rather than what they speak against */
            return i;
    return best;
}

static void apply(struct whole_row *x, const struct candidate *c)
{
    memcpy(x->step, c->step, sizeof x->step);
    x->scale = c->scale;
    x->ndim = c->ndim;
    memcpy(x->shape, c->shape, sizeof x->shape);
}

/* Where nothing the shapes allow is as a person says, that is told, and the values decide. */
static void keep_what_dims_allow(struct deciding *d, struct trial *t, int side)
{
    struct whole_row *x = &d->side[side]->rows.v[t->row[side]];
    size_t n = 0;
    t->dims[side] = x->steps ? dims_of_row(d->dims, d->side[side], x) : NONE;
    if (t->dims[side] == NONE || !t->pairs)
        return;
    uint16_t(*kept)[2] = mem_alloc(t->pairs * sizeof *kept);
    for (size_t p = 0; p < t->pairs; p++) {
        const struct candidate *c = &t->of[side]->v[t->pair[p][side]];
        bool allowed = true;
        for (int s = 0; s < x->steps; s++)
            allowed &= dims_allow(&d->dims->v[t->dims[side]], &c->step[s]);
        if (allowed)
            memcpy(kept[n++], t->pair[p], sizeof *kept);
    }
    if (n) {
        memcpy(t->pair, kept, n * sizeof *kept);
        t->pairs = n;
    } else {
        t->dims[side] = NONE;
        if (!d->layout[side]->other_axes[0])
            name_row(d->side[side], x, d->layout[side]->other_axes, sizeof d->layout[side]->other_axes);
    }
    free(kept);
}

static void add_trial(struct deciding *d, uint32_t target, uint32_t golden)
{
    struct trial t = {.row = {target, golden}, .dims = {NONE, NONE}};
    const struct whole_row *x[2] = {&d->side[0]->rows.v[target], &d->side[1]->rows.v[golden]};
    for (int s = 0; s < 2; s++) {
        t.of[s] = mem_zalloc(sizeof *t.of[s]);
        find_candidates(t.of[s], d->side[s], x[s], x[!s]);
    }
    pair_up(&t);
    for (int s = 0; s < 2; s++)
        keep_what_dims_allow(d, &t, s);
    t.class = class_of(d, &t);
    vec_push(&d->trials, t);
}

static uint32_t slot_row(const struct whole_rows *r, uint32_t call, const char *slot)
{
    for (size_t i = r->first_of[call]; i < r->rows.n && r->rows.v[i].call == call; i++)
        if (strcmp(r->rows.v[i].slot, slot) == 0)
            return (uint32_t)i;
    return NONE;
}

/* Where experts are spread over ranks, tokens come to them in another order. */
static bool of_expert(const struct whole_rows *r, const struct whole_row *x)
{
    return r->calls->layout->size[CUT_EP] > 1 && str_ihas(str_of(r->calls->calls.v[x->call].group), "expert");
}

static void find_partners(struct deciding *d)
{
    struct whole_rows *t = d->side[0], *g = d->side[1];
    for (uint32_t i = 0; i < t->rows.n; i++) {
        uint32_t call = t->calls->calls.v[t->rows.v[i].call].partner;
        uint32_t other = call == NONE ? NONE : slot_row(g, call, t->rows.v[i].slot);
        if (other == NONE)
            continue;
        t->rows.v[i].partner = other;
        g->rows.v[other].partner = i;
        struct whole_row *a = &t->rows.v[i], *b = &g->rows.v[other];
        if (a->kind == ROW_TENSOR && b->kind == ROW_TENSOR &&
            (a->steps || b->steps || plain_gradient(t, a) || of_expert(t, a) || of_expert(g, b)) && !a->open &&
            !b->open)
            add_trial(d, i, other);
    }
}

/* Zigzag or natural: what fits more rows, over all of them, before any row is decided. */
static enum cp_cut vote_cut(const struct deciding *d, int side)
{
    size_t votes[2] = {0, 0};
    for (size_t i = 0; i < d->trials.n; i++) {
        const struct trial *t = &d->trials.v[i];
        bool fit[2] = {false, false};
        for (size_t p = 0; p < t->pairs; p++) {
            const struct candidate *c = &t->of[side]->v[t->pair[p][side]];
            for (int s = 0; s < t->of[side]->row->steps && fits(d, t, p); s++)
                if (c->step[s].by == CUT_CP && c->step[s].axis >= 0)
                    fit[c->step[s].how == JOIN_ZIGZAG] = true;
        }
        votes[0] += fit[0] && !fit[1];
        votes[1] += fit[1] && !fit[0];
    }
    return votes[0] > votes[1] ? CP_CUT_NATURAL : votes[1] ? CP_CUT_ZIGZAG : CP_CUT_UNKNOWN;
}

static bool against_cut(const struct candidate *c, int steps, enum cp_cut cut)
{
    for (int s = 0; s < steps; s++)
        if (c->step[s].by == CUT_CP && c->step[s].axis >= 0 && cut != CP_CUT_UNKNOWN &&
            (c->step[s].how == JOIN_ZIGZAG) != (cut == CP_CUT_ZIGZAG))
            return true;
    return false;
}

static void drop_cut(struct deciding *d, int side, enum cp_cut cut)
{
    for (size_t i = 0; i < d->trials.n; i++) {
        struct trial *t = &d->trials.v[i];
        size_t n = 0;
        if (t->dims[side] != NONE) /* told */
            continue;
        for (size_t p = 0; p < t->pairs; p++)
            if (!against_cut(&t->of[side]->v[t->pair[p][side]], t->of[side]->row->steps, cut)) {
                memmove(t->pair[n], t->pair[p], sizeof t->pair[p]);
                t->error[n++] = t->error[p];
            }
        t->pairs = n;
    }
}

/* Ranks with other parts of the batch hold whole weights. */
static bool weight_cut_by_batch(const struct whole_row *x)
{
    for (int s = 0; s < x->steps; s++)
        if (x->step[s].by != CUT_TP && x->step[s].how != JOIN_REPLICA)
            return true;
    return false;
}

static void decide_classes(struct deciding *d)
{
    size_t n = d->trials.n, classes = d->classes.n;
    for (size_t i = 0; i < n; i++) /* weights that no join makes as large as the other side's */
        for (int s = 0; s < 2 && !d->trials.v[i].pairs; s++) {
            uint32_t row = d->trials.v[i].row[s];
            if (d->side[s]->rows.v[row].io != IO_PARAMETER || !d->side[s]->rows.v[row].steps)
                continue;
            d->weights[s]++;
            d->unfit[s] = row < d->unfit[s] ? row : d->unfit[s];
        }
    uint32_t *members = mem_alloc((n + 1) * sizeof *members), *next = mem_alloc((n + 1) * sizeof *next);
    uint32_t *first = mem_alloc((classes + 1) * sizeof *first); /* trials of each class, ascending */
    for (size_t k = 0; k < classes; k++)
        first[k] = NONE;
    for (uint32_t i = (uint32_t)n; i-- > 0; ) {
        next[i] = first[d->trials.v[i].class];
        first[d->trials.v[i].class] = i;
    }
    for (size_t k = 0; k < classes; k++) {
        size_t m = 0;
        for (uint32_t i = first[k]; i != NONE; i = next[i])
            if (d->trials.v[i].pairs)
                members[m++] = i;
        size_t best = m ? best_of_class(d, members, m) : 0;
        for (size_t i = 0; i < m; i++) {
            struct trial *t = &d->trials.v[members[i]];
            size_t p = best < t->pairs ? best : 0;
            for (int s = 0; s < 2; s++)
                apply(&d->side[s]->rows.v[t->row[s]], &t->of[s]->v[t->pair[p][s]]);
            for (int s = 0; s < 2; s++) {
                bool several = d->side[s]->rows.v[t->row[s]].steps > 0;
                bool fit = several && fits(d, t, p);
                d->side[s]->joined += several;
                d->side[s]->fitting += fit;
                if (!several || d->side[s]->rows.v[t->row[s]].io != IO_PARAMETER || isnan(t->error[p]))
                    continue;
                bool right = fit && !weight_cut_by_batch(&d->side[s]->rows.v[t->row[s]]);
                d->weights[s] += right ? -1 : 1;
                if (!right && t->row[s] < d->unfit[s])
                    d->unfit[s] = t->row[s];
            }
        }
    }
    free(members);
    free(next);
    free(first);
}

/* ---- each part against its own ---- */

static uint32_t part_number(const struct joined_view *v, uint64_t at)
{
    uint32_t own = v->with[0];
    for (int i = v->ndim - 1; i >= 0; i--) {
        own += v->part[i] ? v->part[i][at % (uint64_t)v->shape[i]] : 0;
        at /= (uint64_t)v->shape[i];
    }
    return own;
}

static bool is_sum(const struct whole_row *x)
{
    for (int s = 0; s < x->steps; s++)
        if (x->step[s].how == JOIN_SUM || x->step[s].how == JOIN_MEAN || x->step[s].how == JOIN_MAX)
            return true;
    return false;
}

static int64_t vocab_of(const struct whole_row *x)
{
    for (int s = 0; s < x->steps; s++)
        if (x->step[s].how == JOIN_VOCAB)
            return x->shape[x->step[s].axis];
    return -1;
}

static const struct shape *part_shape(const struct whole_rows *r, const struct whole_row *x)
{
    return dump_row_shape(&part_dump(r, &x->parts.v[0])->dump, x->parts.v[0].row);
}

/* The view of a row as its join was decided: tokens in the other side's order. */
static bool row_view(const struct whole_row *x, const struct shape *part, struct joined_view *v)
{
    return join_view(v, part->dim, part->ndim, x->step, x->steps, x->scale, vocab_of(x)) &&
           (!x->order || join_view_reorder(v, x->order));
}

/* One round of replicas: with picks set, the parts that are seen. */
static void errors_seen(const struct whole_rows *r, struct whole_row *x, const struct held *own, const double *other,
                        uint64_t count)
{
    struct joined_view v;
    const struct shape *ps = part_shape(r, x);
    if (!row_view(x, ps, &v))
        return;
    double *off = mem_zalloc((x->parts.n + 1) * sizeof *off), *all = mem_zalloc((x->parts.n + 1) * sizeof *all);
    for (uint64_t i = 0; i < count; i++) {
        uint32_t p = part_number(&v, i);
        double a = join_view_value(&v, own->part, ps->dim, i), b = other[i];
        a = isfinite(a) ? a : 0;
        b = isfinite(b) ? b : 0;
        off[p] += (a - b) * (a - b);
        all[p] += b * b;
    }
    for (size_t p = 0; p < x->parts.n; p++)
        if (off[p] > 0 || all[p] > 0)
            x->parts.v[p].error = off[p] == 0 ? 0 : (float)(all[p] > 0 ? sqrt(off[p] / all[p]) : 1.0 / 0.0);
    free(off);
    free(all);
    joined_view_release(&v);
}

/* Every choice among replicas is looked at, so that every part has its error; the worst stands for all. */
static void part_errors(struct whole_rows *r, struct whole_row *x, const struct held *own, const double *other,
                        uint64_t count)
{
    uint64_t rounds = 1;
    for (int s = 0; s < x->steps; s++)
        rounds *= x->step[s].how == JOIN_REPLICA ? x->step[s].n : 1;
    for (uint64_t k = 0; k < rounds; k++) {
        uint64_t rest = k;
        for (int s = 0; s < x->steps; s++)
            if (x->step[s].how == JOIN_REPLICA) {
                x->step[s].pick = (uint32_t)(rest % x->step[s].n);
                rest /= x->step[s].n;
            }
        errors_seen(r, x, own, other, count);
    }
    size_t worst = 0;
    for (size_t p = 1; p < x->parts.n; p++)
        if (x->parts.v[p].error > x->parts.v[worst].error)
            worst = p;
    uint32_t stride = 1;
    for (int s = 0; s < x->steps; s++) {
        if (x->step[s].how == JOIN_REPLICA)
            x->step[s].pick = (uint32_t)(worst / stride % x->step[s].n);
        stride *= x->step[s].n;
    }
}

static double *row_values(const struct whole_rows *r, const struct whole_row *x, const struct held *h, uint64_t *n)
{
    struct joined_view v;
    const struct shape *ps = part_shape(r, x);
    if (!row_view(x, ps, &v))
        return NULL;
    *n = 1;
    for (int i = 0; i < v.ndim; i++)
        *n *= (uint64_t)v.shape[i];
    double *out = mem_alloc(((size_t)*n + 1) * sizeof *out);
    for (uint64_t i = 0; i < *n; i++)
        out[i] = join_view_value(&v, h->part, ps->dim, i);
    joined_view_release(&v);
    return out;
}

static bool hold_parts(struct held *h, const struct whole_rows *r, const struct whole_row *x)
{
    struct whole_row parts = *x;
    const struct shape *ps = part_shape(r, x);
    if (!ps)
        return false;
    parts.ndim = ps->ndim;
    memcpy(parts.shape, ps->dim, (size_t)ps->ndim * sizeof *ps->dim);
    return hold(h, r, &parts);
}

static void find_part_errors(struct deciding *d, const struct trial *t)
{
    for (int s = 1; s >= 0; s--) {
        struct whole_row *x = &d->side[s]->rows.v[t->row[s]];
        const struct whole_row *other = &d->side[!s]->rows.v[t->row[!s]];
        struct held own = {0}, theirs = {0};
        if ((x->steps || x->order) && !is_sum(x) && hold_parts(&own, d->side[s], x) &&
            hold_parts(&theirs, d->side[!s], other)) {
            uint64_t n[2] = {1, 0};
            double *value = row_values(d->side[!s], other, &theirs, &n[1]);
            for (int i = 0; i < x->ndim; i++)
                n[0] *= (uint64_t)x->shape[i];
            if (value && n[0] == n[1])
                part_errors(d->side[s], x, &own, value, n[0]);
            free(value);
        }
        let_go(&own);
        let_go(&theirs);
    }
}

/* ---- tokens in another order ---- */

#define TOKENS_MOST 4096 /* rows of a set that are compared with each other */

static bool token_fits(const struct deciding *d, const struct trial *t, double off, double all)
{
    enum dtype type = (enum dtype)d->side[0]->rows.v[t->row[0]].dtype;
    return off <= fmax(1e-3, dtype_is_float(type) ? 8 * dtype_table[type].epsilon : 0) * all;
}

/* Of each row of b the row of a that is it; false where some row of one is not in the other. */
static bool match_tokens(const struct deciding *d, const struct trial *t, const double *a, const double *b,
                         uint64_t rows, uint64_t width, uint32_t *order)
{
    bool *used = mem_zalloc((size_t)rows + 1), all = rows > 1 && rows <= TOKENS_MOST;
    for (uint64_t i = 0; i < rows && all; i++) {
        uint64_t best = rows;
        double nearest = INFINITY, size = 0;
        for (uint64_t k = 0; k < width; k++)
            size += b[i * width + k] * b[i * width + k];
        for (uint64_t j = 0; j < rows; j++) {
            double off = 0;
            for (uint64_t k = 0; k < width && off < nearest; k++)
                off += (a[j * width + k] - b[i * width + k]) * (a[j * width + k] - b[i * width + k]);
            if (!used[j] && off < nearest) {
                nearest = off;
                best = j;
            }
        }
        all = best < rows && token_fits(d, t, sqrt(nearest), sqrt(size));
        if (all) {
            used[best] = true;
            order[i] = (uint32_t)best;
        }
    }
    free(used);
    return all;
}

static double *values_of(const struct whole_rows *r, const struct whole_row *x, uint64_t *n)
{
    struct held h = {0};
    double *v = hold_parts(&h, r, x) ? row_values(r, x, &h, n) : NULL;
    let_go(&h);
    return v;
}

/* The expert's path: "decoder.layers.1.mlp.local_experts.2". */
static struct str expert_path(const struct whole_rows *r, const struct whole_row *x)
{
    struct str group = str_cut(str_of(r->calls->calls.v[x->call].group), 2);
    ptrdiff_t at = str_search(group, "expert");
    size_t from, to;
    int number;
    if (at < 0 || !path_number(str_cut(group, (size_t)at), &from, &to, &number))
        return (struct str){0};
    return str_n(group.p, (size_t)at + to);
}

static void use_order(struct deciding *d, struct whole_row *x, const uint32_t *order, uint64_t n)
{
    x->order = arena_alloc(&d->side[0]->arena, (size_t)n * sizeof *order);
    memcpy(x->order, order, (size_t)n * sizeof *order);
    for (int s = 0; s < x->steps; s++)
        if (x->step[s].axis == 0 && x->step[s].how != JOIN_VOCAB)
            x->step[s].how = JOIN_TOKENS;
}

/* Rows whose first axis is tokens in the order they were sent on: compared as a set; of an expert's rows in the order
 * of what it was given. */
static void find_tokens(struct deciding *d)
{
    struct map experts = {0};
    VEC(const uint32_t *) orders = {0};
    if (d->side[0]->calls->layout->size[CUT_EP] == d->side[1]->calls->layout->size[CUT_EP])
        return;
    for (size_t i = 0; i < d->trials.n; i++) {
        struct trial *t = &d->trials.v[i];
        struct whole_row *a = &d->side[0]->rows.v[t->row[0]], *b = &d->side[1]->rows.v[t->row[1]];
        bool sums = is_sum(a) || is_sum(b) || a->io == IO_PARAMETER || d->side[0]->calls->calls.v[a->call].gradient;
        if (sums || a->ndim < 1 || b->ndim != a->ndim || a->shape[0] != b->shape[0] || a->shape[0] < 2 ||
            !dtype_is_float((enum dtype)a->dtype))
            continue;
        struct str expert = expert_path(d->side[0], a);
        uint32_t known = expert.n ? map_get(&experts, expert) : MAP_NONE;
        if (known != MAP_NONE) {
            if (orders.v[known][0] == (uint32_t)a->shape[0])
                use_order(d, a, orders.v[known] + 1, (uint64_t)a->shape[0]);
            continue;
        }
        uint64_t n[2] = {0, 0}, rows = (uint64_t)a->shape[0];
        double *x = values_of(d->side[0], a, &n[0]), *y = values_of(d->side[1], b, &n[1]);
        uint32_t *order = mem_alloc(((size_t)rows + 1) * sizeof *order);
        bool wrong = x && y && n[0] == n[1] && part_distance_finite(x, y, n[0]) > 1e-3;
        if ((wrong || expert.n) && x && y && n[0] == n[1] && n[0] / rows > 1 &&
            match_tokens(d, t, x, y, rows, n[0] / rows, order)) {
            use_order(d, a, order, rows);
            if (expert.n && d->side[0]->calls->calls.v[a->call].region == IN_FORWARD) {
                uint32_t *keep = arena_alloc(&d->arena, ((size_t)rows + 1) * sizeof *keep);
                keep[0] = (uint32_t)rows;
                memcpy(keep + 1, order, (size_t)rows * sizeof *keep);
                map_add(&experts, arena_str(&d->arena, expert), (uint32_t)orders.n);
                vec_push(&orders, (const uint32_t *)keep);
            }
        }
        free(order);
        free(x);
        free(y);
    }
    map_release(&experts);
    vec_release(&orders);
}

/* ---- what has no counterpart ---- */

/* Each part is an order of its own rows: indices 0 … n-1, each once. */
static bool is_order(const struct whole_rows *r, const struct whole_row *x)
{
    bool all = x->kind == ROW_TENSOR && dtype_table[x->dtype].klass == CLASS_INT && x->parts.n > 1;
    for (size_t i = 0; i < x->parts.n && all; i++) {
        uint64_t n = 0;
        double *v = part_values(&part_dump(r, &x->parts.v[i])->dump, x->parts.v[i].row, &n);
        bool *seen = mem_zalloc((size_t)n + 1);
        all = v && n > 1;
        for (uint64_t k = 0; all && k < n; k++) {
            all = v[k] >= 0 && v[k] < (double)n && !seen[(size_t)v[k]];
            if (all)
                seen[(size_t)v[k]] = true;
        }
        free(v);
        free(seen);
    }
    return all;
}

/* Numbers of a rank's own tokens: how they are sorted, how many go where. No other cut has them. */
static void find_bookkeeping(struct deciding *d)
{
    for (size_t i = 0; i < d->trials.n; i++) {
        struct trial *t = &d->trials.v[i];
        struct whole_row *a = &d->side[0]->rows.v[t->row[0]], *b = &d->side[1]->rows.v[t->row[1]];
        bool whole_numbers = dtype_table[a->dtype].klass == CLASS_INT;
        bool fit = false;
        for (size_t p = 0; p < t->pairs && !fit; p++)
            fit = isnan(t->error[p]) || fits(d, t, p);
        if (!whole_numbers || fit || (t->pairs && !is_order(d->side[0], a) && !is_order(d->side[1], b)))
            continue;
        a->local = b->local = true;
    }
}

/* Numbers among a call's arguments that are other ones on other ranks of its tensor-parallel group: the first index of
 * a rank's own part of the vocabulary. What comes of them is of that rank alone. */
static bool numbers_differ(const struct whole_rows *r, const struct whole_row *x)
{
    if (x->kind != ROW_INT && x->kind != ROW_FLOAT)
        return false;
    for (size_t i = 1; i < x->parts.n; i++) {
        const struct row *a = &part_dump(r, &x->parts.v[0])->dump.rows.v[x->parts.v[0].row];
        const struct row *b = &part_dump(r, &x->parts.v[i])->dump.rows.v[x->parts.v[i].row];
        if (x->parts.v[i].micro == x->parts.v[0].micro && a->stat[0] != b->stat[0])
            return true;
    }
    return false;
}

static bool has_cut(const struct whole_row *x, enum cut c)
{
    for (int s = 0; s < x->steps; s++)
        if (x->step[s].by == c)
            return true;
    return false;
}

static const struct trial *trial_of(const struct deciding *d, const uint32_t *at, uint32_t row)
{
    return at[row] == NONE ? NULL : &d->trials.v[at[row]];
}

static bool fits_at_all(const struct deciding *d, const struct trial *t)
{
    for (size_t i = 0; t && i < t->pairs; i++)
        if (isnan(t->error[i]) || fits(d, t, i))
            return true;
    return false;
}

/* Whole numbers with the extremes of what a rank alone has computed, on every rank. */
static bool same_extremes(const struct whole_rows *r, const struct whole_row *a, const struct whole_row *b)
{
    if (a->parts.n != b->parts.n)
        return false;
    for (size_t i = 0; i < a->parts.n; i++) {
        const struct dump *d = &part_dump(r, &a->parts.v[i])->dump, *q = &part_dump(r, &b->parts.v[i])->dump;
        const struct row *x = &d->rows.v[a->parts.v[i].row], *y = &q->rows.v[b->parts.v[i].row];
        if (dump_row_numel(d, a->parts.v[i].row) != dump_row_numel(q, b->parts.v[i].row) ||
            x->stat[STAT_MAX] != y->stat[STAT_MAX] || x->stat[STAT_MIN] != y->stat[STAT_MIN])
            return false;
    }
    return true;
}

typedef VEC(uint32_t) row_list;

/* made: outputs of calls of a rank alone so far. */
static bool made_by_rank_alone(const struct whole_rows *r, const row_list *made, const struct whole_row *x)
{
    for (size_t i = made->n; i-- > 0; ) /* what it is made of came mostly just before */
        if (same_extremes(r, x, &r->rows.v[made->v[i]]))
            return true;
    return false;
}

/* A call is of a rank alone where such a number goes in, or, behind such a call of the same module, whole numbers that
 * fit nowhere; its results are, where they fit nowhere. */
static void find_local(struct deciding *d)
{
    struct whole_rows *r = d->side[0]->calls->layout->size[CUT_TP] > 1 ? d->side[0] : d->side[1];
    int side = r == d->side[1];
    if (r->calls->layout->size[CUT_TP] == 1)
        return;
    uint32_t *trial = mem_alloc((r->rows.n + 1) * sizeof *trial);
    memset(trial, 0xff, (r->rows.n + 1) * sizeof *trial);
    for (uint32_t i = 0; i < d->trials.n; i++)
        trial[d->trials.v[i].row[side]] = i;
    row_list made = {0};
    const char *inside = NULL; /* the group with such a call */
    for (size_t o = 0; o < r->calls->order.n; o++) {
        uint32_t call = r->calls->order.v[o];
        const struct whole_call *w = &r->calls->calls.v[call];
        bool begins = false, takes = false, fed = false;
        uint32_t from = r->first_of[call], to = from;
        for (; to < r->rows.n && r->rows.v[to].call == call; to++) {
            const struct whole_row *x = &r->rows.v[to];
            bool whole_numbers = x->kind == ROW_TENSOR && !dtype_is_float((enum dtype)x->dtype);
            begins |= x->io == IO_INPUT && has_cut(x, CUT_TP) && numbers_differ(r, x);
            bool alone =
                x->io == IO_INPUT && whole_numbers && has_cut(x, CUT_TP) && !fits_at_all(d, trial_of(d, trial, to));
            takes |= alone;
            fed |= alone && made_by_rank_alone(r, &made, x);
        }
        bool local = begins || fed || (takes && inside && strcmp(inside, w->group) == 0);
        if (begins)
            inside = w->group;
        for (uint32_t i = from; local && i < to; i++) {
            struct whole_row *x = &r->rows.v[i];
            bool number = x->kind == ROW_INT || x->kind == ROW_FLOAT;
            bool own = number || ((x->io == IO_OUTPUT || !begins) && x->kind == ROW_TENSOR && has_cut(x, CUT_TP) &&
                                  !fits_at_all(d, trial_of(d, trial, i)));
            if (!own)
                continue;
            x->local = true;
            if (x->io == IO_OUTPUT && x->kind == ROW_TENSOR)
                vec_push(&made, i);
            if (x->partner != NONE)
                d->side[!side]->rows.v[x->partner].local = true;
        }
    }
    free(trial);
    vec_release(&made);
}

static void release(struct deciding *d)
{
    for (size_t i = 0; i < d->trials.n; i++) {
        for (int s = 0; s < 2; s++) {
            free(d->trials.v[i].of[s]->v);
            free(d->trials.v[i].of[s]);
        }
        free(d->trials.v[i].pair);
        free(d->trials.v[i].error);
    }
    vec_release(&d->trials);
    map_release(&d->classes);
    arena_release(&d->arena);
}

void shard_joins_decide(struct whole_rows *target, struct whole_rows *golden, struct layout *layout[2],
                        const struct dims_list *dims)
{
    struct deciding d = {.side = {target, golden}, .unfit = {NONE, NONE}, .dims = dims, .layout = layout};
    find_partners(&d);
    for (size_t i = 0; i < d.trials.n; i++)
        measure_trial(&d, &d.trials.v[i]);
    for (int s = 0; s < 2; s++) {
        if (layout[s]->size[CUT_CP] > 1 && layout[s]->cp_cut == CP_CUT_UNKNOWN)
            layout[s]->cp_cut = vote_cut(&d, s);
        drop_cut(&d, s, layout[s]->cp_cut);
    }
    decide_classes(&d);
    find_local(&d);
    find_bookkeeping(&d);
    find_tokens(&d);
    for (size_t i = 0; i < d.trials.n; i++)
        if (d.trials.v[i].pairs)
            find_part_errors(&d, &d.trials.v[i]);
    for (int s = 0; s < 2; s++) {
        layout[s]->proved = d.side[s]->joined;
        layout[s]->equal = d.side[s]->fitting;
        if (2 * layout[s]->equal > layout[s]->proved) /* values have told which part of the batch each rank has */
            layout[s]->open &= (uint8_t)~(1u << CUT_CP | 1u << CUT_DP);
        if (d.weights[s] > 0)
            name_row(d.side[s], &d.side[s]->rows.v[d.unfit[s]], layout[s]->against, sizeof layout[s]->against);
    }
    release(&d);
}

int whole_row_tensor(const struct whole_rows *r, const struct whole_row *x, struct tensor *t, struct err *e)
{
    size_t n = x->parts.n, opened = 0;
    if (n == 1 && x->scale == 1 && !x->order)
        return dump_tensor(&part_dump(r, &x->parts.v[0])->dump, x->parts.v[0].row, t, e);
    struct tensor *part = mem_zalloc((n + 1) * sizeof *part);
    int rc = 0;
    for (; opened < n && rc == 0; opened += rc == 0)
        rc = dump_tensor(&part_dump(r, &x->parts.v[opened])->dump, x->parts.v[opened].row, &part[opened], e);
    struct joined_view v;
    const struct shape *ps = part_shape(r, x);
    if (rc == 0 && (!ps || !row_view(x, ps, &v)))
        rc = err_set(e, ERR_DATA, _("%s: the parts cannot be joined"), part[0].file.name);
    if (rc == 0)
        rc = joined_open(t, part, n, &v, part[0].file.name, e);
    else
        for (size_t i = 0; i < opened; i++)
            tensor_close(&part[i]);
    free(part);
    return rc;
}
