/* Different activation functions: fits the function of each side from its own inputs and outputs. */
#include <math.h>
#include <stdlib.h>

#include "base/msg.h"
#include "base/num.h"
#include "diagnose/activation_fit.h"
#include "diagnose/call_tensors.h"
#include "diagnose/diagnosis_case.h"
#include "dump/family.h"
#include "pair/align_item.h"

#define CHOSEN_FROM 2048   /* elements used to choose the function; then all must agree */
#define EXACT_FIT   1e-5 /* relative error of the correct float32 activation, with tolerance for kernels */

/* Input and output of a call on one side. */
struct passed {
    struct element_sample x, y;
};

static void passed_release(struct passed *a)
{
    element_sample_release(&a->x);
    element_sample_release(&a->y);
}

static bool passed_read(struct passed *a, const struct dump *d, uint32_t output)
{
    uint32_t input = call_input(d, d->rows.v[output].call, 0);
    memset(a, 0, sizeof *a);
    if (input == NONE || dump_row_numel(d, input) != dump_row_numel(d, output) || !tensor_values(d, input, &a->x))
        return false;
    return tensor_values(d, output, &a->y) && a->x.n == a->y.n;
}

static bool all_finite(const double *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(v[i]))
            return false;
    return true;
}

/* Chosen on elements spread over the tensor, then compared with all. */
static struct activation fit_passed(const struct passed *a, double *left2)
{
    size_t step = a->x.n / CHOSEN_FROM + 1, n = 0;
    double *x = mem_alloc((a->x.n / step + 1) * sizeof(double)), *y = mem_alloc((a->x.n / step + 1) * sizeof(double));
    for (size_t i = 0; i < a->x.n; i += step, n++) {
        x[n] = a->x.v[0][i];
        y[n] = a->y.v[0][i];
    }
    struct activation best = activation_fit(x, y, n, left2);
    free(x);
    free(y);
    if (best.kind >= 0)
        *left2 = activation_left(best, a->x.v[0], a->y.v[0], a->x.n);
    return best;
}

static double sum_of_squares(const double *v, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += v[i] * v[i];
    return sum;
}

static double activation_tolerance(const struct passed *a)
{
    return fmax(EXACT_FIT, dtype_table[dtype_coarser(a->x.dtype[0], a->y.dtype[0])].epsilon);
}

static void say_activation(struct diagnosis_case *p, const char *call, const struct activation f[2],
                           const double left[2])
{
    struct buf name[2] = {{0}, {0}};
    char n[2][NUM_MAX];
    for (int s = 0; s < 2; s++)
        activation_text(f[s], &name[s]);
    case_found(p, DIAGNOSIS_ACTIVATION, BOTH_SIDES, 1,
               _("by a fit of its inputs and outputs, %s computes %s on the target and %s on the golden side (relative "
                 "errors %s and %s)"),
               call, name[TARGET].p, name[GOLDEN].p, num_cell(n[0], left[0], 2), num_cell(n[1], left[1], 2));
    buf_release(&name[0]);
    buf_release(&name[1]);
}

/* Whether each side fits a function and the golden side's does not fit the target. */
static bool by_elements(struct diagnosis_case *p, const uint32_t output[2])
{
    struct passed a[2];
    struct activation f[2];
    double left2[2], own2[2], left[2], dev2 = 0;
    memset(a, 0, sizeof a);
    bool good = passed_read(&a[0], p->side[0], output[0]) && passed_read(&a[1], p->side[1], output[1]) &&
                a[0].y.n == a[1].y.n && a[0].y.n >= 8;
    for (int s = 0; s < 2 && good; s++)
        good = all_finite(a[s].x.v[0], a[s].x.n) && all_finite(a[s].y.v[0], a[s].y.n);
    for (size_t i = 0; good && i < a[0].y.n; i++)
        dev2 += (a[0].y.v[0][i] - a[1].y.v[0][i]) * (a[0].y.v[0][i] - a[1].y.v[0][i]);
    for (int s = 0; s < 2 && good; s++) {
        f[s] = fit_passed(&a[s], &left2[s]);
        own2[s] = sum_of_squares(a[s].y.v[0], a[s].y.n);
        left[s] = own2[s] > 0 ? sqrt(left2[s] / own2[s]) : 1;
        good = f[s].kind >= 0 && left[s] <= activation_tolerance(&a[s]) && left2[s] <= LEFT_OVER * dev2;
    }
    bool said =
        good &&
        activation_left(f[GOLDEN], a[TARGET].x.v[0], a[TARGET].y.v[0], a[TARGET].x.n) > left2[TARGET] / LEFT_OVER &&
        activation_left(f[TARGET], a[GOLDEN].x.v[0], a[GOLDEN].y.v[0], a[GOLDEN].x.n) > left2[GOLDEN] / LEFT_OVER;
    if (said)
        say_activation(p, p->side[TARGET]->calls.v[p->side[TARGET]->rows.v[output[TARGET]].call].name, f, left);
    passed_release(&a[0]);
    passed_release(&a[1]);
    return said;
}

/* ---- by figures ---- */

static bool row_extremes(const struct dump *d, uint32_t row, double v[2])
{
    const struct row *r = &d->rows.v[row];
    v[0] = r->stat[STAT_MAX];
    v[1] = r->stat[STAT_MIN];
    return (r->has & (HAS_MAX | HAS_MIN)) == (HAS_MAX | HAS_MIN) && isfinite(v[0]) && isfinite(v[1]) && v[0] > v[1];
}

/* The functions that a side's figures allow, reduced to the call's name if that is among them. */
static uint32_t possible_functions(const struct dump *d, uint32_t output)
{
    uint32_t call = d->rows.v[output].call, input = call_input(d, call, 0), bits, called;
    double x[2], y[2], printed = d->digits < 15 ? pow(10, 1 - d->digits) : 0;
    if (input == NONE || dump_row_numel(d, input) != dump_row_numel(d, output) || !row_extremes(d, input, x) ||
        !row_extremes(d, output, y))
        return 0;
    bits = activations_possible(x, y, fmax(fmax(2e-6, printed), dtype_table[d->rows.v[output].dtype].epsilon));
    called = bits & activations_called(align_item_operator(d, call));
    return called ? called : bits;
}

static void names_of(uint32_t bits, struct buf *out)
{
    for (int k = 0; k < 32; k++)
        if (bits >> k & 1)
            buf_fmt(out, out->n ? _(" or %s") : "%s", activation_name(k));
}

static bool by_figures(struct diagnosis_case *p, const uint32_t output[2])
{
    uint32_t bits[2] = {possible_functions(p->side[0], output[0]), possible_functions(p->side[1], output[1])};
    struct buf name[2] = {{0}, {0}};
    if (!bits[0] || !bits[1] || bits[0] & bits[1])
        return false;
    for (int s = 0; s < 2; s++)
        names_of(bits[s], &name[s]);
    case_found(p, DIAGNOSIS_ACTIVATION, BOTH_SIDES, 0.9,
               _("max and min of the input and output of %s match %s on the target and %s on the golden side; the "
                 "elements were not recorded"),
               p->side[TARGET]->calls.v[p->side[TARGET]->rows.v[output[TARGET]].call].name, name[TARGET].p,
               name[GOLDEN].p);
    buf_release(&name[0]);
    buf_release(&name[1]);
    return true;
}

/* ---- finding the call ---- */

static bool is_activation(const struct dump *d, uint32_t call)
{
    return d->calls.v[call].family == FAMILY_ACTIVATION || activations_called(align_item_operator(d, call)) > 1;
}

/* The nearest earlier activation whose output holds the row's value. */
static uint32_t own_activation(const struct diagnosis_case *p, int side, uint32_t row)
{
    const struct dump *d = p->side[side];
    row = row == NONE ? NONE : value_output(d, &p->flow[side], row);
    for (int i = 0; row != NONE && i < MAKERS_MOST; i++, row = value_output_before(d, &p->flow[side], row))
        if (is_activation(d, d->rows.v[row].call))
            return row;
    return NONE;
}

/* Whether a call was made in the same module as another, or in the enclosing one. */
static bool made_beside(const struct dump *d, uint32_t call, uint32_t other)
{
    uint32_t up = d->calls.v[call].parent, own = d->calls.v[other].parent;
    uint32_t around = own == NONE ? NONE : d->calls.v[own].parent;
    for (int i = 0; up != NONE && i < 2; i++, up = d->calls.v[up].parent)
        if (up == other || up == own || up == around)
            return true;
    return false;
}

/* The output of the last unpaired activation before this row near its call, and the number of such activations. */
static uint32_t lone_activation(const struct diagnosis_case *p, int side, int *count)
{
    const struct dump *d = p->side[side];
    uint32_t call = d->rows.v[p->row[side]].call, last = NONE;
    *count = 0;
    for (uint32_t c = call; c-- > 0 && call - c < 64;) {
        if (d->calls.v[c].phase != PHASE_FORWARD || !made_beside(d, c, call) || !is_activation(d, c))
            continue;
        EACH_EARLY_ROW(d, c, r)
            if (d->rows.v[r].io == IO_OUTPUT && patient_partner(p, side, r) == NONE) {
                last = last == NONE ? r : last;
                ++*count;
            }
    }
    return last;
}

/* Whether both inputs are equal by figures, so that the activations themselves differ. */
static bool fed_alike(const struct diagnosis_case *p, const uint32_t output[2])
{
    double v[2][2];
    for (int s = 0; s < 2; s++) {
        uint32_t input = call_input(p->side[s], p->side[s]->rows.v[output[s]].call, 0);
        if (input == NONE || !row_extremes(p->side[s], input, v[s]))
            return false;
    }
    double unit = fmax(fabs(v[GOLDEN][0]), fabs(v[GOLDEN][1]));
    return fabs(v[0][0] - v[1][0]) <= 0.01 * unit && fabs(v[0][1] - v[1][1]) <= 0.01 * unit;
}

#define NEAR_CALLS 64 /* calls before the row's own among which its activation is looked for */

/* Whether a call is a function of its own and not a part of one that is written out: x sigmoid(x). */
static bool whole_activation(const struct dump *d, uint32_t call)
{
    static const char *const parts[] = {"sigmoid", "tanh", "erf", "softplus"};
    if (!is_activation(d, call) || activations_called(align_item_operator(d, call)) <= 1)
        return false;
    for (size_t i = 0; i < ARRAY_LEN(parts); i++)
        if (align_item_does(d, call, str_of(parts[i])))
            return false;
    return true;
}

static bool is_paired_product(const struct diagnosis_case *p, int side, uint32_t call)
{
    const struct dump *d = p->side[side];
    if (d->calls.v[call].family != FAMILY_LINEAR && d->calls.v[call].family != FAMILY_CONV)
        return false;
    EACH_EARLY_ROW(d, call, r)
        if (d->rows.v[r].io == IO_OUTPUT && patient_partner(p, side, r) != NONE)
            return true;
    return false;
}

/* The first activation between the row's call and the product before it; NONE if there is none, or if several compute
 * different functions. */
static uint32_t activation_before(const struct diagnosis_case *p, int side)
{
    const struct dump *d = p->side[side];
    uint32_t call = d->rows.v[p->row[side]].call, found = NONE, bits = 0;
    for (uint32_t c = call; c-- > 0 && call - c < NEAR_CALLS && !is_paired_product(p, side, c);) {
        if (d->calls.v[c].phase != PHASE_FORWARD || !is_activation(d, c))
            continue;
        uint32_t own = activations_called(align_item_operator(d, c));
        if (!whole_activation(d, c) || (found != NONE && !(own & bits)))
            return NONE;
        bits = own;
        found = c;
    }
    return found;
}

/* Where results were not recorded: functions that are different by their names, called on one value. */
static void by_names(struct diagnosis_case *p)
{
    uint32_t call[2], input[2], bits[2];
    double v[2][2];
    enum family f = (enum family)p->side[TARGET]->calls.v[p->call].family;
    if (p->r[TARGET]->io != IO_OUTPUT || (f != FAMILY_LINEAR && f != FAMILY_CONV))
        return;
    for (int s = 0; s < 2; s++) {
        call[s] = activation_before(p, s);
        input[s] = call[s] == NONE ? NONE : call_input(p->side[s], call[s], 0);
        if (input[s] == NONE || !row_extremes(p->side[s], input[s], v[s]))
            return;
        bits[s] = activations_called(align_item_operator(p->side[s], call[s]));
    }
    double unit = fmax(fabs(v[GOLDEN][0]), fabs(v[GOLDEN][1]));
    if (bits[0] & bits[1] || fabs(v[0][0] - v[1][0]) > 0.01 * unit || fabs(v[0][1] - v[1][1]) > 0.01 * unit ||
        dump_row_numel(p->side[0], input[0]) != dump_row_numel(p->side[1], input[1]))
        return;
    struct str name[2] = {align_item_operator(p->side[0], call[0]), align_item_operator(p->side[1], call[1])};
    case_found(p, DIAGNOSIS_ACTIVATION, BOTH_SIDES, 0.6,
               _("before this product the target calls %.*s and the golden side %.*s on the same value; results were "
                 "not recorded on both sides"), STR_ARG(name[0]), STR_ARG(name[1]));
}

/* Diagnoses the call that produced the row's value, or for an output the producer of its call's first input if that
 * deviates or was not compared. */
static bool made_by_activation(struct diagnosis_case *p, bool of_input)
{
    uint32_t output[2];
    for (int s = 0; s < 2; s++) {
        uint32_t row = of_input ? call_input(p->side[s], p->side[s]->rows.v[p->row[s]].call, 0) : p->row[s];
        const struct line_judgement *x = row == NONE ? NULL : patient_judged(p, s, row);
        if (of_input && (!x || verdict_is_accepted((enum verdict)x->verdict)))
            return false;
        output[s] = own_activation(p, s, row);
    }
    return output[0] != NONE && output[1] != NONE && (by_elements(p, output) || by_figures(p, output));
}

void detect_activation(struct diagnosis_case *p)
{
    uint32_t output[2];
    int count[2];
    if (p->side[TARGET]->calls.v[p->call].phase != PHASE_FORWARD || made_by_activation(p, false) ||
        (p->r[TARGET]->io == IO_OUTPUT && made_by_activation(p, true)))
        return;
    for (int s = 0; s < 2; s++)
        output[s] = lone_activation(p, s, &count[s]);
    bool both = output[0] != NONE && output[1] != NONE;
    if (both && count[0] == count[1] && fed_alike(p, output) && !by_elements(p, output))
        by_figures(p, output);
    else if (!both)
        by_names(p);
}
