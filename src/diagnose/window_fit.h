/* Finds the windowed operation that maps an input to an output: convolutions, linear layers (windows of one position)
 * and pooling. Sample outputs are recomputed for every combination of stride, padding and dilation; the one that
 * agrees is reported. */
#ifndef DIAGNOSE_WINDOW_FIT_H
#define DIAGNOSE_WINDOW_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "num/dtype.h"
#include "oracle/windows.h"

enum window_kind { WINDOW_PRODUCT, WINDOW_MAX, WINDOW_AVERAGE, WINDOW_AVERAGE_PADDED };
enum window_grain { GRAIN_NONE, GRAIN_BF16_INPUT, GRAIN_F16_INPUT, GRAIN_BF16, GRAIN_F16, GRAIN_TF32, GRAIN_COUNT };

struct window_data {
    const double *x, *y;    /* [samples, channels, in[0], in[1]], [samples, filters, out[0], out[1]] */
    /* [filters, per_group, size[0], size[1]], and one value per filter; NULL: pooling, no bias */
    const double *w, *bias;
    bool transposed;        /* w is [channels, filters], for windows of one position */
    int64_t samples, channels, filters, per_group, in[2], out[2], size[2];
};

struct window_fit {
    enum window_kind kind;
    enum margin padding;     /* the constant is 0 */
    enum window_grain grain; /* rounding of the operands */
    int64_t size[2], stride[2], before[2], dilation;
    double left2, own2;      /* Σ(y − computed)², Σy² over the sampled outputs */
};

/* Finds the combination with the smallest residual. False if that exceeds `most` (relative, 2-norm). */
bool window_fit(const struct window_data *a, bool pooling, double most, struct window_fit *out);
/* Computes the residual of a given combination on the same outputs. */
void window_refit(const struct window_data *a, struct window_fit *f);
const char *window_grain_name(enum window_grain g); /* "bfloat16" */
const char *window_padding_name(enum margin p); /* "reflect", as in the frameworks */

#endif
