/* A few elements of a tensor, to try many views of another one against without reading it whole. */
#ifndef PAIR_TENSOR_SAMPLE_H
#define PAIR_TENSOR_SAMPLE_H

#include "num/tensor.h"

#define SAMPLES 256

struct tensor_sample {
    uint64_t at[SAMPLES]; /* logical indices */
    double value[SAMPLES];
    size_t n;
    struct walk_page *pages; /* of the other tensor's file: views change what is read when, not what lies where */
};

/* All elements of a small tensor, else some at places that are the same every time. */
int tensor_sample_take(struct tensor_sample *s, const struct tensor *t, struct err *e);
void tensor_sample_release(struct tensor_sample *s);
/* Relative L2 error of a view, as many elements as the sampled tensor, against the sample; infinite where the view
 * holds nothing but zeros, or most elements are not finite. All views given to one sample are of one file. */
int tensor_sample_error(struct tensor_sample *s, const struct tensor *view, double *out, struct err *e);

#endif
