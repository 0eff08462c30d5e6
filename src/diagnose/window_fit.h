/* Which product or window makes an output of an input: convolutions, linear layers (windows of one place) and pooling.
 * Outputs spread over the whole are recomputed for every way to lay the windows, and the way that meets them is
 * told. */
#ifndef DIAGNOSE_WINDOW_FIT_H
#define DIAGNOSE_WINDOW_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "num/dtype.h"

enum window_kind { WINDOW_PRODUCT, WINDOW_MAX, WINDOW_AVERAGE, WINDOW_AVERAGE_PADDED };
enum window_padding { PADDING_ZEROS, PADDING_REPLICATE, PADDING_REFLECT, PADDING_CIRCULAR, PADDING_COUNT };
enum window_grain { GRAIN_NONE, GRAIN_BF16_INPUT, GRAIN_F16_INPUT, GRAIN_BF16, GRAIN_F16, GRAIN_TF32, GRAIN_COUNT };

struct window_data {
    const double *x, *y;    /* [samples, channels, in[0], in[1]], [samples, filters, out[0], out[1]] */
    const double *w, *bias; /* [filters, per_group, size[0], size[1]] and a value a filter; NULL: pooling, none */
    bool transposed;        /* w is [channels, filters], of windows of one place */
    int64_t samples, channels, filters, per_group, in[2], out[2], size[2];
};

struct window_fit {
    enum window_kind kind;
    enum window_padding padding;
    enum window_grain grain; /* what the operands were rounded to */
    int64_t size[2], stride[2], before[2], dilation;
    double left2, own2;      /* Σ(y − made)², Σy² of the outputs looked at */
};

/* The way that leaves least. False where none leaves at most `most` of the values (relative, in the 2-norm). */
bool window_fit(const struct window_data *a, bool pooling, double most, struct window_fit *out);
/* What one that is given leaves; the same outputs. */
void window_refit(const struct window_data *a, struct window_fit *f);
const char *window_grain_name(enum window_grain g); /* "bfloat16" */
const char *window_padding_name(enum window_padding p); /* "reflect", as the frameworks call it */

#endif
