/* Statistics over the whole of two tensors (or one): the worst elements, histograms of values and errors, the error
 * along each axis, and the places of NaN and infinities. Filled range by range like a heat map; memory does not
 * depend on the tensors' size, and the complete result does not depend on the order. */
#ifndef MEASURE_TENSOR_STATS_H
#define MEASURE_TENSOR_STATS_H

#include "measure/lens_read.h"

#define TENSOR_STATS_WORST 64
#define TENSOR_STATS_ODD 64
#define TENSOR_STATS_STRIP 256   /* the most bins along an axis */
/* one bin per power of two: bin b counts magnitudes from 2^(b-1023) to below twice that; 0: zero */
#define TENSOR_STATS_SPREAD 2048
#define TENSOR_STATS_UNIT 1023   /* the bin that starts at 1 */

struct tensor_stats_place {
    uint64_t at;   /* logical index */
    double v[2];
    double error;  /* |t-g|; for one side alone |v| */
};

struct tensor_stats_strip {
    int bins;
    int64_t size;  /* indices per bin; the last may have fewer */
    /* the largest error in the bin, Inf: non-finite and unlike the other side; for one side |v| */
    double worst[TENSOR_STATS_STRIP];
    bool seen[TENSOR_STATS_STRIP];
};

struct tensor_stats {
    uint64_t read, numel;
    int worsts, odds;
    /* largest error first, of equal ones the first in order; without zero errors */
    struct tensor_stats_place worst[TENSOR_STATS_WORST];
    struct tensor_stats_place odd[TENSOR_STATS_ODD]; /* the first elements that are non-finite on a side, in order */
    uint64_t nan[2], inf[2], unlike;       /* unlike: non-finite, and not the same on both sides */
    uint64_t equal, thousandth;            /* elements without error; with a relative error below 0.001 */
    uint64_t values[2][2][TENSOR_STATS_SPREAD];   /* side, negative, bin; without non-finite values */
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
/* as for a heat map: reading changes nothing shown, counting does */
int tensor_stats_read(struct tensor_stats *t, struct err *e);
void tensor_stats_count(struct tensor_stats *t);
/* The lowest and the highest non-empty bin above 0; false: none. */
bool tensor_stats_span(const uint64_t bins[TENSOR_STATS_SPREAD], int *low, int *high);

#endif
