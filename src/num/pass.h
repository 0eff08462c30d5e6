/* Adds up the figures of elements in memory. Floats of up to 32 bits go through the machine's kernel; blocks for
 * which float32 is not sufficient, the last elements that do not fill all lanes, and types that do not fit float32
 * are computed in double.
 *
 * A pass belongs to one thread. Passes over parts of a tensor that begin at multiples of KERN_BLOCK, merged in order,
 * give the same bits whoever computed them. */
#ifndef NUM_PASS_H
#define NUM_PASS_H

#include <stdbool.h>

#include "num/dtype.h"
#include "num/figures.h"
#include "num/kern.h"

/* Squares and sum run over finite elements only. */
struct side_totals {
    double sum, sq, max, min;
    uint64_t n, nan, pos_inf, neg_inf, zero, saturated;
};

struct totals {
    struct side_totals side[2];
    double ds, se, max_abs, max_rel; /* Σ(t−g)(t+g), Σ(t−g)² */
    uint64_t n, n1, n5, max_abs_at, unlike, unlike_at;
};

struct pass {
    const struct kern *k;
    enum dtype dtype[2];
    bool two, floats, bytes; /* bytes: one-byte integers, the same type on both sides */
    double eps;
    uint64_t first;
    struct kern_sums lanes;
    struct kern_exact_side side[2]; /* the elements that did not go through the lanes */
    struct kern_exact_pair pair;
    struct kern_bytes whole;
    struct totals exact; /* their counts, first unlike element and largest error */
};

/* g DTYPE_UNKNOWN: one side only. `first` is the index of the first element. */
void pass_start(struct pass *p, const struct kern *k, enum dtype t, enum dtype g, uint64_t first);
/* n raw little-endian elements of each side (g NULL: one side only); n is a multiple of KERN_BLOCK except for the
 * tensor's last elements. */
void pass_take(struct pass *p, const void *t, const void *g, size_t n);
void pass_end(const struct pass *p, struct totals *out);

/* b's elements follow a's. */
void totals_merge(struct totals *a, const struct totals *b);
void totals_one(const struct totals *t, struct side_figures *out);
void totals_two(const struct totals *t, struct figures *out);

#endif
