/* What excuses a row that is beyond its limits: picks in another order, gates near a kink, terms of a sum that nobody
 * recorded, noise that its operator amplifies. */
#include "judge/row_excuse.h"

#include <math.h>
#include <string.h>

#include "dump/family.h"
#include "judge/attention_gradient.h"
#include "judge/conditioning.h"
#include "judge/figure_noise.h"
#include "judge/kinks.h"
#include "judge/optimizer_noise.h"
#include "judge/pass_rows.h"
#include "judge/pool_ties.h"
#include "judge/routing.h"
#include "judge/thresholds.h"
#include "judge/unrecorded_step.h"
#include "dump/recorded_figures.h"
#include "pair/align_item.h"

/* The line of an earlier row with this value, or NONE. */
static uint32_t line_before(const struct judge_pass *p, uint32_t row)
{
    return pairing_held_line(p->m->pairing, &p->flow[TARGET], TARGET, row);
}

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
    bool apart = at != NONE && (line_is_bad(&p->j->line[at]) || p->j->line[at].rule == RULE_KINDS);
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
        if (d->rows.v[r].io == IO_INPUT ? p->j->line[line].rule == RULE_SAME_PICKS
                                        : routing_of_line(p, line) > ROUTING_UNKNOWN)
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

/* The share of a row's elements that differ; of integers whose figures alone were recorded, the least that explains
 * them: one of them, or as many as move the mean so far. */
static double share_turned(const struct verdict_case *k, bool numbers, uint64_t n)
{
    if (k->f || !numbers)
        return k->f ? condition_turned(k->f) : recorded_error(k->r[TARGET], k->r[GOLDEN]);
    const double *t = k->r[TARGET]->stat, *g = k->r[GOLDEN]->stat;
    double range = fmax(t[STAT_MAX], g[STAT_MAX]) - fmin(t[STAT_MIN], g[STAT_MIN]);
    double moved = verdict_case_has(k, HAS_MEAN | HAS_MIN) ? fabs(t[STAT_MEAN] - g[STAT_MEAN]) / range : 0;
    return fmax(1 / (double)n, isfinite(moved) ? moved : 0);
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
        if (picked && !f && line != NONE && line_is_bad(&p->j->line[line]))
            return false;
        if (picked && f && f->two) {
            double largest = fmax(fabs(f->side[GOLDEN].max), fabs(f->side[GOLDEN].min));
            if (f->max_abs > p->tol->level * noise * largest)
                return false;
        }
    }
    return true;
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

/* The root mean square of a side's values, relative to the noise that attention's softmax leaves in them. */
static double size_in_attention(const struct judge_pass *p, const struct verdict_case *k, int side, double noise)
{
    return condition_rms_of(p->m, p->state, side, k->row[side]) / noise;
}

/* For a gradient of queries or keys that passed through attention's softmax, fused or written out on either side. */
static struct condition condition_of_attention(const struct judge_pass *p, const struct verdict_case *k, double *noise)
{
    double held = attention_gradient_held(p, k->row, noise);
    double terms = isfinite(held) ? held : attention_gradient_terms(p->m, p->state, GOLDEN, k->row[GOLDEN]);
    double kappa = 1 / size_in_attention(p, k, GOLDEN, terms);
    if (!(kappa > 1) || !isfinite(kappa))
        return CONDITION_PLAIN;
    return (struct condition){CONDITION_WEIGHTED, kappa, kappa, 0};
}

/* Whether noise leaves nothing of such a gradient: all keys, or one alone, are given the same. */
static bool attention_leaves_nothing(const struct judge_pass *p, const struct verdict_case *k, double level,
                                     double factor)
{
    double noise = 0, terms = attention_gradient_held(p, k->row, &noise);
    if (!isfinite(terms) && !k->f) /* both sides compute it in one call, which elements would show */
        terms = attention_gradient_terms(p->m, p->state, GOLDEN, k->row[GOLDEN]);
    noise = fmax(noise, level);
    return isfinite(terms) && size_in_attention(p, k, GOLDEN, terms) <= noise &&
           size_in_attention(p, k, TARGET, terms) <= factor * noise;
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
static double times_repeated(const struct judge_pass *p, const struct verdict_case *k)
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
    /* elements show what noise left */
    double came = k->f ? 0 : fmax((double)p->call_error[k->call], figure_noise_of_elements(p, k->call));
    struct condition c = condition_of_gradient(p->m, p->state, k->row, fmax(level, came), factor);
    if (passes_zero_on(p, k) || attention_leaves_nothing(p, k, level, factor))
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

/* Steps of an optimizer that noise inverted: in a parameter, or a row that reads one where its call does not say so (a
 * bias added to a product). */
static bool excuse_optimizer_steps(struct judge_pass *p, struct verdict_case *k)
{
    const struct line_judgement *l = k->out;
    bool reads = l->rule == RULE_PARAMETER || p->flow[TARGET].weight[k->row[TARGET]];
    bool parameter = l->verdict == VERDICT_DEVIATE && reads && !p->o->exact && !p->o->preset &&
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
    if ((!(turned_gates > 0) || (double)k->out->error > bound) && !kinks_gated(p, k->i))
        return false;
    hold_apart(k, &(struct condition){.kind = CONDITION_KINK, .own = kappa}, bound, 0);
    return true;
}

/* A term of a gradient whose sum alone was recorded, within the noise of the whole. */
static bool excuse_unrecorded_term(struct judge_pass *p, struct verdict_case *k, const struct excuse *x)
{
    double norm = k->f ? k->f->side[TARGET].norm : k->r[TARGET]->stat[STAT_NORM];
    double summed = (!k->f || k->f->two) && norm > 0 ? unrecorded_term(p, k->row) : 0;
    double bound = x->factor * x->level * summed;
    if (!(summed > 1) || (double)k->out->error > bound)
        return false;
    hold_apart(k, &(struct condition){.kind = CONDITION_GRADIENT_SUM, .kappa = summed, .own = summed}, bound, 0);
    return true;
}

/* For a gradient that comes from a golden backward call whose result has no partner, as the target makes it in several
 * steps: that call's condition. *came_with: the largest error of what goes into it, where all of that is compared. */
static struct condition condition_of_unpaired_maker(const struct judge_pass *p, const struct verdict_case *k,
                                                    double *came_with)
{
    const struct dump *d = p->side[GOLDEN];
    struct condition none = {.kind = CONDITION_NONE};
    uint32_t made = k->r[GOLDEN]->io == IO_INPUT ? dataflow_maker(&p->flow[GOLDEN], d, k->row[GOLDEN]) : NONE;
    if (made == NONE || d->calls.v[d->rows.v[made].call].phase != PHASE_BACKWARD ||
        pairing_paired_line(p->m->pairing, GOLDEN, made) != NONE)
        return none;
    double most = 0;
    EACH_EARLY_ROW(d, d->rows.v[made].call, r) {
        uint32_t line = pairing_paired_line(p->m->pairing, GOLDEN, r);
        if (d->rows.v[r].io != IO_INPUT || !pass_is_float(&d->rows.v[r], IO_INPUT))
            continue;
        if (line == NONE || !line_agrees(&p->j->line[line]))
            return none;
        most = fmax(most, (double)p->j->line[line].error);
    }
    *came_with = fmax(*came_with, most);
    return condition_of(p->m, p->state, made);
}

/* The error with which a value that a side's row reads agreed where it was compared, here or before; NAN if not. */
static double agreed_error(const struct judge_pass *p, int side, uint32_t row)
{
    while (row != NONE && pairing_paired_line(p->m->pairing, side, row) == NONE)
        row = p->flow[side].held[row];
    const struct line_judgement *l = row == NONE ? NULL : &p->j->line[pairing_paired_line(p->m->pairing, side, row)];
    return l && line_agrees(l) && !(l->flags & LINE_DOUBTFUL) ? (double)l->error : NAN;
}

/* How much a matrix product amplifies the noise of its factor a where terms nearly cancel, as those of scores'
 * gradients do whose rows sum to nothing, times keys that are nearly alike: √terms rms(a) rms(b) / rms(result); NAN:
 * unknown. */
static double cancelled_in_product(const struct judge_pass *p, int side, uint32_t a, uint32_t b, uint32_t result)
{
    const struct dump *d = p->side[side];
    const struct shape *shape = dump_row_shape(d, result);
    double blocks = 1, n = (double)dump_row_numel(d, result);
    for (int i = 0; shape && i + 2 < shape->ndim; i++)
        blocks *= (double)shape->dim[i];
    double terms = sqrt((double)dump_row_numel(d, a) * (double)dump_row_numel(d, b) / (n * blocks));
    double sizes = condition_rms_of(p->m, p->state, side, a) * condition_rms_of(p->m, p->state, side, b);
    return shape && shape->ndim >= 2 ? sqrt(terms) * sizes / condition_rms_of(p->m, p->state, side, result) : NAN;
}

/* The result of a side's backward product that a row holds, if it was not compared there; NONE: it holds none. */
static uint32_t product_gradient_of(const struct judge_pass *p, const struct verdict_case *k, int side)
{
    const struct dump *d = p->side[side];
    uint32_t made = k->r[side]->io == IO_INPUT ? dataflow_first(&p->flow[side], k->row[side]) : NONE;
    if (made == NONE || d->rows.v[made].io != IO_OUTPUT)
        return NONE;
    uint32_t call = d->rows.v[made].call, twin = d->calls.v[call].twin,
             line = pairing_paired_line(p->m->pairing, side, made);
    bool product = family_is_product((enum family)d->calls.v[twin == NONE ? call : twin].family);
    bool compared = line != NONE && p->j->line[line].verdict != VERDICT_SKIP;
    return product && !compared && d->calls.v[call].phase == PHASE_BACKWARD ? made : NONE;
}

static bool is_factor(const struct dump *d, uint32_t row)
{
    return d->rows.v[row].kind == ROW_TENSOR && pass_is_float(&d->rows.v[row], IO_INPUT) && dump_row_numel(d, row) > 1;
}

/* For a gradient that a side's backward product made, if its result was not compared there, while what goes in agreed:
 * of the factors it may be a product with, the one that cancels less. *came_with as below. */
static struct condition condition_of_unpaired_product(const struct judge_pass *p, const struct verdict_case *k,
                                                      int side, double *came_with)
{
    const struct dump *d = p->side[side];
    uint32_t made = product_gradient_of(p, k, side), came = NONE;
    uint32_t call = made == NONE ? NONE : d->rows.v[made].call,
             from[2] = {call, call == NONE ? NONE : d->calls.v[call].twin};
    double least = INFINITY, most = 0;
    for (int i = 0; i < 2 && from[i] != NONE; i++)
        EACH_EARLY_ROW(d, from[i], r) {
            if (!is_factor(d, r))
                continue;
            double error = agreed_error(p, side, r);
            if (isnan(error))
                return (struct condition){.kind = CONDITION_NONE};
            most = fmax(most, error);
            if (came != NONE)
                least = fmin(least, cancelled_in_product(p, side, came, r, made));
            else
                came = r;
        }
    if (!isfinite(least) || !(least > 1))
        return (struct condition){.kind = CONDITION_NONE};
    *came_with = fmax(*came_with, most);
    return (struct condition){CONDITION_WEIGHTED, least, least, 0};
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
    if (c.kind == CONDITION_NONE)
        c = condition_of_unpaired_maker(p, k, came_with);
    for (int s = 0; s < 2 && c.kind == CONDITION_NONE; s++)
        c = condition_of_unpaired_product(p, k, s, came_with);
    if (c.kind == CONDITION_GRADIENT_SUM) {
        double same = sqrt(times_repeated(p, k));
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

void row_excuse(struct judge_pass *p, struct verdict_case *k)
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
    x.turned = share_turned(k, x.numbers, dump_row_numel(p->side[TARGET], k->row[TARGET]));
    x.how = x.numbers ? routing_of_line(p, k->i) : ROUTING_UNKNOWN;
    if (settle_picks(p, k, &x))
        return;
    x.condition = gradient_condition(p, k, x.level, x.factor);
    if (x.condition.kind == CONDITION_ZERO_GRADIENT || excuse_other_order(p, k) || excuse_pool_tie(p, k) ||
        excuse_kink(p, k) || excuse_unrecorded_term(p, k, &x))
        return;
    excuse_amplified_noise(p, k, &x);
}
