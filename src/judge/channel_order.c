/* Searches the rotary order of channels in weights, then follows it from projections to the scores they make. */
#include "judge/channel_order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dump/family.h"
#include "judge/pass_rows.h"
#include "judge/thresholds.h"
#include "measure/element_sample.h"

#define HEAD_LEAST 4 /* of two channels both orders are one */

/* Channels per head, and whether the golden side has halves and the target pairs. */
struct channel_order {
    int64_t size;
    bool halves[2]; /* per side; one of them */
};

struct order_search {
    struct judgement *j;
    const struct measure *m;
    const struct thresholds *tol;
    const struct dataflow *flow; /* of the target */
    bool *reached;               /* per target row: computed from such weights, before the scores */
    uint32_t *first, *next;      /* the first parameter of each scope and what is behind each; for the first gradient */
};

/* ---- one tensor ---- */

/* Where the golden side holds the target's channel `i` of a head. */
static int64_t golden_channel(const struct channel_order *o, int64_t i)
{
    int64_t half = o->size / 2;
    return o->halves[GOLDEN] ? i / 2 + (i % 2) * half : i % half * 2 + i / half;
}

/* Σ(t−g)² over Σg², its root, with the golden side in the target's order along an axis; stops above `most`. */
static double left_in_order(const struct element_sample *s, int axis, const struct channel_order *o, double most)
{
    double left = 0;
    int64_t length = s->shape[axis], step = 1;
    for (int a = axis + 1; a < s->ndim; a++)
        step *= s->shape[a];
    for (size_t i = 0; i < s->n; i++) {
        int64_t c = (int64_t)i / step % length, in = c % o->size;
        double e = s->v[TARGET][i] - s->v[GOLDEN][(int64_t)i + (golden_channel(o, in) - in) * step];
        left += e * e;
        if (!(left <= most * most * s->g2))
            return INFINITY;
    }
    return sqrt(left / s->g2);
}

static bool take_channel_sample(const struct order_search *x, uint32_t line, struct element_sample *s)
{
    struct err quiet;
    const uint32_t *row = x->m->pairing->lines.v[line].row;
    const struct shape *t = dump_row_shape(x->m->side[TARGET], row[TARGET]),
                       *g = dump_row_shape(x->m->side[GOLDEN], row[GOLDEN]);
    if (!shape_same(t, g) || !t->ndim || x->m->state[line] != MEASURE_DONE ||
        measure_view(x->m, line) || element_sample_take(s, x->m, line, &quiet))
        return false;
    if (!s->at && s->n == s->numel && s->finite == s->n && s->g2 > 0)
        return true;
    element_sample_release(s);
    return false;
}

/* The relative error of a line's values in that order, along its last axes or, of a weight, its first; infinite. */
static double error_in_order(const struct order_search *x, uint32_t line, const struct channel_order *o, double most)
{
    struct element_sample s;
    double best = INFINITY;
    if (!take_channel_sample(x, line, &s))
        return INFINITY;
    for (int axis = s.ndim - 1; axis >= 0 && axis >= s.ndim - 2 && isinf(best); axis--)
        if (s.shape[axis] % o->size == 0)
            best = left_in_order(&s, axis, o, most);
    element_sample_release(&s);
    return best;
}

/* ---- weights ---- */

/* Whether a line is a weight or bias whose first axis is in the other order, bit by bit; sets the order. */
static bool weight_in_order(const struct order_search *x, uint32_t line, struct channel_order *o)
{
    struct element_sample s;
    bool found = false;
    if (x->j->line[line].rule != RULE_PARAMETER || !line_is_bad(&x->j->line[line]) || !take_channel_sample(x, line, &s))
        return false;
    for (int64_t size = HEAD_LEAST; size <= s.shape[0] && !found; size += 2)
        for (int golden = 0; golden < 2 && s.shape[0] % size == 0 && !found; golden++) {
            *o = (struct channel_order){size, {!golden, golden}};
            found = left_in_order(&s, 0, o, 0) == 0;
        }
    found = found && s.ndim <= 2;
    element_sample_release(&s);
    return found;
}

static bool same_order(const struct channel_order *a, const struct channel_order *b)
{
    return a->size == b->size && a->halves[TARGET] == b->halves[TARGET];
}

/* ---- scores ---- */

static enum family family_at(const struct order_search *x, uint32_t line)
{
    const struct dump *d = x->m->side[TARGET];
    uint32_t row = x->m->pairing->lines.v[line].row[TARGET];
    return row == NONE ? FAMILY_OTHER : (enum family)d->calls.v[d->rows.v[row].call].family;
}

/* The largest relative error a row may have beside the order. */
static double most_off(const struct order_search *x, uint32_t line)
{
    const uint32_t *row = x->m->pairing->lines.v[line].row;
    enum dtype own = dtype_coarser(x->m->side[TARGET]->rows.v[row[TARGET]].dtype,
                                   x->m->side[GOLDEN]->rows.v[row[GOLDEN]].dtype);
    double level = isfinite(x->j->line[line].level) ? (double)x->j->line[line].level : 0;
    return fmax(thresholds_of(x->tol, own)->drift, x->tol->noise * level);
}

/* Whether a line is the result of a product, or fused attention, of two operands in that order, and agrees. */
static bool are_scores(const struct order_search *x, uint32_t line, const struct channel_order *o)
{
    const struct line *l = &x->m->pairing->lines.v[line];
    const struct dump *d = x->m->side[TARGET];
    enum family f = family_at(x, line);
    int operands = 0;
    if (l->pair == NONE || (!family_is_product(f) && f != FAMILY_ATTENTION) || !line_agrees(&x->j->line[line]) ||
        d->rows.v[l->row[TARGET]].io != IO_OUTPUT)
        return false;
    const struct call *c = &d->calls.v[d->rows.v[l->row[TARGET]].call];
    if (c->kind == CALL_MODULE || c->phase != PHASE_FORWARD)
        return false;
    EACH_EARLY_ROW(d, d->rows.v[l->row[TARGET]].call, r) {
        uint32_t in = x->m->pairing->line_of[TARGET][r];
        if (d->rows.v[r].io == IO_INPUT && d->rows.v[r].kind == ROW_TENSOR && in != NONE &&
            x->m->pairing->lines.v[in].pair != NONE && verdict_is_bad((enum verdict)x->j->line[in].verdict))
            operands += error_in_order(x, in, o, most_off(x, in)) <= most_off(x, in);
    }
    return operands == 2;
}

/* ---- between weights and scores ---- */

/* A difference that the order does not bring: of another weight, a table, a number. */
static bool starts_beside(const struct order_search *x, uint32_t line)
{
    const struct line_judgement *l = &x->j->line[line];
    struct channel_order o;
    if (!line_is_bad(l))
        return false;
    if (l->rule == RULE_PARAMETER)
        return !weight_in_order(x, line, &o);
    return l->flags & LINE_SOURCE || l->rule == RULE_SCALAR_DIFFERS || l->rule == RULE_ONE_SIDED ||
           l->rule == RULE_FUSED_SCALE || l->rule == RULE_FUSED_MASK || l->rule == RULE_ROUNDED ||
           l->verdict == VERDICT_NONFINITE;
}

static bool any_reached(const struct order_search *x, uint32_t call, enum row_io io)
{
    const struct dump *d = x->m->side[TARGET];
    EACH_EARLY_ROW(d, call, r)
        if (d->rows.v[r].io == io && x->reached[r])
            return true;
    return false;
}

/* Whether a call reads a weight in that order: no other one differs between the weights and the scores. */
static bool reads_weight(const struct order_search *x, uint32_t call)
{
    const struct dump *d = x->m->side[TARGET];
    EACH_ROW(d, call, r) {
        uint32_t line = x->m->pairing->line_of[TARGET][r];
        if (line != NONE && line_is_bad(&x->j->line[line]) && x->j->line[line].rule == RULE_PARAMETER)
            return true;
    }
    return false;
}

/* Whether a row's value is computed from weights in that order. Halves of channels may come from a slice that nobody
 * recorded. */
static bool is_reached(const struct order_search *x, uint32_t line, uint32_t row, const struct channel_order *o)
{
    const struct dump *d = x->m->side[TARGET];
    const struct row *r = &d->rows.v[row];
    const struct shape *s = dump_row_shape(d, row);
    uint32_t from = x->flow->held[row];
    if (r->io == IO_OUTPUT)
        return reads_weight(x, r->call) || any_reached(x, r->call, IO_INPUT) || (from != NONE && x->reached[from]);
    if (r->io != IO_INPUT || from != NONE)
        return from != NONE && x->reached[from];
    int64_t last = s && s->ndim ? s->dim[s->ndim - 1] : 0;
    return line_is_bad(&x->j->line[line]) && (last == o->size || 2 * last == o->size);
}

/* What is in the order agrees; what else differs is another quantity, if it is computed from such weights. */
static void settle_line(const struct order_search *x, uint32_t line, const struct channel_order *o, bool reached)
{
    struct line_judgement *l = &x->j->line[line];
    if (x->m->pairing->lines.v[line].pair == NONE || !verdict_is_bad((enum verdict)l->verdict))
        return;
    double error = error_in_order(x, line, o, most_off(x, line));
    bool alike = error <= most_off(x, line);
    if (!alike && !reached)
        return;
    l->verdict = alike ? VERDICT_MATCH : VERDICT_SKIP;
    l->rule = alike ? RULE_CHANNELS : RULE_BEFORE_SCORES;
    l->flags &= (uint8_t)~(LINE_DOUBTFUL | LINE_ILL);
    if (alike)
        l->error = (float)error;
}

static void list_parameters(struct order_search *x)
{
    const struct dump *d = x->m->side[TARGET];
    x->first = mem_alloc((d->scopes.n + 1) * sizeof *x->first);
    x->next = mem_alloc((d->rows.n + 1) * sizeof *x->next);
    for (size_t i = 0; i < d->scopes.n; i++)
        x->first[i] = NONE;
    for (uint32_t r = (uint32_t)d->rows.n; r-- > 0;) {
        uint32_t scope = d->calls.v[d->rows.v[r].call].scope;
        if (d->rows.v[r].io != IO_PARAMETER || scope == NONE)
            continue;
        x->next[r] = x->first[scope];
        x->first[scope] = r;
    }
}

/* Whether a row is the recorded gradient of a module's weight that is in that order. */
static bool is_of_such_weight(struct order_search *x, uint32_t row)
{
    const struct dump *d = x->m->side[TARGET];
    uint32_t scope = d->calls.v[d->rows.v[row].call].scope;
    if (scope == NONE)
        return false;
    if (!x->first)
        list_parameters(x);
    for (uint32_t r = x->first[scope]; r != NONE; r = x->next[r]) {
        uint32_t line = x->m->pairing->line_of[TARGET][r];
        if (strcmp(pass_name_in(d, row), pass_name_in(d, r)) == 0)
            return line != NONE && x->j->line[line].rule == RULE_CHANNELS;
    }
    return false;
}

/* A gradient of a weight in that order is in that order. One of a call between weights and scores: that of a reached
 * value is another quantity as well. */
static void settle_gradient(struct order_search *x, uint32_t line, const struct channel_order *o)
{
    const struct dump *d = x->m->side[TARGET];
    uint32_t row = x->m->pairing->lines.v[line].row[TARGET];
    const struct call *c = row == NONE ? NULL : &d->calls.v[d->rows.v[row].call];
    if (c && d->rows.v[row].io == IO_GRADIENT && line_is_bad(&x->j->line[line]) && is_of_such_weight(x, row))
        settle_line(x, line, o, false);
    if (!c || c->phase != PHASE_BACKWARD || c->twin == NONE || d->rows.v[row].io == IO_GRADIENT)
        return;
    bool in = any_reached(x, c->twin, IO_INPUT), out = any_reached(x, c->twin, IO_OUTPUT);
    if (in || out)
        settle_line(x, line, o, d->rows.v[row].io == IO_INPUT ? out : in);
}

static void settle_between(struct order_search *x, uint32_t from, uint32_t to, const struct channel_order *o)
{
    const struct dump *d = x->m->side[TARGET];
    for (uint32_t i = from; i <= to; i++)
        if (starts_beside(x, i))
            return;
    x->reached = mem_zalloc((d->rows.n + 1) * sizeof *x->reached);
    for (uint32_t i = from; i < to; i++) {
        uint32_t row = x->m->pairing->lines.v[i].row[TARGET];
        if (row != NONE)
            x->reached[row] = is_reached(x, i, row, o);
    }
    for (uint32_t i = from; i < x->j->lines; i++) {
        uint32_t row = x->m->pairing->lines.v[i].row[TARGET];
        if (i > to)
            settle_gradient(x, i, o);
        else
            settle_line(x, i, o, row != NONE && x->reached[row]);
    }
    free(x->reached);
}

void channel_orders_find(struct judgement *j, const struct measure *m, const struct dataflow *flow,
                         const struct thresholds *tol)
{
    struct order_search x = {.j = j, .m = m, .tol = tol, .flow = flow};
    struct channel_order o, here;
    uint32_t first = NONE, matrices = 0;
    for (uint32_t i = 0; i < j->lines; i++) {
        const struct line *l = &m->pairing->lines.v[i];
        if (l->pair == NONE)
            continue;
        if (weight_in_order(&x, i, &here)) {
            bool same = first != NONE && same_order(&o, &here);
            const struct shape *s = dump_row_shape(m->side[TARGET], l->row[TARGET]);
            first = same ? first : i;
            matrices = (same ? matrices : 0) + (s->ndim == 2);
            o = here;
        } else if (first != NONE && matrices >= 2 && are_scores(&x, i, &o)) {
            settle_between(&x, first, i, &o);
            first = NONE;
            matrices = 0;
        }
    }
    free(x.first);
    free(x.next);
}
