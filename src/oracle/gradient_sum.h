/* The gradient that comes into a backward call is that of its forward call's result, a recorded one
 * that of a parameter: the sum of what the uses of the value return. Nothing records the summing,
 * but what was summed is recorded or follows from what was: a use's backward call returns it, or
 * its formula gives it (a matmul of three axes records the gradient of a view instead). */
#ifndef ORACLE_GRADIENT_SUM_H
#define ORACLE_GRADIENT_SUM_H

#include "dump/dataflow.h"
#include "judge/summed_gradient.h"
#include "oracle/oracle_side.h"
#include "pair/pairing.h"

/* How many rows may still be looked at, of both sides, and whether to stop. */
struct gradient_work {
    double rows;
    const atomic_bool *cancel; /* or NULL */
};

static inline bool gradient_work_goes_on(const struct gradient_work *w)
{
    return w->rows >= 0 && !(w->cancel && atomic_load_explicit(w->cancel, memory_order_relaxed));
}

/* One side of a comparison. */
struct gradient_side {
    int number; /* TARGET or GOLDEN */
    const struct oracle_side *side;
    const struct dataflow *flow;
    const struct pairing *pairing;
    struct gradient_work *work;
};

/* Whether a row, a gradient that comes in or a parameter's, is that sum within the bound of its additions, products and
 * casts. Adds the lines of what it was computed from; from what has no partner it goes back through calls that are
 * right by their own inputs. *silent: of how many uses no backward call was recorded, which therefore added nothing.
 * False where the work ends first. */
bool gradient_is_sum(const struct gradient_side *g, struct arena *a, uint32_t row, struct summed_gradient *out,
                     int *silent);

#endif
