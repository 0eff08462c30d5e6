/* The noise level: how large the errors were that honest arithmetic has caused so far, read off the
 * last accepted ones. */
#ifndef JUDGE_NOISE_LEVEL_H
#define JUDGE_NOISE_LEVEL_H

#include <stdbool.h>
#include <stdint.h>

#include "num/dtype.h"

#define LEVEL_MAX 256

struct noise_level {
    int window, n, at;
    float error[LEVEL_MAX], sorted[LEVEL_MAX];
    uint8_t product[LEVEL_MAX], dtype[LEVEL_MAX];
    float most_product;         /* what noise_level_product and noise_level_dtype answer: asked for every row, changed
                                   by few */
    uint16_t of_dtype[DTYPE_COUNT];
    enum dtype coarsest;
};

void noise_level_init(struct noise_level *l, int window); /* window: 1 … LEVEL_MAX */
void noise_level_add(struct noise_level *l, double error, bool product, enum dtype d);
double noise_level_quantile(const struct noise_level *l, double q); /* 0 while nothing was added */
/* The largest error among the remembered outputs of matmul-like calls: what every call behind them has
 * to expect in its inputs, recorded or not. */
double noise_level_product(const struct noise_level *l);
enum dtype noise_level_dtype(const struct noise_level *l); /* the coarsest remembered, DTYPE_UNKNOWN when none */

#endif
