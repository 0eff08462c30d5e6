/* The noise level: the size of recent errors caused by normal arithmetic, derived from the last accepted errors. */
#ifndef JUDGE_NOISE_LEVEL_H
#define JUDGE_NOISE_LEVEL_H

#include <stdbool.h>
#include <stdint.h>

#include "num/dtype.h"

#define LEVEL_MAX 256 /* a power of two */

struct noise_level {
    int window, n, at;
    float error[LEVEL_MAX];
    uint32_t sorted[LEVEL_MAX]; /* the bits of errors; all ones behind the last */
    uint8_t product[LEVEL_MAX], dtype[LEVEL_MAX];
    /* cached results of noise_level_product and noise_level_dtype: used for every row, changed by few */
    float most_product;
    uint16_t of_dtype[DTYPE_COUNT];
    enum dtype coarsest;
};

void noise_level_init(struct noise_level *l, int window); /* window: 1 … LEVEL_MAX */
/* error: not negative */
void noise_level_add(struct noise_level *l, double error, bool product, enum dtype d);
double noise_level_quantile(const struct noise_level *l, double q); /* 0 while empty */
/* The largest error among the remembered outputs of matmul-like calls: later calls must expect it in their inputs,
 * recorded or not. */
double noise_level_product(const struct noise_level *l);
enum dtype noise_level_dtype(const struct noise_level *l); /* the coarsest remembered type; DTYPE_UNKNOWN if none */

#endif
