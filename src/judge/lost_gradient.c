/* Compares what the inputs and results of forward calls are recorded to need with the gradients that come back. */
#include "judge/lost_gradient.h"

#include <string.h>

#include "judge/pass_rows.h"
#include "judge/thresholds.h"

struct lost_search {
    const struct measure *m;
    const struct dataflow *flow;
    int without; /* the side that lacks the gradient */
};

static double norm_of(const struct dump *d, uint32_t row)
{
    return row != NONE && d->rows.v[row].has & HAS_NORM ? d->rows.v[row].stat[STAT_NORM] : 0;
}

/* Whether a gradient is more than what rounding makes of the incoming one. */
static bool is_gradient(const struct dump *d, uint32_t row)
{
    uint32_t came = pass_first_float(d, d->rows.v[row].call, IO_INPUT);
    double unit = dtype_table[d->rows.v[row].dtype].epsilon / 2;
    return pass_is_float(&d->rows.v[row], IO_OUTPUT) && d->calls.v[d->rows.v[row].call].phase == PHASE_BACKWARD &&
           norm_of(d, row) > rule_limit(RULE_LIMIT_GRADIENT_ROUNDING) * unit * norm_of(d, came);
}

/* The backward call of the same name on the side that lacks the gradient; NONE. */
static uint32_t call_without(const struct lost_search *x, uint32_t call)
{
    const struct dump *d = x->m->side[!x->without], *o = x->m->side[x->without];
    EACH_ROW(d, call, r) {
        const struct line *l = &x->m->pairing->lines.v[x->m->pairing->line_of[!x->without][r]];
        uint32_t other = l->pair == NONE ? NONE : o->rows.v[l->row[x->without]].call;
        if (other != NONE && strcmp(d->calls.v[call].name, o->calls.v[other].name) == 0)
            return other;
    }
    return NONE;
}

/* Whether an earlier row of the side holds an input's value, and needs a gradient. */
static bool needed_before(const struct lost_search *x, uint32_t input)
{
    uint32_t from = x->flow[x->without].held[input];
    for (int i = 0; i < HELD_STEPS && from != NONE; i++, from = x->flow[x->without].held[from])
        if (x->m->side[x->without]->rows.v[from].needs_gradient)
            return true;
    return false;
}

/* Whether an input of the gradient's size was detached before this forward call: alone of what goes in, and not in a
 * part of the step that computes no gradients. */
static bool is_detached(const struct lost_search *x, uint32_t forward, uint64_t n)
{
    const struct dump *d = x->m->side[x->without], *o = x->m->side[!x->without];
    uint32_t out = pass_first_float(d, forward, IO_OUTPUT);
    if (out == NONE || !d->rows.v[out].needs_gradient)
        return false;
    EACH_EARLY_ROW(d, forward, r) {
        const struct line *l = &x->m->pairing->lines.v[x->m->pairing->line_of[x->without][r]];
        if (pass_is_float(&d->rows.v[r], IO_INPUT) && dump_row_numel(d, r) == n && !d->rows.v[r].needs_gradient &&
            l->pair != NONE && o->rows.v[l->row[!x->without]].needs_gradient && needed_before(x, r))
            return true;
    }
    return false;
}

static int gradients_of(const struct dump *d, uint32_t row)
{
    int n = 0;
    if (row != NONE && d->rows.v[row].kind == ROW_TENSOR)
        EACH_EARLY_ROW(d, d->rows.v[row].call, r)
            n += pass_is_float(&d->rows.v[r], IO_OUTPUT);
    return n;
}

int lost_gradient_side(const struct measure *m, uint32_t line)
{
    const uint32_t *row = m->pairing->lines.v[line].row;
    return gradients_of(m->side[TARGET], row[TARGET]) < gradients_of(m->side[GOLDEN], row[GOLDEN]) ? TARGET : GOLDEN;
}

static bool is_lost(const struct measure *m, const struct dataflow flow[2], uint32_t line)
{
    struct lost_search x = {.m = m, .flow = flow, .without = lost_gradient_side(m, line)};
    const uint32_t *rows = m->pairing->lines.v[line].row;
    uint32_t row = rows[!x.without], none = rows[x.without];
    const struct dump *d = m->side[!x.without], *o = m->side[x.without];
    if (row == NONE || !is_gradient(d, row))
        return false;
    uint32_t call = none == NONE ? call_without(&x, d->rows.v[row].call) : o->rows.v[none].call;
    uint32_t forward = call == NONE ? NONE : o->calls.v[call].twin;
    return forward != NONE && is_detached(&x, forward, dump_row_numel(d, row));
}

void lost_gradients_find(struct judgement *j, const struct measure *m, const struct dataflow flow[2])
{
    for (uint32_t i = 0; i < j->lines; i++) {
        struct line_judgement *l = &j->line[i];
        bool lacks = l->rule == RULE_ONE_SIDED || l->rule == RULE_ABSENT || l->rule == RULE_ELEMENTS;
        if (!lacks || !is_lost(m, flow, i))
            continue;
        l->rule = RULE_LOST_GRADIENT;
        l->verdict = VERDICT_DEVIATE;
    }
}
