/* Compares recorded figures of a row with those of rows it was computed from. */
#include "judge/figure_noise.h"

#include <math.h>

#include "dump/family.h"
#include "judge/pass_rows.h"
#include "pair/align_item.h"
#include "pair/call_arguments.h"

#define BACK 64 /* calls before a gradient among which the rows that it consists of are searched */
#define EXTREMES (HAS_MAX | HAS_MIN)
#define FIGURES (EXTREMES | HAS_NORM)

static bool both_have(const struct row *const r[2], int bits)
{
    return (r[TARGET]->has & r[GOLDEN]->has & bits) == bits;
}

static double largest(const struct row *r)
{
    return fmax(fabs(r->stat[STAT_MAX]), fabs(r->stat[STAT_MIN]));
}

/* The relative error of a pair's element of the largest magnitude; 0: unknown. */
static double error_of_extreme(const struct row *const r[2])
{
    if (!both_have(r, EXTREMES))
        return 0;
    const double *t = r[TARGET]->stat, *g = r[GOLDEN]->stat;
    int which = fabs(g[STAT_MAX]) >= fabs(g[STAT_MIN]) ? STAT_MAX : STAT_MIN;
    double error = fabs(t[which] - g[which]) / fabs(g[which]);
    return isfinite(error) ? error : 0;
}

/* The same for the element of the smallest magnitude, where no value is on the other side of zero. */
static double error_of_least(const struct row *const r[2])
{
    if (!both_have(r, EXTREMES) || !(r[GOLDEN]->stat[STAT_MIN] * r[GOLDEN]->stat[STAT_MAX] > 0))
        return 0;
    const double *t = r[TARGET]->stat, *g = r[GOLDEN]->stat;
    int which = g[STAT_MIN] > 0 ? STAT_MIN : STAT_MAX;
    return fabs(t[which] - g[which]) / fabs(g[which]);
}

/* The rows of a target row's pair, and its error, if that was accepted. */
static bool accepted_rows(const struct judge_pass *p, uint32_t row, const struct row *r[2], double *error)
{
    uint32_t golden = pass_partner(p, row);
    if (golden == NONE)
        return false;
    const struct line_judgement *l = &p->j->line[p->m->pairing->line_of[TARGET][row]];
    r[TARGET] = &p->side[TARGET]->rows.v[row];
    r[GOLDEN] = &p->side[GOLDEN]->rows.v[golden];
    *error = (double)l->error;
    return (line_agrees(l) || l->rule == RULE_ILL) && isfinite(*error);
}

/* The relative error of the smallest divisor of a forward call, whose quotients are the largest; 0: it divides by
 * nothing recorded, or unknown. */
static double error_of_divisor(const struct judge_pass *p, uint32_t call)
{
    uint32_t divisor = align_item_does(p->side[TARGET], call, STR("div")) ? call_input(p->side[TARGET], call, 1) : NONE;
    const struct row *r[2];
    double error;
    return divisor != NONE && accepted_rows(p, divisor, r, &error) ? error_of_least(r) : 0;
}

double figure_noise_of_product(const struct judge_pass *p, const struct verdict_case *k)
{
    const struct call *c = &p->side[TARGET]->calls.v[k->call];
    const struct row *r[2];
    double error;
    if (k->f || k->r[TARGET]->io != IO_OUTPUT || c->family != FAMILY_MUL || c->kind == CALL_MODULE ||
        !both_have(k->r, FIGURES))
        return 0;
    if (c->phase == PHASE_BACKWARD)
        return c->twin == NONE ? 0 : fmax((double)p->call_error[c->twin], error_of_divisor(p, c->twin));
    double sum = error_of_divisor(p, k->call);
    EACH_EARLY_ROW(p->side[TARGET], k->call, x)
        if (pass_is_float(&p->side[TARGET]->rows.v[x], IO_INPUT) && accepted_rows(p, x, r, &error))
            sum += error_of_extreme(r);
    double noise = sum * largest(k->r[GOLDEN]) / k->r[GOLDEN]->stat[STAT_NORM];
    return isfinite(noise) ? noise : 0;
}

#define SUMMED 1e-6 /* relative: of norms, in float32 */

/* Whether figures are those of one value in another type. */
static bool is_rounded(const struct row *x, const struct row *of)
{
    double unit = dtype_table[dtype_coarser(x->dtype, of->dtype)].epsilon, limit = unit * largest(of);
    return fabs(x->stat[STAT_MAX] - of->stat[STAT_MAX]) <= limit &&
           fabs(x->stat[STAT_MIN] - of->stat[STAT_MIN]) <= limit &&
           fabs(x->stat[STAT_NORM] - of->stat[STAT_NORM]) <= fmax(unit, SUMMED) * of->stat[STAT_NORM];
}

/* Whether a part of a row has the element that is an extreme of it, another one on each side. */
static bool has_extreme(const struct row *const part[2], const struct row *const whole[2], int which)
{
    bool has = whole[TARGET]->stat[which] != whole[GOLDEN]->stat[which];
    for (int s = 0; s < 2; s++)
        has = has && part[s]->dtype == whole[s]->dtype && part[s]->stat[which] == whole[s]->stat[which] &&
              part[s]->stat[STAT_NORM] <= (1 + SUMMED) * whole[s]->stat[STAT_NORM];
    return has;
}

double figure_noise_of_parts(const struct judge_pass *p, const struct verdict_case *k)
{
    const struct dump *d = p->side[TARGET];
    uint64_t n = dump_row_numel(d, k->row[TARGET]);
    bool gradient = k->r[TARGET]->io == IO_GRADIENT || pass_comes_unrecorded(p, k->row);
    double noise = 0, error;
    if (k->f || !gradient || !both_have(k->r, FIGURES) || !(k->r[GOLDEN]->stat[STAT_NORM] > 0))
        return 0;
    for (uint32_t c = k->call; c-- > 0 && k->call - c <= BACK;)
        EACH_EARLY_ROW(d, c, x) {
            const struct row *r[2];
            uint64_t own = dump_row_numel(d, x);
            if (d->calls.v[c].phase != PHASE_BACKWARD || !pass_is_float(&d->rows.v[x], IO_OUTPUT) || own > n ||
                !accepted_rows(p, x, r, &error) || !both_have(r, FIGURES))
                continue;
            bool is_part = own < n ? has_extreme(r, k->r, STAT_MAX) || has_extreme(r, k->r, STAT_MIN) :
                                     is_rounded(r[TARGET], k->r[TARGET]) && is_rounded(r[GOLDEN], k->r[GOLDEN]);
            if (is_part)
                noise = fmax(noise, error * r[GOLDEN]->stat[STAT_NORM] / k->r[GOLDEN]->stat[STAT_NORM]);
        }
    return noise;
}

double figure_noise_of_coarse_inputs(const struct judge_pass *p, const struct verdict_case *k)
{
    const struct dump *d = p->side[TARGET];
    enum dtype own = dtype_coarser(k->r[TARGET]->dtype, k->r[GOLDEN]->dtype);
    double hidden = 0, error;
    if (k->f || k->r[TARGET]->io != IO_OUTPUT || dtype_table[own].size <= 2 ||
        !(noise_level_quantile(&p->level, 1) > 0))
        return 0;
    EACH_EARLY_ROW(d, k->call, x) {
        const struct row *r[2];
        uint32_t golden = pass_is_float(&d->rows.v[x], IO_INPUT) ? pass_partner(p, x) : NONE;
        enum dtype coarser =
            golden == NONE ? own : dtype_coarser(d->rows.v[x].dtype, p->side[GOLDEN]->rows.v[golden].dtype);
        if (dtype_table[coarser].size > 2 || !accepted_rows(p, x, r, &error)) /* sizes first: most rows are float32 */
            continue;
        const struct line_judgement *l = &p->j->line[p->m->pairing->line_of[TARGET][x]];
        if (l->flags & LINE_STATISTICS && !(l->flags & LINE_SOURCE) && l->rule != RULE_PARAMETER)
            hidden = fmax(hidden, dtype_table[coarser].epsilon / 2);
    }
    return hidden;
}

double figure_noise_of_elements(const struct judge_pass *p, uint32_t call)
{
    const struct dump *d = p->side[TARGET];
    double most = 0, error;
    EACH_EARLY_ROW(d, call, x) {
        const struct row *r[2];
        if (!pass_is_float(&d->rows.v[x], IO_INPUT) || !accepted_rows(p, x, r, &error) || !both_have(r, FIGURES))
            continue;
        const double *t = r[TARGET]->stat, *g = r[GOLDEN]->stat;
        double apart = hypot(t[STAT_MAX] - g[STAT_MAX], t[STAT_MIN] - g[STAT_MIN]) / sqrt(2);
        most = fmax(most, apart * sqrt((double)dump_row_numel(d, x)) / g[STAT_NORM]);
    }
    return isfinite(most) ? most : 0;
}

/* The distance of the two tensors of which a side's loss is the mean square, or the sum of squares; 0: their norms
 * exclude both. */
static double distance_of_squares(const struct row *loss, const struct row *const of[2], double n)
{
    double a = of[0]->stat[STAT_NORM], b = of[1]->stat[STAT_NORM], room = 1 + dtype_table[loss->dtype].epsilon;
    for (int mean = 1; mean >= 0; mean--) {
        double apart = sqrt(loss->stat[STAT_MAX] * (mean ? n : 1));
        if (apart > 0 && apart <= (a + b) * room && apart * room >= fabs(a - b))
            return apart;
    }
    return 0;
}

static double noise_of_squares(const struct judge_pass *p, const struct verdict_case *k)
{
    const struct dump *d = p->side[TARGET];
    const struct row *r[2][2]; /* per input: of both sides */
    double error[2];
    int n = 0;
    EACH_EARLY_ROW(d, k->call, x)
        if (pass_is_float(&d->rows.v[x], IO_INPUT)) {
            if (n == 2 || !accepted_rows(p, x, r[n], &error[n]) || !both_have(r[n], HAS_NORM) ||
                dump_row_numel(d, x) != dump_row_numel(d, pass_first_float(d, k->call, IO_INPUT)))
                return 0;
            n++;
        }
    if (n < 2)
        return 0;
    double numel = (double)dump_row_numel(d, pass_first_float(d, k->call, IO_INPUT)), apart[2];
    for (int s = 0; s < 2; s++) {
        const struct row *of[2] = {r[0][s], r[1][s]};
        apart[s] = distance_of_squares(k->r[s], of, numel);
    }
    double moved = error[0] * r[0][GOLDEN]->stat[STAT_NORM] + error[1] * r[1][GOLDEN]->stat[STAT_NORM];
    double part = apart[TARGET] > 0 && apart[GOLDEN] > 0 ? moved / apart[GOLDEN] : 0;
    return p->tol->noise * part * (2 + part);
}

/* The probabilities of a sample, less its class, are √2 long at most: so much of the noise of a score goes on, and of
 * several samples the mean. */
static double noise_of_cross_entropy(const struct judge_pass *p, const struct verdict_case *k)
{
    const struct dump *d = p->side[TARGET];
    uint32_t scores = call_input(d, k->call, 0), classes = call_input(d, k->call, 1);
    const struct row *r[2];
    double error, samples = classes == NONE ? 0 : (double)dump_row_numel(d, classes);
    if (scores == NONE || !(samples > 0) || !class_is_whole(row_class(&d->rows.v[classes])) ||
        !accepted_rows(p, scores, r, &error) || !both_have(r, HAS_NORM))
        return 0;
    double one = error * r[GOLDEN]->stat[STAT_NORM] / sqrt((double)dump_row_numel(d, scores));
    return p->tol->level_statistics * one * sqrt(2 / samples) / fabs(k->r[GOLDEN]->stat[STAT_MAX]);
}

double figure_noise_of_loss(const struct judge_pass *p, const struct verdict_case *k)
{
    double noise = 0;
    if (k->f || !both_have(k->r, HAS_MAX))
        return 0;
    if (align_item_does(p->side[TARGET], k->call, STR("mse_loss")))
        noise = noise_of_squares(p, k);
    else if (align_item_does(p->side[TARGET], k->call, STR("cross_entropy")))
        noise = noise_of_cross_entropy(p, k);
    return isfinite(noise) ? noise : 0;
}

bool figures_show_rounding(const struct judge_pass *p, const struct verdict_case *k)
{
    enum dtype to = (enum dtype)p->j->arithmetic;
    if (k->f || to == DTYPE_UNKNOWN || dtype_table[to].size > 2 || !both_have(k->r, EXTREMES))
        return false;
    const double *t = k->r[TARGET]->stat, *g = k->r[GOLDEN]->stat;
    bool rounds[2], differ = t[STAT_MAX] != g[STAT_MAX] || t[STAT_MIN] != g[STAT_MIN];
    for (int s = 0; s < 2; s++) {
        const double *own = s == TARGET ? t : g, *other = s == TARGET ? g : t;
        rounds[s] = p->narrow[s] && own[STAT_MAX] == dtype_round(to, other[STAT_MAX]) &&
                    own[STAT_MIN] == dtype_round(to, other[STAT_MIN]);
    }
    return differ && (rounds[TARGET] || rounds[GOLDEN]);
}
