/* Finds rows that differ for such a reason, and drops those from which a difference gets out. */
#include "judge/other_route.h"

#include <math.h>
#include <stdlib.h>

#include "dump/family.h"
#include "judge/summed_gradient.h"
#include "pair/align_item.h"

#define FOLLOWED 64 /* calls without a partner through which a value is followed, at most */
#define HEALED 64   /* an end differs by so many times less, or nothing is regrouped: something small was added */
#define NEARER 16   /* the same of an end that differs by no more than the noise around it, which 16 bits leave */
#define AROUND 2    /* times the noise level */
#define ONE_FUNCTION 2 /* residual */
#define PLACE_ALONE 0.7f /* the confidence of a pair from which on more than its place speaks for it */

struct routes {
    const struct judgement *j;
    const struct measure *m;
    const struct dump *d[2];
    const struct dataflow *flow;
    const struct value_readers *reads;
    const struct judge_options *o;
    struct forward_uses uses[2];
    bool *aside; /* per line */
};

/* What becomes of a value on one side. */
struct trail {
    struct routes *x;
    int side;
    uint32_t line; /* whose value */
    uint32_t seen[FOLLOWED];
    size_t n;
    bool leaks; /* a row that differs is computed from it */
    bool ends;  /* a row that agrees is, or one that is set aside */
};

static bool row_is_aside(const struct routes *x, int s, uint32_t row)
{
    uint32_t line = pairing_paired_line(x->m->pairing, s, row);
    return line != NONE && x->aside[line];
}

/* Whether any value of a call of the target is. */
static bool call_is_aside(const struct routes *x, uint32_t call)
{
    if (call != NONE)
        EACH_EARLY_ROW(x->d[TARGET], call, r)
            if (row_is_aside(x, TARGET, r))
                return true;
    return false;
}

static bool is_module(const struct dump *d, uint32_t call)
{
    return d->calls.v[call].kind == CALL_MODULE;
}

/* ---- why a row may differ ---- */

/* Whether rows of a pair hold values that did not come from one pair: those that held them first are no partners, or
 * are set aside. */
static bool comes_from_others(const struct routes *x, const uint32_t row[2])
{
    uint32_t first[2];
    for (int s = 0; s < 2; s++)
        first[s] = dataflow_first(&x->flow[s], row[s]);
    uint32_t line = pairing_paired_line(x->m->pairing, TARGET, first[TARGET]);
    return line == NONE || x->m->pairing->lines.v[line].row[GOLDEN] != first[GOLDEN] || x->aside[line];
}

/* The call that made what a forward call gives: itself, or of a module the last one inside. */
static uint32_t giver_of(const struct routes *x, int s, uint32_t forward)
{
    EACH_EARLY_ROW(x->d[s], forward, r)
        if (x->d[s]->rows.v[r].io == IO_OUTPUT)
            return x->d[s]->rows.v[dataflow_first(&x->flow[s], r)].call;
    return forward;
}

/* Whether a gradient comes from calls without a partner, or from what is set aside: those that read what a forward call
 * gives. */
static bool comes_otherwise(const struct routes *x, const uint32_t forward[2])
{
    for (int s = 0; s < 2; s++)
        for (uint32_t r = x->uses[s].first[giver_of(x, s, forward[s])]; r != NONE; r = x->uses[s].next[r]) {
            uint32_t call = x->d[s]->rows.v[r].call, back = x->d[s]->calls.v[call].twin;
            if (is_module(x->d[s], call))
                continue;
            if (pairing_paired_line(x->m->pairing, s, r) == NONE)
                return true;
            if (back != NONE)
                EACH_EARLY_ROW(x->d[s], back, g)
                    if (x->d[s]->rows.v[g].io == IO_OUTPUT && row_is_aside(x, s, g))
                        return true;
        }
    return false;
}

/* Whether calls of the backward pass without a partner stand directly before a line. */
static bool is_behind_others(const struct routes *x, uint32_t line)
{
    if (line == 0)
        return false;
    const struct line *l = &x->m->pairing->lines.v[line - 1];
    int s = l->row[TARGET] == NONE ? GOLDEN : TARGET;
    return l->pair == NONE && x->d[s]->calls.v[x->d[s]->rows.v[l->row[s]].call].phase == PHASE_BACKWARD;
}

/* Whether all tensors that go into a side's call have no partner. */
static bool takes_others_alone(const struct routes *x, int s, uint32_t call)
{
    bool any = false;
    EACH_EARLY_ROW(x->d[s], call, r) {
        const struct row *in = &x->d[s]->rows.v[r];
        if (in->io != IO_INPUT || in->kind != ROW_TENSOR)
            continue;
        if (pairing_paired_line(x->m->pairing, s, r) != NONE)
            return false;
        any = true;
    }
    return any;
}

static bool both_take_others(const struct routes *x, uint32_t target, uint32_t golden)
{
    return target != NONE && golden != NONE && takes_others_alone(x, TARGET, target) &&
           takes_others_alone(x, GOLDEN, golden);
}

/* Whether a call of a pair reads a tensor of several elements that has no partner: it may compute with another operand.
 */
static bool takes_another_operand(const struct routes *x, const uint32_t row[2])
{
    for (int s = 0; s < 2; s++)
        EACH_EARLY_ROW(x->d[s], x->d[s]->rows.v[row[s]].call, r) {
            const struct row *in = &x->d[s]->rows.v[r];
            if (in->io == IO_INPUT && in->kind == ROW_TENSOR && dump_row_numel(x->d[s], r) > 1 &&
                pairing_paired_line(x->m->pairing, s, r) == NONE)
                return true;
        }
    return false;
}

/* Whether nothing but its place speaks for a pair that is not in doubt, neither figures nor the calls' names: they may
 * be no partners. */
static bool has_its_place_alone(const struct routes *x, uint32_t line)
{
    const struct line *l = &x->m->pairing->lines.v[line];
    struct str name[2];
    for (int s = 0; s < 2; s++)
        name[s] = dump_call_name(x->d[s], x->d[s]->rows.v[l->row[s]].call);
    return x->m->pairing->pairs.v[l->pair].confidence < PLACE_ALONE && !(x->j->line[line].flags & LINE_DOUBTFUL) &&
           !str_eq(name[TARGET], name[GOLDEN]);
}

/* Whether the calls of two rows are other operators: what one gives, the other side may make in a later step. */
static bool are_other_operators(const struct routes *x, const uint32_t row[2])
{
    char plain[2][FAMILY_PLAIN];
    struct str op[2];
    for (int s = 0; s < 2; s++)
        op[s] = family_plain(align_item_operator(x->d[s], x->d[s]->rows.v[row[s]].call), plain[s]);
    return !str_eq(op[0], op[1]);
}

static bool may_differ(const struct routes *x, uint32_t line)
{
    const uint32_t *row = x->m->pairing->lines.v[line].row;
    const struct row *r = &x->d[TARGET]->rows.v[row[TARGET]], *golden = &x->d[GOLDEN]->rows.v[row[GOLDEN]];
    const struct call *c = &x->d[TARGET]->calls.v[r->call];
    uint32_t held = x->flow[TARGET].held[row[TARGET]];
    bool backward = c->phase == PHASE_BACKWARD;
    if (row_is_aside(x, TARGET, held))
        return true;
    if (r->io == IO_OUTPUT && c->kind == CALL_MODULE)
        return false;
    if (r->io == IO_OUTPUT)
        return call_is_aside(x, r->call) || (backward && call_is_aside(x, c->twin)) || takes_another_operand(x, row) ||
               are_other_operators(x, row) ||
               both_take_others(x, r->call, golden->call) ||
               (backward && both_take_others(x, c->twin, x->d[GOLDEN]->calls.v[golden->call].twin));
    if (!backward)
        return comes_from_others(x, row) || has_its_place_alone(x, line) || takes_another_operand(x, row);
    uint32_t forward[2] = {c->twin, x->d[GOLDEN]->calls.v[golden->call].twin};
    return forward[TARGET] != NONE && forward[GOLDEN] != NONE &&
           (comes_otherwise(x, forward) || is_behind_others(x, line));
}

/* Whether one side of a pair holds what a call without a partner gave, or one that is aside. */
static bool is_made_by_others(const struct routes *x, const uint32_t row[2])
{
    for (int s = 0; s < 2; s++) {
        uint32_t made = dataflow_maker(&x->flow[s], x->d[s], row[s]);
        if (made != NONE && (pairing_paired_line(x->m->pairing, s, made) == NONE || row_is_aside(x, s, made)))
            return true;
    }
    return false;
}

/* Whether figures alone say enough of a line: of a gradient they do not show that all that is computed from it agrees,
 * but of that of what is aside; of an operand in doubt neither, unless other calls gave what it holds. */
static bool figures_tell(const struct routes *x, uint32_t line)
{
    const uint32_t *row = x->m->pairing->lines.v[line].row;
    const struct row *r = &x->d[TARGET]->rows.v[row[TARGET]];
    const struct call *c = &x->d[TARGET]->calls.v[r->call];
    return (!(x->j->line[line].flags & LINE_DOUBTFUL) || r->io == IO_OUTPUT || is_made_by_others(x, row)) &&
           (c->phase == PHASE_FORWARD || call_is_aside(x, c->twin));
}

/* Whether a line is of two tensors, neither weights nor their gradients, that differ, and not by their functions. */
static bool differs(const struct routes *x, uint32_t line)
{
    const struct line *l = &x->m->pairing->lines.v[line];
    const struct line_judgement *v = &x->j->line[line];
    bool bad = v->verdict == VERDICT_DEVIATE || v->verdict == VERDICT_SHAPE ||
               (v->verdict == VERDICT_NONFINITE && are_other_operators(x, l->row)); /* the logarithm of zero */
    if (l->pair == NONE || !bad || v->rule == RULE_ILL)
        return false;
    const struct row *t = &x->d[TARGET]->rows.v[l->row[TARGET]], *g = &x->d[GOLDEN]->rows.v[l->row[GOLDEN]];
    float residual = x->o->residual ? x->o->residual[line] : NAN;
    return dtype_is_float(t->dtype) && dtype_is_float(g->dtype) && (t->io == IO_INPUT || t->io == IO_OUTPUT) &&
           !(residual > ONE_FUNCTION && !are_other_operators(x, l->row)) &&
           (!(v->flags & LINE_STATISTICS) || figures_tell(x, line));
}

/* ---- what becomes of it ---- */

/* The distance of the sides' values; of figures, as their error implies. */
static double distance_of(const struct routes *x, uint32_t line)
{
    const struct row *g = &x->d[GOLDEN]->rows.v[x->m->pairing->lines.v[line].row[GOLDEN]];
    bool figures = x->j->line[line].flags & LINE_STATISTICS && g->has & HAS_NORM;
    return figures ? (double)x->j->line[line].error * g->stat[STAT_NORM] : measure_distance(x->m, line);
}

/* Whether an end differs much less than the value does: relative to its own size and, of a sum, whose other terms hide
 * what is small beside them, also in size. */
static bool is_healed(const struct trail *t, uint32_t end)
{
    const struct routes *x = t->x;
    const struct line_judgement *was = &x->j->line[t->line], *is = &x->j->line[end];
    const struct call *c = &x->d[TARGET]->calls.v[x->d[TARGET]->rows.v[x->m->pairing->lines.v[end].row[TARGET]].call];
    double a = distance_of(x, t->line), b = distance_of(x, end);
    double times = is->error <= AROUND * is->level ? NEARER : HEALED;
    if (!line_agrees(is) || times * (double)is->error > (double)was->error)
        return false;
    return c->family != FAMILY_ADD || !(times * b > a);
}

/* Notes a row that is computed from the value. Whether it has to be followed on. */
static bool pass_row(struct trail *t, uint32_t row)
{
    uint32_t line = pairing_paired_line(t->x->m->pairing, t->side, row);
    if (line == NONE)
        return true;
    if (t->x->aside[line] || is_healed(t, line))
        t->ends = true;
    else if (verdict_is_bad((enum verdict)t->x->j->line[line].verdict) || line_agrees(&t->x->j->line[line]))
        t->leaks = true;
    else
        return true;
    return false;
}

static bool is_new(struct trail *t, uint32_t call)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->seen[i] == call)
            return false;
    t->leaks = t->leaks || t->n == FOLLOWED;
    if (t->n < FOLLOWED)
        t->seen[t->n++] = call;
    return !t->leaks;
}

static void follow_call(struct trail *t, uint32_t call);

static void follow_readers(struct trail *t, uint32_t row)
{
    for (uint32_t r = t->x->reads[t->side].first[row]; r != NONE && !t->leaks; r = t->x->reads[t->side].next[r])
        if (!is_module(t->x->d[t->side], t->x->d[t->side]->rows.v[r].call) && pass_row(t, r))
            follow_call(t, t->x->d[t->side]->rows.v[r].call);
}

/* A gradient goes to the calls that made what went into the forward call. */
static void follow_gradient(struct trail *t, uint32_t forward)
{
    const struct dump *d = t->x->d[t->side];
    EACH_EARLY_ROW(d, forward, r) {
        uint32_t made = d->rows.v[r].io == IO_INPUT ? dataflow_maker(&t->x->flow[t->side], d, r) : NONE;
        uint32_t maker = made == NONE ? NONE : d->rows.v[made].call;
        uint32_t back = maker == NONE ? NONE : d->calls.v[maker].twin;
        bool any = false;
        if (maker == NONE || !is_new(t, maker))
            continue;
        if (back != NONE)
            EACH_EARLY_ROW(d, back, g)
                if (d->rows.v[g].io == IO_INPUT && d->rows.v[g].kind == ROW_TENSOR)
                    any = any || !pass_row(t, g);
        if (!any && !t->leaks)
            follow_gradient(t, maker);
    }
}

static void follow_call(struct trail *t, uint32_t call)
{
    const struct dump *d = t->x->d[t->side];
    if (!is_new(t, call))
        return;
    EACH_EARLY_ROW(d, call, r)
        if (d->rows.v[r].io == IO_OUTPUT && d->rows.v[r].kind == ROW_TENSOR && !t->leaks && pass_row(t, r)) {
            follow_readers(t, r);
            if (d->calls.v[call].phase == PHASE_BACKWARD && d->calls.v[call].twin != NONE)
                follow_gradient(t, d->calls.v[call].twin);
        }
}

/* The pass that the target's value of a line belongs to. */
static uint8_t phase_of(const struct routes *x, uint32_t line)
{
    const struct dump *d = x->d[TARGET];
    return d->calls.v[d->rows.v[x->m->pairing->lines.v[line].row[TARGET]].call].phase;
}

/* Of a value that goes into steps nobody recorded: whether the next value agrees that such steps made, of this pass. */
static bool next_agrees(const struct trail *t)
{
    const struct routes *x = t->x;
    const struct dump *d = x->d[TARGET];
    uint8_t phase = phase_of(x, t->line);
    for (uint32_t i = t->line + 1; i < x->j->lines; i++) {
        const struct line *l = &x->m->pairing->lines.v[i];
        const struct row *r = l->pair == NONE || x->aside[i] ? NULL : &d->rows.v[l->row[TARGET]];
        bool made = r && r->io == IO_INPUT && dtype_is_float(r->dtype) && d->calls.v[r->call].phase == phase &&
                    !(x->j->line[i].flags & LINE_SOURCE) && !x->flow[TARGET].weight[l->row[TARGET]] &&
                    x->flow[TARGET].known[l->row[TARGET]] && x->flow[TARGET].held[l->row[TARGET]] == NONE;
        if (made)
            return is_healed(t, i);
    }
    return false;
}

/* The same, whether all that was compared behind it agrees, and some of it belongs to its own pass: gradients show
 * nothing of a loss, whose own gradient is 1 on both sides. */
static bool rest_agrees(const struct trail *t)
{
    const struct routes *x = t->x;
    uint8_t phase = phase_of(x, t->line);
    bool any = false;
    for (uint32_t i = t->line + 1; i < x->j->lines; i++) {
        if (x->m->pairing->lines.v[i].pair == NONE || x->aside[i])
            continue;
        if (line_is_bad(&x->j->line[i]))
            return false;
        any = any || (phase_of(x, i) == phase && is_healed(t, i));
    }
    return any;
}

static bool heals_on(struct routes *x, uint32_t line, int s)
{
    struct trail t = {.x = x, .side = s, .line = line};
    uint32_t row = x->m->pairing->lines.v[line].row[s];
    const struct row *r = &x->d[s]->rows.v[row];
    const struct call *c = &x->d[s]->calls.v[r->call];
    bool gradient = c->phase == PHASE_BACKWARD && r->io == IO_OUTPUT;
    if (r->io == IO_INPUT)
        follow_call(&t, r->call);
    else
        follow_readers(&t, row);
    if (gradient && c->twin != NONE)
        follow_gradient(&t, c->twin);
    return !t.leaks && (t.ends || next_agrees(&t) || rest_agrees(&t));
}

/* ---- all lines ---- */

static bool is_tensor(const struct routes *x, uint32_t line)
{
    const struct line *l = &x->m->pairing->lines.v[line];
    int s = l->row[TARGET] == NONE ? GOLDEN : TARGET;
    return x->d[s]->rows.v[l->row[s]].kind == ROW_TENSOR;
}

/* Whether a line's call, or the one that made what it holds, is one function on both sides, or it is the sum of what
 * the uses of its value return: it starts nothing. */
static bool is_one_function(const struct routes *x, uint32_t line)
{
    uint32_t row = x->m->pairing->lines.v[line].row[TARGET];
    uint32_t of = row == NONE ? NONE : pairing_held_line(x->m->pairing, &x->flow[TARGET], TARGET, row);
    bool one = x->o->residual &&
               (x->o->residual[line] <= ONE_FUNCTION || (of != NONE && x->o->residual[of] <= ONE_FUNCTION));
    for (size_t i = 0; i < x->o->summed && !one; i++)
        one = x->o->sums[i].line == line;
    return one;
}

/* Marks what differs for such a reason, in order, but not those dropped before, nor any behind the first other
 * line that may start a deviation: they may differ because of it. Whether any. */
static bool mark(struct routes *x, const bool *dropped)
{
    bool any = false, behind = false;
    for (uint32_t i = 0; i < x->j->lines; i++) {
        x->aside[i] = !behind && !dropped[i] && differs(x, i) && may_differ(x, i);
        /* an argument that differs is seen in what its call gives */
        behind = behind || (!x->aside[i] && line_is_bad(&x->j->line[i]) && is_tensor(x, i) &&
                            !is_one_function(x, i));
        any = any || x->aside[i];
    }
    return any;
}

/* Drops marked lines from which a difference gets out; whether any. */
static bool drop(struct routes *x, bool *dropped)
{
    bool any = false;
    for (uint32_t i = (uint32_t)x->j->lines; i-- > 0;)
        if (x->aside[i] && !(heals_on(x, i, TARGET) && heals_on(x, i, GOLDEN))) {
            x->aside[i] = false;
            dropped[i] = any = true;
        }
    return any;
}

void other_routes_find(struct judgement *j, const struct measure *m, const struct dataflow flow[2],
                       const struct value_readers reads[2], const struct judge_options *o)
{
    struct routes x = {.j = j, .m = m, .d = {m->side[0], m->side[1]}, .flow = flow, .reads = reads, .o = o};
    bool *dropped = mem_zalloc(j->lines + 1);
    x.aside = mem_zalloc(j->lines + 1);
    for (int s = 0; s < 2; s++)
        forward_uses_find(&x.uses[s], x.d[s], &flow[s]);
    while (mark(&x, dropped) && drop(&x, dropped))
        continue;
    for (uint32_t i = 0; i < j->lines; i++)
        if (x.aside[i]) {
            j->line[i].verdict = VERDICT_SKIP;
            j->line[i].rule = RULE_OTHER_VALUE;
        }
    for (int s = 0; s < 2; s++)
        forward_uses_release(&x.uses[s]);
    free(x.aside);
    free(dropped);
}
