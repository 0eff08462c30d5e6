/* Reads a few elements at fixed places, and the error of another tensor's elements at the same places through a
 * view. */
#include "pair/tensor_sample.h"

#include <math.h>

int tensor_sample_take(struct tensor_sample *s, const struct tensor *t, struct err *e)
{
    struct tensor_walk w;
    uint64_t state = 0x9e3779b97f4a7c15ULL;
    int rc = 0;
    s->n = t->numel < SAMPLES ? (size_t)t->numel : SAMPLES;
    s->pages = NULL;
    tensor_walk_init(&w, t);
    for (size_t i = 0; i < s->n && rc == 0; i++) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        s->at[i] = t->numel <= SAMPLES ? i : (state >> 11) % t->numel;
        rc = tensor_walk_value(&w, s->at[i], &s->value[i], e);
    }
    tensor_walk_release(&w);
    return rc;
}

void tensor_sample_release(struct tensor_sample *s)
{
    struct tensor_walk w = {.pages = s->pages};
    tensor_walk_release(&w);
    s->pages = NULL;
}

int tensor_sample_error(struct tensor_sample *s, const struct tensor *view, double *out, struct err *e)
{
    struct tensor_walk w;
    double d = 0, n = 0, v;
    size_t finite = 0;
    int rc = 0;
    tensor_walk_init(&w, view);
    w.pages = s->pages;
    for (size_t i = 0; i < s->n && rc == 0; i++) {
        rc = tensor_walk_value(&w, s->at[i], &v, e);
        if (rc == 0 && isfinite(v) && isfinite(s->value[i])) {
            d += (s->value[i] - v) * (s->value[i] - v);
            n += v * v;
            finite++;
        }
    }
    s->pages = w.pages;
    w.pages = NULL;
    *out = n > 0 && 2 * finite > s->n ? sqrt(d / n) : INFINITY;
    return rc;
}
