/* Judges one error: the row's role, the local noise level, and the noise that later rows must expect. */
#include "judge/thresholds.h"
#include "judge/row_verdict.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "judge/conditioning.h"
#include "judge/figure_noise.h"
#include "judge/pass_rows.h"
#include "pair/align_item.h"
#include "judge/unrecorded_step.h"
#include "dump/family.h"
#include "dump/recorded_figures.h"

/* ---- roles ---- */

/* Whether an earlier call of the module in this step, of another micro-batch, moved what this one reads: the running
 * statistics of a norm. */
static bool is_moved_in_step(const struct dump *d, uint32_t call)
{
    const struct call *c = &d->calls.v[call];
    bool keeps = c->scope != NONE && align_item_does(d, call, STR("batch_norm"));
    for (uint32_t i = call; keeps && i-- > 0;)
        if (d->calls.v[i].scope == c->scope && d->calls.v[i].phase == PHASE_FORWARD &&
            align_item_does(d, i, STR("batch_norm")))
            return true;
    return false;
}

/* Whether a forward call of an operator takes a parameter where it takes this row. */
static bool is_place_of_parameter(const struct judge_pass *p, const struct verdict_case *k)
{
    const struct call *c = &p->side[TARGET]->calls.v[k->call];
    const char *slot = p->side[TARGET]->slots.v[k->r[TARGET]->slot];
    const struct shape *s = dump_row_shape(p->side[TARGET], k->row[TARGET]);
    if (k->r[TARGET]->io != IO_INPUT || c->phase != PHASE_FORWARD || c->kind == CALL_MODULE)
        return false;
    if (strcmp(slot, "input.weight") == 0 || strcmp(slot, "input.bias") == 0)
        return true;
    bool adds = c->family == FAMILY_LINEAR && s && s->ndim <= 2 && align_item_adds_term(p->side[TARGET], k->call);
    switch (c->family) {
    case FAMILY_LINEAR:
    case FAMILY_CONV:
        if (strcmp(slot, adds ? "input.0" : "input.1") == 0) /* behind an equation, what goes in */
            return s && s->ndim <= (c->family == FAMILY_CONV ? 5 : adds ? 1 : 2) &&
                   !str_is(align_item_operator(p->side[TARGET], k->call), "einsum");
        return strcmp(slot, "input.2") == 0 && s && s->ndim <= (c->family == FAMILY_CONV ? 5 : 2);
    case FAMILY_EMBEDDING:
        return row_class(k->r[TARGET]) == CLASS_FLOAT;
    case FAMILY_NORM: /* running statistics, weight and bias follow the values */
        return s && s->ndim == 1 && strlen(slot) == strlen("input.1") && slot[6] >= '1' && slot[6] <= '4' &&
               (slot[6] > '2' || !is_moved_in_step(p->side[TARGET], k->call));
    default:
        return false;
    }
}

bool row_verdict_is_parameter(const struct judge_pass *p, const struct verdict_case *k)
{
    return k->r[TARGET]->io == IO_PARAMETER ||
           (is_place_of_parameter(p, k) && !dataflow_is_made(&p->flow[TARGET], p->side[TARGET], k->row[TARGET]));
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
 * 16 bits as well, of a module's result one of them: its float32 does not say in what those steps computed (autocast,
 * recurrent layers, experts in one call, a sum of gradients). */
static bool may_be_autocast(const struct judge_pass *p, const struct verdict_case *k)
{
    const struct call *c = &p->side[TARGET]->calls.v[k->call];
    bool ends = c->kind == CALL_MODULE && c->phase == PHASE_FORWARD;
    bool made = k->r[TARGET]->io == IO_INPUT ||
                (k->r[TARGET]->io == IO_OUTPUT &&
                 (ends || (reads_uncompared(p, TARGET, k->call) &&
                           reads_uncompared(p, GOLDEN, p->side[GOLDEN]->rows.v[k->row[GOLDEN]].call))));
    bool narrow = (p->narrow[TARGET] && p->narrow[GOLDEN]) || (ends && (p->narrow[TARGET] || p->narrow[GOLDEN]));
    return narrow && p->j->arithmetic != DTYPE_UNKNOWN && made && comes_uncompared(p, TARGET, k->row[TARGET]) &&
           comes_uncompared(p, GOLDEN, k->row[GOLDEN]);
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

static double error_held(const struct judge_pass *p, uint32_t target_row, int steps, int *left);

#define UNPAIRED_STEPS 8  /* the most calls without a partner through which an error is followed */
#define UNPAIRED_ROWS 256 /* the most rows looked at: calls may have many inputs */

/* The error with which a golden row's value was accepted where an earlier row held it. */
static double golden_error_held(const struct judge_pass *p, uint32_t golden_row)
{
    uint32_t from = p->flow[GOLDEN].held[golden_row];
    uint32_t line = from == NONE ? NONE : pairing_paired_line(p->m->pairing, GOLDEN, from);
    const struct line_judgement *l = line == NONE ? NULL : &p->j->line[line];
    bool ill = l && l->rule == RULE_ILL;
    bool accepted = ill || (l && verdict_is_accepted((enum verdict)l->verdict) &&
                            !(l->flags & (LINE_UNREAD | LINE_DOUBTFUL)));
    return accepted && isfinite(l->error) ? (double)l->error : 0;
}

/* The largest error of what goes into a target call; where nothing of it was compared and noise was amplified before,
 * of the values that its inputs hold, or those of the golden call. */
static double error_coming_in(const struct judge_pass *p, const uint32_t row[2], int *left)
{
    const struct dump *d = p->side[TARGET], *o = p->side[GOLDEN];
    uint32_t call = d->rows.v[row[TARGET]].call, golden = o->rows.v[row[GOLDEN]].call;
    double most = (double)p->call_error[call];
    if (most > 0 || !p->given[RULE_ILL] || p->call_dtype[call] != DTYPE_UNKNOWN ||
        d->calls.v[call].kind == CALL_MODULE)
        return most;
    EACH_EARLY_ROW(d, call, r)
        if (pass_is_float(&d->rows.v[r], IO_INPUT))
            most = fmax(most, error_held(p, r, UNPAIRED_STEPS, left));
    if (!(most > 0))
        EACH_EARLY_ROW(o, golden, r)
            if (pass_is_float(&o->rows.v[r], IO_INPUT))
                most = fmax(most, golden_error_held(p, r));
    return most;
}

/* The expected output error given the call's input errors. The condition is exact for sums with cancellation; for
 * other operators it is an estimate, which only makes a row doubtful (excuse). `left` as of error_held. */
static double error_handed_on(const struct judge_pass *p, const uint32_t row[2], bool *cancels, int *left)
{
    double in = error_coming_in(p, row, left);
    uint8_t family = p->side[GOLDEN]->calls.v[p->side[GOLDEN]->rows.v[row[GOLDEN]].call].family;
    if (family != FAMILY_ADD && family != FAMILY_LINEAR)
        return in;
    struct condition c = family == FAMILY_ADD ? condition_of(p->m, p->state, row[GOLDEN])
                                              : condition_of_product(p->m, p->state, row[GOLDEN]);
    *cancels = c.kind == CONDITION_SUM && c.kappa >= rule_limit(RULE_LIMIT_ILL_CONDITIONED);
    return *cancels ? in * c.kappa : in;
}

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
        return error_handed_on(p, p->m->pairing->lines.v[line].row, &cancels, left);
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
    double error = w->error;
    /* the norm may hide it; behind a step an extreme may be an element that noise moved by as much as a step */
    if (w->stats && p->side[TARGET]->step <= 0 && error <= fmax(limit, w->digits)) {
        double n = (double)dump_row_numel(p->side[GOLDEN], k->row[GOLDEN]);
        double extremes = recorded_extremes_error(k->r[TARGET], k->r[GOLDEN], n);
        error = extremes > fmax(limit, w->digits) ? extremes : error;
    }
    if (error > fmax(limit, w->digits)) /* too few values to show by themselves that they were rounded */
        limit = fmax(limit, unrecorded_rounding_error(p, k));
    k->out->error = (float)error;
    if (!weigh_by_limit(k, error, fmax(limit, w->digits), RULE_PARAMETER))
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

/* The noise that all rows share: what earlier ones had. */
static double noise_around_all(const struct judge_pass *p, bool stats)
{
    double level = noise_level_quantile(&p->level, stats ? p->tol->quantile_statistics : p->tol->quantile);
    return fmax(level, noise_level_product(&p->level));
}

/* The noise that a row may have: that of earlier rows of its kind, of the values it was handed, and of steps that were
 * not recorded. */
static double noise_around(struct judge_pass *p, struct verdict_case *k, const struct weighing *w)
{
    bool gradient = k->r[TARGET]->io == IO_GRADIENT;
    double level = fmax(noise_around_all(p, w->stats), error_before(p, k->row));
    if (k->r[TARGET]->io == IO_OUTPUT) {
        bool cancels = false;
        int left = UNPAIRED_ROWS;
        level = fmax(level, error_handed_on(p, k->row, &cancels, &left));
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
    if (w->stats && w->error > w->mine->drift)
        level = fmax(level, fmax(fmax(figure_noise_of_product(p, k), figure_noise_of_parts(p, k)),
                                 figure_noise_of_coarse_inputs(p, k)));
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
        limit = fmin(limit, fmax(loss_limit(tol, k), w->stats ? figure_noise_of_loss(p, k) : 0));
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

/* What a row's error says of the noise of others: not what its operator amplified, nor more than the noise around it
 * explains, which came with the values that it holds or reads alone. */
static double own_noise(const struct judge_pass *p, const struct verdict_case *k, double error)
{
    const struct line_judgement *l = k->out;
    enum dtype type = dtype_coarser(k->r[TARGET]->dtype, k->r[GOLDEN]->dtype);
    double most = thresholds_of(p->tol, type)->deviate;
    if (l->rule == RULE_ILL && l->kappa > 1)
        error /= (double)l->kappa;
    if (error <= most) /* nearly every row */
        return error;
    double around = noise_around_all(p, !k->f);
    return fmin(error, fmax(most, (k->f ? p->tol->level : p->tol->level_statistics) * around));
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
        noise_level_add(&p->level, own_noise(p, k, (double)error), product, own);
    if (k->r[TARGET]->io != IO_OUTPUT) {
        p->call_dtype[k->call] = (uint8_t)dtype_coarser(p->call_dtype[k->call], own);
        if (accepted && error > p->call_error[k->call])
            p->call_error[k->call] = error;
    }
}
