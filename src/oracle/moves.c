/* Shared by operators that move values: the origin of each output element, copying values, and returning gradients. */
#include "oracle/moves.h"

#include <string.h>

struct real_tensor *moves_add_input(struct call_values *c, struct moves *m, const struct real_tensor *t)
{
    int64_t start = 0;
    if (!t || m->ins == MOVES_TENSORS) {
        call_unknown(c, UNKNOWN_ARGUMENT);
        return NULL;
    }
    for (int i = 0; i < m->ins; i++)
        start += m->in[i]->count;
    struct real_tensor *place = &m->place[m->ins];
    *place = real_like(c, t);
    for (int64_t i = 0; i < t->count; i++)
        place->v[i] = (double)(start + i);
    m->in[m->ins++] = t;
    return place;
}

struct real_tensor *moves_first_input(struct call_values *c, struct moves *m)
{
    return moves_add_input(c, m, call_tensor_at(c, 0, "input x self input_x tensor"));
}

void moves_add_output(struct moves *m, struct real_tensor places)
{
    if (m->outs < MOVES_TENSORS)
        m->out[m->outs++] = places;
}

/* The values of all inputs, concatenated. */
static double *inputs_joined(struct call_values *c, const struct moves *m, int64_t *count)
{
    *count = 0;
    for (int i = 0; i < m->ins; i++)
        *count += m->in[i]->count;
    double *v = real_array(c, *count);
    int64_t at = 0;
    for (int i = 0; i < m->ins; i++) {
        if (m->in[i]->count)
            memcpy(v + at, m->in[i]->v, (size_t)m->in[i]->count * sizeof *v);
        at += m->in[i]->count;
    }
    return v;
}

/* Converts a value to an integer or boolean type, truncating; NAN if it does not fit. */
static double as_type(double v, enum dtype type)
{
    enum dtype_class klass = dtype_table[type].klass;
    if (klass == CLASS_BOOL)
        return v != 0;
    if (klass != CLASS_INT)
        return v;
    double limit = ldexp(1, 8 * dtype_table[type].size - 1);
    return v >= limit || v < -limit ? NAN : trunc(v);
}

void moves_forward(struct call_values *c, places_function *places, const char *formula)
{
    struct moves *m = arena_zalloc(c->arena, sizeof *m);
    int64_t count;
    places(c, m);
    if (c->unknown)
        return;
    const double *v = inputs_joined(c, m, &count);
    for (int k = 0; k < m->outs; k++) {
        struct real_tensor y = real_like(c, &m->out[k]);
        enum dtype type = k < c->outputs ? c->output[k].dtype : DTYPE_F64;
        for (int64_t i = 0; i < y.count; i++) {
            double at = m->out[k].v[i];
            y.v[i] = as_type(at >= 0 && at < (double)count ? v[(int64_t)at] : m->fill, type);
        }
        candidate_moved(c, k, &y, formula);
    }
}

/* The gradients of all outputs, concatenated, with the places they go to; `reversed`: they were recorded in reverse
 * order. */
bool moves_gradients(struct call_values *c, const struct moves *m, bool reversed, struct real_tensor *g,
                             int64_t **place)
{
    int64_t count = 0, at = 0;
    if (c->gradients < m->outs)
        return false;
    for (int k = 0; k < m->outs; k++) {
        if (c->gradient[reversed ? m->outs - 1 - k : k].count != m->out[k].count)
            return false;
        count += m->out[k].count;
    }
    *g = real_new(c, 1, &count);
    *place = arena_alloc(c->arena, (size_t)(count + 1) * sizeof **place);
    for (int k = 0; k < m->outs; k++)
        for (int64_t i = 0; i < m->out[k].count; i++, at++) {
            g->v[at] = c->gradient[reversed ? m->outs - 1 - k : k].v[i];
            (*place)[at] = (int64_t)m->out[k].v[i];
        }
    return true;
}

/* Whether each place occurs at most once, so that nothing is summed. */
static bool meets_nothing(struct call_values *c, const int64_t *place, int64_t n, int64_t places)
{
    bool *seen = arena_zalloc(c->arena, (size_t)places + 1);
    for (int64_t i = 0; i < n; i++) {
        if (place[i] < 0)
            continue;
        if (seen[place[i]])
            return false;
        seen[place[i]] = true;
    }
    return true;
}

/* Adds the candidate for one input's gradient. MindSpore converts that of integers and booleans to their type. */
static void give_part(struct call_values *c, const struct moves *m, int input, const double *back, int64_t start)
{
    struct real_tensor part = *m->in[input];
    enum dtype type = c->outputs == 1 ? c->output[0].dtype : DTYPE_F64;
    part.v = real_array(c, part.count);
    for (int64_t i = 0; i < part.count; i++)
        part.v[i] = as_type(back[start + i], type);
    candidate_moved(c, ANY_OUTPUT, &part, "g at its place, else 0");
}

static void give_back(struct call_values *c, const struct moves *m, const struct real_tensor *g, const int64_t *place)
{
    int64_t count = 0, start = 0;
    for (int i = 0; i < m->ins; i++)
        count += m->in[i]->count;
    if (m->ins == 1 && !meets_nothing(c, place, g->count, count)) {
        gradient_scattered(c, g, place, m->in[0], "g summed at its place");
        return;
    }
    double *back = real_array(c, count);
    for (int64_t i = 0; i < g->count; i++)
        if (place[i] >= 0)
            back[place[i]] += g->v[i];
    for (int i = 0; i < m->ins; i++) {
        give_part(c, m, i, back, start);
        start += m->in[i]->count;
    }
}

/* MindSpore may record the gradients of several outputs in reverse order. */
void moves_backward(struct call_values *c, places_function *places)
{
    struct moves *m = arena_zalloc(c->arena, sizeof *m);
    places(c, m);
    if (c->unknown)
        return;
    for (int reversed = 0; reversed < (c->mindspore && m->outs > 1 ? 2 : 1); reversed++) {
        struct real_tensor g;
        int64_t *place;
        if (moves_gradients(c, m, reversed, &g, &place))
            give_back(c, m, &g, place);
    }
    if (!c->candidates)
        call_unknown(c, UNKNOWN_SHAPE);
}

/* A tensor with another length of an axis, to be filled. */
struct resized {
    struct real_tensor out; /* the unchanged tensor if `fits` is false */
    int64_t outer, all, inner; /* sizes around the axis in the original tensor */
    bool fits;
};

static struct resized resize_axis(struct call_values *c, const struct real_tensor *t, int axis, int64_t n)
{
    struct resized x = {.out = *t};
    real_around(t, axis, &x.outer, &x.all, &x.inner);
    x.fits = !real_is_too_large(c, (double)x.outer * (double)n * (double)x.inner);
    if (x.fits) {
        x.out.shape[axis] = n;
        x.out.count = x.outer * n * x.inner;
        x.out.v = real_array(c, x.out.count);
    }
    return x;
}

/* In the o-th slice before the axis: copies element `from` of the old tensor to element `to` of the new one. */
static void copy_one(struct resized *x, const struct real_tensor *t, int64_t n, int64_t o, int64_t to, int64_t from)
{
    memcpy(x->out.v + (o * n + to) * x->inner, t->v + (o * x->all + from) * x->inner,
           (size_t)x->inner * sizeof *x->out.v);
}

struct real_tensor moves_cut(struct call_values *c, const struct real_tensor *t, int axis, int64_t from, int64_t n,
                             int64_t step)
{
    struct resized x = resize_axis(c, t, axis, n);
    for (int64_t o = 0; x.fits && o < x.outer; o++)
        for (int64_t i = 0; i < n; i++)
            copy_one(&x, t, n, o, i, from + i * step);
    return x.out;
}

struct real_tensor moves_chosen(struct call_values *c, const struct real_tensor *t, int axis, const int64_t *index,
                                int64_t n)
{
    struct resized x = resize_axis(c, t, axis, n);
    for (int64_t o = 0; x.fits && o < x.outer; o++)
        for (int64_t i = 0; i < n; i++)
            copy_one(&x, t, n, o, i, index[i]);
    return x.out;
}

int64_t *moves_indices(struct call_values *c, const struct real_tensor *t, int64_t n)
{
    int64_t *index = arena_alloc(c->arena, (size_t)(t->count + 1) * sizeof *index);
    for (int64_t i = 0; i < t->count; i++) {
        double at = t->v[i] < 0 ? t->v[i] + (double)n : t->v[i];
        if (!(at >= 0 && at < (double)n)) {
            call_unknown(c, UNKNOWN_SHAPE);
            return NULL;
        }
        index[i] = (int64_t)at;
    }
    return index;
}

struct real_tensor moves_merged(struct real_tensor t, int axis, int n)
{
    if (n < 1)
        return t;
    for (int i = 1; i < n; i++)
        t.shape[axis] *= t.shape[axis + i];
    for (int i = axis + 1; i + n - 1 < t.axes; i++)
        t.shape[i] = t.shape[i + n - 1];
    t.axes -= n - 1;
    return t;
}
