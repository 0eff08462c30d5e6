/* Sums and copies of gradients with their error bounds; sums of gradients are often kept in the low-precision type. */
#include "oracle/gradients.h"

#include <string.h>

struct room room_for(struct call_values *c, int output, const struct real_tensor *shape, const char *formula)
{
    struct room r = {real_array(c, shape->count), real_array(c, shape->count), real_array(c, shape->count)};
    struct candidate *k = candidate_add(c, output, "%s", formula);
    k->y = *shape;
    k->y.v = r.y;
    k->y.dtype = DTYPE_F64;
    k->roundings = r.roundings;
    k->inside = r.inside;
    return r;
}

void candidate_moved(struct call_values *c, int output, const struct real_tensor *values, const char *formula)
{
    struct candidate *k = candidate_add(c, output, "%s", formula);
    k->y = *values;
    k->move = true;
}

void sums_bound(struct room r, const double *terms, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        double s = sqrt(r.roundings[i]), root = sqrt(terms[i]);
        r.roundings[i] = fmax(2, root) * s;
        r.inside[i] = terms[i] > 1 ? 2 * root * (s + fabs(r.y[i])) : 0;
    }
}

/* Whether the recorded sums are, to the last bit, those of a kernel that rounds after each addition to the gradient's
 * own type, as PyTorch's norms do on the CPU; `sums` becomes these. */
static bool are_running_sums(const struct call_values *c, const struct real_tensor *full, const int64_t *place,
                             double *sums, int64_t n)
{
    enum dtype type = c->gradient[0].dtype;
    if (type != DTYPE_F16 && type != DTYPE_BF16)
        return false;
    for (int64_t i = 0; i < full->count; i++)
        if (place[i] >= 0)
            sums[place[i]] = dtype_round(type, sums[place[i]] + full->v[i]);
    for (int i = 0; i < c->outputs; i++)
        if (c->output[i].count == n && memcmp(c->output[i].v, sums, (size_t)n * sizeof *sums) == 0)
            return true;
    return false;
}

/* Exchanges the sums for those that the kernel rounded; of other values its function is the sum. */
static void keep_running_sums(struct call_values *c, const struct real_tensor *full, const int64_t *place, double *y,
                              int64_t n)
{
    double *sums = real_array(c, n), found = are_running_sums(c, full, place, sums, n);
    call_fitted(c, &found, 1);
    if (found && !(c->fits && c->fits->held))
        memcpy(y, sums, (size_t)n * sizeof *y);
}

struct room gradient_scattered(struct call_values *c, const struct real_tensor *full, const int64_t *place,
                               const struct real_tensor *to, const char *formula)
{
    double *terms = real_array(c, to->count);
    struct room r = room_for(c, ANY_OUTPUT, to, formula);
    for (int64_t i = 0; i < full->count; i++) {
        if (place[i] < 0)
            continue;
        r.y[place[i]] += full->v[i];
        r.roundings[place[i]] += full->v[i] * full->v[i];
        terms[place[i]]++;
    }
    sums_bound(r, terms, to->count);
    keep_running_sums(c, full, place, r.y, to->count);
    return r;
}

void gradient_summed(struct call_values *c, const struct real_tensor *full, const struct real_tensor *to,
                     const char *formula)
{
    const int64_t *place = real_places(c, to, full->axes, full->shape);
    if (place)
        gradient_scattered(c, full, place, to, formula);
}

struct real_tensor gradient_as(struct call_values *c, const struct real_tensor *shape)
{
    struct real_tensor g = *shape;
    g.dtype = c->gradient[0].dtype;
    g.v = c->gradient[0].v;
    if (c->gradient[0].count != shape->count) {
        g.v = NULL;
        call_unknown(c, UNKNOWN_SHAPE);
    }
    return g;
}

bool gradient_is_handed_on(const struct call_values *c, const struct real_tensor *g)
{
    return !c->module && !c->mindspore && c->outputs && c->output[0].count == g->count &&
           memcmp(c->output[0].v, g->v, (size_t)g->count * sizeof *g->v) != 0;
}
