/* Finds values that differ only where their readers discard them, and withdraws their deviations. */
#include "judge/discarded.h"

#include <math.h>

#include "dump/family.h"
#include "pair/align_item.h"

#define CALLS 32 /* the most calls through which a gradient is followed */

struct trail {
    const struct judgement *j;
    const struct measure *m;
    const struct value_readers *reads;
    const struct dump *d;
    int side;
    uint32_t queue[CALLS], n;
    bool full;
};

static bool is_max_pool(const struct dump *d, uint32_t call)
{
    return align_item_does(d, call, STR("max_pool2d"));
}

/* Calls through which a discarded value may pass. */
static bool carries_discarded(const struct dump *d, uint32_t call)
{
    uint8_t f = d->calls.v[call].family;
    bool numbers = f == FAMILY_ADD || f == FAMILY_MUL || f == FAMILY_ELEMENTWISE || f == FAMILY_REDUCE ||
                   f == FAMILY_CAST;
    if (d->calls.v[call].phase == PHASE_FORWARD)
        return numbers || f == FAMILY_VIEW || f == FAMILY_COPY;
    return f == FAMILY_ACTIVATION || f == FAMILY_VIEW || f == FAMILY_COPY || f == FAMILY_MODULE || is_max_pool(d, call);
}

static void follow_discarded(struct trail *x, uint32_t call)
{
    for (uint32_t i = 0; i < x->n; i++)
        if (x->queue[i] == call)
            return;
    x->full = x->full || x->n == CALLS;
    if (x->n < CALLS)
        x->queue[x->n++] = call;
}

enum drop_state { STATE_UNKNOWN, STATE_AGREES, STATE_DEVIATES };

static enum drop_state state_of(const struct trail *x, uint32_t row)
{
    uint32_t line = x->m->pairing->line_of[x->side][row];
    if (line == NONE || x->m->pairing->lines.v[line].pair == NONE)
        return STATE_UNKNOWN;
    const struct line_judgement *l = &x->j->line[line];
    return line_is_bad(l) ? STATE_DEVIATES : line_agrees(l) ? STATE_AGREES : STATE_UNKNOWN;
}

/* Checks the readers of this output: counts agreeing ones, follows pass-through calls. False: a deviation gets
 * elsewhere. */
static bool read_on(struct trail *x, uint32_t output, uint32_t *agreed)
{
    for (uint32_t r = x->reads->first[output]; r != NONE; r = x->reads->next[r]) {
        uint32_t call = x->d->rows.v[r].call;
        enum drop_state s = state_of(x, r);
        if (s == STATE_AGREES)
            (*agreed)++;
        else if (carries_discarded(x->d, call))
            follow_discarded(x, call);
        else if (s == STATE_DEVIATES)
            return false;
    }
    return true;
}

/* Whether everything computed from this row agrees: for an output its readers, for an input its call's outputs. */
static bool discarded_heals(struct trail *x, uint32_t row)
{
    uint32_t agreed = 0;
    if (x->d->rows.v[row].io != IO_OUTPUT)
        follow_discarded(x, x->d->rows.v[row].call);
    else if (!read_on(x, row, &agreed))
        return false;
    for (uint32_t i = 0; i < x->n; i++)
        EACH_EARLY_ROW(x->d, x->queue[i], out) {
            enum drop_state s = x->d->rows.v[out].io == IO_OUTPUT ? state_of(x, out) : STATE_AGREES;
            if (x->d->rows.v[out].io != IO_OUTPUT)
                continue;
            if (s == STATE_DEVIATES && !carries_discarded(x->d, x->queue[i]))
                return false;
            agreed += s == STATE_AGREES;
            if (s != STATE_AGREES && !read_on(x, out, &agreed))
                return false;
        }
    return agreed > 0 && !x->full;
}

#define OF_ONE 1e-2 /* by which factors of figures may differ and be one: what noise of 16 bits leaves of them */

/* Whether all figures of a pair differ by one factor: then all elements do, not only those that are discarded. */
static bool is_scaled(const struct row *t, const struct row *g)
{
    static const int stat[] = {STAT_MAX, STAT_MIN, STAT_NORM};
    if ((t->has & g->has & (HAS_MAX | HAS_MIN | HAS_NORM)) != (HAS_MAX | HAS_MIN | HAS_NORM))
        return false;
    double factor = t->stat[STAT_NORM] / g->stat[STAT_NORM];
    for (size_t i = 0; i < ARRAY_LEN(stat); i++)
        if (!(fabs(t->stat[stat[i]] - factor * g->stat[stat[i]]) <= OF_ONE * fabs(t->stat[stat[i]])))
            return false;
    return fabs(factor - 1) > 5 * OF_ONE;
}

/* The number that a call fills with; NaN: unknown. */
static double fill_of(const struct dump *d, uint32_t call)
{
    double fill = NAN;
    EACH_EARLY_ROW(d, call, r) {
        const struct row *x = &d->rows.v[r];
        bool number = x->kind == ROW_INT || x->kind == ROW_FLOAT ||
                      (x->kind == ROW_TENSOR && x->has & HAS_MAX && dump_row_numel(d, r) == 1);
        if (x->io == IO_INPUT && number)
            fill = x->stat[STAT_MAX];
    }
    return fill;
}

/* Whether the call's values and its mask agree. */
static bool fills_the_same(const struct judgement *j, const struct measure *m, uint32_t call)
{
    const struct dump *d = m->side[TARGET];
    int agreed = 0;
    EACH_EARLY_ROW(d, call, r) {
        uint32_t line = m->pairing->line_of[TARGET][r];
        if (d->rows.v[r].io != IO_INPUT || d->rows.v[r].kind != ROW_TENSOR || dump_row_numel(d, r) == 1)
            continue;
        if (m->pairing->lines.v[line].pair == NONE || !line_agrees(&j->line[line]))
            return false;
        agreed++;
    }
    return agreed == 2;
}

/* Whether a call picks the largest of its elements, all of them larger than the fill. */
static bool picks_others(const struct dump *d, uint32_t call, double fill)
{
    bool any = false;
    if (!align_item_does(d, call, STR("topk")))
        return false;
    EACH_EARLY_ROW(d, call, r) {
        const struct row *x = &d->rows.v[r];
        if (x->io != IO_OUTPUT || x->kind != ROW_TENSOR || !dtype_is_float(x->dtype))
            continue;
        if (!(x->has & HAS_MIN) || !(x->stat[STAT_MIN] > fill))
            return false;
        any = true;
    }
    return any;
}

/* Whether both sides fill the same elements, and what reads the result picks none of the filled ones. */
static bool is_unpicked_fill(const struct judgement *j, const struct measure *m, const struct value_readers reads[2],
                             const struct line *l)
{
    for (int s = 0; s < 2; s++) {
        const struct dump *d = m->side[s];
        uint32_t call = d->rows.v[l->row[s]].call;
        if (d->rows.v[l->row[s]].io != IO_OUTPUT || !align_item_does(d, call, STR("masked_fill")))
            return false;
        double fill = fill_of(d, call);
        uint32_t r = reads[s].first[l->row[s]];
        if (r == NONE)
            return false;
        for (; r != NONE; r = reads[s].next[r])
            if (!picks_others(d, d->rows.v[r].call, fill))
                return false;
    }
    return fills_the_same(j, m, m->side[TARGET]->rows.v[l->row[TARGET]].call);
}

bool is_discarded(const struct judgement *j, const struct measure *m, const struct value_readers reads[2],
                  uint32_t line)
{
    const struct line *l = &m->pairing->lines.v[line];
    if (l->pair != NONE && is_unpicked_fill(j, m, reads, l))
        return true;
    if (l->pair == NONE || j->line[line].verdict != VERDICT_DEVIATE)
        return false;
    const struct row *t = &m->side[TARGET]->rows.v[l->row[TARGET]], *g = &m->side[GOLDEN]->rows.v[l->row[GOLDEN]];
    if (j->line[line].flags & LINE_STATISTICS && is_scaled(t, g))
        return false;
    for (int s = 0; s < 2; s++) {
        struct trail x = {.j = j, .m = m, .reads = &reads[s], .d = m->side[s], .side = s};
        const struct row *r = &x.d->rows.v[l->row[s]];
        const struct call *c = &x.d->calls.v[r->call];
        bool activation = r->io == IO_INPUT && c->family == FAMILY_ACTIVATION;
        bool pool = r->io == IO_OUTPUT && is_max_pool(x.d, r->call);
        bool gradient = c->phase == PHASE_BACKWARD && !c->gradient && (activation || pool);
        bool numbers = c->phase == PHASE_FORWARD && carries_discarded(x.d, r->call) && j->line[line].rule ==
                       RULE_INTEGERS_DIFFER;
        if (!gradient && !numbers)
            continue;
        if (discarded_heals(&x, l->row[s]))
            return true;
    }
    return false;
}
