/* Elements of a line's two tensors, aligned as in the comparison, for analyses of how they differ: all of them up to
 * ELEMENT_SAMPLE_MOST; of larger tensors that many in chunks, one chunk in each of equal ranges at a fixed
 * pseudorandom place, so that no period of the data and no tail is missed. Memory is bounded by ELEMENT_SAMPLE_MOST. */
#ifndef MEASURE_ELEMENT_SAMPLE_H
#define MEASURE_ELEMENT_SAMPLE_H

#include "measure/measure.h"

#define ELEMENT_SAMPLE_MOST (1u << 18)
#define ELEMENT_SAMPLE_CHUNK 1024u

struct element_sample {
    double *v[2];        /* n values per side */
    uint64_t *at;        /* logical index of each; NULL: all elements, element i is number i */
    size_t n;
    uint64_t numel;
    int ndim;            /* axes of the side with more of them, the target's where equal */
    int64_t shape[TENSOR_DIMS];
    enum dtype dtype[2];
    /* Sums over the places where both sides are finite: */
    size_t finite;
    double dev2, t2, g2, tg, sum[2]; /* Σ(t−g)², Σt², Σg², Σtg, Σt and Σg */
    double least[2], most[2];
};

/* 0, or -1 with e. Takes the whole tensors if they are small enough. */
int element_sample_take(struct element_sample *s, const struct measure *m, uint32_t line, struct err *e);
/* A contiguous corner of both sides with long axes cut, for analyses of neighbouring elements. Only if both shapes
 * are equal; otherwise, and if the whole fits, as element_sample_take. */
int element_sample_corner(struct element_sample *s, const struct measure *m, uint32_t line, struct err *e);
/* As element_sample_take, with another row of `side`, of the shape of the line's own, in place of that. */
int element_sample_instead(struct element_sample *s, const struct measure *m, uint32_t line, int side, uint32_t row,
                           struct err *e);
/* The same for one row, in v[0]; at most `most` elements, -1 if it has more. */
int element_sample_row(struct element_sample *s, const struct dump *d, uint32_t row, size_t most, struct err *e);
/* All elements of one row in v[0]; false, with nothing to release, if they cannot be read or are too many. */
bool element_sample_whole(struct element_sample *s, const struct dump *d, uint32_t row);
/* A sample from n given values per side, as if read from float32 tensors of that shape; copied. */
void element_sample_from(struct element_sample *s, const double *t, const double *g, int ndim, const int64_t *shape);
void element_sample_release(struct element_sample *s);
static inline bool element_sample_pair(const struct element_sample *s, size_t i) /* both are finite at i */
{
    return s->v[0][i] - s->v[0][i] == 0 && s->v[1][i] - s->v[1][i] == 0;
}

#endif
