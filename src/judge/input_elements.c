/* Compares the elements of two recordings of one step input: how many differ, and the first. */
#include "judge/input_elements.h"

#include <math.h>

#include "measure/element_sample.h"

#define LOW -1e4 /* mask fills are at most this */

/* Both sides' elements, and the mapping of the smaller side to the larger one. */
struct laid {
    struct element_sample x[2];
    int large;
    int64_t step[TENSOR_DIMS]; /* strides in the smaller side along the larger one's axes; 0: repeated */
    bool beginning;            /* the shapes do not broadcast: the smaller one is the beginning of the larger one */
};

/* False if an axis has different sizes and neither is 1. */
static bool lay_axes(struct laid *l)
{
    const struct element_sample *a = &l->x[l->large], *b = &l->x[!l->large];
    int64_t step = 1;
    if (b->ndim > a->ndim)
        return false;
    for (int i = a->ndim - 1, k = b->ndim - 1; i >= 0; i--, k--) {
        int64_t size = k < 0 ? 1 : b->shape[k];
        if (size != 1 && size != a->shape[i])
            return false;
        l->step[i] = size == 1 ? 0 : step;
        step *= size;
    }
    return true;
}

static void drop_ones(struct element_sample *x)
{
    int n = 0;
    for (int i = 0; i < x->ndim; i++)
        if (x->shape[i] != 1)
            x->shape[n++] = x->shape[i];
    x->ndim = n;
}

/* As they are, or else without axes of 1: [2,18,18] and [2,1,18,18]. */
static bool lay_inputs(struct laid *l)
{
    if (lay_axes(l))
        return true;
    for (int s = 0; s < 2; s++)
        drop_ones(&l->x[s]);
    return lay_axes(l);
}

static size_t laid_index(const struct laid *l, size_t i)
{
    const struct element_sample *a = &l->x[l->large];
    size_t at = 0;
    if (l->beginning)
        return i;
    for (int k = a->ndim - 1; k >= 0; k--) {
        at += (i % (size_t)a->shape[k]) * (size_t)l->step[k];
        i /= (size_t)a->shape[k];
    }
    return at;
}

static bool mask_is_additive(const struct element_sample *x)
{
    for (size_t i = 0; i < x->n; i++)
        if (x->v[0][i] <= LOW)
            return true;
    return false;
}

/* Converts a mask to 1 if it lets through, whether it multiplies, selects or is added. */
static void to_pattern(struct element_sample *x)
{
    bool added = mask_is_additive(x);
    for (size_t i = 0; i < x->n; i++)
        x->v[0][i] = added ? x->v[0][i] > LOW : x->v[0][i] > 0 || x->v[0][i] < 0;
}

/* flipped: one side marks visible positions, the other hidden ones. */
static void count_equal_inputs(const struct laid *l, bool flipped, struct input_elements *out)
{
    const struct element_sample *a = &l->x[l->large], *b = &l->x[!l->large];
    *out = (struct input_elements){.compared = l->beginning ? b->n : a->n};
    for (size_t i = 0; i < out->compared; i++) {
        double v[2];
        v[l->large] = a->v[0][i];
        v[!l->large] = b->v[0][laid_index(l, i)];
        double other = flipped ? 1 - v[!l->large] : v[!l->large];
        if (v[l->large] == other || (isnan(v[l->large]) && isnan(other)))
            continue;
        if (!out->differ++) {
            out->first = i;
            memcpy(out->value, v, sizeof v);
        }
    }
}

static void compare_laid(const struct laid *l, bool may_flip, struct input_elements *out)
{
    struct input_elements flipped;
    count_equal_inputs(l, false, out);
    if (!may_flip || !out->differ)
        return;
    count_equal_inputs(l, true, &flipped);
    if (!flipped.differ)
        *out = flipped;
}

int input_elements_compare(const struct dump *const side[2], const uint32_t row[2], bool mask,
                           struct input_elements *out)
{
    struct laid l = {.large = 0};
    int rc = -1;
    *out = (struct input_elements){0};
    if (!element_sample_whole(&l.x[0], side[0], row[0]))
        return -1;
    if (element_sample_whole(&l.x[1], side[1], row[1])) {
        l.large = l.x[1].n > l.x[0].n;
        bool flat = l.x[0].ndim == 1 && l.x[1].ndim == 1, lies = lay_inputs(&l);
        l.beginning = !lies && flat;
        /* masks of one form mark the same positions with 1; others may mark visible or hidden ones */
        bool other_form = l.x[0].dtype[0] != l.x[1].dtype[0] || mask_is_additive(&l.x[0]) != mask_is_additive(&l.x[1]);
        for (int s = 0; s < 2 && mask; s++)
            to_pattern(&l.x[s]);
        if (lies || l.beginning)
            compare_laid(&l, mask && other_form, out);
        rc = lies || l.beginning ? out->compared && !out->differ : mask ? -1 : 0;
        element_sample_release(&l.x[1]);
    }
    element_sample_release(&l.x[0]);
    return rc;
}
