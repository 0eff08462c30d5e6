/* What the whole of two tensors (or of one) amounts to: the worst elements, how values and errors are spread, how the
 * error lies along each axis, and where NaN and infinities are. Filled stretch by stretch like a heat map; memory does
 * not depend on the tensors' size, and what is complete does not depend on the order. */
#ifndef MEASURE_TENSOR_STATS_H
#define MEASURE_TENSOR_STATS_H

#include "measure/element_lens.h"

#define TALLY_WORST 64
#define TALLY_ODD 64
#define TALLY_STRIP 256   /* bins along an axis at most */
#define TALLY_SPREAD 2048 /* one bin a power of two: bin b holds magnitudes from 2^(b-1023) to below twice that; 0: zero */
#define TALLY_UNIT 1023   /* the bin that begins at 1 */

struct tally_place {
    uint64_t at;   /* logical index */
    double v[2];
    double error;  /* |t-g|; of one side alone |v| */
};

struct tally_strip {
    int bins;
    int64_t size;  /* indices a bin, the last may have fewer */
    double worst[TALLY_STRIP]; /* the largest error there, Inf: non-finite unlike the other side; of one side |v| */
    bool seen[TALLY_STRIP];
};

struct tally {
    uint64_t read, numel;
    int worsts, odds;
    struct tally_place worst[TALLY_WORST]; /* the largest error first, of equal ones the first; zero errors are none */
    struct tally_place odd[TALLY_ODD];     /* the first elements that are not finite on a side, in order */
    uint64_t nan[2], inf[2], unlike;       /* unlike: not finite, and not so alike on both sides */
    uint64_t equal, thousandth;            /* elements without error; with a relative one below 0.001 */
    uint64_t values[2][2][TALLY_SPREAD];   /* side, negative, bin; non-finite ones are in none */
    uint64_t errors[TALLY_SPREAD], ulps[TALLY_SPREAD]; /* of elements finite on both sides */
    struct tally_strip strip[TENSOR_DIMS];
    struct lens_reader reader;
    struct lens_sweep sweep;
    uint64_t at;
    size_t n;
};

void tally_init(struct tally *t, const struct lens *l); /* the lens must outlive it */
void tally_release(struct tally *t);
static inline bool tally_complete(const struct tally *t)
{
    return t->read == t->numel;
}
int tally_read(struct tally *t, struct err *e); /* as of a heat map: reading shows nothing, counting does */
void tally_count(struct tally *t);
/* The lowest and the highest bin above 0 that hold something; false: none. */
bool tally_span(const uint64_t bins[TALLY_SPREAD], int *low, int *high);

#endif
