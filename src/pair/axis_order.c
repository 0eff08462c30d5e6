/* Tries axis orders of one side on a few elements and keeps one that clearly makes the sides agree. */
#include "pair/axis_order.h"

#include <math.h>

#include "pair/tensor_sample.h"

#define AXES 6 /* the most axes tried: 720 orders of a sample each */

/* Sizes other than 1 of the axes in an order (NULL: as stored), as an axis of size 1 has no boundary; returns their
 * number. */
static int plain_shape(const struct tensor *t, const int *perm, int64_t out[TENSOR_DIMS])
{
    int n = 0;
    for (int i = 0; i < t->ndim; i++) {
        int64_t size = t->shape[perm ? perm[i] : i];
        if (size != 1)
            out[n++] = size;
    }
    return n;
}

bool axis_order_needed(const struct tensor *t, const struct tensor *g)
{
    int64_t a[TENSOR_DIMS], b[TENSOR_DIMS];
    int n = plain_shape(t, NULL, a), m = plain_shape(g, NULL, b);
    return n != m || memcmp(a, b, (size_t)n * sizeof *a) != 0;
}

/* Whether the axes in this order can be split and merged to the other shape: each boundary of both divides the next. */
static bool axis_order_fits(const struct tensor *t, const struct tensor *g, const int *perm)
{
    int64_t x[TENSOR_DIMS], y[TENSOR_DIMS];
    int n = plain_shape(t, NULL, x), m = plain_shape(g, perm, y), i = 0, k = 0;
    int64_t a = 1, b = 1;
    while (i < n || k < m) {
        bool first = k == m || (i < n && a <= b);
        if (first)
            a *= x[i++];
        else
            b *= y[k++];
        if (a % b && b % a)
            return false;
    }
    return true;
}

bool axis_order_next(int *perm, int n)
{
    int i = n - 2, k = n - 1;
    while (i >= 0 && perm[i] > perm[i + 1])
        i--;
    if (i < 0)
        return false;
    while (perm[k] < perm[i])
        k--;
    int swap = perm[i];
    perm[i] = perm[k];
    perm[k] = swap;
    for (int a = i + 1, b = n - 1; a < b; a++, b--) {
        swap = perm[a];
        perm[a] = perm[b];
        perm[b] = swap;
    }
    return true;
}

/* Whether both sides hold the same values in any order, by extremes and norms. */
static bool same_values(const struct figures *f)
{
    const struct side_figures *t = &f->side[0], *g = &f->side[1];
    double scale = fabs(g->norm);
    return isfinite(scale) && fabs(t->norm - g->norm) <= 0.05 * scale && fabs(t->max - g->max) <= 0.2 * scale &&
           fabs(t->min - g->min) <= 0.2 * scale;
}

/* The best order of `moved`'s axes to match `fixed`. */
static int search_order(const struct tensor *fixed, const struct tensor *moved, int best[TENSOR_DIMS], double *flat,
                        double *least,
                        struct err *e)
{
    int perm[TENSOR_DIMS], rc = 0;
    struct tensor_sample s;
    double error;
    *flat = *least = INFINITY;
    if (tensor_sample_take(&s, fixed, e))
        return -1;
    for (int i = 0; i < moved->ndim; i++)
        perm[i] = best[i] = i;
    rc = tensor_sample_error(&s, moved, flat, e);
    do {
        if (rc || !axis_order_fits(fixed, moved, perm))
            continue;
        struct tensor view = *moved;
        tensor_permute(&view, perm);
        rc = tensor_sample_error(&s, &view, &error, e);
        if (rc == 0 && error < *least) {
            *least = error;
            memcpy(best, perm, sizeof perm);
        }
    } while (rc == 0 && axis_order_next(perm, moved->ndim));
    tensor_sample_release(&s);
    return rc;
}

int axis_order_find(const struct tensor *t, const struct tensor *g, struct view *v, double *stored, double *error,
                    struct err *e)
{
    int best[TENSOR_DIMS];
    int64_t plain[TENSOR_DIMS];
    bool target = plain_shape(t, NULL, plain) > plain_shape(g, NULL, plain);
    const struct tensor *moved = target ? t : g, *fixed = target ? g : t;
    *v = (struct view){.side = target ? 0 : 1};
    *stored = *error = INFINITY;
    if (moved->ndim < 2 || moved->ndim > AXES)
        return 0;
    if (search_order(fixed, moved, best, stored, error, e))
        return -1;
    bool any = false;
    struct view_step s = {.op = VIEW_PERMUTE, .n = (uint8_t)moved->ndim};
    for (int i = 0; i < moved->ndim; i++) {
        s.v[i] = best[i];
        any = any || best[i] != i;
    }
    if (any)
        v->step[v->count++] = s;
    return 0;
}

int axis_order_search(const struct tensor *t, const struct tensor *g, const struct figures *flat, struct view *v,
                      struct err *e)
{
    double stored, error;
    if (!flat->two || flat->rel_l2 < 1e-3 || !same_values(flat))
        return 0;
    if (axis_order_find(t, g, v, &stored, &error, e))
        return -1;
    return v->count && error < 0.5 * flat->rel_l2;
}
