/* Dropout given its output: each element is 0 or x / (1 - p). */
#include "base/median.h"
#include "oracle/gradients.h"
#include "oracle/operators.h"

/* The rate read off an output, 6 digits; NAN where it cannot be. */
static double rate_of_output(struct call_values *c, const struct real_tensor *x, const struct real_tensor *y)
{
    double *ratio = real_array(c, x->count);
    int64_t n = 0;
    for (int64_t i = 0; i < x->count; i++)
        if (x->v[i] != 0 && y->v[i] != 0 && isfinite(x->v[i]) && isfinite(y->v[i]))
            ratio[n++] = y->v[i] / x->v[i];
    double median = n ? median_of(ratio, (size_t)n) : 0;
    return median < 0.999 ? NAN : fmax(0, round((1 - 1 / median) * 1e6) / 1e6);
}

struct dropping {
    const struct real_tensor *x, *y;
    double rate;
};

/* torch and MindSpore's function: x, p, training; a primitive and a module keep p. */
static bool dropping_of(struct call_values *c, struct dropping *d)
{
    *d = (struct dropping){.x = call_nth_tensor(c, 0), .y = &c->result[0], .rate = NAN};
    if (!d->x || d->y->count != d->x->count) {
        call_unknown(c, d->x ? UNKNOWN_SHAPE : UNKNOWN_ARGUMENT);
        return false;
    }
    if (!c->module)
        d->rate = call_number(c, 1, "p", c->mindspore ? NAN : 0.5);
    if (!c->module && call_number(c, 2, "training", 1) == 0)
        d->rate = 0;
    if (isnan(d->rate))
        d->rate = rate_of_output(c, d->x, d->y);
    if (isnan(d->rate))
        call_unknown(c, UNKNOWN_RANDOM);
    return !c->unknown;
}

static void dropout(struct call_values *c)
{
    struct dropping d;
    if (!dropping_of(c, &d))
        return;
    if (d.rate == 0)
        return candidate_moved(c, 0, d.x, "the same values");
    struct room r = room_for(c, 0, d.x, arena_fmt(c->arena, "0 or x / %g", 1 - d.rate));
    for (int64_t i = 0; i < d.x->count; i++) {
        double kept = d.rate < 1 ? d.x->v[i] / (1 - d.rate) : 0;
        r.y[i] = d.y->v[i] == 0 ? 0 : kept;
        r.roundings[i] = 2 * fabs(kept);
    }
}

/* Where x is 0 nobody can tell whether it was kept. */
static void dropout_backward(struct call_values *c)
{
    struct dropping d;
    if (!dropping_of(c, &d))
        return;
    struct real_tensor g = gradient_as(c, d.x);
    if (!g.v)
        return;
    if (d.rate == 0)
        return candidate_moved(c, ANY_OUTPUT, &g, "g");
    struct room r = room_for(c, ANY_OUTPUT, d.x, "g at what was kept");
    for (int64_t i = 0; i < g.count; i++) {
        double kept = d.rate < 1 ? g.v[i] / (1 - d.rate) : 0;
        r.y[i] = d.x->v[i] == 0 ? NAN : d.y->v[i] == 0 ? 0 : kept;
        r.roundings[i] = 2 * fabs(kept);
    }
}

const struct operator operators_dropout[] = {
    {.names = "dropout dropout1d dropout2d dropout3d feature_dropout npu_dropout dropoutext",
     .forward = dropout,
     .backward = dropout_backward,
     .source = "torch.nn.functional.dropout"},
    {.names = NULL},
};

const struct operator operators_dropout_class[] = {
    {.names = "dropout dropout1d dropout2d dropout3d dropoutext", .forward = dropout, .source = "torch.nn.Dropout"},
    {.names = NULL},
};
