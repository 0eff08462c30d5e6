/* Judges one error: the row's role, the local noise level, the operator's amplification, and the noise that later
 * rows must expect. */
#include "judge/thresholds.h"
#include "judge/row_verdict.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "judge/attention_gradient.h"
#include "judge/conditioning.h"
#include "judge/kinks.h"
#include "judge/optimizer_noise.h"
#include "judge/pass_rows.h"
#include "judge/pool_ties.h"
#include "judge/routing.h"
#include "pair/align_item.h"
#include "judge/unrecorded_step.h"
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
    bool adds = c->family == FAMILY_LINEAR && s && s->ndim <= 2 && align_item_adds_term(p->side[TARGET], k->call);
    switch (c->family) {
    case FAMILY_LINEAR:
    case FAMILY_CONV:
        if (strcmp(slot, adds ? "input.0" : "input.1") == 0)
            return s && s->ndim <= (c->family == FAMILY_CONV ? 5 : adds ? 1 : 2);
        return strcmp(slot, "input.2") == 0 && s && s->ndim <= (c->family == FAMILY_CONV ? 5 : 2);
    case FAMILY_EMBEDDING:
        return row_class(k->r[TARGET]) == CLASS_FLOAT;
    case FAMILY_NORM: /* running statistics, weight and bias follow the values */
        return s && s->ndim == 1 && strlen(slot) == strlen("input.1") && slot[6] >= '1' && slot[6] <= '4';
    default:
        return false;
    }
}

/* Whether no compared row of a side holds the value: nobody recorded what computes it, or the other side computes it
 * with other calls. */
static bool comes_uncompared(const struct judge_pass *p, int side, uint32_t row)
{
    uint32_t from = p->flow[side].held[row], line = from == NONE ? NONE : p->m->pairing->line_of[side][from];
    return line == NONE || p->m->pairing->lines.v[line].pair == NONE;
}

/* Whether nothing that goes into a call was compared. */
static bool reads_uncompared(const struct judge_pass *p, int side, uint32_t call)
{
    const struct dump *d = p->side[side];
    EACH_EARLY_ROW(d, call, r) {
        uint32_t line = p->m->pairing->line_of[side][r];
        if (d->rows.v[r].io == IO_INPUT && d->rows.v[r].kind == ROW_TENSOR && line != NONE &&
            p->m->pairing->lines.v[line].pair != NONE)
            return false;
    }
    return true;
}

/* Whether an input or a result comes, on both sides, from steps that were not compared, where both compute in
 * 16 bits as well: its float32 does not say in what those steps computed (autocast, experts in one call, a sum of
 * gradients). */
static bool may_be_autocast(const struct judge_pass *p, const struct verdict_case *k)
{
    const struct call *c = &p->side[TARGET]->calls.v[k->call];
    bool ends = c->kind == CALL_MODULE && c->phase == PHASE_FORWARD;
    bool made = k->r[TARGET]->io == IO_INPUT ||
                (k->r[TARGET]->io == IO_OUTPUT &&
                 (ends || (reads_uncompared(p, TARGET, k->call) &&
                           reads_uncompared(p, GOLDEN, p->side[GOLDEN]->rows.v[k->row[GOLDEN]].call))));
    return p->narrow[TARGET] && p->narrow[GOLDEN] && p->j->arithmetic != DTYPE_UNKNOWN && made &&
           comes_uncompared(p, TARGET, k->row[TARGET]) && comes_uncompared(p, GOLDEN, k->row[GOLDEN]);
}

/* The coarsest type in which the value of a side's row was held before: a cast to float32 does not undo its
 * rounding. */
static enum dtype held_in(const struct judge_pass *p, const struct verdict_case *k, int s)
{
    const struct dump *d = p->side[s];
    uint32_t from = p->flow[s].held[k->row[s]];
    enum dtype own = (enum dtype)k->r[s]->dtype;
    if (from == NONE || !dtype_is_float(d->rows.v[from].dtype))
        return own;
    own = dtype_coarser(own, (enum dtype)d->rows.v[from].dtype);
    EACH_EARLY_ROW(d, d->rows.v[from].call, r)
        if (d->calls.v[d->rows.v[r].call].family == FAMILY_CAST && pass_is_float(&d->rows.v[r], IO_INPUT))
            own = dtype_coarser(own, (enum dtype)d->rows.v[r].dtype);
    return own;
}

/* The type whose rounding a row may differ by. Types that differ do not widen it: one value in bfloat16 among float32
 * products is no noise. A value that passed through the type of the products is rounded to it, whatever holds it
 * now. */
static enum dtype judged_type(const struct judge_pass *p, const struct verdict_case *k)
{
    enum dtype t = (enum dtype)k->r[TARGET]->dtype, g = (enum dtype)k->r[GOLDEN]->dtype, own = dtype_coarser(t, g);
    if (!dtype_is_float(t) || !dtype_is_float(g) || p->j->arithmetic == DTYPE_UNKNOWN ||
        (t == g && t == (enum dtype)p->j->arithmetic))
        return own;
    if (t != g && own != p->j->arithmetic && dtype_coarser(own, p->j->arithmetic) == own)
        return p->j->arithmetic;
    for (int s = 0; s < 2; s++)
        if (held_in(p, k, s) == p->j->arithmetic)
            own = dtype_coarser(own, p->j->arithmetic);
    return own;
}

/* The type of a parameter's values: a module may hold in float32 what its side has rounded like other weights (a
 * router's weight in a 16-bit model). */
static enum dtype numbers_of(const struct judge_pass *p, const struct verdict_case *k, enum dtype own)
{
    for (int s = 0; s < 2 && k->f; s++)
        if (k->f->kept[s] && !(k->f->kept[s] & KEPT_PART) && p->narrow[s])
            own = dtype_coarser(own, (enum dtype)k->f->kept[s]);
    return own;
}

/* Whether an input needs a gradient but is in no earlier row of a side: unrecorded calls computed it from parameters
 * (a cast, a slice, an addition outside modules). */
static bool is_derived(const struct judge_pass *p, const struct verdict_case *k)
{
    bool held = true;
    for (int s = 0; s < 2; s++)
        held = held && p->flow[s].held[k->row[s]] != NONE;
    return k->r[TARGET]->io == IO_INPUT && p->side[TARGET]->calls.v[k->call].phase == PHASE_FORWARD && !held &&
           (k->r[TARGET]->needs_gradient || k->r[GOLDEN]->needs_gradient);
}

/* Whether an input is in no earlier row, on either side, and is not the value of a single layer (a table, a mask, a
 * buffer): several layers use it, or no product has been computed yet that could have left noise in it. Values that
 * need a gradient do not count, because unrecorded products may have made them. */
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
    if (is_derived(p, k)) /* nor may it have inherited noise */
        return !p->product && !(noise_level_quantile(&p->level, 1) > 0);
    /* a table that only one side computes inside recorded calls still counts as a table */
    return produced ? produced == 1 && recurs : recurs || !p->product;
}

#define SEED_APART 1e-6 /* of constants that were computed in two ways */

/* Whether a row is what the step's gradient begins with, handed to a loss function: one number, which on a side no
 * recorded call computed. No noise of the model is in it. */
static bool is_seed(const struct judge_pass *p, const struct verdict_case *k)
{
    const struct call *c = &p->side[TARGET]->calls.v[k->call];
    bool computed = true;
    for (int s = 0; s < 2; s++)
        computed = computed && p->flow[s].held[k->row[s]] != NONE;
    return c->family == FAMILY_LOSS && c->phase == PHASE_BACKWARD && k->r[TARGET]->io == IO_INPUT && !computed &&
           dump_row_numel(p->side[TARGET], k->row[TARGET]) == 1 &&
           dump_row_numel(p->side[GOLDEN], k->row[GOLDEN]) == 1;
}

/* ---- the rule ---- */

/* The expected output error given the call's input errors. The condition is exact for sums with cancellation; for
 * other operators it is an estimate, which only makes a row doubtful (excuse). */
static double error_handed_on(const struct judge_pass *p, const uint32_t row[2], bool *cancels)
{
    double in = (double)p->call_error[p->side[TARGET]->rows.v[row[TARGET]].call];
    uint8_t family = p->side[GOLDEN]->calls.v[p->side[GOLDEN]->rows.v[row[GOLDEN]].call].family;
    if (family != FAMILY_ADD && family != FAMILY_LINEAR)
        return in;
    struct condition c = family == FAMILY_ADD ? condition_of(p->m, p->state, row[GOLDEN])
                                              : condition_of_product(p->m, p->state, row[GOLDEN]);
    *cancels = c.kind == CONDITION_SUM && c.kappa >= rule_limit(RULE_LIMIT_ILL_CONDITIONED);
    return *cancels ? in * c.kappa : in;
}

#define UNPAIRED_STEPS 8  /* the most calls without a partner through which an error is followed */
#define UNPAIRED_ROWS 256 /* the most rows looked at: calls may have many inputs */

/* The error of a line's value in the earlier row that held it, where it was accepted. If that row was not compared
 * with certainty, the one before it counts, or the inputs of the call that produced it; so they do if it could not be
 * read. `left`: how many more rows may be looked at. */
static double error_held(const struct judge_pass *p, uint32_t target_row, int steps, int *left)
{
    bool cancels = false;
    const struct dump *d = p->side[TARGET];
    uint32_t from = p->flow[TARGET].held[target_row], line = from == NONE ? NONE : p->m->pairing->line_of[TARGET][from];
    if (from == NONE || --*left < 0)
        return 0;
    bool paired = line != NONE && p->m->pairing->lines.v[line].pair != NONE;
    const struct line_judgement *l = paired ? &p->j->line[line] : NULL;
    if (l && l->flags & LINE_UNREAD && d->rows.v[from].io == IO_OUTPUT)
        return error_handed_on(p, p->m->pairing->lines.v[line].row, &cancels);
    bool doubtful = l && l->flags & LINE_DOUBTFUL && l->rule != RULE_ILL; /* perhaps compared with another value */
    if (l && l->verdict != VERDICT_SKIP && !(l->flags & LINE_UNREAD) && !doubtful) {
        bool accepted = verdict_is_accepted((enum verdict)l->verdict) || l->rule == RULE_ILL;
        return accepted && isfinite(l->error) ? (double)l->error : 0;
    }
    double most = error_held(p, from, steps, left);
    if (l || most > 0 || d->rows.v[from].io != IO_OUTPUT || steps == 0)
        return most;
    EACH_EARLY_ROW(d, d->rows.v[from].call, r)
        if (pass_is_float(&d->rows.v[r], IO_INPUT))
            most = fmax(most, error_held(p, r, steps - 1, left));
    return most;
}

/* The same of a value that a cast, which nobody recorded, rounds on the target's side alone: the golden side holds it
 * as before. */
static double error_before_cast(const struct judge_pass *p, const uint32_t row[2])
{
    const struct dump *d = p->side[TARGET];
    uint32_t from = p->flow[GOLDEN].held[row[GOLDEN]];
    uint32_t line = from == NONE ? NONE : p->m->pairing->line_of[GOLDEN][from],
             before = line == NONE ? NONE : p->m->pairing->lines.v[line].row[TARGET];
    bool rounded = before != NONE && before < row[TARGET] && p->m->pairing->lines.v[line].pair != NONE &&
                   dtype_is_float((enum dtype)d->rows.v[before].dtype) &&
                   dtype_coarser(d->rows.v[before].dtype, d->rows.v[row[TARGET]].dtype) != d->rows.v[before].dtype;
    const struct line_judgement *l = rounded ? &p->j->line[line] : NULL;
    bool accepted = l && !(l->flags & (LINE_UNREAD | LINE_DOUBTFUL)) && verdict_is_accepted((enum verdict)l->verdict);
    return accepted && isfinite(l->error) ? (double)l->error : 0;
}

static double error_before(const struct judge_pass *p, const uint32_t row[2])
{
    int left = UNPAIRED_ROWS;
    return p->flow[TARGET].held[row[TARGET]] == NONE ? error_before_cast(p, row)
                                                      : error_held(p, row[TARGET], UNPAIRED_STEPS, &left);
}

double row_verdict_printed(const struct judge_pass *p)
{
    int digits = p->side[0]->digits < p->side[1]->digits ? p->side[0]->digits : p->side[1]->digits;
    return digits < 15 ? pow(10, 1 - digits) : 0;
}

#define HELD_STEPS 64 /* rows that hold one value, back from the last: one value may be recorded very often */

/* The line of the earlier row with this value, or NONE: of the latest one that has a partner, because one side may
 * cast or reshape where the other does not. */
static uint32_t line_before(const struct judge_pass *p, uint32_t row)
{
    uint32_t nearest = NONE, from = p->flow[TARGET].held[row];
    for (int steps = 0; from != NONE && steps < HELD_STEPS; steps++, from = p->flow[TARGET].held[from]) {
        uint32_t line = p->m->pairing->line_of[TARGET][from];
        nearest = nearest == NONE ? line : nearest;
        if (line != NONE && p->m->pairing->lines.v[line].pair != NONE)
            return line;
    }
    return nearest;
}

bool row_verdict_accepts(const struct judge_pass *p, const uint32_t rows[2], double error, double level)
{
    const struct row *t = &p->side[TARGET]->rows.v[rows[TARGET]], *g = &p->side[GOLDEN]->rows.v[rows[GOLDEN]];
    enum dtype own = dtype_coarser(t->dtype, g->dtype);
    double floor = thresholds_of(p->tol, dtype_coarser(own, noise_level_dtype(&p->level)))->drift;
    return error <= fmax(thresholds_of(p->tol, own)->deviate, p->tol->level * level) &&
           error <= fmax(floor, p->tol->jump * level);
}

/* Whether a row is a loss: one number that a loss function gives. */
static bool is_loss(const struct judge_pass *p, const struct verdict_case *k)
{
    const struct call *c = &p->side[TARGET]->calls.v[k->call];
    return c->family == FAMILY_LOSS && c->phase == PHASE_FORWARD && k->r[TARGET]->io == IO_OUTPUT &&
           dump_row_numel(p->side[TARGET], k->row[TARGET]) == 1;
}

/* The guide's criterion for the first loss, whatever the noise is, unless two golden runs tell it. */
static double loss_limit(const struct thresholds *tol, const struct verdict_case *k)
{
    double size = fabs(k->r[GOLDEN]->has & HAS_MAX ? k->r[GOLDEN]->stat[STAT_MAX]
                       : k->f                      ? k->f->side[GOLDEN].max
                                                   : NAN);
    return size > 0 ? fmax(tol->curves.first_loss_rel, tol->curves.first_loss_abs / size) : tol->curves.first_loss_rel;
}

#define ROUNDINGS 2       /* of the type of the sines: what more than so many may change is amplified */
#define SAME_FIGURES 2e-6 /* relative: of float32 sums */

/* Whether figures of the angles show that one side's were rounded: numbers that 16 bits hold are not. */
static bool angles_differ(const struct row *const angle[2])
{
    int both = angle[TARGET]->has & angle[GOLDEN]->has;
    for (int i = 0; i < STAT_COUNT; i++) {
        double t = angle[TARGET]->stat[i], g = angle[GOLDEN]->stat[i];
        if (both & (HAS_MAX << i) && fabs(t - g) > SAME_FIGURES * fmax(fabs(t), fabs(g)))
            return true;
    }
    return false;
}

double row_verdict_angles(const struct measure *m, uint32_t line, bool *differ)
{
    const uint32_t *row = m->pairing->lines.v[line].row;
    const struct row *angle[2];
    for (int s = 0; s < 2; s++) {
        if (row[s] == NONE)
            return 0;
        const struct dump *d = m->side[s];
        uint32_t call = d->rows.v[row[s]].call;
        uint32_t in = d->rows.v[row[s]].io == IO_OUTPUT ? pass_first_float(d, call, IO_INPUT) : NONE;
        if (in == NONE || d->calls.v[call].phase != PHASE_FORWARD)
            return 0;
        angle[s] = &d->rows.v[in];
    }
    const struct row *g = angle[GOLDEN];
    enum dtype t = (enum dtype)angle[TARGET]->dtype, coarser = dtype_coarser(t, (enum dtype)g->dtype);
    bool there = (g->has & (HAS_MAX | HAS_MIN)) == (HAS_MAX | HAS_MIN);
    if (t == g->dtype || dtype_table[coarser].size > 2 || !there)
        return 0;
    for (int s = 0; s < 2; s++) { /* names last: most rows come as far as types alone */
        uint32_t call = m->side[s]->rows.v[row[s]].call;
        if (!align_item_does(m->side[s], call, STR("cos")) && !align_item_does(m->side[s], call, STR("sin")))
            return 0;
    }
    if (differ)
        *differ = angles_differ(angle);
    return dtype_table[coarser].epsilon / 2 * fmax(fabs(g->stat[STAT_MAX]), fabs(g->stat[STAT_MIN]));
}

/* The error of one row, and what it is compared with. */
struct weighing {
    double error, digits; /* digits: what the printed digits of recorded figures allow, 0 of elements */
    bool stats;           /* the error is one of recorded figures */
    enum dtype own;       /* the row's type, the coarser of both sides */
    const struct thresholds_limits *mine; /* the limits of that type */
};

/* An error that is not larger than the limit matches, another one deviates by the rule. */
static bool weigh_by_limit(struct verdict_case *k, double error, double limit, enum verdict_rule rule)
{
    bool over = error > limit;
    k->out->limit = (float)limit;
    verdict_case_give(k, over ? VERDICT_DEVIATE : VERDICT_MATCH, over ? rule : RULE_WITHIN);
    return over;
}

/* Weights and states of an optimizer, which the step begins with. Recorded norms of equal tensors differ by the order
 * of summation. */
static void weigh_parameter(struct judge_pass *p, struct verdict_case *k, const struct weighing *w)
{
    double limit = w->stats || p->side[TARGET]->step > 0 ? w->mine->drift :
                                                           dtype_table[numbers_of(p, k, w->own)].epsilon;
    if (w->error > fmax(limit, w->digits)) /* too few values to show by themselves that they were rounded */
        limit = fmax(limit, unrecorded_rounding_error(p, k));
    if (!weigh_by_limit(k, w->error, fmax(limit, w->digits), RULE_PARAMETER))
        p->weights = dtype_coarser(p->weights, w->own);
}

static void weigh_seed(struct verdict_case *k, const struct weighing *w)
{
    enum dtype coarser = dtype_coarser(k->r[TARGET]->dtype, k->r[GOLDEN]->dtype);
    k->out->flags |= LINE_SOURCE;
    double limit = fmax(fmax(dtype_table[coarser].epsilon / 2, SEED_APART), w->digits);
    weigh_by_limit(k, w->error, limit, RULE_SOURCE);
}

/* Inputs, tables and masks that no earlier row holds. */
static void weigh_source(struct judge_pass *p, struct verdict_case *k, const struct weighing *w)
{
    double limit = fmax(w->mine->drift, w->digits);
    k->out->flags |= LINE_SOURCE;
    if (w->error > limit)
        limit = fmax(limit, unrecorded_rounding_error(p, k));
    weigh_by_limit(k, w->error, limit, RULE_SOURCE);
}

/* The noise that a row may have: that of earlier rows of its kind, of the values it was handed, and of steps that were
 * not recorded. */
static double noise_around(struct judge_pass *p, struct verdict_case *k, const struct weighing *w)
{
    bool gradient = k->r[TARGET]->io == IO_GRADIENT;
    double level = noise_level_quantile(&p->level, w->stats ? p->tol->quantile_statistics : p->tol->quantile);
    level = fmax(level, noise_level_product(&p->level));
    level = fmax(level, error_before(p, k->row));
    if (k->r[TARGET]->io == IO_OUTPUT) {
        bool cancels = false;
        level = fmax(level, error_handed_on(p, k->row, &cancels));
        k->out->flags |= cancels ? LINE_ILL : 0;
    }
    if (gradient)
        level = fmax(level, unrecorded_incoming_error(p, k));
    /* what several uses of a weight leave of its gradient is summed in float32, or in the type of the uses */
    if (gradient && w->error > w->mine->drift)
        level = fmax(level, unrecorded_rounding_error(p, k));
    level = fmax(level, unrecorded_step_error(p, k->row));
    if (is_derived(p, k))
        level = fmax(level, dtype_table[p->weights].epsilon / 2);
    if (w->error > w->mine->drift)
        level = fmax(level, unrecorded_roundings_error(p, k, p->tol->level * level));
    if (may_be_autocast(p, k)) /* equal values before it show no noise yet */
        level = fmax(level, dtype_table[p->j->arithmetic].epsilon / 2);
    /* two bitwise equal runs say nothing about other hardware */
    if (p->o->band && (double)p->o->band[k->row[GOLDEN]] > 0) {
        level = (double)p->o->band[k->row[GOLDEN]];
        k->out->flags = (uint8_t)((k->out->flags | LINE_BAND) & ~LINE_ILL);
    }
    return level;
}

/* By the limits of the type and the noise around (doc/verdicts.md, "The level"). */
static void weigh_by_level(struct judge_pass *p, struct verdict_case *k, const struct weighing *w)
{
    const struct thresholds *tol = p->tol;
    enum dtype around = dtype_coarser(dtype_coarser(w->own, p->call_dtype[k->call]), noise_level_dtype(&p->level));
    const struct thresholds_limits *floors = thresholds_of(tol, around);
    double level = noise_around(p, k, w), error = w->error;
    bool coarse = p->coarse[false] || p->coarse[true], follows = p->open_product && !p->unread_product && coarse;
    bool multiplies = p->multiplies[k->call], conv = p->side[TARGET]->calls.v[k->call].family == FAMILY_CONV;
    bool product = w->stats ? p->product || multiplies : follows || (multiplies && p->coarse[conv]);
    double floor = fmax(product ? floors->product : floors->drift, w->digits);
    /* figures of exact products: a jump is none of their noise, though it is no drift yet */
    double jump = w->stats && !coarse ? fmax(floors->drift, w->digits) : floor;
    double limit = fmax(w->mine->deviate, (w->stats ? tol->level_statistics : tol->level) * level);
    if (!(k->out->flags & LINE_BAND) && is_loss(p, k))
        limit = fmin(limit, loss_limit(tol, k));
    k->out->level = (float)level;
    k->out->limit = (float)limit;
    if (error > limit) {
        verdict_case_give(k, VERDICT_DEVIATE, RULE_LIMIT);
    } else if (error > tol->jump * level && error > jump && !(p->unsaid && level == 0)) {
        bool unknown = !w->stats && p->unread_product && coarse && error <= floors->product;
        k->out->limit = (float)fmax(tol->jump * level, jump);
        verdict_case_give(k, unknown ? VERDICT_SKIP : VERDICT_DEVIATE, unknown ? RULE_BEHIND_UNREAD : RULE_JUMP);
    } else if (error <= floor) {
        k->out->limit = (float)floor;
        verdict_case_give(k, VERDICT_MATCH, RULE_WITHIN);
    } else if (error <= tol->noise * level) {
        verdict_case_give(k, VERDICT_MATCH, RULE_LEVEL);
    } else {
        verdict_case_give(k, VERDICT_DRIFT, RULE_DRIFT);
    }
    if (p->unsaid && k->out->verdict == VERDICT_DRIFT) { /* too much for a type that nothing tells */
        verdict_case_give(k, VERDICT_DEVIATE, RULE_LIMIT);
        k->out->limit = (float)floor;
        k->out->flags |= LINE_DOUBTFUL;
    }
}

void row_verdict_weigh(struct judge_pass *p, struct verdict_case *k, double error, bool stats)
{
    enum dtype own = dtype_coarser(judged_type(p, k), p->unsaid);
    struct weighing w = {error, stats ? row_verdict_printed(p) : 0, stats, own, thresholds_of(p->tol, own)};
    k->out->error = (float)error;
    if (row_verdict_is_parameter(p, k))
        weigh_parameter(p, k, &w);
    else if (is_seed(p, k))
        weigh_seed(k, &w);
    else if (source_role(p, k))
        weigh_source(p, k, &w);
    else
        weigh_by_level(p, k, &w);
    bool rounded = false;
    double turned = stats && verdict_is_accepted((enum verdict)k->out->verdict)
                        ? row_verdict_angles(p->m, k->i, &rounded)
                        : 0;
    if (turned > fmin(w.mine->deviate, ROUNDINGS * dtype_table[own].epsilon / 2)) {
        verdict_case_give(k, VERDICT_DEVIATE, RULE_ANGLES);
        k->out->limit = (float)w.mine->deviate;
        k->out->flags |= rounded ? 0 : LINE_DOUBTFUL;
        return;
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
    k->out->kappa = (float)c->own; /* for masked scores, without the fill values */
    k->out->rule = RULE_ILL;
    k->out->flags |= LINE_ILL | LINE_DOUBTFUL;
    k->out->limit = (float)bound;
    if (turned > 0)
        k->out->error = (float)condition_picked(turned);
}

/* The routing of a line of integers picked on both sides; of scores that differ (those that a mask fills, with 0 or
 * -inf) only the same picks say anything. Reads tensors once per line. */
static enum routing routing_of_line(struct judge_pass *p, uint32_t line)
{
    const struct line *l = &p->m->pairing->lines.v[line];
    uint32_t scores =
        l->row[TARGET] == NONE || l->row[GOLDEN] == NONE ? NONE : routing_scores(p->side[TARGET], l->row[TARGET]);
    uint32_t at = scores == NONE ? NONE : p->m->pairing->line_of[TARGET][scores];
    const struct figures *f = at != NONE && p->state[at] == MEASURE_DONE ? p->m->figures[at] : NULL;
    bool apart = at != NONE && line_is_bad(&p->j->line[at]);
    if (!f || (!f->two && !apart))
        return ROUTING_UNKNOWN;
    uint32_t known = nmap_get(&p->routings, line);
    if (known != MAP_NONE)
        return (enum routing)known;
    double rounding = dtype_table[p->side[TARGET]->rows.v[scores].dtype].epsilon / 2;
    enum routing found = routing_compare(p->m, line, apart ? 0 : p->tol->level * fmax(f->rel_l2, rounding));
    if (apart && found != ROUTING_SAME)
        found = ROUTING_UNKNOWN;
    nmap_set(&p->routings, line, found);
    return found;
}

/* Whether a gradient belongs to values of its forward call that are in the order of choices; those picked at a tie are
 * nearly equal in any order, and the choices themselves tell. */
static bool belongs_to_picks(const struct judge_pass *p, const struct verdict_case *k)
{
    const struct dump *d = p->side[TARGET];
    uint32_t twin = d->calls.v[k->call].phase == PHASE_BACKWARD ? d->calls.v[k->call].twin : NONE;
    enum row_io io = k->r[TARGET]->io == IO_INPUT ? IO_OUTPUT : IO_INPUT;
    if (twin == NONE || k->r[TARGET]->io == IO_GRADIENT)
        return false;
    EACH_ROW(d, twin, r) {
        uint32_t line = p->m->pairing->line_of[TARGET][r];
        if (d->rows.v[r].io == io && dump_row_numel(d, r) == dump_row_numel(d, k->row[TARGET]) && line != NONE &&
            p->j->line[line].rule == RULE_SAME_PICKS)
            return true;
    }
    return false;
}

/* Whether values are in the order of choices: those of a top-k itself, output beside them, computed from such
 * values, or their gradients. */
static bool in_order_of_picks(struct judge_pass *p, const struct verdict_case *k)
{
    const struct dump *d = p->side[TARGET];
    if (k->r[TARGET]->io == IO_OUTPUT && align_item_does(d, k->call, STR("topk")))
        return true;
    uint32_t before = line_before(p, k->row[TARGET]);
    if (belongs_to_picks(p, k))
        return true;
    if (before != NONE && p->j->line[before].rule == RULE_SAME_PICKS)
        return true;
    EACH_EARLY_ROW(d, k->call, r) {
        uint32_t line = p->m->pairing->line_of[TARGET][r];
        if (line == NONE || k->r[TARGET]->io != IO_OUTPUT || dump_row_numel(d, r) != dump_row_numel(d, k->row[TARGET]))
            continue;
        if (d->rows.v[r].io == IO_INPUT ? p->j->line[line].rule == RULE_SAME_PICKS : routing_of_line(p, line) >
            ROUTING_UNKNOWN)
            return true;
    }
    return false;
}

/* Whether a token's set of experts is the same and only its order differs. */
static bool is_same_set(struct judge_pass *p, const struct verdict_case *k, enum routing how, bool numbers,
                        double *error)
{
    uint32_t before = line_before(p, k->row[TARGET]);
    if (!k->f || !k->f->two)
        return false;
    if (numbers)
        return how == ROUTING_SAME || (before != NONE && p->j->line[before].rule == RULE_SAME_PICKS);
    if (!dtype_is_float((enum dtype)k->r[TARGET]->dtype) || !in_order_of_picks(p, k))
        return false;
    *error = routing_sorted_error(p->m, k->i);
    return *error <= (double)k->out->limit;
}

/* Whether integers changed in the call, or in an earlier call whose result this is. */
static bool turned_before(const struct judge_pass *p, const struct verdict_case *k, double turned)
{
    uint32_t line = line_before(p, k->row[TARGET]);
    double share = (double)p->call_turned[k->call];
    if (line != NONE && p->j->line[line].rule == RULE_ILL)
        return true;
    return k->r[TARGET]->io == IO_OUTPUT && share > 0 &&
           (turned <= p->tol->level * share || (k->f && k->f->rel_l2 <= p->tol->level * condition_picked(share)));
}

/* A router's module may also output the scores it picked: at a tie these agree, within the noise of the largest. */
static bool picks_agree(const struct judge_pass *p, const struct verdict_case *k, double noise)
{
    const struct dump *d = p->side[TARGET];
    EACH_EARLY_ROW(d, k->call, r) {
        uint32_t line = p->m->pairing->line_of[TARGET][r];
        const struct figures *f = line != NONE && p->state[line] == MEASURE_DONE ? p->m->figures[line] : NULL;
        bool picked = d->rows.v[r].io == IO_OUTPUT && dtype_is_float((enum dtype)d->rows.v[r].dtype) &&
                      dump_row_numel(d, r) == dump_row_numel(d, k->row[TARGET]);
        if (picked && f && f->two) {
            double largest = fmax(fabs(f->side[GOLDEN].max), fabs(f->side[GOLDEN].min));
            if (f->max_abs > p->tol->level * noise * largest)
                return false;
        }
    }
    return true;
}

static void mark_turned_module(struct judge_pass *p, uint32_t call, float share, uint64_t picks)
{
    const struct call *c = &p->side[TARGET]->calls.v[call];
    if (c->kind != CALL_MODULE || c->scope == NONE)
        return;
    p->call_turned[call] = fmaxf(p->call_turned[call], share);
    struct turned_module x = {call, picks};
    vec_push(&p->turned_modules, x);
}

/* Marks modules that get changed integers, and the one inside of which tokens were chosen; their inner calls come
 * before the module's own rows. */
static void mark_turned_modules(struct judge_pass *p, const struct verdict_case *k)
{
    bool order_alone = k->out->rule == RULE_SAME_PICKS; /* no token went elsewhere */
    float share = order_alone ? FLT_EPSILON : k->out->error * k->out->error / 2;
    const struct dump *d = p->side[TARGET];
    uint64_t picks = dump_row_numel(d, k->row[TARGET]);
    for (uint32_t r = p->reads.first[k->row[TARGET]]; r != NONE; r = p->reads.next[r])
        mark_turned_module(p, d->rows.v[r].call, share, dump_row_numel(d, r));
    if (d->calls.v[k->call].parent != NONE)
        mark_turned_module(p, d->calls.v[k->call].parent, share, picks);
}

/* The share of integers that changed on their way into a module that contains the row's call, or whose backward call
 * has the gradient of the picked values; or in the call that picked the values whose gradient this is. */
static double turned_around(const struct judge_pass *p, uint32_t row)
{
    const struct dump *d = p->side[TARGET];
    uint32_t call = d->rows.v[row].call, twin = d->calls.v[call].twin;
    bool backward = d->calls.v[call].phase == PHASE_BACKWARD && d->rows.v[row].io != IO_GRADIENT;
    bool comes = backward && twin != NONE && d->rows.v[row].io == IO_INPUT;
    double share = comes ? (double)p->call_turned[twin] : 0;
    for (size_t i = 0; i < p->turned_modules.n && d->calls.v[call].scope != NONE; i++) {
        const struct turned_module *x = &p->turned_modules.v[i];
        struct str outer = str_of(d->scopes.v[d->calls.v[x->call].scope]);
        struct str inner = str_of(d->scopes.v[d->calls.v[call].scope]);
        bool inside = inner.n > outer.n ? inner.p[outer.n] == '.' :
                      inner.n == outer.n && d->calls.v[call].kind != CALL_MODULE;
        bool picked = inner.n == outer.n && backward && dump_row_numel(d, row) == x->picks;
        if ((inside || picked) && memcmp(inner.p, outer.p, outer.n) == 0)
            share = fmax(share, (double)p->call_turned[x->call]);
    }
    return share;
}

/* The row in which a value in another order first appeared: the earlier rows that hold it were set aside for that. */
static uint32_t first_in_other_order(const struct judge_pass *p, uint32_t row)
{
    for (;;) {
        uint32_t from = p->flow[TARGET].held[row];
        uint32_t line = from == NONE ? NONE : p->m->pairing->line_of[TARGET][from];
        if (line == NONE || p->j->line[line].rule != RULE_ILL || p->j->line[line].was != CONDITION_OTHER_ORDER)
            return row;
        row = from;
    }
}

/* Inside a block of experts, rows are in the order in which tokens were picked, which a tie changes: extremes and
 * norm, which do not depend on order, are compared, allowing for the share of tokens that went elsewhere. */
static bool is_other_order(const struct judge_pass *p, const struct verdict_case *k, double *error)
{
    double share = k->f && k->f->two ? turned_around(p, first_in_other_order(p, k->row[TARGET])) : 0;
    if (!(share > 0))
        return false;
    const struct side_figures *t = &k->f->side[TARGET], *g = &k->f->side[GOLDEN];
    double apart = fmax(fmax(fabs(t->max - g->max), fabs(t->min - g->min)), fabs(t->norm - g->norm));
    *error = apart / g->norm;
    return *error <= (double)k->out->limit + share;
}

/* The largest error of the call's inputs and of its forward call's inputs. */
static double error_seen(const struct judge_pass *p, const struct verdict_case *k)
{
    uint32_t twin = p->side[TARGET]->calls.v[k->call].twin;
    bool backward = p->side[TARGET]->calls.v[k->call].phase == PHASE_BACKWARD;
    return (double)fmaxf(p->call_error[k->call], backward && twin != NONE ? p->call_error[twin] : 0);
}

/* Whether the errors of what goes into a row's call exclude elements that a mask fills: then its condition does too. */
static bool masked_before(const struct judge_pass *p, const struct verdict_case *k)
{
    EACH_EARLY_ROW(p->side[TARGET], k->call, r) {
        uint32_t line = p->m->pairing->line_of[TARGET][r];
        if (p->side[TARGET]->rows.v[r].io == IO_INPUT && line != NONE && p->j->line[line].flags & LINE_MASKED)
            return true;
    }
    return false;
}

/* For a gradient of queries or keys that passed through attention's softmax, fused or written out on either side. */
static struct condition condition_of_attention(const struct judge_pass *p, const struct verdict_case *k, double *noise)
{
    double held = attention_gradient_held(p, k->row, noise);
    double kappa = isfinite(held) ? held : attention_gradient_condition(p->m, p->state, GOLDEN, k->row[GOLDEN]);
    if (!(kappa > 1) || !isfinite(kappa))
        return CONDITION_PLAIN;
    return (struct condition){CONDITION_WEIGHTED, kappa, kappa, 0};
}

/* Whether a line was set aside as a gradient that is zero except for rounding. */
static bool was_zero(const struct judge_pass *p, uint32_t line)
{
    return line != NONE && p->j->line[line].rule == RULE_ILL && p->j->line[line].was == CONDITION_ZERO_GRADIENT;
}

/* Whether a gradient holds, or a backward call computes from nothing else, one that was set aside as zero. */
static bool passes_zero_on(const struct judge_pass *p, const struct verdict_case *k)
{
    const struct dump *d = p->side[TARGET];
    bool found = false, backward = d->calls.v[k->call].phase == PHASE_BACKWARD && k->r[TARGET]->io != IO_GRADIENT;
    if (!backward || k->r[TARGET]->io == IO_INPUT)
        return backward && was_zero(p, line_before(p, k->row[TARGET]));
    EACH_EARLY_ROW(d, k->call, r)
        if (pass_is_float(&d->rows.v[r], IO_INPUT)) {
            if (!was_zero(p, p->m->pairing->line_of[TARGET][r]))
                return false;
            found = true;
        }
    return found;
}

/* How many times the incoming gradient repeats each value, if a call that spreads one (a mean, an expansion) made it:
 * the errors of repeated values do not cancel in a sum. */
static double repeated_row_level(const struct judge_pass *p, const struct verdict_case *k)
{
    const struct dump *d = p->side[TARGET];
    uint32_t call = k->r[TARGET]->io == IO_GRADIENT ? condition_module_backward(d, k->call) : k->call;
    uint32_t came = call == NONE ? NONE : pass_first_float(d, call, IO_INPUT);
    uint32_t from = came == NONE ? NONE : p->flow[TARGET].held[came];
    bool spread = from != NONE && d->rows.v[from].io == IO_OUTPUT &&
                  d->calls.v[d->rows.v[from].call].phase == PHASE_BACKWARD;
    uint32_t source = spread ? pass_first_float(d, d->rows.v[from].call, IO_INPUT) : NONE;
    uint64_t n = source == NONE ? 0 : dump_row_numel(d, source), whole = n ? dump_row_numel(d, from) : 0;
    return n && whole % n == 0 ? (double)(whole / n) : 1;
}

/* What amplifies the noise of a gradient. One that is zero but for rounding is held apart, also of a doubtful pair:
 * whatever its partner is, it is nobody's deviation. */
static struct condition gradient_condition(struct judge_pass *p, struct verdict_case *k, double level, double factor)
{
    struct condition c = condition_of_gradient(p->m, p->state, k->row, level, factor);
    if (passes_zero_on(p, k))
        c = (struct condition){.kind = CONDITION_ZERO_GRADIENT, .kappa = fmax(c.kappa, 1), .own = fmax(c.own, 1)};
    if (c.kind == CONDITION_ZERO_GRADIENT) {
        double unit = dtype_table[k->r[GOLDEN]->dtype].epsilon / 2;
        hold_apart(k, &c, 2 * rule_limit(RULE_LIMIT_GRADIENT_ROUNDING) * unit * c.kappa, 0);
    }
    return c;
}

/* What the excuses of one row have in common. */
struct excuse {
    double level, factor; /* the noise, and how far above it a row may be */
    double turned;        /* the share of elements that differ at all */
    enum routing how;     /* of integers picked on both sides */
    bool numbers;         /* integers differ */
    bool reordered;       /* elements in another order: of picks, or of something else (reordered_rows.h) */
    struct condition condition;
};

/* Steps of an optimizer that noise inverted. */
static bool excuse_optimizer_steps(struct judge_pass *p, struct verdict_case *k)
{
    const struct line_judgement *l = k->out;
    bool parameter = l->verdict == VERDICT_DEVIATE && l->rule == RULE_PARAMETER && !p->o->exact && !p->o->preset &&
                     !(l->flags & LINE_DOUBTFUL);
    if (!parameter || !optimizer_noise_explains(p, k))
        return false;
    hold_apart(k, &(struct condition){.kind = CONDITION_OPTIMIZER, .own = 1}, (double)l->limit, 0);
    return true;
}

static bool may_be_excused(const struct judge_pass *p, const struct verdict_case *k)
{
    enum verdict_rule rule = (enum verdict_rule)k->out->rule;
    bool by_value = rule == RULE_LIMIT || rule == RULE_JUMP || rule == RULE_INTEGERS_DIFFER || rule == RULE_REORDERED;
    return k->out->verdict == VERDICT_DEVIATE && by_value && !p->o->exact && !p->o->preset &&
           !(k->out->flags & LINE_BAND);
}

/* Picks of a router, and integers or values in their order. True: nothing else excuses the row. */
static bool settle_picks(struct judge_pass *p, struct verdict_case *k, const struct excuse *x)
{
    double sorted = condition_picked(x->turned);
    if (x->how == ROUTING_OTHER)
        return true;
    if (is_same_set(p, k, x->how, x->numbers, &sorted)) {
        verdict_case_give(k, VERDICT_MATCH, RULE_SAME_PICKS);
        k->out->error = (float)sorted;
        if (x->reordered)
            k->out->flags &= (uint8_t)~LINE_DOUBTFUL;
        return true;
    }
    if (x->reordered)
        return true;
    if (!x->numbers || !turned_before(p, k, x->turned))
        return false;
    hold_apart(k, &(struct condition){.kind = CONDITION_NONE}, NAN, x->turned);
    return true;
}

static bool excuse_other_order(struct judge_pass *p, struct verdict_case *k)
{
    double apart = 0;
    if (!is_other_order(p, k, &apart))
        return false;
    hold_apart(k, &(struct condition){.kind = CONDITION_OTHER_ORDER, .own = 1}, (double)k->out->limit, 0);
    k->out->error = (float)apart;
    return true;
}

static bool excuse_pool_tie(struct judge_pass *p, struct verdict_case *k)
{
    if (!k->f || !k->f->two || !pool_ties_explain(p->m, k->i, (double)k->out->limit))
        return false;
    hold_apart(k, &(struct condition){.kind = CONDITION_POOL_TIE, .own = 1}, (double)k->out->limit, 0);
    return true;
}

/* Gates near a kink. */
static bool excuse_kink(struct judge_pass *p, struct verdict_case *k)
{
    double kappa = 1, turned_gates = kinks_bound(p, k->row, k->f, &kappa);
    double bound = hypot(turned_gates, (double)k->out->limit);
    if (!(turned_gates > 0) || (double)k->out->error > bound)
        return false;
    hold_apart(k, &(struct condition){.kind = CONDITION_KINK, .own = kappa}, bound, 0);
    return true;
}

/* A term of a gradient whose sum alone was recorded, within the noise of the whole. */
static bool excuse_unrecorded_term(struct judge_pass *p, struct verdict_case *k, const struct excuse *x)
{
    double summed = k->f && k->f->two && k->f->side[TARGET].norm > 0 ? unrecorded_term(p, k->row) : 0;
    double bound = x->factor * x->level * summed;
    if (!(summed > 1) || (double)k->out->error > bound)
        return false;
    hold_apart(k, &(struct condition){.kind = CONDITION_GRADIENT_SUM, .kappa = summed, .own = summed}, bound, 0);
    return true;
}

/* What amplifies the noise of the row's inputs; *came_with: the noise of a gradient that attention hands on. */
static struct condition amplifier_of(const struct judge_pass *p, const struct verdict_case *k, struct condition known,
                                     double *came_with)
{
    struct condition c = known;
    if (c.kind == CONDITION_NONE)
        c = condition_of_attention(p, k, came_with);
    if (c.kind == CONDITION_NONE)
        c = condition_of(p->m, p->state, k->row[GOLDEN]);
    if (c.kind == CONDITION_GRADIENT_SUM) {
        double same = sqrt(repeated_row_level(p, k));
        c.kappa *= same;
        c.own *= same;
    }
    return c;
}

/* A deviation within the operator's amplified noise is not a first deviation (conditioning.h). The noise is that of
 * its inputs; if they were not compared, the noise level; plus its own rounding. */
static void excuse_amplified_noise(struct judge_pass *p, struct verdict_case *k, const struct excuse *x)
{
    const struct line_judgement *l = k->out;
    double came_with = k->r[TARGET]->io == IO_GRADIENT ? unrecorded_incoming_error(p, k) : 0;
    double seen = came_with > 0 ? came_with : error_seen(p, k); /* gradients beside it are not its inputs */
    struct condition c = amplifier_of(p, k, x->condition, &came_with);
    bool discrete = condition_is_discrete(c.kind), compared = p->call_dtype[k->call] != DTYPE_UNKNOWN || came_with > 0;
    bool conditioned = discrete || c.kind == CONDITION_GRADIENT_SUM || c.own >= rule_limit(RULE_LIMIT_ILL_CONDITIONED);
    if (c.kind == CONDITION_NONE || c.kind == CONDITION_SUM || !conditioned)
        return;
    double factor = !k->f && compared ? fmax(x->factor, p->tol->level * sqrt(c.terms)) : x->factor;
    enum dtype own = dtype_coarser(k->r[TARGET]->dtype, k->r[GOLDEN]->dtype);
    double unseen = dtype_table[DTYPE_F32].epsilon / 2;
    if (!compared)
        unseen = fmax(fmax(x->level, dtype_table[own].epsilon / 2), unseen);
    else if ((discrete || c.kind == CONDITION_GRADIENT_SUM || c.kind == CONDITION_WEIGHTED) && !k->f)
        /* equal statistics do not prove equal values */
        unseen = fmax(x->level, unseen);
    if (k->f && masked_before(p, k))
        c.kappa = c.own;
    double bound = factor * condition_bound(&c, fmax(seen, came_with), unseen);
    bound = fmin(bound,
                 discrete ? rule_limit(RULE_LIMIT_INTEGERS_TURNED_MOST) : rule_limit(RULE_LIMIT_ILL_CONDITIONED_MOST));
    if (x->how == ROUTING_TIED)
        bound = fmax(bound, x->turned);
    bool tie = c.kind != CONDITION_ORDER || x->how == ROUTING_TIED ||
               picks_agree(p, k, fmax((double)p->call_error[k->call], unseen));
    if (tie && (discrete ? x->turned : (double)l->error) <= bound)
        hold_apart(k, &c, bound, discrete ? x->turned : 0);
}

void row_verdict_excuse(struct judge_pass *p, struct verdict_case *k)
{
    if (excuse_optimizer_steps(p, k) || !may_be_excused(p, k))
        return;
    double quantile = k->f ? p->tol->quantile : p->tol->quantile_statistics;
    struct excuse x = {.level = fmax(noise_level_quantile(&p->level, quantile), noise_level_product(&p->level)),
                       .factor = k->f ? p->tol->level : p->tol->level_statistics,
                       .numbers = k->out->rule == RULE_INTEGERS_DIFFER,
                       .reordered = k->out->rule == RULE_REORDERED};
    if (k->out->flags & LINE_DOUBTFUL && !x.reordered) {
        gradient_condition(p, k, x.level, x.factor);
        return;
    }
    x.turned = k->f ? condition_turned(k->f) : recorded_error(k->r[TARGET], k->r[GOLDEN]);
    x.how = x.numbers ? routing_of_line(p, k->i) : ROUTING_UNKNOWN;
    if (settle_picks(p, k, &x))
        return;
    x.condition = gradient_condition(p, k, x.level, x.factor);
    if (x.condition.kind == CONDITION_ZERO_GRADIENT || excuse_other_order(p, k) || excuse_pool_tie(p, k) ||
        excuse_kink(p, k) || excuse_unrecorded_term(p, k, &x))
        return;
    excuse_amplified_noise(p, k, &x);
}

/* Whether inputs were compared and none was rounded already on that side: then the call itself rounds. */
static bool inputs_not_rounded(const struct judge_pass *p, const struct verdict_case *k, int s)
{
    bool compared = false;
    EACH_EARLY_ROW(p->side[TARGET], k->call, r) {
        uint32_t line = p->m->pairing->line_of[TARGET][r];
        const struct row *x = &p->side[TARGET]->rows.v[r];
        if (x->io != IO_INPUT || x->kind != ROW_TENSOR || dump_row_numel(p->side[TARGET], r) < 2)
            continue;
        const struct figures *f = p->state[line] == MEASURE_DONE ? p->m->figures[line] : NULL;
        if (!f || !f->two || f->kept[s])
            return false;
        compared = true;
    }
    return compared;
}

/* Whether an earlier row of the other side holds the input's value and its partner on this side was not rounded: then
 * an unrecorded step rounds. */
static bool source_not_rounded(const struct judge_pass *p, const struct verdict_case *k, int s)
{
    uint32_t from = p->flow[!s].held[k->row[!s]], line = from == NONE ? NONE : p->m->pairing->line_of[!s][from];
    const struct figures *f = line != NONE && p->state[line] == MEASURE_DONE ? p->m->figures[line] : NULL;
    return f && f->two && !f->kept[s] && p->flow[s].held[k->row[s]] == NONE &&
           verdict_is_accepted((enum verdict)p->j->line[line].verdict) &&
           p->side[TARGET]->calls.v[k->call].phase == PHASE_FORWARD;
}

/* Whether a part of a product's result is on the grid of its rounded operands: TF32 has float16's digits, and where the
 * product sums hardly more than one term (a gradient of nearly certain predictions) its operands' values pass
 * through. */
static bool passes_operands_on(const struct judge_pass *p, const struct verdict_case *k, int s)
{
    bool conv = p->side[TARGET]->calls.v[k->call].family == FAMILY_CONV;
    return k->f->kept[s] == (DTYPE_F16 | KEPT_PART) && p->multiplies[k->call] && p->coarse[conv];
}

/* float32 noise never leaves every element exact in a coarser type, so no noise level excuses it. Types that a side
 * declares are recorded as such: precision, not deviation. */
void row_verdict_rounded(struct judge_pass *p, struct verdict_case *k)
{
    bool accepted = verdict_is_accepted((enum verdict)k->out->verdict);
    enum row_io io = (enum row_io)k->r[TARGET]->io;
    if (!accepted || !k->f || (io != IO_OUTPUT && io != IO_INPUT) || k->out->flags & LINE_DOUBTFUL || p->o->preset)
        return;
    for (int s = 0; s < 2; s++) {
        double step = dtype_table[k->f->kept[s] & ~KEPT_PART].epsilon;
        if (k->f->kept[s] == DTYPE_UNKNOWN || p->narrow[s] || passes_operands_on(p, k, s) ||
            k->f->rel_l2 < rule_limit(RULE_LIMIT_ROUNDED_LEAST) * step ||
            !(io == IO_OUTPUT ? inputs_not_rounded(p, k, s) : source_not_rounded(p, k, s)))
            continue;
        k->out->limit = (float)(rule_limit(RULE_LIMIT_ROUNDED_LEAST) * step);
        verdict_case_give(k, VERDICT_DEVIATE, RULE_ROUNDED);
    }
}

void row_verdict_remember(struct judge_pass *p, const struct verdict_case *k)
{
    const struct line_judgement *l = k->out;
    bool same_picks = l->rule == RULE_SAME_PICKS && class_is_whole(row_class(k->r[TARGET]));
    bool ill = l->rule == RULE_ILL; /* doubtful, but later rows inherit its error */
    bool accepted = verdict_is_accepted((enum verdict)l->verdict) || ill;
    bool product = p->multiplies[k->call] && k->r[TARGET]->io == IO_OUTPUT, unread = l->flags & LINE_UNREAD;
    enum dtype own = dtype_coarser(k->r[TARGET]->dtype, k->r[GOLDEN]->dtype);
    if (product)
        p->open_product = !accepted || (l->flags & LINE_DOUBTFUL);
    if (product && k->r[TARGET]->kind == ROW_TENSOR)
        p->unread_product = unread;
    if ((same_picks || (ill && class_is_whole(row_class(k->r[TARGET])))) && k->r[TARGET]->io == IO_OUTPUT)
        mark_turned_modules(p, k);
    else if (same_picks || (ill && class_is_whole(row_class(k->r[TARGET])))) {
        p->call_turned[k->call] = fmaxf(p->call_turned[k->call], l->error * l->error / 2);
        if (!same_picks) /* of the same picks the values are the same: their order is no noise of them */
            p->call_error[k->call] = fmaxf(p->call_error[k->call], l->error);
    }
    if (k->r[TARGET]->kind != ROW_TENSOR || !dtype_is_float(own) || (l->flags & LINE_DOUBTFUL && !ill))
        return;
    /* a gradient that is only rounding has no effect on later rows */
    accepted = accepted && !(ill && l->was == CONDITION_ZERO_GRADIENT);
    /* if elements could not be read, recorded figures do not show their noise */
    float error = !unread ? l->error : (float)error_before(p, k->row);
    if (accepted && !unread && error > 0)
        noise_level_add(&p->level, (double)error, product, own);
    if (k->r[TARGET]->io != IO_OUTPUT) {
        p->call_dtype[k->call] = (uint8_t)dtype_coarser(p->call_dtype[k->call], own);
        if (accepted && error > p->call_error[k->call])
            p->call_error[k->call] = error;
    }
}
