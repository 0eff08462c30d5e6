/* What the whole of two tensors (or of one) amounts to: the worst elements, how values and errors are spread, how the
 * error lies along each axis, and where NaN and infinities are. Filled stretch by stretch like a heat map; memory does
 * not depend on the tensors' size, and what is complete does not depend on the order. */
#ifndef MEASURE_TENSOR_STATS_H
#define MEASURE_TENSOR_STATS_H

#include "measure/lens_read.h"

#define TENSOR_STATS_WORST 64
#define TENSOR_STATS_ODD 64
#define TENSOR_STATS_STRIP 256   /* bins along an axis at most */
/* one bin a power of two: bin b holds magnitudes from 2^(b-1023) to below twice that; 0: zero */
#define TENSOR_STATS_SPREAD 2048
#define TENSOR_STATS_UNIT 1023   /* the bin that begins at 1 */

struct tensor_stats_place {
    uint64_t at;   /* logical index */
    double v[2];
    double error;  /* |t-g|; of one side alone |v| */
};

struct tensor_stats_strip {
    int bins;
    int64_t size;  /* indices a bin, the last may have fewer */
    double worst[TENSOR_STATS_STRIP]; /* the largest error there, Inf: non-finite unlike the other side; of one side
                                         |v| */
    bool seen[TENSOR_STATS_STRIP];
};

struct tensor_stats {
    uint64_t read, numel;
    int worsts, odds;
    struct tensor_stats_place worst[TENSOR_STATS_WORST]; /* the largest error first, of equal ones the first; zero
                                                            errors are none */
    struct tensor_stats_place odd[TENSOR_STATS_ODD];     /* the first elements that are not finite on a side, in
                                                            order */
    uint64_t nan[2], inf[2], unlike;       /* unlike: not finite, and not so alike on both sides */
    uint64_t equal, thousandth;            /* elements without error; with a relative one below 0.001 */
    uint64_t values[2][2][TENSOR_STATS_SPREAD];   /* side, negative, bin; non-finite ones are in none */
    uint64_t errors[TENSOR_STATS_SPREAD], ulps[TENSOR_STATS_SPREAD]; /* of elements finite on both sides */
    struct tensor_stats_strip strip[TENSOR_DIMS];
    struct lens_reader reader;
    struct lens_sweep sweep;
    uint64_t at;
    size_t n;
};

void tensor_stats_init(struct tensor_stats *t, const struct element_lens *l); /* the lens must outlive it */
void tensor_stats_release(struct tensor_stats *t);
static inline bool tally_complete(const struct tensor_stats *t)
{
    return t->read == t->numel;
}
/* as of a heat map: reading shows nothing, counting does */
int tensor_stats_read(struct tensor_stats *t, struct err *e);
void tensor_stats_count(struct tensor_stats *t);
/* The lowest and the highest bin above 0 that hold something; false: none. */
bool tensor_stats_span(const uint64_t bins[TENSOR_STATS_SPREAD], int *low, int *high);

#endif
