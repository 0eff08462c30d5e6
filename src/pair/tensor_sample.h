/* A few elements of a tensor, against which many views of another tensor are tried without reading it whole. */
#ifndef PAIR_TENSOR_SAMPLE_H
#define PAIR_TENSOR_SAMPLE_H

#include "num/tensor.h"

#define SAMPLES 256

struct tensor_sample {
    uint64_t at[SAMPLES]; /* logical indices */
    double value[SAMPLES];
    size_t n;
    struct walk_page *pages; /* cache for the other tensor's file, shared by all views of it */
};

/* All elements of a small tensor; otherwise elements at fixed pseudorandom places. */
int tensor_sample_take(struct tensor_sample *s, const struct tensor *t, struct err *e);
void tensor_sample_release(struct tensor_sample *s);
/* Relative L2 error of a view, which has as many elements as the sampled tensor, on the sample; infinite if the view
 * is all zero or mostly non-finite. All views tried on one sample are of one file. */
int tensor_sample_error(struct tensor_sample *s, const struct tensor *view, double *out, struct err *e);

#endif
