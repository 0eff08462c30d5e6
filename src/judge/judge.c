/* The pass over all lines: which rule applies to two rows, and what lines show together. Tensors are judged in
 * tensor_verdict.c and recorded_verdict.c, limits and noise in row_verdict.c, the summary in judge_summary.c. */
#include "judge/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dump/contradiction.h"
#include "dump/family.h"
#include "judge/accepted.h"
#include "judge/cause.h"
#include "judge/channel_order.h"
#include "judge/container_end.h"
#include "judge/discarded.h"
#include "judge/equal_bits.h"
#include "judge/framework_difference.h"
#include "judge/fused_arguments.h"
#include "judge/fused_scale.h"
#include "judge/idle_argument.h"
#include "judge/implied_constant.h"
#include "judge/judge_summary.h"
#include "judge/loss_scale.h"
#include "judge/lost_gradient.h"
#include "judge/masked_operand.h"
#include "judge/masked_rows.h"
#include "judge/moved_factor.h"
#include "judge/never_read.h"
#include "judge/open_ends.h"
#include "judge/other_route.h"
#include "judge/other_shape.h"
#include "judge/packed_verdicts.h"
#include "judge/product_arithmetic.h"
#include "judge/reordered_rows.h"
#include "judge/row_excuse.h"
#include "judge/row_verdict.h"
#include "judge/solved_doubt.h"
#include "judge/table_verdicts.h"
#include "judge/tensor_verdict.h"
#include "judge/tool_rules.h"
#include "judge/uncertain_pair.h"
#include "judge/wrong_partner.h"

static bool row_is_number(const struct row *r)
{
    return r->kind == ROW_INT || r->kind == ROW_FLOAT || r->kind == ROW_BOOL;
}

/* Whether a value is a mask's fill: minus infinity, or for it the lowest number of some type. */
static bool is_lowest(double v)
{
    static const enum dtype types[] = {DTYPE_F16, DTYPE_BF16, DTYPE_F32, DTYPE_F64};
    for (size_t i = 0; i < ARRAY_LEN(types); i++)
        if (fabs(v + dtype_table[types[i]].max) <= 1e-6 * dtype_table[types[i]].max)
            return true;
    return isinf(v) && v < 0;
}

static double largest_of(const struct verdict_case *k, int s)
{
    const struct row *r = k->r[s];
    return r->has & HAS_MAX || row_is_number(r) ? r->stat[STAT_MAX] : k->f ? k->f->side[s].max : NAN;
}

/* Whether both sides hold nothing but mask fills, each the lowest number of another type; plainly or as a tensor. */
static bool are_other_fills(const struct verdict_case *k)
{
    double t = largest_of(k, TARGET), g = largest_of(k, GOLDEN);
    return t != g && is_lowest(t) && is_lowest(g);
}

#define LAST_DIGIT 0x1p-51 /* two roundings of a double */

/* None on one side alone: two frameworks write other defaults; the arguments of one framework are of two kinds. */
static void judge_absent(const struct judge_pass *p, struct verdict_case *k)
{
    bool both = k->r[TARGET]->kind == k->r[GOLDEN]->kind;
    if (both || k->r[TARGET]->io != IO_INPUT || !dumps_of_one_framework(p->side[TARGET], p->side[GOLDEN]))
        verdict_case_give(k, VERDICT_SKIP, RULE_ABSENT);
    else
        verdict_case_give_kinds(k, false);
}

static void judge_scalar(const struct judge_pass *p, struct verdict_case *k)
{
    const struct row *t = k->r[TARGET], *g = k->r[GOLDEN];
    bool same;
    if (row_is_number(t) && row_is_number(g)) {
        double a = t->stat[STAT_MAX], b = g->stat[STAT_MAX];
        bool reals = t->kind == ROW_FLOAT && g->kind == ROW_FLOAT;
        /* integers beyond 2^53 are compared as text; a number computed in two ways (1/√12, 12^-½) by its last digit */
        same = (a == b && (fabs(a) < 0x1p53 || strcmp(t->text, g->text) == 0)) || (isnan(a) && isnan(b)) ||
               (reals && fabs(a - b) <= LAST_DIGIT * fabs(b));
    } else if (row_is_number(t) || row_is_number(g)) {
        verdict_case_give_kinds(k, !dumps_of_one_framework(p->side[TARGET], p->side[GOLDEN]));
        return;
    } else {
        same = strcmp(t->text, g->text) == 0 ||
               (t->kind == ROW_DTYPE && g->kind == ROW_DTYPE && t->dtype && t->dtype == g->dtype);
    }
    verdict_case_give(k, same ? VERDICT_MATCH : VERDICT_DEVIATE, same ? RULE_SCALAR_SAME : RULE_SCALAR_DIFFERS);
    /* beside the tensors of a file: a step, a mode, or where and when it was written */
    if (!same && t->io == IO_PARAMETER && g->io == IO_PARAMETER)
        k->out->flags |= LINE_DOUBTFUL;
}

/* A one-element tensor and a plain number: the recorded value is the tensor's maximum, rounded to its type and to the
 * printed digits. */
static void judge_mixed(const struct judge_pass *p, struct verdict_case *k)
{
    double tol = fmax(1e-6, row_verdict_printed(p));
    for (int s = 0; s < 2; s++)
        if (k->r[s]->kind == ROW_TENSOR ? !(k->r[s]->has & HAS_MAX) : !row_is_number(k->r[s])) {
            verdict_case_give_kinds(k, k->r[s]->kind == ROW_TENSOR);
            return;
        }
    double a = k->r[TARGET]->stat[STAT_MAX], b = k->r[GOLDEN]->stat[STAT_MAX];
    for (int s = 0; s < 2; s++)
        if (k->r[s]->kind == ROW_TENSOR && dtype_is_float(k->r[s]->dtype))
            tol = fmax(tol, dtype_table[k->r[s]->dtype].epsilon);
    bool same = (isnan(a) && isnan(b)) || a == b || fabs(a - b) <= tol * fabs(b);
    verdict_case_give(k, same ? VERDICT_MATCH : VERDICT_DEVIATE, same ? RULE_SCALAR_SAME : RULE_SCALAR_DIFFERS);
}

/* Records that a product of the target has been passed, paired or not. */
static void pass_product(struct judge_pass *p, uint32_t row)
{
    const struct row *r = &p->side[TARGET]->rows.v[row];
    if (r->io == IO_OUTPUT && p->multiplies[r->call])
        p->product = p->open_product = true;
}

/* Whether the call is nested with another that recorded the same tensors and is paired. */
static bool nested_pair(const struct judge_pass *p, int s, uint32_t call)
{
    uint32_t other = p->side[s]->calls.v[call].nested;
    if (other != NONE)
        EACH_EARLY_ROW(p->side[s], other, r)
            if (p->m->pairing->lines.v[p->m->pairing->line_of[s][r]].pair != NONE)
                return true;
    return false;
}

/* Whether figures were compared as they are: they agree, or differ by more than noise. */
static bool may_be_constant(const struct line_judgement *l)
{
    return line_agrees(l) || (l->verdict == VERDICT_DEVIATE && (l->rule == RULE_LIMIT || l->rule == RULE_JUMP));
}

static bool constants_differ(const struct judge_pass *p, const struct verdict_case *k)
{
    struct implied_constant t = implied_constant_of(p->side[TARGET], k->row[TARGET]), g = {.known = false};
    if (t.known)
        g = implied_constant_of(p->side[GOLDEN], k->row[GOLDEN]);
    return implied_constants_differ(&t, &g);
}

/* A row without a partner. */
static void judge_one_sided(const struct judge_pass *p, struct verdict_case *k)
{
    int s = k->row[TARGET] == NONE ? GOLDEN : TARGET;
    const struct row *r = &p->side[s]->rows.v[k->row[s]];
    const struct call *c = &p->side[s]->calls.v[r->call];
    bool counts = p->o->strict_gaps && family_is_compute(c->family) && r->io == IO_OUTPUT;
    if (p->state[k->i] == MEASURE_FAILED || r->has & IS_DAMAGED)
        k->out->flags |= LINE_UNREAD;
    if (p->o->exact)
        verdict_case_give(k, VERDICT_DEVIATE, RULE_ONE_SIDED);
    else if (nested_pair(p, s, r->call))
        verdict_case_give(k, VERDICT_SKIP, RULE_NESTED);
    else if (c->recomputes != NONE)
        verdict_case_give(k, VERDICT_SKIP, RULE_RECOMPUTED);
    else
        verdict_case_give(k, counts ? VERDICT_DEVIATE : VERDICT_ONLY, RULE_ONE_SIDED);
}

/* By what the two rows are. */
static void judge_kinds(struct judge_pass *p, struct verdict_case *k)
{
    bool tensor[2] = {k->r[0]->kind == ROW_TENSOR, k->r[1]->kind == ROW_TENSOR};
    if ((k->r[0]->has | k->r[1]->has) & IS_UNPARSED)
        verdict_case_give(k, VERDICT_SKIP, RULE_UNPARSED);
    else if (k->r[0]->kind == ROW_NULL || k->r[1]->kind == ROW_NULL)
        judge_absent(p, k);
    else if (tensor[0] && tensor[1])
        tensor_verdict_give(p, k);
    else if (tensor[0] || tensor[1])
        judge_mixed(p, k);
    else
        judge_scalar(p, k);
    tensor_verdict_cut(p, k);
    bool figures = k->out->flags & LINE_STATISTICS && k->out->rule != RULE_CHECKSUM_SAME;
    if (verdict_is_accepted(k->out->verdict) &&
        ((figures && other_shape_is_unexplained(p->m, k->i)) || weight_has_other_axes(p->m, k->i))) {
        verdict_case_give(k, VERDICT_SHAPE, RULE_OTHER_SHAPE);
        k->out->flags |= LINE_DOUBTFUL;
    }
}

/* What the values and their calls say against a verdict by levels and limits. */
static void judge_again(struct judge_pass *p, struct verdict_case *k)
{
    if (verdict_is_bad(k->out->verdict) && are_other_fills(k))
        verdict_case_give(k, VERDICT_MATCH, RULE_FILLS);
    else if ((k->out->flags & LINE_STATISTICS) && may_be_constant(k->out) && constants_differ(p, k))
        verdict_case_give(k, VERDICT_DEVIATE, RULE_CONSTANT);
    row_excuse(p, k);
    row_verdict_rounded(p, k);
    if (verdict_is_bad(k->out->verdict) && framework_difference_of(p->side, k->row))
        verdict_case_give(k, VERDICT_SKIP, RULE_FRAMEWORK);
    if (verdict_is_bad(k->out->verdict) && !p->o->preset && is_never_read(p->side, k->row, &p->reads))
        verdict_case_give(k, VERDICT_SKIP, RULE_NEVER_READ);
}

static void judge_line(struct judge_pass *p, uint32_t i)
{
    const struct line *l = &p->m->pairing->lines.v[i];
    struct verdict_case k = {.i = i, .row = {l->row[0], l->row[1]}, .out = &p->j->line[i]};
    *k.out = (struct line_judgement){.error = NAN, .limit = NAN, .level = NAN};
    if (l->row[TARGET] != NONE)
        pass_product(p, l->row[TARGET]);
    if (l->row[TARGET] == NONE || l->row[GOLDEN] == NONE) {
        judge_one_sided(p, &k);
        return;
    }
    k = verdict_case_of(p, i);
    if (p->state[i] == MEASURE_FAILED || ((k.r[0]->has | k.r[1]->has) & IS_DAMAGED))
        k.out->flags |= LINE_UNREAD;
    if (pair_is_doubtful(p, l))
        k.out->flags |= LINE_DOUBTFUL;
    judge_kinds(p, &k);
    if (p->o->exact)
        equal_bits_judge(p, &k);
    else
        judge_again(p, &k);
    row_verdict_remember(p, &k);
}

/* Whether a file of it is damaged, so that calls behind may be missing; one that is not there misses none. */
static bool ends_early(const struct dump *d)
{
    for (size_t i = 0; i < d->problems.n; i++)
        if (problem_is_unread_file(&d->problems.v[i]) && !strcmp(d->problems.v[i].kind, "damaged"))
            return true;
    return false;
}

/* Whether an input of a target call agrees with what it is paired with. */
static bool an_input_agrees(const struct judge_pass *p, uint32_t call)
{
    const struct dump *d = p->side[TARGET];
    EACH_ROW(d, call, r) {
        uint32_t line = p->m->pairing->line_of[TARGET][r];
        if (d->rows.v[r].io == IO_INPUT && d->rows.v[r].kind == ROW_TENSOR && line != NONE &&
            p->m->pairing->lines.v[line].pair != NONE && line_agrees(&p->j->line[line]))
            return true;
    }
    return false;
}

/* Where a recording of another framework ends early, the partner of a call may be in what was not read: a call beside
 * one that shares no input with it is not compared for certain. */
static void doubt_cut_partners(struct judge_pass *p)
{
    const struct dump *d = p->side[TARGET];
    if (dumps_of_one_framework(d, p->side[GOLDEN]) || (!ends_early(d) && !ends_early(p->side[GOLDEN])))
        return;
    for (size_t c = 0; c < d->calls.n; c++) {
        if (an_input_agrees(p, (uint32_t)c))
            continue;
        EACH_ROW(d, c, r) {
            uint32_t line = p->m->pairing->line_of[TARGET][r];
            if (line != NONE && p->m->pairing->lines.v[line].pair != NONE && line_is_bad(&p->j->line[line]))
                p->j->line[line].flags |= LINE_DOUBTFUL;
        }
    }
}

/* Whether a line is an input of the step itself: a difference is a difference of data. */
static bool is_given(const struct measure *m, const struct dataflow flow[2], uint32_t line)
{
    const struct line *l = &m->pairing->lines.v[line];
    for (int s = 0; s < 2; s++) {
        const struct row *r = l->row[s] == NONE ? NULL : &m->side[s]->rows.v[l->row[s]];
        if (!r || r->io != IO_INPUT || m->side[s]->calls.v[r->call].phase != PHASE_FORWARD ||
            flow[s].held[l->row[s]] != NONE)
            return false;
    }
    return true;
}

/* Why a deviation has no effect on later values; RULE_NONE: it may have. behind: a real one stands before it, so that
 * only a mask's fills are told from what depends on that. */
static enum verdict_rule without_effect(const struct judgement *j, const struct measure *m,
                                        const struct dataflow flow[2], const struct value_readers reads[2],
                                        uint32_t i, bool behind)
{
    if (!behind && (container_ends_elsewhere(j, m, flow, i) || container_gradient_elsewhere(j, m, i)))
        return RULE_CONTAINER;
    if (is_masked_before(j, m, i))
        return RULE_MASKED_BEFORE;
    return !behind && !is_given(m, flow, i) && is_discarded(j, m, reads, i) ? RULE_DISCARDED : RULE_NONE;
}

/* Withdraws deviations that have no effect on later values. */
static void take_back(struct judgement *j, const struct measure *m, const struct dataflow flow[2],
                      const struct value_readers reads[2])
{
    struct masked_rows nobody = {.masked = NULL};
    bool behind = false;
    double error;
    for (uint32_t i = 0; i < j->lines && j->line[i].verdict != VERDICT_PENDING; i++) {
        struct line_judgement *l = &j->line[i];
        if (!line_is_bad(l))
            continue;
        if (!behind && is_in_masked_rows(&nobody, j, m, i, &error)) {
            l->verdict = VERDICT_MATCH;
            l->rule = RULE_MASKED_ROWS;
            l->error = (float)error;
            continue;
        }
        enum verdict_rule why = without_effect(j, m, flow, reads, i, behind);
        behind = behind || why == RULE_NONE;
        if (why == RULE_NONE)
            continue;
        l->verdict = VERDICT_SKIP;
        l->rule = (uint8_t)why;
    }
    masked_rows_release(&nobody);
}

/* What the lines show together: factors and orders that differ only for a while, differences without effect. */
static void settle_lines(struct judge_pass *p)
{
    struct value_readers reads[2] = {p->reads, {0}};
    bool any = false;
    for (uint32_t i = 0; i < p->j->lines && !any; i++)
        any = verdict_is_bad((enum verdict)p->j->line[i].verdict);
    if (any) {
        readers_build(&reads[GOLDEN], p->m->side[GOLDEN], &p->flow[GOLDEN]);
        moved_factors_find(p->j, p->m, p->flow, reads);
        channel_orders_find(p->j, p->m, &p->flow[TARGET], p->tol);
        if (p->given[RULE_REORDERED])
            reordered_rows_find(p->j, p->m, &p->flow[TARGET], reads);
        take_back(p->j, p->m, p->flow, reads);
        solved_doubts_find(p->j, p->m, p->flow);
        if (dumps_of_one_framework(p->side[TARGET], p->side[GOLDEN]))
            other_routes_find(p->j, p->m, p->flow, reads, p->o);
        readers_release(&reads[GOLDEN]);
    }
    fused_scales_find(p->j, p->m, p->flow, p->tol);
    fused_arguments_find(p->j, p->m);
}

/* Values that recorded sketches show in another order while nothing else deviates are laid out in another way: what is
 * computed from them agrees. */
static void settle_reordered(struct judgement *j)
{
    for (uint32_t i = 0; i < j->lines; i++)
        if (verdict_is_bad(j->line[i].verdict) && j->line[i].rule != RULE_REORDERED)
            return;
    for (uint32_t i = 0; i < j->lines; i++) {
        struct line_judgement *l = &j->line[i];
        if (l->rule != RULE_REORDERED || !(l->flags & LINE_STATISTICS))
            continue;
        l->verdict = VERDICT_MATCH;
        l->flags &= (uint8_t)~LINE_DOUBTFUL;
        l->error = NAN; /* of elements at other places */
    }
}

/* An output that contradicts its own inputs by more than a pair may differ by. One that no recorded call reads shows
 * nothing: a dump may have written the file from memory that was in use again, while the readers got the right
 * values. */
static bool contradicts_inputs(const struct judge_pass *p, uint32_t line, int s, uint32_t row,
                               struct value_readers *golden)
{
    double most = thresholds_of(p->tol, (enum dtype)p->m->side[s]->rows.v[row].dtype)->drift;
    if (!p->o->own_wrong || !((double)p->o->own_wrong[line] > most))
        return false;
    if (s == GOLDEN && !golden->first)
        readers_build(golden, p->m->side[GOLDEN], &p->flow[GOLDEN]);
    return (s == GOLDEN ? golden : &p->reads)->first[row] != NONE;
}

/* Values without a partner that contradict what was recorded of their own call. */
static void find_contradictions(struct judge_pass *p)
{
    struct value_readers golden = {0};
    for (uint32_t i = 0; i < p->j->lines; i++) {
        const struct line *l = &p->m->pairing->lines.v[i];
        struct line_judgement *x = &p->j->line[i];
        int s = l->row[TARGET] == NONE ? GOLDEN : TARGET;
        if (x->rule == RULE_ONE_SIDED && x->verdict == VERDICT_ONLY &&
            ((p->o->misfit && p->o->misfit[i]) || moved_figures_contradict(p->m->side[s], l->row[s]) ||
             contradicts_inputs(p, i, s, l->row[s], &golden)))
            x->rule = RULE_CONTRADICTS;
    }
    readers_release(&golden);
}

/* Pairs that agree, of a call that contradicts itself on one side alone: what was computed there is not known. */
static void doubt_misfits(struct judge_pass *p)
{
    for (uint32_t i = 0; p->o->misfit && i < p->j->lines; i++) {
        const struct line *l = &p->m->pairing->lines.v[i];
        bool one = p->o->misfit[i] == 1 << TARGET || p->o->misfit[i] == 1 << GOLDEN;
        if (l->pair == NONE || !one || !line_agrees(&p->j->line[i]) ||
            p->m->side[TARGET]->rows.v[l->row[TARGET]].io != IO_OUTPUT)
            continue;
        p->j->line[i].verdict = VERDICT_SKIP;
        p->j->line[i].rule = RULE_CONTRADICTS;
    }
}

static void judge_lines(struct judgement *j, const struct measure *m, const uint8_t *state,
                        const struct dataflow flow[2], const struct judge_options *o)
{
    struct judge_pass p = {
        .j = j,
        .m = m,
        .state = state,
        .flow = flow,
        .o = o,
        .tol = o->tol,
        .side = {m->side[0], m->side[1]},
        .largest_step = NAN,
        .call_error = mem_zalloc((m->side[TARGET]->calls.n + 1) * sizeof(float)),
        .call_turned = mem_zalloc((m->side[TARGET]->calls.n + 1) * sizeof(float)),
        .call_dtype = mem_zalloc(m->side[TARGET]->calls.n + 1),
        .multiplies = mem_zalloc((m->side[TARGET]->calls.n + 1) * sizeof(bool)),
    };
    noise_level_init(&p.level, o->tol->window < LEVEL_MAX ? (int)o->tol->window : LEVEL_MAX);
    readers_build(&p.reads, m->side[TARGET], &flow[TARGET]);
    product_arithmetic_find(&p);
    tensor_verdict_wholes(&p);
    for (uint32_t i = 0; i < m->lines; i++) {
        judge_line(&p, i);
        p.given[j->line[i].rule] = true;
    }
    if (p.given[RULE_ONE_SIDED]) {
        find_contradictions(&p);
        open_ends_find(j, m, flow, o->strict_gaps);
    }
    if (!o->exact && !o->preset) {
        if (p.given[RULE_ONE_SIDED] || p.given[RULE_ABSENT] || p.given[RULE_ELEMENTS])
            lost_gradients_find(j, m, flow);
        doubt_cut_partners(&p);
        settle_lines(&p);
    }
    if (!o->exact) {
        if (p.given[RULE_REORDERED])
            settle_reordered(j);
        if (p.given[RULE_SCALAR_DIFFERS] || p.given[RULE_KINDS])
            idle_arguments_find(j, m, o->tol, o->misfit);
    }
    if (!o->exact && !o->preset) {
        wrong_partners_find(j, m, &p.reads);
        doubt_misfits(&p);
    }
    tool_rules_judge(j, m, o->preset);
    table_verdicts_judge(j, m);
    accepted_apply(j, m, o->known);
    packed_verdicts_judge(j, m);
    causes_find(j, m, flow, o);
    judge_summary_count(j, m, flow, o);
    judge_summary_first(j, m);
    packed_verdicts_first(j, m);
    readers_release(&p.reads);
    vec_release(&p.turned_modules);
    nmap_release(&p.routings);
    free(p.wholes);
    free(p.piece);
    free(p.call_error);
    free(p.call_turned);
    free(p.call_dtype);
    free(p.multiplies);
}

void judge_run(struct judgement *j, const struct measure *m, const uint8_t *state, const struct dataflow flow[2],
               const struct judge_options *o)
{
    struct unscaled u;
    *j = (struct judgement){.lines = m->lines, .first = NONE, .loss_scale = 1};
    j->line = mem_zalloc((m->lines + 1) * sizeof *j->line); /* lines not judged yet are pending */
    if (!o->exact && !o->preset)
        j->loss_scale = loss_scale_of(m);
    if (j->loss_scale == 1) {
        judge_lines(j, m, state, flow, o);
        return;
    }
    loss_scale_divide(&u, m, j->loss_scale);
    judge_lines(j, &u.m, state, flow, o);
    unscaled_release(&u);
}
