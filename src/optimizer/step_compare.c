/* Compares the two sides' steps: weights before, gradients, weights after. Pairing, fused weights and layouts are
 * those of src/weights. */
#include <math.h>
#include <stdlib.h>

#include "base/msg.h"
#include "optimizer/optimizer.h"
#include "weights/weight_compare.h"

static int by_falling_difference(const void *a, const void *b)
{
    const struct step_worst *x = a, *y = b;
    if (isnan(x->rel_l2) || isnan(y->rel_l2))
        return isnan(y->rel_l2) - isnan(x->rel_l2);
    return x->rel_l2 > y->rel_l2 ? -1 : x->rel_l2 < y->rel_l2;
}

/* Largest rel_l2 of a pair, and of all of them together. */
struct step_spread {
    double largest, whole;
    size_t pairs, unread;
};

static struct step_spread measure_step_spread(struct optimizer *x, const struct weight_compare *c, bool after)
{
    struct step_spread s = {0};
    double d = 0, g = 0;
    for (size_t i = 0; i < c->pairs.n; i++) {
        const struct weight_pair *p = &c->pairs.v[i];
        const struct weight *w = &c->side[0].list.v[p->weight[0]];
        if (c->id[0][p->weight[0]].training)
            continue;
        if (!p->read) {
            s.unread++;
            continue;
        }
        double rel = p->fig.two ? p->fig.rel_l2 : NAN, norm = p->fig.side[1].norm;
        s.pairs++;
        s.largest = isnan(rel) ? INFINITY : fmax(s.largest, rel);
        d += p->fig.two ? p->fig.euclid * p->fig.euclid : 0;
        g += isfinite(norm) ? norm * norm : 0;
        if (after && p->verdict != WEIGHT_EQUAL) {
            struct step_worst worst = {arena_cstr(&x->arena, w->name), rel};
            vec_push(&x->worst, worst);
        }
    }
    s.whole = g > 0 ? sqrt(d / g) : 0;
    return s;
}

/* How many weights of a side have no partner on the other one; what only an optimizer keeps is none. */
static size_t weights_alone(const struct weight_compare *c, int side)
{
    size_t n = 0;
    for (size_t i = 0; i < c->only[side].n; i++)
        n += !c->id[side][c->only[side].v[i]].training;
    return n;
}

/* A step that could be read when its side was examined, and no longer can. */
static void take_unread(struct optimizer *x, const struct weight_compare *c)
{
    for (size_t i = 0; i < c->pairs.n; i++) {
        const struct weight_pair *p = &c->pairs.v[i];
        if (p->verdict == WEIGHT_UNREAD && !c->id[0][p->weight[0]].training)
            vec_push(&x->unread, arena_cstr(&x->arena, str_of(p->why)));
    }
}

/* Numbers of files do not pair gradients of two sides; their weights do, and the sample has both. */
static void numbered_gradients(struct optimizer *x)
{
    const struct step_side *s = &x->side[0];
    double d = 0, g = 0;
    x->apart[STEP_GRAD] = x->together[STEP_GRAD] = NAN;
    if (!s->sample.others || !s->sample.n)
        return;
    x->apart[STEP_GRAD] = 0;
    for (size_t i = 0; i < s->params.n; i++) {
        double own = 0, size = 0;
        for (uint64_t k = 0; k < s->params.v[i].taken; k++) {
            const double a = (double)s->sample.g[s->params.v[i].sample + k],
                         b = (double)s->sample.other_g[s->params.v[i].sample + k];
            own += (a - b) * (a - b);
            size += b * b;
        }
        d += own;
        g += size;
        if (own > 0)
            x->apart[STEP_GRAD] = fmax(x->apart[STEP_GRAD], size > 0 ? sqrt(own / size) : INFINITY);
    }
    x->together[STEP_GRAD] = g > 0 ? sqrt(d / g) : 0;
}

int step_compare(struct optimizer *x, const struct step_options *o, struct err *e)
{
    static const char *const titles[STEP_FILES] = {N_("before"), N_("grad"), N_("after")};
    const struct weight_options opt = {0};
    int rc = 0;
    for (int f = 0; f < STEP_FILES && rc == 0; f++) {
        struct weight_compare c;
        if (f == STEP_GRAD && (x->side[0].numbered || x->side[1].numbered)) {
            numbered_gradients(x);
            continue;
        }
        rc = weight_compare_open(&c, x->side[0].set[f].path, x->side[1].set[f].path, &opt, e);
        if (rc == 0)
            rc = weight_compare_run(&c, o->kern, o->workers, o->watch, e);
        x->apart[f] = x->together[f] = NAN;
        if (rc == 0) {
            struct step_spread s = measure_step_spread(x, &c, f == STEP_AFTER);
            if (s.pairs) {
                x->apart[f] = s.largest;
                x->together[f] = s.whole;
            }
            if (f == STEP_AFTER)
                x->pairs = s.pairs;
            x->incomplete |= s.unread || weights_alone(&c, 0) || weights_alone(&c, 1);
            if (s.unread || c.only[0].n || c.only[1].n)
                step_warn(x, _("%s: %zu weights of both sides could not be compared, %zu are only on the target, %zu "
                               "only on the golden side"), _(titles[f]),
                          s.unread, c.only[0].n, c.only[1].n);
            take_unread(x, &c);
        }
        weight_compare_release(&c);
    }
    x->differing = x->worst.n;
    vec_sort(&x->worst, by_falling_difference);
    return rc;
}
