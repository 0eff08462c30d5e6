/* What becomes of the losses, in one sentence: the same on the command line, in the panel and in the report. */
#include "curves/curves.h"

#include <math.h>

#include "base/msg.h"
#include "base/num.h"

int64_t curve_departure_step(const struct curves *c)
{
    if (c->departure.kind == DEPARTURE_NONE)
        return -1;
    return c->diverges_at >= 0 ? c->diverges_at : c->points.v[c->usable.v[c->departure.from]].step;
}

static const char *factor_text(const struct curves *c, enum curve_series s, struct arena *text)
{
    const struct curve_factor *f = &c->factor[s], *norm = &c->factor[CURVE_NORM];
    char k[NUM_MAX], n[NUM_MAX], m[NUM_MAX];
    bool both = s == CURVE_LOSS && norm->factor != 0 && curve_same_factor(norm->factor, f->factor);
    const char *what = both              ? _("loss and global norm are")
                       : s == CURVE_LOSS ? _("the loss is")
                                         : _("the global norm is");
    num_factor(k, f->factor);
    if (f->near == f->steps)
        return arena_fmt(text, _("%s %s times the golden value at all %s steps"), what, k, num_count(n, f->steps));
    return arena_fmt(text, _("%s %s times the golden value at %s of %s steps"), what, k, num_count(n, f->near),
                     num_count(m, f->steps));
}

static const char *departure_text(const struct curves *c, struct arena *text)
{
    const struct curve_departure *d = &c->departure;
    char n[NUM_MAX], m[NUM_MAX];
    long long step = (long long)curve_departure_step(c);
    num_cell(n, d->level, 3);
    num_cell(m, 100 * d->rel, 3);
    if (d->kind == DEPARTURE_GROWING)
        return arena_fmt(text, _("the losses diverge from step %lld on: the difference grows, %s (%s %%)"), step, n, m);
    return arena_fmt(text, d->late ? _("late difference: from step %lld on the losses differ by a stable %s (%s %%)")
                                   : _("stable difference: from step %lld on the losses differ by %s (%s %%)"),
                     step, n, m);
}

static const char *shift_text(const struct curves *c, struct arena *text)
{
    char n[NUM_MAX], m[NUM_MAX];
    return arena_fmt(text, _("the losses agree at other steps: the target's at step N is the golden one at step "
                             "N%+lld (%s pairs, %s apart in the median)"),
                     (long long)c->shift.steps, num_count(n, c->shift.pairs), num_cell(m, c->shift.distance, 3));
}

const char *curves_headline(const struct curves *c, struct arena *text)
{
    if (c->factor[CURVE_LOSS].factor != 0)
        return factor_text(c, CURVE_LOSS, text);
    if (c->shift.steps)
        return shift_text(c, text);
    if (c->apart_at >= 0)
        return arena_fmt(text, _("the first loss agrees and the loss of step %lld does not: backward or optimizer"),
                         (long long)c->apart_at);
    if (c->from_start)
        return _("the losses differ from the first step on");
    if (c->departure.kind != DEPARTURE_NONE)
        return departure_text(c, text);
    return c->factor[CURVE_NORM].factor != 0 ? factor_text(c, CURVE_NORM, text) : NULL;
}
