/* Looks for a result nearby that differs as much. */
#include "judge/open_results.h"

#include "dump/family.h"
#include "judge/pass_rows.h"
#include "judge/thresholds.h"

#define OPEN_WITHIN 64   /* rows before a value among which results are looked for */
#define TERMS_WITHIN 4096 /* the same of terms of the gradient that a module returns */
#define TERMS_FACTOR 2   /* as much again may come from uses of the value that turn it, as a rotation does */
#define ELEMENTS_LEAST 4 /* of fewer, that of a loss say, a relative error says little */

static bool is_compared(const struct judgement *j, const struct measure *m, uint32_t line)
{
    return line != NONE && m->pairing->lines.v[line].pair != NONE && j->line[line].verdict != VERDICT_SKIP;
}

/* The compared line that holds a row's value before it; NONE: unrecorded steps made it, or one side recorded an inner
 * step there. */
static uint32_t held_line(const struct judgement *j, const struct measure *m, const struct dataflow *flow, int side,
                          uint32_t row)
{
    uint32_t line = pairing_held_line(m->pairing, &flow[side], side, row);
    return is_compared(j, m, line) ? line : NONE;
}

/* Whether an earlier line agrees and differs by as much as may be handed on to one with that error. A dropout agrees
 * whatever it draws. */
static bool hands_on(const struct judgement *j, const struct measure *m, const struct dataflow *flow,
                     const bool *decided, uint32_t of, double error)
{
    const struct dump *d = m->side[TARGET];
    double before = decided[of] && j->line[of].cause == CAUSE_AGREES ? (double)j->line[of].error : 0;
    if (!(error <= rule_limit(RULE_LIMIT_PASSAGE_INHERITED) * before) ||
        before > rule_limit(RULE_LIMIT_ILL_CONDITIONED_MOST))
        return false;
    uint32_t made = dataflow_first(flow, m->pairing->lines.v[of].row[TARGET]);
    const struct call *c = &d->calls.v[d->rows.v[made].call];
    return c->family != FAMILY_RANDOM || c->phase == PHASE_BACKWARD;
}

static bool result_is_compared(const struct judgement *j, const struct measure *m, uint32_t call)
{
    EACH_ROW(m->side[TARGET], call, r)
        if (m->side[TARGET]->rows.v[r].io == IO_OUTPUT && is_compared(j, m, m->pairing->line_of[TARGET][r]))
            return true;
    return false;
}

/* Whether a call with a partner, whose result was compared, reads a result before that row. */
static bool is_read(const struct judgement *j, const struct measure *m, const struct dataflow *flow, uint32_t result,
                    uint32_t before)
{
    const struct dump *d = m->side[TARGET];
    uint32_t value = dataflow_first(flow, result);
    for (uint32_t r = result + 1; r < before; r++)
        if (d->rows.v[r].io == IO_INPUT && d->calls.v[d->rows.v[r].call].kind != CALL_MODULE &&
            pairing_paired_line(m->pairing, TARGET, r) != NONE && dataflow_first(flow, r) == value &&
            result_is_compared(j, m, d->rows.v[r].call))
            return true;
    return false;
}

/* Whether a result has the size of a weight that its forward call reads: it may be that weight's gradient. */
static bool is_of_weight(const struct dump *d, const struct dataflow *flow, uint32_t result)
{
    uint32_t forward = d->calls.v[d->rows.v[result].call].twin;
    if (forward != NONE)
        EACH_EARLY_ROW(d, forward, r)
            if (flow->weight[r] && dump_row_numel(d, r) == dump_row_numel(d, result))
                return true;
    return false;
}

/* Whether a row is the gradient that a module returns, and that of a call directly inside of it, recomputed, is as far
 * apart: it may be one of the terms that nobody recorded summing. */
static bool is_term(const struct judgement *j, const struct measure *m, uint32_t line, uint32_t of)
{
    const struct dump *d = m->side[TARGET];
    const struct call *module = &d->calls.v[d->rows.v[m->pairing->lines.v[line].row[TARGET]].call];
    uint32_t from = m->pairing->lines.v[of].row[TARGET];
    return module->kind == CALL_MODULE && module->phase == PHASE_BACKWARD && j->line[of].cause == CAUSE_AGREES &&
           j->line[of].basis == BASIS_RECOMPUTED && d->rows.v[from].io == IO_OUTPUT &&
           d->calls.v[d->rows.v[from].call].parent == (uint32_t)(module - d->calls.v) &&
           measure_distance(m, line) <= TERMS_FACTOR * measure_distance(m, of);
}

bool open_results_explain(const struct judgement *j, const struct measure *m, const struct dataflow *flow,
                          const bool *decided, uint32_t line)
{
    const struct dump *d = m->side[TARGET];
    const struct line_judgement *l = &j->line[line];
    const uint32_t *rows = m->pairing->lines.v[line].row, row = rows[TARGET];
    const struct row *x = &d->rows.v[row];
    uint64_t elements = x->io == IO_GRADIENT ? 1 : ELEMENTS_LEAST; /* a parameter may be a number */
    uint32_t held = held_line(j, m, flow, TARGET, row);
    bool may = (l->rule == RULE_LIMIT || l->rule == RULE_JUMP) && !(l->flags & (LINE_SOURCE | LINE_STATISTICS)) &&
               !((double)l->residual > rule_limit(RULE_LIMIT_ORACLE_WRONG)) && dtype_is_float((enum dtype)x->dtype) &&
               (x->io != IO_OUTPUT || d->calls.v[x->call].kind == CALL_MODULE) && dump_row_numel(d, row) >= elements;
    if (!may || held != NONE || held_line(j, m, flow, GOLDEN, rows[GOLDEN]) != NONE)
        return may && held != NONE && hands_on(j, m, flow, decided, held, (double)l->error);
    for (uint32_t r = row; r-- > 0 && row - r <= (x->io == IO_OUTPUT ? TERMS_WITHIN : OPEN_WITHIN);) {
        uint32_t of = pairing_paired_line(m->pairing, TARGET, r);
        if (of == NONE)
            continue;
        bool open = row - r <= OPEN_WITHIN && pass_is_float(&d->rows.v[r], IO_OUTPUT) &&
                    d->calls.v[d->rows.v[r].call].phase == d->calls.v[x->call].phase &&
                    dump_row_numel(d, r) >= elements && hands_on(j, m, flow, decided, of, (double)l->error) &&
                    !is_of_weight(d, flow, r) && !is_read(j, m, flow, r, row);
        if (open || (decided[of] && is_term(j, m, line, of)))
            return true;
    }
    return false;
}
