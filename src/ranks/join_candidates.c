/* Lists all joins that the shapes of a row and of its counterpart allow. */
#include "ranks/join_trial.h"

#define CANDIDATES 1024 /* per row; several dimensions at once give many */

static bool is_row_of_backward(const struct candidates *c)
{
    const struct whole_call *w = &c->calls->calls.v[c->row->call];
    return w->region == IN_BACKWARD;
}

bool whole_row_is_gradient(const struct whole_rows *r, const struct whole_row *x)
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

static void keep_candidate(struct candidates *c, const struct join_step *step, const int64_t *shape)
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

static void extend_candidate(struct candidates *c, struct join_step *step, int at, const int64_t *shape);

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
    extend_candidate(c, step, at + 1, next);
}

static bool exceeds_counterpart(const struct candidates *c, const int64_t *shape, int axis, uint32_t n)
{
    int64_t most = axis < c->peer->ndim ? c->peer->shape[axis] : 0;
    for (int i = 0; i < c->peer->steps; i++)
        most *= c->peer->step[i].n;
    return shape[axis] * n > most;
}

/* Vocabulary shards, the last of them padded: cut to the other side's size. */
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

/* For each axis: concatenation, concatenation in blocks, or context parallelism's zigzag. */
static void along_axes(struct candidates *c, struct join_step *step, int at, const int64_t *shape)
{
    const struct join_step own = c->row->step[at];
    struct join_step s = {.n = own.n, .keys = -1, .blocks = 1};
    bool weight = c->row->io == IO_PARAMETER || c->row->gradient || c->calls->calls.v[c->row->call].gradient;
    for (int axis = 0; axis < c->row->ndim; axis++) {
        s.axis = (int8_t)axis;
        if (own.by == CUT_TP)
            as_vocabulary(c, step, at, shape, axis);
        if (exceeds_counterpart(c, shape, axis, own.n) || shape[axis] == 0)
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

static void add_combined_candidates(struct candidates *c, struct join_step *step, int at, const int64_t *shape,
                                    enum join_how how)
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
    bool gradient = c->calls->calls.v[c->row->call].gradient, back = is_row_of_backward(c);
    bool small = c->row->ndim == 0 || (c->row->ndim == 1 && !dtype_is_float((enum dtype)c->row->dtype));
    if (gradient && by == CUT_MICRO) {
        add_combined_candidates(c, step, at, shape, JOIN_LAST);
        return;
    }
    if (back && by != CUT_TP && c->row->io != IO_PARAMETER)
        add_combined_candidates(c, step, at, shape, JOIN_SUM);
    add_combined_candidates(c, step, at, shape, JOIN_REPLICA);
    if (c->row->io == IO_PARAMETER)
        return;
    if (by != CUT_TP && c->row->ndim == 0 && c->plain)
        add_combined_candidates(c, step, at, shape, JOIN_MEAN);
    if (by == CUT_TP || (!back && (small || by == CUT_CP)))
        add_combined_candidates(c, step, at, shape, JOIN_SUM);
    if (by == CUT_TP && c->plain) /* also of what is computed again in the backward pass */
        add_combined_candidates(c, step, at, shape, JOIN_MAX);
}

static void extend_candidate(struct candidates *c, struct join_step *step, int at, const int64_t *shape)
{
    if (c->n >= CANDIDATES)
        return;
    if (at == c->row->steps) {
        if (shape_wanted(c, shape))
            keep_candidate(c, step, shape);
        return;
    }
    as_one(c, step, at, shape);
    along_axes(c, step, at, shape);
}

void join_candidates_find(struct candidates *c, const struct whole_rows *r, const struct whole_row *x,
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
    c->plain = !whole_row_is_gradient(r, x);
    c->scale[c->scales++] = whole_row_is_gradient(r, x) ? mean : 1;
    if (is_row_of_backward(c) && !whole_row_is_gradient(r, x) && mean != 1)
        c->scale[c->scales++] = mean;
    extend_candidate(c, step, 0, x->shape);
}
