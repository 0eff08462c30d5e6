/* Recomputes convolutions, linear layers and pooling at sample places, for every combination of stride, padding and
 * dilation. */
#include "diagnose/window_fit.h"

#include <math.h>
#include <stdlib.h>

#define OUTPUTS_LOOKED_AT 2048
#define TERMS_MOST        40e6 /* the most products computed per combination */
#define STRIDE_MOST       8
#define DILATION_MOST     4

static double grain_rounded(enum window_grain g, double v, bool weight)
{
    switch (g) {
    case GRAIN_NONE:
    case GRAIN_COUNT:
        break;
    case GRAIN_BF16_INPUT:
        return weight ? v : dtype_round(DTYPE_BF16, v);
    case GRAIN_F16_INPUT:
        return weight ? v : dtype_round(DTYPE_F16, v);
    case GRAIN_BF16:
        return dtype_round(DTYPE_BF16, v);
    case GRAIN_F16:
        return dtype_round(DTYPE_F16, v);
    case GRAIN_TF32:
        return tf32_round(v);
    }
    return v;
}

/* The input index for position `at`; -1: none. Most positions are not in the padding, and each product asks. */
static int64_t padded_index(enum margin p, int64_t at, int64_t n)
{
    return at >= 0 && at < n ? at : margin_source(at, n, p);
}

struct output_place {
    int64_t sample, filter, at[2];
};

static double input_at(const struct window_data *d, const struct window_fit *f, int64_t sample, int64_t channel,
                       int64_t y, int64_t x, bool *there)
{
    int64_t r = padded_index(f->padding, y, d->in[0]), c = padded_index(f->padding, x, d->in[1]);
    *there = r >= 0 && c >= 0;
    return *there ? d->x[((sample * d->channels + channel) * d->in[0] + r) * d->in[1] + c] : 0;
}

static double window_product(const struct window_data *d, const struct window_fit *f, const struct output_place *o)
{
    int64_t first =
        d->per_group == d->channels ? 0 : o->filter / (d->filters / (d->channels / d->per_group)) * d->per_group;
    double sum = d->bias ? d->bias[o->filter] : 0;
    bool there;
    for (int64_t c = 0; c < d->per_group; c++)
        for (int64_t i = 0; i < f->size[0]; i++)
            for (int64_t k = 0; k < f->size[1]; k++) {
                double x =
                    input_at(d, f, o->sample, first + c, o->at[0] * f->stride[0] - f->before[0] + i * f->dilation,
                             o->at[1] * f->stride[1] - f->before[1] + k * f->dilation, &there);
                double w = d->transposed ? d->w[c * d->filters + o->filter]
                                         : d->w[((o->filter * d->per_group + c) * f->size[0] + i) * f->size[1] + k];
                if (there)
                    sum += grain_rounded(f->grain, x, false) * grain_rounded(f->grain, w, true);
            }
    return sum;
}

static double window_pooled(const struct window_data *d, const struct window_fit *f, const struct output_place *o)
{
    double sum = 0, most = -INFINITY;
    int64_t count = 0;
    bool there;
    for (int64_t i = 0; i < f->size[0]; i++)
        for (int64_t k = 0; k < f->size[1]; k++) {
            double x = input_at(d, f, o->sample, o->filter, o->at[0] * f->stride[0] - f->before[0] + i * f->dilation,
                                o->at[1] * f->stride[1] - f->before[1] + k * f->dilation, &there);
            if (!there)
                continue;
            most = fmax(most, x);
            sum += x;
            count++;
        }
    if (f->kind == WINDOW_MAX)
        return count ? most : 0;
    return sum / (double)(f->kind == WINDOW_AVERAGE_PADDED ? f->size[0] * f->size[1] : count ? count : 1);
}

/* Stops where the residual exceeds `most`, which is then infinite. */
static void refit_below(const struct window_data *d, struct window_fit *f, double most)
{
    int64_t all = d->samples * d->filters * d->out[0] * d->out[1];
    double terms = (double)d->per_group * (double)f->size[0] * (double)f->size[1];
    int64_t wanted = (int64_t)fmax(64, fmin(OUTPUTS_LOOKED_AT, TERMS_MOST / fmax(1, terms))), step = all / wanted + 1;
    step += step > 1 && step % 2 == 0; /* avoid periods of the shape */
    f->left2 = f->own2 = 0;
    for (int64_t i = 0; i < all; i += step) {
        int64_t rest = i / d->out[1];
        struct output_place o = {.at = {rest % d->out[0], i % d->out[1]}};
        rest /= d->out[0];
        o.filter = rest % d->filters;
        o.sample = rest / d->filters;
        double e = d->y[i] - (f->kind == WINDOW_PRODUCT ? window_product(d, f, &o) : window_pooled(d, f, &o));
        f->left2 += e * e;
        f->own2 += d->y[i] * d->y[i];
        if (f->left2 > most) {
            f->left2 = INFINITY;
            return;
        }
    }
}

void window_refit(const struct window_data *d, struct window_fit *f)
{
    refit_below(d, f, INFINITY);
}

static void keep_better(const struct window_data *d, struct window_fit f, struct window_fit *best)
{
    refit_below(d, &f, best->left2);
    if (f.left2 < best->left2)
        *best = f;
}

/* Whether such windows give that number of outputs, with at most one window of padding at the far edge. */
static bool fits_shape(const struct window_data *d, const struct window_fit *f, int axis)
{
    int64_t reach = (f->size[axis] - 1) * f->dilation + 1,
            last = (d->out[axis] - 1) * f->stride[axis] - f->before[axis];
    int64_t beyond = last + reach - d->in[axis];
    return last < d->in[axis] && beyond < reach && beyond > -f->stride[axis] && f->before[axis] < reach;
}

static bool window_remainder_small(const struct window_fit *f, double most)
{
    return f->left2 <= most * most * f->own2;
}

/* Tries every leading padding that the shapes allow, equal on both axes if these are alike. */
static void try_places(const struct window_data *d, struct window_fit f, double most, struct window_fit *best)
{
    bool alike = f.size[0] == f.size[1] && d->in[0] == d->in[1] && d->out[0] == d->out[1];
    for (f.before[0] = 0; f.before[0] < f.size[0] * f.dilation && !window_remainder_small(best, most); f.before[0]++)
        for (f.before[1] = alike ? f.before[0] : 0; f.before[1] < f.size[1] * f.dilation &&
             !window_remainder_small(best, most);
             f.before[1]++) {
            bool edges = f.before[0] || f.before[1] || (d->out[0] - 1) * f.stride[0] + f.size[0] > d->in[0];
            if (fits_shape(d, &f, 0) && fits_shape(d, &f, 1))
                for (f.padding = 0;
                     f.padding < (f.kind == WINDOW_PRODUCT && edges ? MARGINS : 1) &&
                     !window_remainder_small(best, most);
                     f.padding++)
                    keep_better(d, f, best);
            if (alike)
                break;
        }
}

static void try_strides(const struct window_data *d, struct window_fit f, double most, struct window_fit *best)
{
    for (int64_t s = 1; s <= STRIDE_MOST && !window_remainder_small(best, most); s++) {
        f.stride[0] = d->in[0] == 1 ? 1 : s;
        f.stride[1] = d->in[1] == 1 ? 1 : s;
        if (s == 1 || d->in[0] > 1 || d->in[1] > 1)
            try_places(d, f, most, best);
    }
}

bool window_fit(const struct window_data *d, bool pooling, double most, struct window_fit *out)
{
    static const int64_t sizes[] = {2, 3, 4, 5, 7, 1};
    *out = (struct window_fit){.left2 = INFINITY, .own2 = 1};
    for (size_t k = 0; pooling && k < sizeof sizes / sizeof *sizes; k++)
        for (int kind = WINDOW_MAX; kind <= WINDOW_AVERAGE_PADDED; kind++)
            try_strides(d,
                        (struct window_fit){.kind = (enum window_kind)kind,
                                            .size = {d->in[0] == 1 ? 1 : sizes[k], d->in[1] == 1 ? 1 : sizes[k]},
                                            .dilation = 1},
                        most, out);
    for (int64_t dilation = 1; !pooling && dilation <= (d->size[0] * d->size[1] > 1 ? DILATION_MOST : 1); dilation++)
        try_strides(d,
                    (struct window_fit){.kind = WINDOW_PRODUCT, .size = {d->size[0], d->size[1]}, .dilation = dilation},
                    most, out);
    if (!isfinite(out->left2))
        return false;
    struct window_fit laid = *out;
    for (int g = GRAIN_NONE + 1; !pooling && !window_remainder_small(out, most) && g < GRAIN_COUNT; g++) {
        laid.grain = (enum window_grain)g;
        keep_better(d, laid, out);
    }
    return window_remainder_small(out, most);
}

const char *window_grain_name(enum window_grain g)
{
    static const char *const name[GRAIN_COUNT] = {"float32", "bfloat16", "float16", "bfloat16", "float16", "tf32"};
    return name[g];
}

const char *window_padding_name(enum margin p)
{
    static const char *const name[MARGINS] = {"zeros", "reflect", "replicate", "circular"};
    return name[p];
}
