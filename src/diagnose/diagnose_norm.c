/* A normalisation recomputed on each side: another epsilon, another mode, a rounded input. */
#include <math.h>

#include "base/msg.h"
#include "base/num.h"
#include "diagnose/call_tensors.h"
#include "diagnose/diagnosis_case.h"
#include "diagnose/norm_fit.h"
#include "dump/family.h"
#include "pair/align_item.h"

#define EXACT_NORM  3e-5  /* relative error of a recomputed float32 norm, with tolerance for kernels */
#define SHARE_LEAST 0.25 /* share of the deviation (squares) that a finding must explain */

enum { PART_WEIGHT, PART_BIAS, PART_MEAN, PART_VARIANCE, PARTS };

/* One side's norm: its tensors as norm_data. */
struct fitted_side {
    struct element_sample x, y, part[PARTS];
    uint32_t row[PARTS];
    struct norm_data d;
    struct norm_fit fit;
};

static void norm_release(struct fitted_side *a)
{
    element_sample_release(&a->x);
    element_sample_release(&a->y);
    for (int i = 0; i < PARTS; i++)
        element_sample_release(&a->part[i]);
}

/* By family or class: "BatchNorm2d". */
static bool is_norm(const struct dump *d, uint32_t call)
{
    return d->calls.v[call].family == FAMILY_NORM ||
           (d->calls.v[call].kind == CALL_MODULE && str_ihas(align_item_operator(d, call), "norm"));
}

/* The output of the nearest earlier norm with the row's value. */
static uint32_t norm_output(const struct diagnosis_case *p, int side)
{
    const struct dump *d = p->side[side];
    uint32_t row = value_output(d, &p->flow[side], p->row[side]);
    for (int i = 0; row != NONE && i < MAKERS_MOST; i++, row = value_output_before(d, &p->flow[side], row))
        if (is_norm(d, d->rows.v[row].call))
            return row;
    return NONE;
}

/* Vectors passed by position after the input: only weight and bias, or running statistics before them (torch) or
 * after them (MindSpore). */
static void parts_by_place(const struct dump *d, uint32_t call, bool behind, uint32_t row[PARTS])
{
    uint32_t given[PARTS], n = 0;
    for (int i = 1; n < PARTS; i++) {
        uint32_t r = call_input(d, call, i);
        if (r == NONE)
            break;
        const struct shape *s = dump_row_shape(d, r);
        if (s && s->ndim == 1)
            given[n++] = r;
    }
    for (uint32_t i = 0; i < n; i++)
        row[n == PARTS && !behind ? (i + PARTS / 2) % PARTS : i] = given[i];
}

static void find_parts(const struct dump *d, uint32_t call, bool behind, uint32_t row[PARTS])
{
    static const char *const words[PARTS] = {"weight gamma", "bias beta", "running_mean moving_mean",
                                             "running_var moving_variance"};
    bool named = false;
    for (int i = 0; i < PARTS; i++) {
        row[i] = call_tensor(d, call, words[i]);
        named = named || row[i] != NONE;
    }
    if (!named)
        parts_by_place(d, call, behind, row);
}

/* A layer norm over several axes has a weight for each of their positions: they are treated as one axis. */
static void last_axes_as_one(struct element_sample *s, size_t width)
{
    size_t n = 1;
    for (int i = s->ndim - 1; i > 0; i--) {
        n *= (size_t)s->shape[i];
        if (n == width && i < s->ndim - 1) {
            s->shape[i] = (int64_t)n;
            s->ndim = i + 1;
            return;
        }
    }
}

static bool read_norm(struct fitted_side *a, const struct dump *d, uint32_t output, bool behind)
{
    uint32_t call = d->rows.v[output].call, input = call_input(d, call, 0);
    const double *v[PARTS] = {NULL};
    memset(a, 0, sizeof *a);
    for (int i = 0; i < PARTS; i++)
        a->row[i] = NONE;
    if (input == NONE || dump_row_numel(d, input) != dump_row_numel(d, output) || !tensor_values(d, input, &a->x) ||
        !tensor_values(d, output, &a->y) || a->x.n != a->y.n || a->x.n < 8 || a->y.ndim < 1)
        return false;
    find_parts(d, call, behind, a->row);
    for (int i = 0; i < PARTS; i++)
        if (a->row[i] != NONE && tensor_values(d, a->row[i], &a->part[i])) {
            if (a->d.width && a->d.width != a->part[i].n)
                return false;
            a->d.width = a->part[i].n;
            v[i] = a->part[i].v[0];
        }
    a->d.x = a->x.v[0];
    a->d.y = a->y.v[0];
    a->d.n = a->x.n;
    last_axes_as_one(&a->y, a->d.width);
    a->d.ndim = a->y.ndim;
    a->d.shape = a->y.shape;
    a->d.weight = v[PART_WEIGHT];
    a->d.bias = v[PART_BIAS];
    a->d.mean = v[PART_MEAN];
    a->d.variance = v[PART_VARIANCE];
    for (size_t i = 0; i < a->d.n; i++)
        if (!isfinite(a->d.x[i]) || !isfinite(a->d.y[i]))
            return false;
    return true;
}

/* The largest residual of a side's values for an accepted fit. */
static double most_left(const struct fitted_side *a, double dev2)
{
    double sum = 0, rel = fmax(EXACT_NORM, dtype_table[dtype_coarser(a->x.dtype[0], a->y.dtype[0])].epsilon);
    for (size_t i = 0; i < a->d.n; i++)
        sum += a->d.y[i] * a->d.y[i];
    return fmin(LEFT_OVER * dev2, rel * rel * sum);
}

/* Reads and fits a side, trying both positions of running statistics. */
static bool fit_side(const struct diagnosis_case *p, int side, uint32_t output, double dev2, struct fitted_side *a)
{
    for (int behind = 0; behind < 2; behind++) {
        if (read_norm(a, p->side[side], output, behind) && norm_fit(&a->d, most_left(a, dev2), &a->fit))
            return true;
        bool again = a->row[PART_VARIANCE] != NONE;
        norm_release(a);
        memset(a, 0, sizeof *a);
        if (!again)
            return false;
    }
    return false;
}

static double squared_deviation(const struct diagnosis_case *p, const uint32_t output[2])
{
    struct element_sample y[2];
    double dev2 = 0;
    if (!tensor_values(p->side[0], output[0], &y[0]))
        return 0;
    if (tensor_values(p->side[1], output[1], &y[1])) {
        for (size_t i = 0; y[0].n == y[1].n && i < y[0].n; i++)
            dev2 += (y[0].v[0][i] - y[1].v[0][i]) * (y[0].v[0][i] - y[1].v[0][i]);
        element_sample_release(&y[1]);
    }
    element_sample_release(&y[0]);
    return dev2;
}

static void kind_text(const struct norm_fit *f, struct buf *out)
{
    switch (f->kind) {
    case NORM_RMS:
        buf_cstr(out, _("a norm without mean subtraction"));
        break;
    case NORM_LAYER:
    case NORM_CHANNEL:
        buf_cstr(out, _("a layer norm"));
        break;
    case NORM_BATCH:
        buf_cstr(out, _("a batch norm with this batch's statistics (training)"));
        break;
    case NORM_RUNNING:
        buf_cstr(out, _("a batch norm with running statistics (evaluation)"));
        break;
    case NORM_GROUP:
        buf_fmt(out, _("a group norm of %lld groups"), (long long)f->groups);
        break;
    }
}

#define AS_GOOD 1.5     /* residuals up to this ratio tell no epsilon from another */
#define TELLS_DIGITS 0.1 /* of an epsilon: where so much more is told, its digits are written */

/* An epsilon as far as the values determine it: "1e-5", "about 0.3", "at most 0.002". */
static void epsilon_text(const struct fitted_side *a, struct buf *out)
{
    double e = a->fit.epsilon, as_good = AS_GOOD * norm_left(&a->d, &a->fit, e), most = e;
    char n[NUM_MAX];
    if (norm_left(&a->d, &a->fit, e * (1 + TELLS_DIGITS)) > as_good) {
        buf_cstr(out, num_cell(n, e, 3));
    } else if (norm_left(&a->d, &a->fit, 0) > as_good) {
        buf_fmt(out, _("about %s"), num_cell(n, e, 1));
    } else {
        while (most > 0 && most < 1 && norm_left(&a->d, &a->fit, most) <= as_good)
            most *= 2;
        buf_fmt(out, _("at most %s"), num_cell(n, most, 1));
    }
}

static void say_epsilon(struct diagnosis_case *p, const struct fitted_side a[2], double left)
{
    char n[DIAGNOSIS_LEFT_MAX];
    struct buf e[2] = {{0}, {0}};
    for (int s = 0; s < 2; s++)
        epsilon_text(&a[s], &e[s]);
    case_found(p, DIAGNOSIS_EPSILON, BOTH_SIDES, 0.99 - left,
               _("recomputed from the input, the norm has the epsilon %s on the target and %s on the golden side; %s"),
               e[TARGET].p, e[GOLDEN].p, diagnosis_left_text(n, left));
    for (int s = 0; s < 2; s++)
        buf_release(&e[s]);
}

static void say_kind(struct diagnosis_case *p, const struct fitted_side a[2])
{
    struct buf what[2] = {{0}, {0}};
    for (int s = 0; s < 2; s++)
        kind_text(&a[s].fit, &what[s]);
    case_found(p, DIAGNOSIS_ARGUMENT, BOTH_SIDES, 0.98,
               _("the output is %s on the target and %s on the golden side"), what[TARGET].p, what[GOLDEN].p);
    buf_release(&what[0]);
    buf_release(&what[1]);
}

static void say_rounded(struct diagnosis_case *p, const struct fitted_side a[2], int side, double left)
{
    char n[DIAGNOSIS_LEFT_MAX];
    case_found(p, DIAGNOSIS_ROUNDED, side, 0.98 - left,
               _("the output of the %s is the norm of its input rounded to %s; the output of the other side is not; "
                 "%s"),
               diagnosis_side_word(side), dtype_table[a[side].fit.rounded].name, diagnosis_left_text(n, left));
}

static bool same_form(const struct norm_fit *a, const struct norm_fit *b)
{
    return a->kind == b->kind && a->groups == b->groups;
}

/* If the target's norm also fits the golden side's form, that form is used: small tensors fit several. */
static void agree_on_form(struct fitted_side a[2], double dev2)
{
    struct norm_fit f = a[GOLDEN].fit;
    if (same_form(&f, &a[TARGET].fit))
        return;
    f.rounded = a[TARGET].fit.rounded;
    norm_refit(&a[TARGET].d, &f);
    if (f.left2 <= most_left(&a[TARGET], dev2))
        a[TARGET].fit = f;
}

static void compare_norms(struct diagnosis_case *p, struct fitted_side a[2], double dev2)
{
    double left = sqrt(fmax(a[0].fit.left2, a[1].fit.left2) / dev2), made;
    agree_on_form(a, dev2);
    if (!same_form(&a[TARGET].fit, &a[GOLDEN].fit)) {
        say_kind(p, a);
        return;
    }
    if (a[TARGET].fit.rounded != a[GOLDEN].fit.rounded) {
        int side = a[TARGET].fit.rounded ? TARGET : GOLDEN;
        if (!a[!side].fit.rounded)
            say_rounded(p, a, side, left);
        return;
    }
    made = norm_left(&a[TARGET].d, &a[TARGET].fit, a[GOLDEN].fit.epsilon);
    if (isfinite(made) && made >= SHARE_LEAST * dev2 && made > a[TARGET].fit.left2 / LEFT_OVER)
        say_epsilon(p, a, left);
}

void detect_norm(struct diagnosis_case *p)
{
    uint32_t output[2] = {norm_output(p, TARGET), norm_output(p, GOLDEN)};
    struct fitted_side a[2];
    if (output[0] == NONE || output[1] == NONE || p->side[TARGET]->calls.v[p->call].phase != PHASE_FORWARD)
        return;
    double dev2 = squared_deviation(p, output);
    if (!(dev2 > 0) || !fit_side(p, TARGET, output[TARGET], dev2, &a[TARGET]))
        return;
    if (fit_side(p, GOLDEN, output[GOLDEN], dev2, &a[GOLDEN])) {
        compare_norms(p, a, dev2);
        norm_release(&a[GOLDEN]);
    }
    norm_release(&a[TARGET]);
}
