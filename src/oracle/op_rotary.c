/* Rotary embedding: pairs of elements turned by angles whose cosines and sines are given, in halves or as neighbours.
 */
#include <string.h>

#include "oracle/gradients.h"
#include "oracle/operators.h"

/* The element paired with x, and its sign: halves (i, i + n/2), or neighbours. */
static double rotary_partner(const double *x, int64_t i, int64_t n, bool neighbours)
{
    if (neighbours)
        return i % 2 ? x[i - 1] : -x[i + 1];
    return i < n / 2 ? -x[i + n / 2] : x[i - n / 2];
}

static bool is_neighbours(const struct call_values *c)
{
    const char *mode = call_text(c, 3, "rotary_mode");
    return mode ? strcmp(mode, "interleave") == 0 : call_number(c, 3, "mode rotary_mode", 0) == 1;
}

struct rotary {
    const struct real_tensor *x;
    struct real_tensor cos, sin;
    int64_t n;
};

static bool rotary_of(struct call_values *c, struct rotary *r)
{
    const struct real_tensor *cosines = call_tensor_at(c, 1, "cos r1"), *sines = call_tensor_at(c, 2, "sin r2");
    r->x = call_tensor_at(c, 0, "input x");
    if (!r->x || !cosines || !sines || !r->x->axes) {
        call_unknown(c, UNKNOWN_ARGUMENT);
        return false;
    }
    r->cos = real_broadcast(c, cosines, r->x->axes, r->x->shape);
    r->sin = real_broadcast(c, sines, r->x->axes, r->x->shape);
    r->n = r->x->shape[r->x->axes - 1];
    if (!r->cos.v || !r->sin.v || r->n % 2)
        call_unknown(c, UNKNOWN_SHAPE);
    return !c->unknown;
}

static void compute_rotary(struct call_values *c)
{
    struct rotary r;
    if (!rotary_of(c, &r))
        return;
    bool neighbours = is_neighbours(c);
    struct room out =
        room_for(c, 0, r.x, neighbours ? "x cos + (-x2, x1) sin, neighbours" : "x cos + (-x2, x1) sin, halves");
    for (int64_t i = 0; i < r.x->count; i++) {
        int64_t start = i / r.n * r.n;
        double a = r.x->v[i] * r.cos.v[i], b = rotary_partner(r.x->v + start, i - start, r.n, neighbours) * r.sin.v[i];
        out.y[i] = a + b;
        out.roundings[i] = fabs(a) + fabs(b) + fabs(a + b);
        out.inside[i] = 2 * (fabs(a) + fabs(b));
    }
}

/* Gradients of the cosines and sines, which are broadcast to x. */
static void rotary_angles(struct call_values *c, const struct rotary *r, const struct real_tensor *g, bool neighbours)
{
    struct real_tensor by_cos = real_like(c, r->x), by_sin = real_like(c, r->x);
    for (int64_t i = 0; i < g->count; i++) {
        int64_t start = i / r->n * r->n;
        by_cos.v[i] = g->v[i] * r->x->v[i];
        by_sin.v[i] = g->v[i] * rotary_partner(r->x->v + start, i - start, r->n, neighbours);
    }
    gradient_summed(c, &by_cos, call_tensor_at(c, 1, "cos r1"), "sum of g x");
    gradient_summed(c, &by_sin, call_tensor_at(c, 2, "sin r2"), "sum of g (-x2, x1)");
}

/* The inverse rotation: g cos, and for the partner g sin with the opposite sign. */
static void rotary_backward(struct call_values *c)
{
    struct rotary r;
    if (!rotary_of(c, &r))
        return;
    bool neighbours = is_neighbours(c);
    struct real_tensor g = gradient_as(c, r.x), turned = real_like(c, r.x);
    if (!g.v)
        return;
    for (int64_t i = 0; i < g.count; i++)
        turned.v[i] = g.v[i] * r.sin.v[i];
    struct room out = room_for(c, ANY_OUTPUT, r.x, "g turned back");
    for (int64_t i = 0; i < g.count; i++) {
        int64_t start = i / r.n * r.n;
        double a = g.v[i] * r.cos.v[i], b = -rotary_partner(turned.v + start, i - start, r.n, neighbours);
        out.y[i] = a + b;
        out.roundings[i] = fabs(a) + fabs(b) + fabs(a + b);
        out.inside[i] = 2 * (fabs(a) + fabs(b));
    }
    rotary_angles(c, &r, &g, neighbours);
}

const struct operator operators_rotary[] = {
    {.names = "npu_rotary_mul rotary_mul rotarypositionembedding rotary_position_embedding",
     .forward = compute_rotary,
     .backward = rotary_backward,
     .source = "torch_npu.npu_rotary_mul; mindspore.ops.rotary_position_embedding"},
    {.names = NULL},
};
