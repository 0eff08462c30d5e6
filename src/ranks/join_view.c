/* Builds the tables of a joined view step by step. */
#include "ranks/join_view.h"

#include <stdlib.h>
#include <string.h>

struct axis_map {
    uint32_t *part, *local;
    int64_t size;
};

static struct axis_map copy_axis_map(const struct joined_view *v, int axis)
{
    int64_t n = v->shape[axis];
    struct axis_map m = {mem_alloc(((size_t)n + 1) * sizeof *m.part), mem_alloc(((size_t)n + 1) * sizeof *m.local), n};
    for (int64_t i = 0; i < n; i++) {
        m.part[i] = v->part[axis] ? v->part[axis][i] : 0;
        m.local[i] = v->local[axis] ? v->local[axis][i] : (uint32_t)i;
    }
    return m;
}

static void axis_set(struct joined_view *v, int axis, struct axis_map m)
{
    free(v->part[axis]);
    free(v->local[axis]);
    v->part[axis] = m.part;
    v->local[axis] = m.local;
    v->shape[axis] = m.size;
}

/* Index i of the joined axis: its part, and its index in that part. */
static void concat_at(const struct join_step *s, int64_t size, int64_t i, uint32_t *part, int64_t *old)
{
    if (s->how == JOIN_ZIGZAG) {
        int64_t half = size / 2, chunk = i / half, n = s->n;
        *part = (uint32_t)(chunk < n ? chunk : 2 * n - 1 - chunk);
        *old = (chunk < n ? 0 : half) + i % half;
        return;
    }
    int64_t block = size / s->blocks, within = i % (block * s->n);
    *part = (uint32_t)(within / block);
    *old = i / (block * s->n) * block + within % block;
}

static bool concat_axis(struct joined_view *v, const struct join_step *s, uint32_t stride)
{
    int64_t size = v->shape[s->axis];
    if ((s->how == JOIN_ZIGZAG && size % 2) || !s->blocks || size % s->blocks || size > INT32_MAX / (int64_t)s->n ||
        !size)
        return false;
    struct axis_map old = copy_axis_map(v, s->axis), m = {.size = size * s->n};
    m.part = mem_alloc(((size_t)m.size + 1) * sizeof *m.part);
    m.local = mem_alloc(((size_t)m.size + 1) * sizeof *m.local);
    for (int64_t i = 0; i < m.size; i++) {
        uint32_t part;
        int64_t at;
        concat_at(s, size, i, &part, &at);
        m.part[i] = old.part[at] + part * stride;
        m.local[i] = old.local[at];
    }
    free(old.part);
    free(old.local);
    axis_set(v, s->axis, m);
    return true;
}

/* An axis with the whole sequence in gathered order: chunks of rank 0, then of rank 1 … */
static bool reorder_gathered_axis(struct joined_view *v, const struct join_step *s)
{
    int64_t size = v->shape[s->keys], n = s->n;
    if (size % (2 * n) || !size || size > INT32_MAX)
        return false;
    struct axis_map old = copy_axis_map(v, s->keys), m = copy_axis_map(v, s->keys);
    int64_t half = size / (2 * n);
    for (int64_t i = 0; i < size; i++) {
        int64_t chunk = i / half, rank = chunk < n ? chunk : 2 * n - 1 - chunk;
        int64_t at = rank * 2 * half + (chunk < n ? 0 : half) + i % half;
        m.part[i] = old.part[at];
        m.local[i] = old.local[at];
    }
    free(old.part);
    free(old.local);
    axis_set(v, s->keys, m);
    return true;
}

static void shift_combined_parts(struct joined_view *v, uint32_t by)
{
    for (size_t k = 0; k < v->combined; k++)
        v->with[k] += by;
}

static void sum_parts(struct joined_view *v, const struct join_step *s, uint32_t stride)
{
    size_t was = v->combined;
    v->with = mem_resize_array(v->with, was * s->n, sizeof *v->with);
    for (uint32_t p = 1; p < s->n; p++)
        for (size_t k = 0; k < was; k++)
            v->with[p * was + k] = v->with[k] + p * stride;
    v->combined = was * s->n;
    v->by = s->how == JOIN_MAX ? JOINED_MAX : JOINED_SUM;
    if (s->how == JOIN_MEAN)
        v->scale /= s->n;
}

bool join_view(struct joined_view *v, const int64_t *shape, int ndim, const struct join_step *step, int steps,
               double scale, int64_t vocab)
{
    *v = (struct joined_view){.ndim = ndim, .combined = 1, .scale = scale};
    memcpy(v->shape, shape, (size_t)ndim * sizeof *shape);
    v->with = mem_zalloc(sizeof *v->with);
    uint32_t stride = 1;
    bool fits = true;
    for (int i = 0; i < steps && fits; i++) {
        const struct join_step *s = &step[i];
        switch ((enum join_how)s->how) {
        case JOIN_CONCAT: case JOIN_ZIGZAG: case JOIN_GATED: case JOIN_HEADS: case JOIN_VOCAB: case JOIN_TOKENS:
            fits = s->axis >= 0 && s->axis < ndim && concat_axis(v, s, stride);
            if (fits && s->how == JOIN_VOCAB && vocab > 0 && vocab < v->shape[s->axis])
                v->shape[s->axis] = vocab;
            break;
        case JOIN_SUM: case JOIN_MEAN: case JOIN_MAX:
            sum_parts(v, s, stride);
            break;
        default:
            shift_combined_parts(v, s->pick * stride);
        }
        if (fits && s->keys >= 0)
            fits = s->keys < ndim && reorder_gathered_axis(v, s);
        stride *= s->n;
    }
    if (!fits)
        joined_view_release(v);
    return fits;
}

bool join_view_reorder(struct joined_view *v, const uint32_t *order)
{
    if (!v->ndim)
        return false;
    struct axis_map old = copy_axis_map(v, 0), m = copy_axis_map(v, 0);
    for (int64_t i = 0; i < old.size; i++) {
        m.part[i] = old.part[order[i]];
        m.local[i] = old.local[order[i]];
    }
    free(old.part);
    free(old.local);
    axis_set(v, 0, m);
    return true;
}

double join_view_value(const struct joined_view *v, double *const *part, const int64_t *part_shape, uint64_t at)
{
    uint32_t own = 0;
    uint64_t offset = 0, stride = 1;
    for (int i = v->ndim - 1; i >= 0; i--) {
        int64_t index = (int64_t)(at % (uint64_t)v->shape[i]);
        at /= (uint64_t)v->shape[i];
        own += v->part[i] ? v->part[i][index] : 0;
        offset += (uint64_t)(v->local[i] ? v->local[i][index] : index) * stride;
        stride *= (uint64_t)part_shape[i];
    }
    double x = part[own + v->with[0]][offset];
    for (size_t k = 1; k < v->combined; k++) {
        double y = part[own + v->with[k]][offset];
        x = v->by == JOINED_MAX ? (y > x ? y : x) : x + y;
    }
    return x * v->scale;
}
