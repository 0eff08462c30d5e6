/* Finds a normalisation's input and its groups, and sums over them. */
#include "judge/norm_condition.h"

#include <math.h>

#include "dump/family.h"
#include "measure/element_sample.h"
#include "pair/align_item.h"

enum norm_groups { GROUPS_NONE, GROUPS_CHANNELS, GROUPS_SAMPLE_CHANNELS, GROUPS_GIVEN, GROUPS_ROWS };

static const struct {
    const char *part; /* part of the operator's name, as by family_plain */
    enum norm_groups groups;
} norms[] = {
    {"batchnorm", GROUPS_CHANNELS},
    {"instancenorm", GROUPS_SAMPLE_CHANNELS},
    {"groupnorm", GROUPS_GIVEN},
    {"layernorm", GROUPS_ROWS},
};

static enum norm_groups groups_of(const struct dump *d, uint32_t call)
{
    char plain[FAMILY_PLAIN];
    struct str op = family_plain(align_item_operator(d, call), plain);
    for (size_t i = 0; d->calls.v[call].family == FAMILY_NORM && i < ARRAY_LEN(norms); i++)
        if (str_has(op, norms[i].part))
            return norms[i].groups;
    return GROUPS_NONE;
}

/* Elements of group g are runs of `inner` elements: the first begins at g × inner, the others every `step` elements. */
struct norm_layout {
    size_t groups, inner, step;
};

/* `given`: the number of groups of a sample's channels, for GROUPS_GIVEN. */
static bool lay_out(enum norm_groups how, size_t given, const struct element_sample *x, struct norm_layout *out)
{
    size_t channels = x->ndim > 1 ? (size_t)x->shape[1] : 0, samples = x->ndim ? (size_t)x->shape[0] : 0;
    channels = how != GROUPS_GIVEN ? channels : given && channels % given == 0 ? given : 0;
    if (how == GROUPS_ROWS)
        out->inner = x->ndim ? (size_t)x->shape[x->ndim - 1] : 0;
    else
        out->inner = samples && channels ? x->n / samples / channels : 0;
    if (!out->inner || !x->n)
        return false;
    out->groups = how == GROUPS_CHANNELS ? channels : x->n / out->inner;
    out->step = out->groups * out->inner;
    return x->n % out->step == 0 && x->n / out->groups > 1;
}

/* Count, sum of squares and Σ(v − mean)² of one group. */
struct norm_group {
    double n, squares, spread;
};

static struct norm_group group_of(const struct norm_layout *l, const struct element_sample *x, size_t g)
{
    struct norm_group o = {0, 0, 0};
    double sum = 0;
    for (size_t at = g * l->inner; at < x->n; at += l->step)
        for (size_t i = 0; i < l->inner; i++) {
            double v = x->v[0][at + i];
            o.n++;
            sum += v;
            o.squares += v * v;
        }
    for (size_t at = g * l->inner; at < x->n; at += l->step)
        for (size_t i = 0; i < l->inner; i++)
            o.spread += pow(x->v[0][at + i] - sum / o.n, 2);
    return o;
}

static double over_groups(const struct norm_layout *l, const struct element_sample *x, const struct element_sample *y,
                          bool backward)
{
    double magnified = 0, x2 = 0, y2 = 0;
    for (size_t g = 0; g < l->groups; g++) {
        struct norm_group in = group_of(l, x, g), out = group_of(l, y, g);
        x2 += in.squares;
        y2 += out.squares;
        if (in.spread > 0)
            magnified += backward ? out.squares / (in.spread / in.n) : in.n * out.spread / in.spread;
    }
    return sqrt(x2 / (double)x->n * magnified / y2);
}

static uint32_t first_float_input(const struct dump *d, uint32_t call)
{
    EACH_EARLY_ROW(d, call, r)
        if (d->rows.v[r].io == IO_INPUT && d->rows.v[r].kind == ROW_TENSOR &&
            dtype_is_float((enum dtype)d->rows.v[r].dtype))
            return r;
    return NONE;
}

/* The number of groups passed to a group norm, the first integer argument; 0: not recorded. */
static size_t groups_given(const struct dump *d, uint32_t call)
{
    EACH_EARLY_ROW(d, call, r)
        if (d->rows.v[r].io == IO_INPUT && d->rows.v[r].kind == ROW_INT)
            return d->rows.v[r].stat[STAT_MAX] >= 1 ? (size_t)d->rows.v[r].stat[STAT_MAX] : 0;
    return 0;
}

double norm_condition(const struct dump *d, uint32_t row)
{
    const struct call *c = &d->calls.v[d->rows.v[row].call];
    bool backward = c->phase == PHASE_BACKWARD;
    uint32_t forward = backward ? c->twin : d->rows.v[row].call;
    uint32_t input = forward == NONE || c->gradient ? NONE : first_float_input(d, forward);
    enum norm_groups how = input == NONE || d->rows.v[row].io != IO_OUTPUT ? GROUPS_NONE : groups_of(d, forward);
    struct element_sample x = {.n = 0}, y = {.n = 0};
    struct norm_layout l;
    double found = NAN;
    if (how != GROUPS_NONE && dump_row_numel(d, input) == dump_row_numel(d, row) &&
        element_sample_whole(&x, d, input) && element_sample_whole(&y, d, row) && x.n == y.n &&
        lay_out(how, how == GROUPS_GIVEN ? groups_given(d, forward) : 0, &x, &l))
        found = over_groups(&l, &x, &y, backward);
    element_sample_release(&x);
    element_sample_release(&y);
    return found;
}
