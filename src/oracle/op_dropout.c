/* Dropout, checked against its own output: each element is 0 or x / (1 - p). Which elements are 0 is random and
 * cannot be checked; their number can: a number too improbable to occur by chance shows a wrong kernel. */
#include <string.h>

#include "base/median.h"
#include "oracle/gradients.h"
#include "oracle/operators.h"
#include "oracle/sizes.h"

#define NEVER 27.6       /* chances below e^-27.6 = 1e-12 count as impossible */
#define NEVER_ODD 13.8   /* for an unusual rate such as 0.029126: 1e-6 */
#define RATE_STEP 0x1p-8 /* devices draw 8 bits per element, so the rate may be off by this */

/* The rate estimated from an output, 6 digits; NAN if not possible. */
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
    bool recorded;   /* the rate was recorded; otherwise estimated from the output */
    bool by_channel; /* whole channels are dropped: chosen by the first two axes */
};

/* torch's and MindSpore's function: x, p, training; a primitive and a module store p. */
static bool dropping_of(struct call_values *c, struct dropping *d)
{
    *d = (struct dropping){.x = call_nth_tensor(c, 0), .y = &c->result[0], .rate = NAN};
    if (!d->x || d->y->count != d->x->count) {
        call_unknown(c, d->x ? UNKNOWN_SHAPE : UNKNOWN_ARGUMENT);
        return false;
    }
    d->by_channel = strpbrk(c->operator, "123") || strncmp(c->operator, "feature", 7) == 0;
    if (!c->module)
        d->rate = call_number(c, 1, "p", c->mindspore ? NAN : 0.5);
    if (!c->module && call_number(c, 2, "training", 1) == 0)
        d->rate = 0;
    d->recorded = !isnan(d->rate);
    if (!d->recorded)
        d->rate = rate_of_output(c, d->x, d->y);
    if (!d->recorded)
        call_fitted(c, &d->rate, 1);
    if (isnan(d->rate))
        call_unknown(c, UNKNOWN_RANDOM);
    return !c->unknown;
}

/* ---- number of dropped elements ---- */

struct tally {
    double dropped, all; /* counts of elements that are not 0 in the input */
};

static struct tally tally_of(const struct dropping *d, int64_t from, int64_t to)
{
    struct tally t = {0};
    for (int64_t i = from; i < to; i++)
        if (d->x->v[i] != 0) {
            t.dropped += d->y->v[i] == 0;
            t.all++;
        }
    return t;
}

static double likelihood_term(double part, double expected)
{
    return part > 0 ? part * log(part / expected) : 0;
}

/* Whether that number is dropped at that rate with a chance of at most e^-never (Chernoff: n times the relative
 * entropy; Hoeffding 1963). */
static bool never_happens(struct tally t, double rate, double never)
{
    double seen = t.all > 0 ? t.dropped / t.all : rate;
    double least = fmax(0, rate - RATE_STEP), most = fmin(1, rate + RATE_STEP);
    if (seen >= least && seen <= most)
        return false;
    double near = seen < least ? least : most;
    return t.all * (likelihood_term(seen, near) + likelihood_term(1 - seen, 1 - near)) > never;
}

/* The rate with the fewest digits that is possible for the number dropped. */
static double plain_rate(struct tally t)
{
    double seen = t.dropped / t.all;
    for (double digits = 1; digits < 1e6; digits *= 10) {
        double rate = round(seen * digits) / digits;
        if (rate < 1 && !never_happens(t, rate, 4.5))
            return rate;
    }
    return seen;
}

/* Whether an estimated rate may come from a recipe, with at most three decimals. */
static bool is_written(double rate, enum dtype output)
{
    double u = output == DTYPE_F32 || output == DTYPE_F64 ? 1e-5 : 4 * dtype_table[output].epsilon;
    return fabs(rate - round(rate * 1000) / 1000) <= u;
}

/* Adjusts kept and dropped elements if too many are 0: the surplus share is removed from all, because it is unknown
 * which elements are wrong. */
struct shares {
    double kept, dropped; /* as shares of x / (1 - p) */
};

static struct shares shares_of(struct tally t, double rate)
{
    double expected = t.all * rate;
    if (t.dropped > expected)
        return (struct shares){1, 1 - expected / t.dropped};
    return (struct shares){(t.all - expected) / (t.all - t.dropped), 0};
}

/* Finds rows along the last axis that are completely 0 although that is practically impossible. */
static void expect_lost_rows(const struct dropping *d, double *y)
{
    int64_t n = d->x->axes ? d->x->shape[d->x->axes - 1] : 1, rows = n ? d->x->count / n : 0;
    for (int64_t r = 0; r < rows; r++) {
        struct tally t = tally_of(d, r * n, (r + 1) * n);
        if (t.dropped == t.all && never_happens(t, d->rate, NEVER + log((double)rows)))
            for (int64_t i = r * n; i < (r + 1) * n; i++)
                y[i] = d->x->v[i] / (1 - d->rate);
    }
}

static void compute_dropout(struct call_values *c)
{
    struct dropping d;
    if (!dropping_of(c, &d))
        return;
    struct tally all = tally_of(&d, 0, d.x->count);
    bool counted = !d.by_channel && d.rate < 1;
    bool odd = !d.recorded && !is_written(d.rate, d.y->dtype);
    bool never = counted && d.rate > 0 && never_happens(all, d.rate, odd ? NEVER_ODD : NEVER);
    if (never && !d.recorded)
        d.rate = plain_rate(all); /* the rate was estimated from values, but the number dropped contradicts it */
    if (d.rate == 0)
        return candidate_moved(c, 0, d.x, "the same values");
    struct shares share = never && d.recorded ? shares_of(all, d.rate) : (struct shares){1, 0};
    struct room r = room_for(c, 0, d.x, arena_fmt(c->arena, never ? "0 or x / %g, %g of them 0" : "0 or x / %g",
        1 - d.rate, d.rate));
    for (int64_t i = 0; i < d.x->count; i++) {
        double kept = d.rate < 1 ? d.x->v[i] / (1 - d.rate) : 0;
        r.y[i] = kept * (d.y->v[i] == 0 ? share.dropped : share.kept);
        r.roundings[i] = 2 * fabs(kept);
    }
    if (counted)
        expect_lost_rows(&d, r.y);
}

/* If x is 0, or a module overwrote its input, it is unknown which elements were kept. A function that drops nothing
 * gives the very tensor that went in: what is recorded may be the gradient of the call that made that. */
static void dropout_backward(struct call_values *c)
{
    struct dropping d;
    if (!dropping_of(c, &d))
        return;
    struct real_tensor g = gradient_as(c, d.x);
    if (!g.v)
        return;
    if (c->module && memcmp(d.x->v, d.y->v, (size_t)d.x->count * sizeof *d.x->v) == 0 &&
        tally_of(&d, 0, d.x->count).all < (double)d.x->count)
        return call_unknown(c, UNKNOWN_IN_PLACE);
    if (d.rate == 0)
        return gradient_is_handed_on(c, &g) ? call_unknown(c, UNKNOWN_HANDED_ON)
                                            : candidate_moved(c, ANY_OUTPUT, &g, "g");
    struct room r = room_for(c, ANY_OUTPUT, d.x, "g at what was kept");
    for (int64_t i = 0; i < g.count; i++) {
        double kept = d.rate < 1 ? g.v[i] / (1 - d.rate) : 0;
        r.y[i] = d.x->v[i] == 0 ? NAN : d.y->v[i] == 0 ? 0 : kept;
        r.roundings[i] = 2 * fabs(kept);
    }
}

const struct operator operators_dropout[] = {
    {.names = "dropout dropout1d dropout2d dropout3d feature_dropout npu_dropout dropoutext",
     .misfit = misfit_alike,
     .figures = FIGURES_DROPPED,
     .forward = compute_dropout,
     .backward = dropout_backward,
     .source = "torch.nn.functional.dropout"},
    {.names = NULL},
};

const struct operator operators_dropout_class[] = {
    {.names = "dropout dropout1d dropout2d dropout3d dropoutext",
     .forward = compute_dropout,
     .backward = dropout_backward,
     .source = "torch.nn.Dropout"},
    {.names = NULL},
};
