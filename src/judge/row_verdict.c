/* One error against the limits: what role the row has, how much noise there is where it stands, what its operator makes
 * of that, and what of it the rows behind have to expect. */
#include "judge/thresholds.h"
#include "judge/row_verdict.h"

#include <math.h>

#include "judge/conditioning.h"
#include "dump/recorded_figures.h"
#include "dump/family.h"

/* ---- roles ---- */

bool row_verdict_is_parameter(const struct judge_pass *p, const struct verdict_case *k)
{
    const struct call *c = &p->side[TARGET]->calls.v[k->call];
    const char *slot = p->side[TARGET]->slots.v[k->r[TARGET]->slot];
    const struct shape *s = dump_row_shape(p->side[TARGET], k->row[TARGET]);
    if (k->r[TARGET]->io == IO_PARAMETER)
        return true;
    if (k->r[TARGET]->io != IO_INPUT || c->phase != PHASE_FORWARD || c->kind == CALL_MODULE ||
        p->flow[TARGET].held[k->row[TARGET]] != NONE)
        return false;
    if (strcmp(slot, "input.weight") == 0 || strcmp(slot, "input.bias") == 0)
        return true;
    bool second = strcmp(slot, "input.1") == 0 || strcmp(slot, "input.2") == 0;
    switch (c->family) {
    case FAMILY_LINEAR:
    case FAMILY_CONV:
        return second && s && s->ndim <= (c->family == FAMILY_CONV ? 5 : 2);
    case FAMILY_EMBEDDING:
        return row_class(k->r[TARGET]) == CLASS_FLOAT;
    case FAMILY_NORM:
        return second && s && s->ndim == 1;
    default:
        return false;
    }
}

/* An input no earlier row holds, on either side, and that is no value of one layer (a table, a mask, a
 * buffer): either several layers use it, or no product has been computed yet that could have left
 * noise in it. */
static bool source_role(const struct judge_pass *p, const struct verdict_case *k)
{
    if (k->r[TARGET]->io != IO_INPUT || p->side[TARGET]->calls.v[k->call].phase != PHASE_FORWARD)
        return false;
    bool recurs = true;
    int produced = 0;
    for (int s = 0; s < 2; s++) {
        if (!p->flow[s].known[k->row[s]])
            return false;
        produced += p->flow[s].held[k->row[s]] != NONE;
        recurs = recurs && p->flow[s].recurs[k->row[s]];
    }
    /* a table one side computes inside its recorded calls is a table all the same */
    return produced ? produced == 1 && recurs : recurs || !p->product;
}

/* ---- the rule ---- */

/* The error a line's value already had where it stood before: its own verdict then was acceptance. */
static double error_of(const struct judge_pass *p, uint32_t target_row)
{
    uint32_t line = target_row == NONE ? NONE : p->m->pairing->line_of[TARGET][target_row];
    if (line == NONE)
        return 0;
    const struct line_judgement *l = &p->j->line[line];
    bool accepted = l->verdict == VERDICT_MATCH || l->verdict == VERDICT_DRIFT || l->rule == RULE_ILL;
    return accepted && isfinite(l->error) ? (double)l->error : 0;
}

/* The error an output has to expect of its inputs'. Of sums that nearly cancel the condition is exact; what other
 * operators make of an error is an estimate, and only makes doubtful (excuse). */
static double output_level(const struct judge_pass *p, const struct verdict_case *k)
{
    double in = (double)p->call_error[k->call];
    if (p->side[GOLDEN]->calls.v[k->r[GOLDEN]->call].family != FAMILY_ADD)
        return in;
    struct condition c = condition_of(p->m, p->state, k->row[GOLDEN]);
    if (c.kind != CONDITION_SUM || c.kappa < rule_limit(RULE_LIMIT_ILL_CONDITIONED))
        return in;
    k->out->flags |= LINE_ILL;
    return in * c.kappa;
}

double row_verdict_printed(const struct judge_pass *p)
{
    int digits = p->side[0]->digits < p->side[1]->digits ? p->side[0]->digits : p->side[1]->digits;
    return digits < 15 ? pow(10, 1 - digits) : 0;
}

void row_verdict_weigh(struct judge_pass *p, struct verdict_case *k, double error, bool stats)
{
    const struct thresholds *tol = p->tol;
    const struct call *c = &p->side[TARGET]->calls.v[k->call];
    enum dtype own = dtype_coarser(k->r[TARGET]->dtype, k->r[GOLDEN]->dtype);
    enum dtype around = dtype_coarser(dtype_coarser(own, p->call_dtype[k->call]), noise_level_dtype(&p->level));
    const struct thresholds_limits *mine = thresholds_of(tol, own), *floors = thresholds_of(tol, around);
    double digits = stats ? row_verdict_printed(p) : 0;
    k->out->error = (float)error;

    if (row_verdict_is_parameter(p, k)) {
        /* recorded norms of equal tensors differ by the order of summation */
        double limit = stats || p->side[TARGET]->step > 0 ? mine->drift : dtype_table[own].epsilon;
        k->out->limit = (float)fmax(limit, digits);
        bool over = error > fmax(limit, digits);
        verdict_case_give(k, over ? VERDICT_DEVIATE : VERDICT_MATCH, over ? RULE_PARAMETER : RULE_WITHIN);
    } else if (source_role(p, k)) {
        k->out->flags |= LINE_SOURCE;
        k->out->limit = (float)fmax(mine->drift, digits);
        bool over = error > fmax(mine->drift, digits);
        verdict_case_give(k, over ? VERDICT_DEVIATE : VERDICT_MATCH, over ? RULE_SOURCE : RULE_WITHIN);
    } else {
        double level = noise_level_quantile(&p->level, stats ? tol->quantile_statistics : tol->quantile);
        level = fmax(level, noise_level_product(&p->level));
        level = fmax(level, error_of(p, p->flow[TARGET].held[k->row[TARGET]]));
        if (k->r[TARGET]->io == IO_OUTPUT)
            level = fmax(level, output_level(p, k));
        /* runs that agree to the bit say nothing about other hardware */
        if (p->o->band && (double)p->o->band[k->row[GOLDEN]] > 0) {
            level = (double)p->o->band[k->row[GOLDEN]];
            k->out->flags = (uint8_t)((k->out->flags | LINE_BAND) & ~LINE_ILL);
        }
        bool product = stats ? p->product || family_is_product(c->family)
                             : p->coarse && (p->open_product || family_is_product(c->family));
        double floor = fmax(product ? floors->product : floors->drift, digits);
        double limit = fmax(mine->deviate, (stats ? tol->level_statistics : tol->level) * level);
        k->out->level = (float)level;
        k->out->limit = (float)limit;
        if (error > limit) {
            verdict_case_give(k, VERDICT_DEVIATE, RULE_LIMIT);
        } else if (error > tol->jump * level && error > floor) {
            k->out->limit = (float)fmax(tol->jump * level, floor);
            verdict_case_give(k, VERDICT_DEVIATE, RULE_JUMP);
        } else if (error <= floor) {
            k->out->limit = (float)floor;
            verdict_case_give(k, VERDICT_MATCH, RULE_WITHIN);
        } else if (error <= tol->noise * level) {
            verdict_case_give(k, VERDICT_MATCH, RULE_LEVEL);
        } else {
            verdict_case_give(k, VERDICT_DRIFT, RULE_DRIFT);
        }
    }
    if (error == 0)
        k->out->rule = stats ? RULE_SAME_STATS : RULE_EQUAL;
    else if (stats && k->out->verdict == VERDICT_MATCH && k->out->rule == RULE_WITHIN)
        k->out->rule = RULE_SAME_STATS;
}

/* ---- ill-conditioned operators ---- */

static void hold_apart(struct verdict_case *k, const struct condition *c, double bound, double turned)
{
    k->out->was = (uint8_t)c->kind;
    k->out->kappa = (float)c->own; /* of masked scores the fills say nothing */
    k->out->rule = RULE_ILL;
    k->out->flags |= LINE_ILL | LINE_DOUBTFUL;
    k->out->limit = (float)bound;
    if (turned > 0)
        k->out->error = (float)condition_picked(turned);
}

/* Whole numbers that turned in the call, or in one before it whose result this is. */
static bool turned_before(const struct judge_pass *p, const struct verdict_case *k, double turned)
{
    uint32_t from = p->flow[TARGET].held[k->row[TARGET]], line = from == NONE ? NONE : p->m->pairing->line_of[TARGET][from];
    double share = (double)p->call_turned[k->call];
    if (line != NONE && p->j->line[line].rule == RULE_ILL)
        return true;
    return k->r[TARGET]->io == IO_OUTPUT && share > 0 &&
           (turned <= p->tol->level * share || (k->f && k->f->rel_l2 <= p->tol->level * condition_picked(share)));
}

/* A deviation that is no more than what this operator makes of noise is nobody's first deviation (conditioning.h). The
 * noise is what its inputs were seen to have; where they were not compared, the level; and its own rounding. */
void row_verdict_excuse(struct judge_pass *p, struct verdict_case *k)
{
    const struct line_judgement *l = k->out;
    bool numbers = l->rule == RULE_INTEGERS_DIFFER;
    if (l->verdict != VERDICT_DEVIATE || (l->rule != RULE_LIMIT && l->rule != RULE_JUMP && !numbers) || p->o->exact || p->o->preset ||
        l->flags & (LINE_BAND | LINE_DOUBTFUL))
        return;
    double turned = k->f ? condition_turned(k->f) : recorded_error(k->r[TARGET], k->r[GOLDEN]);
    if (numbers && turned_before(p, k, turned)) {
        hold_apart(k, &(struct condition){.kind = CONDITION_NONE}, NAN, turned);
        return;
    }
    struct condition c = condition_of_gradient(p->m, p->state, k->row);
    if (c.kind == CONDITION_ZERO_GRADIENT) {
        double unit = dtype_table[k->r[GOLDEN]->dtype].epsilon / 2;
        hold_apart(k, &c, 2 * rule_limit(RULE_LIMIT_GRADIENT_ROUNDING) * unit * c.kappa, 0);
        return;
    }
    if (c.kind == CONDITION_NONE)
        c = condition_of(p->m, p->state, k->row[GOLDEN]);
    bool discrete = condition_is_discrete(c.kind), compared = p->call_dtype[k->call] != DTYPE_UNKNOWN;
    if (c.kind == CONDITION_NONE || c.kind == CONDITION_SUM || (!discrete && c.own < rule_limit(RULE_LIMIT_ILL_CONDITIONED)))
        return;
    enum dtype own = dtype_coarser(k->r[TARGET]->dtype, k->r[GOLDEN]->dtype);
    double level = fmax(noise_level_quantile(&p->level, k->f ? p->tol->quantile : p->tol->quantile_statistics), noise_level_product(&p->level));
    double unseen = dtype_table[DTYPE_F32].epsilon / 2;
    if (!compared)
        unseen = fmax(fmax(level, dtype_table[own].epsilon / 2), unseen);
    else if (discrete && !k->f) /* equal statistics of scores do not tell equal scores */
        unseen = fmax(level, unseen);
    double bound = (k->f ? p->tol->level : p->tol->level_statistics) * condition_bound(&c, (double)p->call_error[k->call], unseen);
    bound = fmin(bound, discrete ? rule_limit(RULE_LIMIT_INTEGERS_TURNED_MOST) : rule_limit(RULE_LIMIT_ILL_CONDITIONED_MOST));
    if ((discrete ? turned : (double)l->error) <= bound)
        hold_apart(k, &c, bound, discrete ? turned : 0);
}

void row_verdict_remember(struct judge_pass *p, const struct verdict_case *k)
{
    const struct line_judgement *l = k->out;
    const struct call *c = &p->side[TARGET]->calls.v[k->call];
    bool ill = l->rule == RULE_ILL; /* held apart, and yet what comes behind it has its error */
    bool accepted = l->verdict == VERDICT_MATCH || l->verdict == VERDICT_DRIFT || ill;
    bool product = family_is_product(c->family) && k->r[TARGET]->io == IO_OUTPUT;
    enum dtype own = dtype_coarser(k->r[TARGET]->dtype, k->r[GOLDEN]->dtype);
    if (product)
        p->open_product = !accepted || (l->flags & LINE_DOUBTFUL);
    if (ill && class_is_whole(row_class(k->r[TARGET])) && k->r[TARGET]->io != IO_OUTPUT) {
        p->call_turned[k->call] = fmaxf(p->call_turned[k->call], l->error * l->error / 2);
        p->call_error[k->call] = fmaxf(p->call_error[k->call], l->error);
    }
    if (k->r[TARGET]->kind != ROW_TENSOR || !dtype_is_float(own) || (l->flags & LINE_DOUBTFUL && !ill))
        return;
    /* a gradient that is rounding alone is lost in what comes behind it: no other row has its error to expect */
    accepted = accepted && !(ill && l->was == CONDITION_ZERO_GRADIENT);
    if (accepted && l->error > 0)
        noise_level_add(&p->level, (double)l->error, product, own);
    if (k->r[TARGET]->io != IO_OUTPUT) {
        p->call_dtype[k->call] = (uint8_t)dtype_coarser(p->call_dtype[k->call], own);
        if (accepted && l->error > p->call_error[k->call])
            p->call_error[k->call] = l->error;
    }
}
