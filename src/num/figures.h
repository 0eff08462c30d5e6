/* All figures from one pass over one or two tensors of equal element count (doc/verdicts.md). Index 0 is the target,
 * 1 the golden side. Elements that are non-finite alike on both sides (same place, same sign) count as equal zeros in
 * two-sided figures; if any are not alike, the two-sided figures are absent (`two` is false) and `unlike` counts
 * them. */
#ifndef NUM_FIGURES_H
#define NUM_FIGURES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/threads.h"
#include "num/kern.h"
#include "num/tensor.h"

struct side_figures {
    /* max, min: over elements that are not NaN (NaN if there are none). mean, norm (L2): NaN or infinite if an
     * element is. */
    double max, min, mean, norm;
    uint64_t count, nan, inf, zero, saturated; /* saturated: at the dtype's finite maximum */
};

enum { KEPT_PART = 0x80 };

struct figures {
    bool two;
    double cosine;
    double minus;   /* 1 − cosine, computed without cancellation */
    double rel_l2;  /* √Σ(t−g)² / √Σg²; 0 when both are zero, Inf when only g is */
    double euclid;  /* √Σ(t−g)² */
    double max_abs, max_rel;
    double one_thousandth, five_thousandths; /* shares of elements with relative error below */
    uint64_t max_abs_at; /* logical index of the first largest |t−g| */
    uint64_t unlike, unlike_at; /* number of elements non-finite on one side only or differently; index of the first */
    uint64_t masked; /* elements filled by a mask on both sides (masked.h); 0: none, or not at the same places */
    double unmasked; /* rel_l2 of the others, where masked > 0 */
    uint8_t
        /* enum dtype: the coarser type in which all elements of this side are exact, but not those of the other
         * (grain.h); with KEPT_PART: at least an eighth of them */
        kept[2];
    struct side_figures side[2];
};

/* The relative error that verdicts use: without masked elements. */
static inline double figures_judged_error(const struct figures *f)
{
    return f->masked ? f->unmasked : f->rel_l2;
}

/* Set from another thread to stop a computation; done counts elements for a progress display. */
struct figures_watch {
    atomic_bool cancel;
    atomic_uint_fast64_t done;
    struct work_crew *crew; /* its idle members help with a large tensor; NULL: nobody helps */
};

/* Both: 0, or -1 with e (ERR_CANCEL if stopped through watch). watch may be NULL. The figures do not depend on the
 * number of helpers. */
int figures_two(const struct kern *k, const struct tensor *t, const struct tensor *g,
                struct figures *out, struct figures_watch *watch, struct err *e);
int figures_one(const struct kern *k, const struct tensor *t, struct side_figures *out,
                struct figures_watch *watch, struct err *e);

/* Calls one(ctx, i) for every i below n on `workers` threads (work_crew_each), which help each other with large tensors
 * through watch; none is begun once that is cancelled. watch may be NULL. */
void figures_each(struct figures_watch *watch, int workers, size_t n, void (*one)(void *ctx, size_t i), void *ctx);

/* The same for n little-endian elements of each side in memory. */
void figures_memory(const struct kern *k, enum dtype type_t, const void *t, enum dtype type_g, const void *g,
                    size_t n, struct figures *out);

#endif
