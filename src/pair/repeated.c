/* Recognises by shapes and figures that one row is the other repeated, and makes the view for it. */
#include "pair/repeated.h"

#include <math.h>

/* relative difference of figures: recorded ones have at least six digits, norms the error of a float32 sum */
#define ALIKE 1e-4

/* The steps that give `small`, with leading axes of size 1, the shape of `large`; false if they do not fit. */
static bool lay_out_repeated(const struct shape *small, const struct shape *large, struct view *v)
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

/* The same where the larger one's first axis holds the repeated values of each leading index, as a mask for every head
 * of every sample in one axis: [2,1,1,16] and [8,1,16]. */
static bool lay_out_merged(const struct shape *small, const struct shape *large, struct view *v)
{
    int64_t rest[2] = {1, 1}, first = small->ndim ? small->dim[0] : 0, times = first ? large->dim[0] / first : 0;
    const struct shape *of[2] = {small, large};
    int at[2] = {1, 1};
    *v = (struct view){.side = 0};
    if (small->ndim < 2 || large->ndim < 2 || large->ndim > TENSOR_DIMS || first < 2 || times < 2 ||
        large->dim[0] % first)
        return false;
    for (int more = 1; more;) { /* the other axes are equal except for those of size 1 */
        for (int s = 0; s < 2; s++) {
            while (at[s] < of[s]->ndim && of[s]->dim[at[s]] == 1)
                at[s]++;
            rest[s] = at[s] < of[s]->ndim ? of[s]->dim[at[s]++] : 0;
        }
        if (rest[0] != rest[1])
            return false;
        more = rest[0] != 0;
    }
    v->step[v->count++] =
        (struct view_step){.op = VIEW_RESHAPE, .n = 3, .v = {first, 1, (int64_t)small->numel / first}};
    v->step[v->count++] = (struct view_step){.op = VIEW_REPEAT, .n = 2, .v = {1, times}};
    return true;
}

static bool repeated_alike(double a, double b, double scale)
{
    return a == b || fabs(a - b) <= ALIKE * scale; /* infinite with fills */
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
    return repeated_alike(x[STAT_MAX], y[STAT_MAX], scale) && repeated_alike(x[STAT_MIN], y[STAT_MIN], scale) &&
           (!(both & HAS_MEAN) || repeated_alike(x[STAT_MEAN], y[STAT_MEAN], scale)) &&
           (!(both & HAS_NORM) || repeated_alike(x[STAT_NORM] * sqrt(times), y[STAT_NORM], fabs(y[STAT_NORM])));
}

bool repeated_view(const struct dump *t, uint32_t trow, const struct dump *g, uint32_t grow, struct view *v)
{
    const struct shape *x = dump_row_shape(t, trow), *y = dump_row_shape(g, grow);
    const struct row *a = &t->rows.v[trow], *b = &g->rows.v[grow];
    if (!x || !y || !x->numel || !y->numel || x->numel == y->numel || a->kind != ROW_TENSOR || b->kind != ROW_TENSOR)
        return false;
    bool target = x->numel < y->numel; /* the target is the smaller one */
    const struct shape *small = target ? x : y, *large = target ? y : x;
    if (!lay_out_repeated(small, large, v) && !lay_out_merged(small, large, v))
        return false;
    v->side = target ? 0 : 1;
    double times = target ? (double)y->numel / (double)x->numel : (double)x->numel / (double)y->numel;
    return figures_fit(target ? a : b, target ? b : a, times);
}
