/* Reductions over axes: sums, means, extremes, norms, variances; cumulative sums; sorting. With gradients if they do
 * not depend on a library's choices. */
#include <stdlib.h>
#include <string.h>

#include "oracle/gradients.h"
#include "oracle/operators.h"
#include "oracle/sizes.h"

/* ---- groups of elements ---- */

/* x with its reduced axes last: groups × members, and the place of each in x. */
struct reduction {
    const struct real_tensor *x;
    int64_t groups, members;
    int64_t *at; /* groups × members */
    struct real_tensor shape, kept; /* of the result, without the reduced axes and with them as size 1 */
};

static void shapes_of(const struct real_tensor *x, int axes, struct reduction *r)
{
    r->shape = r->kept = (struct real_tensor){.count = 1};
    for (int i = 0; i < x->axes; i++) {
        int64_t n = axes >> i & 1 ? 1 : x->shape[i];
        r->kept.shape[r->kept.axes++] = n;
        if (!(axes >> i & 1))
            r->shape.shape[r->shape.axes++] = n;
        r->kept.count = r->shape.count *= n;
    }
}

/* Reduces x over the axes of the mask. */
static bool reduction_over(struct call_values *c, const struct real_tensor *x, int axes, struct reduction *r)
{
    int order[REAL_AXES], n = 0;
    if (!x || axes < 0) {
        call_unknown(c, x ? UNKNOWN_SHAPE : UNKNOWN_ARGUMENT);
        return false;
    }
    shapes_of(x, axes, r);
    for (int last = 0; last < 2; last++)
        for (int i = 0; i < x->axes; i++)
            if ((axes >> i & 1) == last)
                order[n++] = i;
    struct real_tensor place = real_like(c, x);
    for (int64_t i = 0; i < x->count; i++)
        place.v[i] = (double)i;
    place = real_permuted(c, &place, order);
    r->x = x;
    r->groups = r->shape.count;
    r->members = r->groups ? x->count / r->groups : 0;
    r->at = arena_alloc(c->arena, (size_t)(x->count + 1) * sizeof *r->at);
    for (int64_t i = 0; i < x->count; i++)
        r->at[i] = (int64_t)place.v[i];
    if (!r->members)
        call_unknown(c, UNKNOWN_SHAPE);
    return !c->unknown;
}

static const struct real_tensor *reduced_tensor(const struct call_values *c)
{
    return call_tensor_at(c, 0, "input x self");
}

static bool reduction_of(struct call_values *c, int place, struct reduction *r)
{
    const struct real_tensor *x = reduced_tensor(c);
    return reduction_over(c, x, x ? call_axes(c, place, "dim axis", x->axes) : -1, r);
}

static double group_member(const struct reduction *r, int64_t group, int64_t i)
{
    return r->x->v[r->at[group * r->members + i]];
}

/* ---- sums ---- */

static double sum_of(const struct reduction *r, int64_t group, double *root)
{
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < r->members; i++) {
        double v = group_member(r, group, i);
        sum += v;
        squares += v * v;
    }
    *root = sqrt(squares);
    return sum;
}

static void sum_forward_by(struct call_values *c, bool mean)
{
    struct reduction r;
    if (!reduction_of(c, 1, &r))
        return;
    double by = mean ? (double)r.members : 1, n = 2 * sqrt((double)r.members), root;
    struct room out = room_for(c, 0, &r.shape, mean ? "mean" : "sum");
    for (int64_t g = 0; g < r.groups; g++) {
        out.y[g] = sum_of(&r, g, &root) / by;
        out.inside[g] = n * (root / by + fabs(out.y[g]));
    }
}

static void sum_backward_by(struct call_values *c, bool mean)
{
    struct reduction r;
    if (!reduction_of(c, 1, &r))
        return;
    struct real_tensor g = gradient_as(c, &r.shape);
    if (!g.v)
        return;
    struct room out = room_for(c, ANY_OUTPUT, r.x, mean ? "g / n" : "g");
    for (int64_t k = 0; k < r.groups; k++)
        for (int64_t i = 0; i < r.members; i++) {
            int64_t at = r.at[k * r.members + i];
            out.y[at] = g.v[k] / (mean ? (double)r.members : 1);
            out.roundings[at] = 2 * fabs(out.y[at]);
        }
}

static void sum_forward(struct call_values *c)
{
    sum_forward_by(c, false);
}

static void sum_backward(struct call_values *c)
{
    sum_backward_by(c, false);
}

static void mean_forward(struct call_values *c)
{
    sum_forward_by(c, true);
}

static void mean_backward(struct call_values *c)
{
    sum_backward_by(c, true);
}

static void compute_prod(struct call_values *c)
{
    struct reduction r;
    if (!reduction_of(c, 1, &r))
        return;
    struct room out = room_for(c, 0, &r.shape, "product of the elements");
    for (int64_t g = 0; g < r.groups; g++) {
        out.y[g] = 1;
        for (int64_t i = 0; i < r.members; i++)
            out.y[g] *= group_member(&r, g, i);
        out.roundings[g] = 2 * sqrt((double)r.members) * fabs(out.y[g]);
        out.inside[g] = 2 * (double)r.members * fabs(out.y[g]);
    }
}

/* ---- norms, variances ---- */

static double power_of(const struct call_values *c)
{
    const char *text = call_text(c, 1, "p ord");
    if (text && strcmp(text, "fro") == 0)
        return 2;
    return text ? NAN : call_number(c, 1, "p ord", 2);
}

static double norm_of(const struct reduction *r, int64_t group, double p)
{
    double sum = 0;
    for (int64_t i = 0; i < r->members; i++) {
        double v = fabs(group_member(r, group, i));
        sum = isinf(p) ? fmax(sum, v) : sum + (p == 2 ? v * v : v);
    }
    return p == 2 ? sqrt(sum) : sum;
}

static void norm_forward(struct call_values *c)
{
    struct reduction r;
    double p = power_of(c), root;
    if (p != 1 && p != 2 && !(isinf(p) && p > 0))
        return call_unknown(c, UNKNOWN_VARIANT);
    if (!reduction_of(c, 2, &r))
        return;
    double n = 2 * sqrt((double)r.members);
    struct room out = room_for(c, 0, &r.shape, "norm");
    for (int64_t g = 0; g < r.groups; g++) {
        out.y[g] = norm_of(&r, g, p);
        sum_of(&r, g, &root);
        out.inside[g] = isinf(p) ? 0 : n * (root + out.y[g]);
    }
}

/* Gradient of the 2-norm: g x / y, 0 if y is 0. */
static void norm_backward(struct call_values *c)
{
    struct reduction r;
    if (power_of(c) != 2)
        return call_unknown(c, UNKNOWN_VARIANT);
    if (!reduction_of(c, 2, &r))
        return;
    struct real_tensor g = gradient_as(c, &r.shape);
    if (!g.v)
        return;
    struct room out = room_for(c, ANY_OUTPUT, r.x, "g x / y");
    for (int64_t k = 0; k < r.groups; k++)
        for (int64_t i = 0; i < r.members; i++) {
            int64_t at = r.at[k * r.members + i];
            double y = c->result[0].v[k];
            out.y[at] = y > 0 ? g.v[k] * r.x->v[at] / y : 0;
            out.roundings[at] = 3 * fabs(out.y[at]);
            out.inside[at] = 4 * fabs(out.y[at]);
        }
}

/* The number subtracted from n; NAN if not recorded. */
static double correction_of(const struct call_values *c)
{
    const struct value *second = call_value(c, 1, "");
    if (call_value(c, -1, "correction ddof"))
        return call_number(c, -1, "correction ddof", 1);
    if (second && second->kind == VALUE_BOOL)
        return second->number;
    return call_number(c, 2, "unbiased", NAN);
}

static bool variance_axes(struct call_values *c, struct reduction *r)
{
    const struct value *second = call_value(c, 1, "");
    bool none = second && second->kind == VALUE_BOOL;
    return reduction_of(c, none ? -1 : 1, r);
}

static void variance_less(struct call_values *c, const struct reduction *r, bool root, double less)
{
    double n = (double)r->members;
    struct room out =
        room_for(c, 0, &r->shape, arena_fmt(c->arena, root ? "standard deviation, n - %g" : "variance, n - %g", less));
    for (int64_t g = 0; g < r->groups; g++) {
        double ignored, mean = sum_of(r, g, &ignored) / n, sum = 0;
        for (int64_t i = 0; i < r->members; i++)
            sum += (group_member(r, g, i) - mean) * (group_member(r, g, i) - mean);
        double v = sum / fmax(0, n - less), worse = 1 + (sum > 0 ? mean * mean * n / sum : 0);
        out.y[g] = root ? sqrt(v) : v;
        out.roundings[g] = fabs(out.y[g]);
        out.inside[g] = fabs(out.y[g]) * (8 + 4 * sqrt(n)) * worse;
    }
}

/* MindSpore has functions with either default. */
static void variance_as(struct call_values *c, bool root)
{
    struct reduction r;
    double less = correction_of(c);
    if (!variance_axes(c, &r))
        return;
    if (c->mindspore && isnan(less)) {
        variance_less(c, &r, root, 0);
        less = 1;
    }
    variance_less(c, &r, root, isnan(less) ? 1 : less);
}

static void compute_variance(struct call_values *c)
{
    variance_as(c, false);
}

static void compute_deviation(struct call_values *c)
{
    variance_as(c, true);
}

static void log_sum_exp(struct call_values *c)
{
    struct reduction r;
    if (!reduction_of(c, 1, &r))
        return;
    struct room out = room_for(c, 0, &r.shape, "log sum exp");
    for (int64_t g = 0; g < r.groups; g++) {
        double most = -INFINITY, sum = 0;
        for (int64_t i = 0; i < r.members; i++)
            most = fmax(most, group_member(&r, g, i));
        for (int64_t i = 0; i < r.members; i++)
            sum += exp(group_member(&r, g, i) - most);
        out.y[g] = most + log(sum);
        out.roundings[g] = 2 * fabs(out.y[g]);
        out.inside[g] = 2 * fabs(most) + fabs(log(sum)) + 8 + 2 * sqrt((double)r.members);
    }
}

/* Of elements that are all −inf the result counts as 0. */
static void log_sum_exp_backward(struct call_values *c)
{
    struct reduction r;
    if (!reduction_of(c, 1, &r))
        return;
    struct real_tensor g = gradient_as(c, &r.shape);
    if (!g.v)
        return;
    struct room out = room_for(c, ANY_OUTPUT, r.x, "g exp(x - y)");
    for (int64_t k = 0; k < r.groups; k++)
        for (int64_t i = 0; i < r.members; i++) {
            int64_t at = r.at[k * r.members + i];
            double y = c->result[0].v[k], power = r.x->v[at] - (isinf(y) ? 0 : y);
            out.y[at] = g.v[k] * exp(power);
            out.roundings[at] = out.y[at] != 0 ? (fabs(power) + 3) * fabs(out.y[at]) : 0;
            out.inside[at] = 4 * fabs(out.y[at]);
        }
}

/* ---- extremes ---- */

static bool is_better(double a, double b, bool largest)
{
    return largest ? a > b : a < b;
}

static int64_t best_member(const struct reduction *r, int64_t group, bool largest, bool *tied)
{
    int64_t best = 0;
    *tied = false;
    for (int64_t i = 1; i < r->members; i++) {
        double v = group_member(r, group, i), b = group_member(r, group, best);
        if (is_better(v, b, largest)) {
            best = i;
            *tied = false;
        } else if (!is_better(b, v, largest)) {
            *tied = true;
        }
    }
    return best;
}

/* The recorded index for a group if its element equals the extreme: frameworks differ in which of equal elements is
 * chosen. */
static int64_t recorded_among_best(const struct call_values *c, const struct reduction *r, int64_t group, int64_t best,
                                   int output)
{
    double at = output < c->outputs && c->output[output].count == r->groups ? c->output[output].v[group] : -1;
    bool within = at >= 0 && at < (double)r->members;
    return within && group_member(r, group, (int64_t)at) == group_member(r, group, best) ? (int64_t)at : best;
}

/* max, min, argmax and argmin, by output index; -1: none. */
static void compute_extreme(struct call_values *c, bool largest, int values, int indices)
{
    struct reduction r;
    if (!reduction_of(c, 1, &r))
        return;
    struct real_tensor y = real_like(c, &r.shape), index = real_like(c, &r.shape);
    for (int64_t g = 0; g < r.groups; g++) {
        bool tied;
        int64_t best = best_member(&r, g, largest, &tied);
        y.v[g] = group_member(&r, g, best);
        index.v[g] = (double)(indices < 0 ? best : recorded_among_best(c, &r, g, best, indices));
    }
    if (values >= 0)
        candidate_moved(c, values, &y, largest ? "max" : "min");
    if (indices >= 0)
        candidate_moved(c, indices, &index, largest ? "where the largest is" : "where the smallest is");
}

/* With an axis, values and indices are output (by MindSpore's primitives in the other order); with a second tensor it
 * is the elementwise maximum. */
static void extreme_by(struct call_values *c, bool largest)
{
    const struct value *second = call_value(c, 1, "other");
    if (second && second->kind == VALUE_TENSOR && second->tensor.axes) {
        const struct operator *pair = operator_find(largest ? STR("maximum") : STR("minimum"));
        return (c->backward ? pair->backward : pair->forward)(c);
    }
    bool index_first = strstr(c->operator, "withvalue");
    compute_extreme(c, largest, index_first ? 1 : 0, c->outputs > 1 ? !index_first : -1);
}

static void max_forward(struct call_values *c)
{
    extreme_by(c, true);
}

static void min_forward(struct call_values *c)
{
    extreme_by(c, false);
}

static void compute_argmax(struct call_values *c)
{
    compute_extreme(c, true, -1, 0);
}

static void compute_argmin(struct call_values *c)
{
    compute_extreme(c, false, -1, 0);
}

/* The gradient goes to the extreme; groups with several equal ones are not checked. */
static void extreme_backward(struct call_values *c, bool largest)
{
    const struct value *second = call_value(c, 1, "other");
    struct reduction r;
    if (second && second->kind == VALUE_TENSOR && second->tensor.axes)
        return extreme_by(c, largest);
    if (!reduction_of(c, 1, &r))
        return;
    struct real_tensor g = gradient_as(c, &r.shape), y = real_like(c, r.x);
    for (int64_t k = 0; g.v && k < r.groups; k++) {
        bool tied;
        int64_t best = best_member(&r, k, largest, &tied);
        for (int64_t i = 0; i < r.members && tied; i++)
            y.v[r.at[k * r.members + i]] = NAN;
        if (!tied)
            y.v[r.at[k * r.members + best]] = g.v[k];
    }
    if (g.v)
        candidate_moved(c, ANY_OUTPUT, &y, "g at the extreme, else 0");
}

static void max_backward(struct call_values *c)
{
    extreme_backward(c, true);
}

static void min_backward(struct call_values *c)
{
    extreme_backward(c, false);
}

static void compute_truth(struct call_values *c, bool all)
{
    struct reduction r;
    if (!reduction_of(c, 1, &r))
        return;
    struct real_tensor y = real_like(c, &r.shape);
    for (int64_t g = 0; g < r.groups; g++) {
        y.v[g] = all;
        for (int64_t i = 0; i < r.members; i++)
            if ((group_member(&r, g, i) != 0) != all)
                y.v[g] = !all;
    }
    candidate_moved(c, 0, &y, all ? "all" : "any");
}

static void all_of(struct call_values *c)
{
    compute_truth(c, true);
}

static void any_of(struct call_values *c)
{
    compute_truth(c, false);
}

/* ---- along an axis ---- */

static int axis_of(struct call_values *c, int place, int left_out)
{
    const struct real_tensor *x = reduced_tensor(c);
    int axis = x ? call_axis(c, place, "dim axis", x->axes, left_out) : -1;
    if (axis < 0)
        call_unknown(c, x ? UNKNOWN_SHAPE : UNKNOWN_ARGUMENT);
    return axis;
}

static void compute_cumsum(struct call_values *c)
{
    const struct real_tensor *x = reduced_tensor(c);
    int axis = axis_of(c, 1, -1);
    int64_t outer, n, inner;
    if (axis < 0)
        return;
    real_around(x, axis, &outer, &n, &inner);
    struct room r = room_for(c, 0, x, "running sum");
    for (int64_t row = 0; row < outer * inner; row++) {
        double sum = 0, squares = 0;
        for (int64_t i = 0; i < n; i++) {
            int64_t at = (row / inner * n + i) * inner + row % inner;
            sum += x->v[at];
            squares += x->v[at] * x->v[at];
            r.y[at] = sum;
            r.roundings[at] = i ? sqrt((double)i) * (sqrt(squares) + fabs(sum)) : 0;
            r.inside[at] = 2 * sqrt((double)(i + 1)) * (sqrt(squares) + fabs(sum));
        }
    }
}

/* The gradient of a cumulative sum is one from the other end. */
static void cumsum_backward(struct call_values *c)
{
    const struct real_tensor *x = reduced_tensor(c);
    int axis = axis_of(c, 1, -1);
    int64_t outer, n, inner;
    if (axis < 0)
        return;
    struct real_tensor g = gradient_as(c, x);
    if (!g.v)
        return;
    real_around(x, axis, &outer, &n, &inner);
    struct room r = room_for(c, ANY_OUTPUT, x, "running sum of g from the end");
    for (int64_t row = 0; row < outer * inner; row++) {
        double sum = 0, squares = 0;
        for (int64_t i = n - 1; i >= 0; i--) {
            int64_t at = (row / inner * n + i) * inner + row % inner;
            sum += g.v[at];
            squares += g.v[at] * g.v[at];
            r.y[at] = sum;
            r.roundings[at] = sqrt((double)(n - i)) * (sqrt(squares) + fabs(sum));
            r.inside[at] = 2 * sqrt((double)(n - i)) * (sqrt(squares) + fabs(sum));
        }
    }
}

static int compare_ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The first `most` of a row in order; only values, so the choice among equal ones does not matter. */
static void sorted_values(struct call_values *c, int axis, int64_t most, bool descending)
{
    const struct real_tensor *x = reduced_tensor(c);
    int64_t outer, n, inner;
    real_around(x, axis, &outer, &n, &inner);
    struct real_tensor y = *x;
    if (most < 0 || most > n)
        return call_unknown(c, UNKNOWN_SHAPE);
    y.shape[axis] = most;
    y = real_new(c, y.axes, y.shape);
    double *row = real_array(c, n);
    for (int64_t k = 0; k < outer * inner; k++) {
        for (int64_t i = 0; i < n; i++)
            row[i] = x->v[(k / inner * n + i) * inner + k % inner];
        qsort(row, (size_t)n, sizeof *row, compare_ascending);
        for (int64_t i = 0; i < most; i++)
            y.v[(k / inner * most + i) * inner + k % inner] = row[descending ? n - 1 - i : i];
    }
    candidate_moved(c, 0, &y, "in order");
}

static void compute_sort(struct call_values *c)
{
    int axis = axis_of(c, 1, -1);
    if (axis >= 0)
        sorted_values(c, axis, reduced_tensor(c)->shape[axis], call_number(c, 2, "descending", 0) != 0);
}

/* With sorted=False any order is allowed. */
static void compute_topk(struct call_values *c)
{
    int axis = axis_of(c, 2, -1);
    if (call_number(c, 4, "sorted", 1) == 0)
        return call_unknown(c, UNKNOWN_VARIANT);
    if (axis >= 0)
        sorted_values(c, axis, call_whole(c, 1, "k", 0), call_number(c, 3, "largest", 1) != 0);
}

/* Gradients go to the places recorded as chosen. */
static void chosen_backward(struct call_values *c)
{
    const struct real_tensor *x = reduced_tensor(c), *index = c->results > 1 ? &c->result[1] : NULL;
    int axis = axis_of(c, strstr(c->operator, "topk") ? 2 : 1, -1);
    int64_t outer, n, inner;
    if (axis < 0 || !index)
        return call_unknown(c, UNKNOWN_ARGUMENT);
    struct real_tensor g = gradient_as(c, index), y = real_like(c, x);
    int64_t most = index->axes > axis ? index->shape[axis] : 0;
    real_around(x, axis, &outer, &n, &inner);
    if (!g.v || index->count != outer * most * inner)
        return call_unknown(c, UNKNOWN_SHAPE);
    for (int64_t i = 0; i < g.count; i++)
        if (index->v[i] >= 0 && index->v[i] < (double)n)
            y.v[(i / inner / most * n + (int64_t)index->v[i]) * inner + i % inner] = g.v[i];
    candidate_moved(c, ANY_OUTPUT, &y, "g where chosen, else 0");
}

const struct operator operators_reduce[] = {
    {.names = "sum reducesum sumext", .forward = sum_forward, .backward = sum_backward, .source = "torch.sum",
     .misfit = misfit_reduce},
    {.names = "mean reducemean meanext", .forward = mean_forward, .backward = mean_backward, .source = "torch.mean",
     .misfit = misfit_reduce},
    {.names = "prod reduceprod prodext", .forward = compute_prod, .source = "torch.prod", .misfit = misfit_reduce},
    {.names = "norm vector_norm linalg_vector_norm",
     .forward = norm_forward,
     .backward = norm_backward,
     .source = "torch.norm"},
    {.names = "var", .forward = compute_variance, .source = "torch.var"},
    {.names = "std", .forward = compute_deviation, .source = "torch.std"},
    {.names = "logsumexp",
     .forward = log_sum_exp,
     .backward = log_sum_exp_backward,
     .source = "torch.logsumexp",
     .misfit = misfit_reduce},
    {.names = "max amax reducemax argmaxwithvalue maxdim",
     .forward = max_forward,
     .backward = max_backward,
     .source = "torch.max",
     .misfit = misfit_reduce},
    {.names = "min amin reducemin argminwithvalue mindim",
     .forward = min_forward,
     .backward = min_backward,
     .source = "torch.min",
     .misfit = misfit_reduce},
    {.names = "argmax argmaxext", .forward = compute_argmax, .source = "torch.argmax",
     .misfit = misfit_reduce},
    {.names = "argmin argminext", .forward = compute_argmin, .source = "torch.argmin",
     .misfit = misfit_reduce},
    {.names = "all reduceall", .forward = all_of, .source = "torch.all", .misfit = misfit_reduce},
    {.names = "any reduceany", .forward = any_of, .source = "torch.any", .misfit = misfit_reduce},
    {.names = "cumsum cumsumext", .forward = compute_cumsum, .backward = cumsum_backward, .source = "torch.cumsum",
     .misfit = misfit_along},
    {.names = "sort sortext", .forward = compute_sort, .backward = chosen_backward, .source = "torch.sort",
     .misfit = misfit_along},
    {.names = "topk topkext", .forward = compute_topk, .backward = chosen_backward, .source = "torch.topk"},
    {.names = NULL},
};
