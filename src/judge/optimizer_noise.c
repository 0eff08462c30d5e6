/* Compares a parameter's differences with the steps that noise can invert: few, spread, and of one step's size. */
#include "judge/optimizer_noise.h"

#include <math.h>
#include <string.h>

#include "dump/recorded_figures.h"
#include "judge/conditioning.h"
#include "judge/pass_rows.h"
#include "judge/thresholds.h"
#include "measure/element_sample.h"
#include "pair/align_item.h"
#include "pair/call_arguments.h"

#define PART 0.05       /* of a step: a difference above it is an inverted step */
#define TYPICAL 0.005   /* of a step: half of the elements differ by less; another learning rate changes all of them */
#define FEW_NARROW 0.03 /* share of elements whose gradient is within the noise of 16-bit arithmetic */
#define FEW_COARSE 0.01 /* of products with rounded operands */
#define FEW 1e-4
#define ROW_LEAST 8     /* shorter rows show no structure */
#define ALONG 0.3       /* correlation with the values from which on a difference follows them (weight decay) */
#define LARGEST 0.05    /* of the elements' root mean square: training takes no larger step */
#define HAD_NONE 20     /* of so many moved elements, one may have lacked a gradient in an earlier step */
#define MORE 4          /* times the largest step: another learning rate of some parameters, or several steps */

static bool noise_is_spread(const double *t, const double *g, size_t n, size_t width, double part)
{
    for (size_t row = 0; row + width <= n; row += width) {
        size_t moved = 0;
        for (size_t i = row; i < row + width; i++)
            moved += fabs(t[i] - g[i]) > part;
        if (2 * moved > width && width >= ROW_LEAST)
            return false;
    }
    for (size_t column = 0; column < width && n / width >= ROW_LEAST; column++) {
        size_t moved = 0;
        for (size_t i = column; i < n; i += width)
            moved += fabs(t[i] - g[i]) > part;
        if (2 * moved > n / width)
            return false;
    }
    return true;
}

bool optimizer_noise_in(const double *t, const double *g, size_t n, size_t width, double step, double few)
{
    size_t moved = 0, typical = 0;
    double rest2 = 0, g2 = 0, along = 0, whole2 = 0;
    for (size_t i = 0; i < n; i++) {
        double apart = t[i] - g[i];
        if (!(fabs(apart) <= MORE * step))
            return false;
        whole2 += g[i] * g[i];
        typical += fabs(apart) <= TYPICAL * step;
        if (fabs(apart) > PART * step) {
            moved++;
            continue;
        }
        rest2 += apart * apart;
        g2 += g[i] * g[i];
        along += apart * g[i];
    }
    bool follows = rest2 > 0 && fabs(along) > fmax(ALONG, 3 / sqrt((double)n)) * sqrt(rest2 * g2);
    double hardly = 1e-5 * 1e-5 * whole2, expected = few * (double)n;
    bool rare = (double)moved <= expected + 3 * sqrt(expected) + 1;
    return n && rare && 2 * typical >= n && (!follows || rest2 <= hardly) &&
           noise_is_spread(t, g, n, width, PART * step);
}

/* The largest difference of an element of the parameters, as far as it can be a step: an inverted
 * one, if there is any. Often one element of one parameter is inverted and nothing else. */
static double largest_step(struct judge_pass *p)
{
    double step = 0;
    for (uint32_t i = 0; i < p->m->lines; i++) {
        const struct line *l = &p->m->pairing->lines.v[i];
        if (l->pair == NONE || p->state[i] != MEASURE_DONE || !p->m->figures[i]->two)
            continue;
        const struct verdict_case k = verdict_case_of(p, i);
        const struct shape *s = dump_row_shape(p->side[TARGET], k.row[TARGET]);
        const struct side_figures *g = &k.f->side[GOLDEN];
        bool small = k.f->max_abs <= LARGEST * g->norm / sqrt((double)g->count);
        if (s && s->ndim > 0 && small && row_verdict_is_parameter(p, &k))
            step = fmax(step, k.f->max_abs);
    }
    return step;
}

/* The module's record of the parameter that this row holds, or a later row with its value; NONE. */
static uint32_t recorded_parameter(const struct judge_pass *p, uint32_t row)
{
    const struct dump *d = p->side[TARGET];
    for (uint32_t r = row; r < d->rows.n; r++)
        if (d->rows.v[r].io == IO_PARAMETER && (r == row || p->flow[TARGET].held[r] == row))
            return r;
    return NONE;
}

/* The rows of the parameter's gradient in this step; false: it was not recorded, or has no partner. */
static bool gradient_of(const struct judge_pass *p, const struct verdict_case *k, uint32_t rows[2])
{
    const struct dump *d = p->side[TARGET];
    uint32_t parameter = recorded_parameter(p, k->row[TARGET]);
    for (uint32_t r = 0; r < d->rows.n && parameter != NONE; r++) {
        const struct row *x = &d->rows.v[r], *own = &d->rows.v[parameter];
        if (x->io != IO_GRADIENT || d->calls.v[x->call].scope != d->calls.v[own->call].scope ||
            d->calls.v[x->call].scope == NONE || strcmp(pass_name_in(d, r), pass_name_in(d, parameter)) != 0)
            continue;
        rows[TARGET] = r;
        rows[GOLDEN] = pass_partner(p, r);
        return rows[GOLDEN] != NONE;
    }
    return false;
}

bool optimizer_noise_lacks_gradient(const struct element_sample *s, const struct element_sample *gradient, double part)
{
    size_t moved = 0, has = 0;
    for (size_t i = 0; i < s->n; i++) {
        bool any = false;
        if (!(fabs(s->v[TARGET][i] - s->v[GOLDEN][i]) > part))
            continue;
        for (int side = 0; side < 2; side++) {
            double most = fmax(fabs(gradient->most[side]), fabs(gradient->least[side]));
            double rounding = rule_limit(RULE_LIMIT_GRADIENT_ROUNDING) * dtype_table[gradient->dtype[side]].epsilon / 2;
            any = any || fabs(gradient->v[side][i]) > rounding * most;
        }
        moved++;
        has += any;
    }
    return HAD_NONE * has <= moved;
}

/* Whether the parameter's gradient in this step is zero except for rounding: all of it, or where the parameter
 * moved. */
static bool has_no_gradient(const struct judge_pass *p, const struct verdict_case *k, const struct element_sample *s)
{
    struct element_sample gradient;
    struct err e;
    uint32_t rows[2];
    if (!gradient_of(p, k, rows))
        return false;
    if (condition_of_gradient(p->m, p->state, rows, 0, 0).kind == CONDITION_ZERO_GRADIENT)
        return true;
    uint32_t line = p->m->pairing->line_of[TARGET][rows[TARGET]];
    if (p->state[line] != MEASURE_DONE || s->at || element_sample_take(&gradient, p->m, line, &e) < 0)
        return false;
    bool whole = gradient.n == s->n && !gradient.at,
         none = whole && optimizer_noise_lacks_gradient(s, &gradient, PART * p->largest_step);
    element_sample_release(&gradient);
    return none;
}

/* The same of a vector (a bias) by figures alone: the step's gradient of all of it is only rounding, and no figure is
 * further off than a step takes an element. */
static bool figures_lack_gradient(const struct judge_pass *p, const struct verdict_case *k)
{
    const struct shape *s = dump_row_shape(p->side[GOLDEN], k->row[GOLDEN]);
    uint32_t rows[2];
    if (!s || s->ndim != 1 || !(k->r[GOLDEN]->has & HAS_NORM))
        return false;
    double apart = recorded_error(k->r[TARGET], k->r[GOLDEN]) * sqrt((double)s->dim[0]);
    return apart <= LARGEST && gradient_of(p, k, rows) &&
           condition_of_gradient(p->m, p->state, rows, 0, 0).kind == CONDITION_ZERO_GRADIENT;
}

/* By how much an element of the bias of a target call differs, if steps of noise explain that; 0: they need not. */
static double bias_moved(const struct judge_pass *p, uint32_t call)
{
    const struct dump *d = p->side[TARGET];
    double most = 0;
    EACH_EARLY_ROW(d, call, r) {
        const struct shape *s = d->rows.v[r].io == IO_OUTPUT ? NULL : dump_row_shape(d, r);
        uint32_t line = s && s->ndim == 1 ? p->m->pairing->line_of[TARGET][r] : NONE;
        bool moved = line != NONE && p->j->line[line].rule == RULE_ILL && p->j->line[line].was == CONDITION_OPTIMIZER &&
                     p->state[line] == MEASURE_DONE;
        most = moved ? fmax(most, p->m->figures[line]->max_abs) : most;
    }
    return most;
}

#define EARLIER 2 /* times the difference of a bias of today: it may have been larger in an earlier step */

/* The same of the mean that a batch norm kept of earlier steps: it moved with the bias of the call before it, of which
 * each step adds its share. */
static bool mean_moved_with_bias(const struct judge_pass *p, const struct verdict_case *k)
{
    const struct dump *d = p->side[TARGET];
    bool mean = align_item_does(d, k->call, STR("batch_norm")) && call_input(d, k->call, 1) == k->row[TARGET];
    uint32_t given = mean ? call_argument(d, k->call, "momentum") : NONE, in = mean ? call_input(d, k->call, 0) : NONE;
    if (given == NONE || in == NONE)
        return false;
    double share = 1 - pow(1 - d->rows.v[given].stat[STAT_MAX], (double)d->step), most = 0;
    uint32_t r = p->flow[TARGET].held[in];
    for (int i = 0; r != NONE && i < HELD_STEPS; i++, r = p->flow[TARGET].held[r])
        most = fmax(most, bias_moved(p, d->rows.v[r].call));
    return k->f->max_abs <= EARLIER * share * most;
}

/* The same of the variance: it differs by twice what the values of earlier steps did, of which the values of today
 * tell; each step adds its share. */
static bool variance_moved_with_input(const struct judge_pass *p, const struct verdict_case *k)
{
    const struct dump *d = p->side[TARGET];
    bool variance = align_item_does(d, k->call, STR("batch_norm")) && call_input(d, k->call, 2) == k->row[TARGET];
    uint32_t given = variance ? call_argument(d, k->call, "momentum") : NONE;
    uint32_t in = variance ? call_input(d, k->call, 0) : NONE;
    uint32_t line = in == NONE ? NONE : p->m->pairing->line_of[TARGET][in];
    if (given == NONE || line == NONE)
        return false;
    double share = 1 - pow(1 - d->rows.v[given].stat[STAT_MAX], (double)d->step);
    return k->f->rel_l2 <= 2 * EARLIER * share * pass_accepted_error(p, line);
}

bool optimizer_noise_explains(struct judge_pass *p, const struct verdict_case *k)
{
    struct element_sample s;
    struct err e;
    if (!(p->side[TARGET]->step > 0) || !(p->side[GOLDEN]->step > 0))
        return false;
    if (!k->f)
        return figures_lack_gradient(p, k);
    if (!k->f->two)
        return false;
    if (mean_moved_with_bias(p, k) || variance_moved_with_input(p, k))
        return true;
    if (isnan(p->largest_step))
        p->largest_step = largest_step(p);
    double step = p->largest_step, most = k->f->max_abs;
    if (!(step > 0) || !(most <= MORE * step)) /* of all elements: the sample may not hold the largest */
        return false;
    if (element_sample_take(&s, p->m, k->i, &e) < 0)
        return false;
    double few = p->narrow[0] || p->narrow[1] ? FEW_NARROW : p->coarse[0] || p->coarse[1] ? FEW_COARSE : FEW;
    size_t last = s.ndim > 1 && s.shape[s.ndim - 1] > 0 ? (size_t)s.shape[s.ndim - 1] : 1;
    size_t width = s.at ? ELEMENT_SAMPLE_CHUNK : last;
    bool noise = optimizer_noise_in(s.v[TARGET], s.v[GOLDEN], s.n, width, step, few);
    noise = noise || (most <= 2 * step && has_no_gradient(p, k, &s));
    element_sample_release(&s);
    return noise;
}
