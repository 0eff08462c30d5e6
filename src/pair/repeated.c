/* Recognises by shapes and figures that one row is the other repeated, and makes the view for it. */
#include "pair/repeated.h"

#include <math.h>

/* relative difference of figures: recorded ones have at least six digits, norms the error of a float32 sum */
#define ALIKE 1e-4

/* The steps that give `small`, with leading axes of size 1, the shape of `large`; false if they do not fit. */
static bool lay_out(const struct shape *small, const struct shape *large, struct view *v)
{
    int missing = large->ndim - small->ndim;
    *v = (struct view){.side = 0};
    if (missing < 0 || large->ndim > TENSOR_DIMS)
        return false;
    if (missing) {
        struct view_step *s = &v->step[v->count++];
        *s = (struct view_step){.op = VIEW_RESHAPE, .n = (uint8_t)large->ndim};
        for (int i = 0; i < large->ndim; i++)
            s->v[i] = i < missing ? 1 : small->dim[i - missing];
    }
    for (int i = 0; i < large->ndim; i++) {
        int64_t have = i < missing ? 1 : small->dim[i - missing];
        if (have == large->dim[i])
            continue;
        if (have != 1 || v->count == VIEW_STEPS)
            return false;
        v->step[v->count++] = (struct view_step){.op = VIEW_REPEAT, .n = 2, .v = {i, large->dim[i]}};
    }
    return true;
}

static bool alike(double a, double b, double scale)
{
    return fabs(a - b) <= ALIKE * scale;
}

static bool is_whole(const struct row *r)
{
    return dtype_table[r->dtype].klass == CLASS_INT || dtype_table[r->dtype].klass == CLASS_BOOL;
}

static bool figures_fit(const struct row *small, const struct row *large, double times)
{
    const double *x = small->stat, *y = large->stat;
    int both = small->has & large->has;
    double scale = fmax(fabs(x[STAT_MAX]), fabs(x[STAT_MIN]));
    /* of whole numbers tools record the extremes only */
    bool whole = is_whole(small) && is_whole(large) && !(both & (HAS_MEAN | HAS_NORM));
    if ((both & (HAS_MAX | HAS_MIN)) != (HAS_MAX | HAS_MIN) || !isfinite(scale))
        return false;
    if (whole)
        return x[STAT_MAX] == y[STAT_MAX] && x[STAT_MIN] == y[STAT_MIN];
    if (!(both & (HAS_MEAN | HAS_NORM)))
        return false;
    return alike(x[STAT_MAX], y[STAT_MAX], scale) && alike(x[STAT_MIN], y[STAT_MIN], scale) &&
           (!(both & HAS_MEAN) || alike(x[STAT_MEAN], y[STAT_MEAN], scale)) &&
           (!(both & HAS_NORM) || alike(x[STAT_NORM] * sqrt(times), y[STAT_NORM], fabs(y[STAT_NORM])));
}

bool repeated_view(const struct dump *t, uint32_t trow, const struct dump *g, uint32_t grow, struct view *v)
{
    const struct shape *x = dump_row_shape(t, trow), *y = dump_row_shape(g, grow);
    const struct row *a = &t->rows.v[trow], *b = &g->rows.v[grow];
    if (!x || !y || !x->numel || !y->numel || x->numel == y->numel || a->kind != ROW_TENSOR || b->kind != ROW_TENSOR)
        return false;
    bool target = x->numel < y->numel; /* the target is the smaller one */
    if (!lay_out(target ? x : y, target ? y : x, v))
        return false;
    v->side = target ? 0 : 1;
    double times = target ? (double)y->numel / (double)x->numel : (double)x->numel / (double)y->numel;
    return figures_fit(target ? a : b, target ? b : a, times);
}
