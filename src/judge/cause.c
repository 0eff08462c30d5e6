/* Follows deviations along the recorded data flow of the target: a row starts one, inherits it, or agrees. */
#include "judge/cause.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "dump/family.h"
#include "judge/accepted.h"
#include "judge/conditioning.h"
#include "judge/forward_uses.h"
#include "judge/open_results.h"
#include "judge/packed_verdicts.h"
#include "judge/pass_rows.h"
#include "judge/row_verdict.h"
#include "judge/same_figures.h"
#include "judge/summed_gradient.h"
#include "judge/taken_elements.h"
#include "judge/turned_choice.h"
#include "pair/align_item.h"

/* What a value depends on, the earliest of each as a line; NONE. */
struct origins {
    uint32_t start;  /* of a deviation */
    uint32_t choice; /* that noise turned at a tie: what follows may differ by any amount */
};

static const struct origins no_origins = {NONE, NONE};

struct causes {
    struct judgement *j;
    const struct measure *m;
    const struct dump *d;          /* the target */
    const struct dataflow *flow;   /* the target's, and behind it the golden side's */
    const struct judge_options *o;
    struct origins *row, *call;    /* per target row and call: what it depends on */
    bool *blind;                   /* per target call: something that goes in was not compared */
    bool *reads;                   /* per target call: a tensor goes in */
    bool *decided;                 /* per line */
    bool *kept;                    /* per target call: its parameters are decided */
    uint32_t *around;              /* per target call: see argument_around; NOT_ASKED */
    struct forward_uses uses;      /* found for the first gradient */
    bool told;                     /* all verdicts come from a pack, or from another tool's rules */
    struct origins earliest;       /* so far */
    uint32_t apart;                /* the first line where equal figures gave others, before the earliest start */
    uint32_t apart_before;         /* before this line, a call that gives other figures from the same ones starts */
};

/* Of each kind the earlier one. */
static struct origins earlier_origins(struct origins a, struct origins b)
{
    return (struct origins){a.start < b.start ? a.start : b.start, /* NONE is the largest */
                            a.choice < b.choice ? a.choice : b.choice};
}

/* ---- what a row depends on ---- */

/* A gradient depends on what went into its forward call, and on the gradients of those that used its result. */
static struct origins origins_of_forward(struct causes *k, uint32_t forward)
{
    if (!k->uses.first)
        forward_uses_find(&k->uses, k->d, k->flow);
    struct origins found = k->call[forward];
    for (uint32_t r = k->uses.first[forward]; r != NONE; r = k->uses.next[r]) {
        uint32_t twin = k->d->calls.v[k->d->rows.v[r].call].twin;
        found = twin == NONE ? found : earlier_origins(found, k->call[twin]);
    }
    return found;
}

/* What a line's target row depends on by recorded flow. */
static struct origins origins_of_row(struct causes *k, uint32_t line, uint32_t row)
{
    const struct row *x = &k->d->rows.v[row];
    const struct call *c = &k->d->calls.v[x->call];
    uint32_t from = k->flow->held[row];
    struct origins found = from == NONE ? no_origins : k->row[from];
    /* a module hands on what its last call gives; where that was not compared, or agrees and this does not (it is
     * another value with the same figures), what goes into the module decides */
    uint32_t before = from == NONE ? NONE : k->m->pairing->line_of[TARGET][from];
    bool told = before != NONE && k->m->pairing->lines.v[before].pair != NONE &&
                (k->j->line[before].cause != CAUSE_AGREES || !line_is_bad(&k->j->line[line]));
    if (x->io == IO_OUTPUT && (c->kind != CALL_MODULE || !told))
        found = earlier_origins(found, k->call[x->call]);
    if (c->phase == PHASE_BACKWARD && c->twin != NONE)
        found = earlier_origins(found, origins_of_forward(k, c->twin));
    return found;
}

/* Whether recorded flow says where a row's value comes from: from an earlier row, from what goes into its call, or from
 * outside the step. */
static bool origin_is_known(const struct causes *k, uint32_t row, const struct line_judgement *l)
{
    const struct row *x = &k->d->rows.v[row];
    const struct call *c = &k->d->calls.v[x->call];
    if (x->kind != ROW_TENSOR)
        return true;
    if (x->io == IO_OUTPUT) {
        bool forward = c->phase != PHASE_BACKWARD || c->twin == NONE || (k->reads[c->twin] && !k->blind[c->twin]);
        return k->reads[x->call] && !k->blind[x->call] && forward;
    }
    return l->flags & LINE_SOURCE || x->io == IO_PARAMETER || l->rule == RULE_PARAMETER || k->flow->weight[row];
}

/* ---- causes ---- */

static bool is_compared(const struct line_judgement *l)
{
    switch ((enum verdict)l->verdict) {
    case VERDICT_MATCH:
    case VERDICT_DRIFT:
        return !(l->flags & LINE_UNREAD);
    case VERDICT_DEVIATE:
    case VERDICT_NONFINITE:
    case VERDICT_SHAPE:
    case VERDICT_INHERITED:
    case VERDICT_IN_DOUBT:
        return !(l->flags & LINE_DOUBTFUL) || l->rule == RULE_ILL;
    default:
        return false;
    }
}

/* Whether a line's verdict is another tool's, a pack's, or that of two golden runs: its cause follows from it alone. */
static bool has_verdict_of_its_own(const struct causes *k, uint32_t line)
{
    const struct line_judgement *l = &k->j->line[line];
    return k->told || l->rule == RULE_PRESET || l->rule == RULE_TABLE || l->flags & LINE_BAND;
}

/* The coarser type of a pair. */
static enum dtype type_of(const struct causes *k, uint32_t line)
{
    const uint32_t *row = k->m->pairing->lines.v[line].row;
    return dtype_coarser(k->d->rows.v[row[TARGET]].dtype, k->m->side[GOLDEN]->rows.v[row[GOLDEN]].dtype);
}

/* Whether a row differs by more than rounding of its type, if no noise is allowed for. */
static bool differs_at_all(const struct causes *k, uint32_t line)
{
    const struct line_judgement *l = &k->j->line[line];
    if (has_verdict_of_its_own(k, line))
        return line_is_bad(l);
    if (l->rule == RULE_SAME_ROWS) /* its error is that of rows brought into one order */
        return true;
    return verdict_is_bad((enum verdict)l->verdict) ||
           (double)l->error > thresholds_of(k->o->tol, type_of(k, line))->drift;
}

static void give_cause(struct causes *k, uint32_t line, enum cause c, enum cause_basis b, uint32_t from)
{
    struct line_judgement *l = &k->j->line[line];
    /* what deviates by its limits was asked for before */
    if (c == CAUSE_STARTS && !line_is_bad(l) && accepted_line(k->j, k->m, k->o->known, line, VERDICT_DEVIATE)) {
        c = CAUSE_UNKNOWN;
        b = BASIS_NONE;
    }
    l->cause = (uint8_t)c;
    l->basis = (uint8_t)b;
    l->from = from;
    if (c == CAUSE_STARTS)
        k->earliest = earlier_origins(k->earliest, (struct origins){line, NONE});
}

static enum cause_basis basis_of(const struct line_judgement *l)
{
    if (l->rule == RULE_EQUAL || l->rule == RULE_CHECKSUM_SAME || l->rule == RULE_CHECKSUM_DIFFERS ||
        l->rule == RULE_EXACT || l->rule == RULE_SCALAR_SAME || l->rule == RULE_SCALAR_DIFFERS)
        return BASIS_BITS;
    if (l->flags & LINE_SOURCE || l->rule == RULE_PARAMETER)
        return BASIS_SOURCE;
    return l->flags & LINE_STATISTICS ? BASIS_FIGURES : BASIS_LEVEL;
}

/* By the level: a row that differs starts unless it depends on a start, or may. */
static void decide_by_level(struct causes *k, uint32_t line, uint32_t from)
{
    bool bad = line_is_bad(&k->j->line[line]);
    if (from != NONE && differs_at_all(k, line))
        give_cause(k, line, CAUSE_INHERITED, BASIS_FLOW, from);
    else
        give_cause(k, line, bad ? CAUSE_STARTS : CAUSE_AGREES, basis_of(&k->j->line[line]), NONE);
}

/* The start among a call's rows, or NONE. */
static uint32_t start_at(const struct causes *k, uint32_t call)
{
    EACH_ROW(k->d, call, r) {
        uint32_t line = k->m->pairing->line_of[TARGET][r];
        if (line != NONE && k->j->line[line].cause == CAUSE_STARTS)
            return line;
    }
    return NONE;
}

/* The start at the forward call of a gradient or, if its module's parameter has it, inside of it; or NONE: one function
 * that is another one has another gradient. */
static uint32_t forward_start(const struct causes *k, uint32_t call)
{
    const struct call *x = &k->d->calls.v[call];
    uint32_t back = x->gradient ? condition_module_backward(k->d, call) : x->phase == PHASE_BACKWARD ? call : NONE,
             twin = back == NONE ? NONE : k->d->calls.v[back].twin, found = twin == NONE ? NONE : start_at(k, twin);
    for (uint32_t c = twin; x->gradient && found == NONE && c != NONE && c-- > 0 && k->d->calls.v[c].parent == twin;)
        found = start_at(k, c);
    return found;
}

/* The place of an input among the tensors that go into its call. */
static int place_in_table(const struct dump *d, uint32_t row)
{
    int n = 0;
    EACH_EARLY_ROW(d, d->rows.v[row].call, r) {
        if (r == row)
            break;
        n += d->rows.v[r].kind == ROW_TENSOR && d->rows.v[r].io == IO_INPUT;
    }
    return n;
}

/* Whether a pair of one shape is compared with its axes in another order (k, stored transposed, of as many keys as a
 * head is wide): the shape does not say so to the golden function. */
static bool is_turned(const struct measure *m, const struct line *l)
{
    const struct shape *t = dump_row_shape(m->side[TARGET], l->row[TARGET]),
                       *g = dump_row_shape(m->side[GOLDEN], l->row[GOLDEN]);
    return m->pairing->pairs.v[l->pair].view != NONE && shape_same(t, g);
}

/* Whether an input of the target call is paired with an input of the golden call at another place, or in another order
 * of axes: operands of a product that the sides write differently. The golden function would get other ones. */
static bool inputs_cross(const struct causes *k, uint32_t call, uint32_t golden)
{
    const struct dump *o = k->m->side[GOLDEN];
    if (call == NONE || golden == NONE)
        return false;
    EACH_EARLY_ROW(k->d, call, r) {
        const struct line *l = &k->m->pairing->lines.v[k->m->pairing->line_of[TARGET][r]];
        if (k->d->rows.v[r].kind == ROW_TENSOR && k->d->rows.v[r].io == IO_INPUT && l->pair != NONE &&
            o->rows.v[l->row[GOLDEN]].call == golden &&
            (place_in_table(k->d, r) != place_in_table(o, l->row[GOLDEN]) || is_turned(k->m, l)))
            return true;
    }
    return false;
}

/* The same for the line's calls, and for a gradient for their forward calls. */
static bool operands_cross(const struct causes *k, uint32_t line, uint32_t call)
{
    const struct dump *o = k->m->side[GOLDEN];
    uint32_t golden = o->rows.v[k->m->pairing->lines.v[line].row[GOLDEN]].call;
    bool backward = k->d->calls.v[call].phase == PHASE_BACKWARD;
    return inputs_cross(k, call, golden) ||
           (backward && inputs_cross(k, k->d->calls.v[call].twin, o->calls.v[golden].twin));
}

/* Whether an operand of a target call has no partner, or one that may hold another value. */
static bool has_lone_operand(const struct causes *k, uint32_t call)
{
    if (call == NONE)
        return false;
    EACH_EARLY_ROW(k->d, call, r) {
        const struct row *x = &k->d->rows.v[r];
        uint32_t line = k->m->pairing->line_of[TARGET][r];
        if (x->io == IO_INPUT && x->kind == ROW_TENSOR && dump_row_numel(k->d, r) > 1 &&
            (k->m->pairing->lines.v[line].pair == NONE || k->j->line[line].rule == RULE_OTHER_VALUE ||
             line_is_in_doubt(&k->j->line[line])))
            return true;
    }
    return false;
}

/* Whether a line's calls are other operators, or give what agrees, and one of their operands has no such partner: a
 * quotient by a root beside a product with its inverse, a sigmoid beside the exponential of its logarithm, a product
 * with another number of what was divided before. The golden function would get another operand. */
static bool operand_is_alone(const struct causes *k, uint32_t line, uint32_t call)
{
    const struct dump *o = k->m->side[GOLDEN];
    uint32_t golden = o->rows.v[k->m->pairing->lines.v[line].row[GOLDEN]].call;
    if (line_is_bad(&k->j->line[line]) &&
        family_operator(align_item_operator(k->d, call)) == family_operator(align_item_operator(o, golden)))
        return false;
    return has_lone_operand(k, call) ||
           (k->d->calls.v[call].phase == PHASE_BACKWARD && has_lone_operand(k, k->d->calls.v[call].twin));
}

/* Whether what goes into a target call is paired with what goes into the golden call of this line: then the residual
 * speaks of the same values. */
static bool inputs_correspond(const struct causes *k, uint32_t line, uint32_t call)
{
    uint32_t golden = k->m->side[GOLDEN]->rows.v[k->m->pairing->lines.v[line].row[GOLDEN]].call;
    EACH_ROW(k->d, call, r) {
        const struct row *x = &k->d->rows.v[r];
        const struct line *l = &k->m->pairing->lines.v[k->m->pairing->line_of[TARGET][r]];
        if (x->kind == ROW_TENSOR && (x->io == IO_INPUT || x->io == IO_PARAMETER) && l->pair != NONE &&
            k->m->side[GOLDEN]->rows.v[l->row[GOLDEN]].call != golden)
            return false;
    }
    return true;
}

/* Whether what goes into a side's call agrees wherever it is compared, and something is. */
static bool inputs_agree(const struct causes *k, int side, uint32_t call)
{
    const struct dump *d = k->m->side[side];
    bool any = false;
    EACH_EARLY_ROW(d, call, r) {
        uint32_t line = k->m->pairing->line_of[side][r];
        if (d->rows.v[r].kind != ROW_TENSOR || d->rows.v[r].io != IO_INPUT ||
            k->m->pairing->lines.v[line].pair == NONE)
            continue;
        if (k->j->line[line].cause != CAUSE_AGREES)
            return false;
        any = true;
    }
    return any;
}

#define MOVED_MOST 4 /* a dropout's factor, and a sum of two gradients, stay below it */

/* Whether a call that only moves or drops values gives an output that differs by more than everything that goes into
 * it, which such a call cannot do: it adds a difference of its own. */
static bool adds_to_moved(const struct causes *k, uint32_t line, uint32_t row)
{
    const struct call *c = &k->d->calls.v[k->d->rows.v[row].call];
    double in = 0, out = measure_distance(k->m, line), n = (double)dump_row_numel(k->d, row), least = n;
    bool moves = family_hands_on((enum family)c->family) || c->family == FAMILY_RANDOM;
    if (!moves || c->kind == CALL_MODULE || !(out > 0) || k->d->rows.v[row].io != IO_OUTPUT)
        return false;
    uint32_t inputs = 0;
    EACH_ROW(k->d, k->d->rows.v[row].call, r)
        if (k->d->rows.v[r].io == IO_INPUT && k->d->rows.v[r].kind == ROW_TENSOR) {
            uint32_t of = k->m->pairing->line_of[TARGET][r];
            double e = of == NONE ? NAN : measure_distance(k->m, of);
            if (isnan(e) || k->j->line[of].cause == CAUSE_UNKNOWN)
                return false;
            in += e;
            least = fmin(least, fmax(1, (double)dump_row_numel(k->d, r)));
            inputs++;
        }
    return inputs && out > MOVED_MOST * in * sqrt(n / least);
}

static bool holds_something(const struct dump *d, uint32_t row)
{
    return row != NONE && d->rows.v[row].has & HAS_NORM && d->rows.v[row].stat[STAT_NORM] > 0;
}

#define NEAR_CALLS 64 /* between the gradient of a module's parameter and the module's own backward calls */

/* The backward call of the product inside the module that owns this gradient, whose own backward call was not
 * recorded; NONE: there is none near. */
static uint32_t inner_backward(const struct dump *d, uint32_t gradient)
{
    uint32_t scope = d->calls.v[gradient].scope;
    for (uint32_t c = gradient; c-- > 0 && gradient - c <= NEAR_CALLS && scope != NONE;) {
        const struct call *x = &d->calls.v[c];
        uint32_t module = x->phase == PHASE_BACKWARD && x->twin != NONE && family_is_product(x->family)
                              ? d->calls.v[x->twin].parent
                              : NONE;
        if (module != NONE && d->calls.v[module].scope == scope)
            return c;
    }
    return NONE;
}

/* Whether a parameter's gradient is nothing but zeros on one side alone, though a gradient comes in there and something
 * was put in: no deviation of these makes that, so it is a deviation of its own. */
static bool loses_gradient(const struct causes *k, uint32_t line, uint32_t row)
{
    const uint32_t *rows = k->m->pairing->lines.v[line].row;
    const struct figures *f = k->m->state[line] == MEASURE_DONE ? k->m->figures[line] : NULL;
    if (k->d->rows.v[row].io != IO_GRADIENT || !f || (f->side[TARGET].norm > 0) == (f->side[GOLDEN].norm > 0))
        return false;
    int s = f->side[TARGET].norm > 0 ? GOLDEN : TARGET;
    const struct dump *d = k->m->side[s];
    uint32_t gradient = d->rows.v[rows[s]].call, call = condition_module_backward(d, gradient);
    call = call == NONE ? inner_backward(d, gradient) : call;
    uint32_t forward = call == NONE ? NONE : d->calls.v[call].twin;
    return f->side[s].norm == 0 && forward != NONE && holds_something(d, pass_first_float(d, call, IO_INPUT)) &&
           holds_something(d, pass_first_float(d, forward, IO_INPUT));
}

/* Whether a row differs by more than the limit of its type because one side's output is not what its own call makes of
 * its own inputs: noise that came in does not explain that. */
static bool contradicts_itself(const struct causes *k, uint32_t line)
{
    if (!k->o->own_wrong || !(k->o->own_wrong[line] > 0))
        return false;
    return (double)k->j->line[line].error > thresholds_of(k->o->tol, type_of(k, line))->deviate;
}

#define HANDED_FACTOR 0.01 /* by which a handed-on value changes its size at least, if it is another one */

/* The line of the value that the golden side hands on here as it is, while the target gives another one than its own
 * earlier value, which nothing recorded and paired computes; NONE, also of zeros, which come from anywhere. */
static uint32_t handed_on_otherwise(const struct causes *k, uint32_t line, uint32_t row)
{
    uint32_t golden = k->m->pairing->lines.v[line].row[GOLDEN];
    uint32_t from = golden == NONE ? NONE : k->flow[GOLDEN].held[golden],
             of = from == NONE ? NONE : k->m->pairing->line_of[GOLDEN][from];
    const struct row *x = &k->d->rows.v[row];
    uint32_t held = k->flow->held[row], own = held == NONE ? NONE : k->m->pairing->line_of[TARGET][held];
    bool judged = own != NONE && k->m->pairing->lines.v[own].pair != NONE; /* where it was computed */
    if (judged || of == NONE || !holds_something(k->m->side[GOLDEN], golden))
        return NONE;
    if (k->j->line[line].flags & LINE_STATISTICS || k->m->pairing->lines.v[of].pair == NONE ||
        !is_compared(&k->j->line[of]) || !k->decided[of] || forward_start(k, x->call) != NONE)
        return NONE;
    const uint32_t *before = k->m->pairing->lines.v[of].row;
    const struct row *y = &k->d->rows.v[before[TARGET]];
    if (before[TARGET] >= row || x->kind != ROW_TENSOR || y->kind != ROW_TENSOR || x->dtype != y->dtype ||
        !dtype_is_float((enum dtype)x->dtype) || !(x->has & y->has & HAS_NORM) || !(y->stat[STAT_NORM] > 0) ||
        dump_row_numel(k->d, row) != dump_row_numel(k->d, before[TARGET]) ||
        dataflow_first(k->flow, row) == dataflow_first(k->flow, before[TARGET]))
        return NONE;
    return of;
}

/* The norm of the target's values; a recorded one has the digits of its type. */
static double norm_of(const struct causes *k, uint32_t line)
{
    bool done = k->m->figures && k->m->state[line] == MEASURE_DONE;
    return done ? k->m->figures[line]->side[TARGET].norm
                : k->d->rows.v[k->m->pairing->lines.v[line].row[TARGET]].stat[STAT_NORM];
}

/* Whether something between that nobody recorded multiplies a handed-on value or takes a part away: it is larger or
 * smaller than before, by more than noise of its type; by more than a rounding where no bit differed before. */
static bool is_handed_on_otherwise(const struct causes *k, uint32_t line, uint32_t row)
{
    struct line_judgement *l = &k->j->line[line];
    uint32_t of = handed_on_otherwise(k, line, row);
    enum dtype own = (enum dtype)k->d->rows.v[row].dtype;
    if (of == NONE)
        return false;
    double size = fabs(norm_of(k, line) / norm_of(k, of) - 1);
    if (l->verdict == VERDICT_DEVIATE) /* finite elements were compared */
        return size > fmax(HANDED_FACTOR, thresholds_of(k->o->tol, own)->deviate);
    bool rounds = dtype_table[own].size <= 2 && k->j->line[of].rule == RULE_EQUAL;
    return rounds && l->verdict <= VERDICT_DRIFT && fmin(size, (double)l->error) > dtype_table[own].epsilon;
}

/* Whether equal figures first gave others here. */
static bool goes_apart(const struct causes *k, uint32_t line)
{
    return k->j->line[line].flags & LINE_STATISTICS && !k->o->exact && !has_verdict_of_its_own(k, line) &&
           same_figures_go_apart(k->m, line);
}

#define SAME_ERROR 1e-5 /* of one value summed in another order */

/* The earlier row's line whose value a row holds on both sides, if its call is the same function on both sides: one
 * value has one cause. A dropout is the same function, but what it draws is not. NONE: there is none. */
static uint32_t agreed_before(const struct causes *k, uint32_t line, uint32_t row)
{
    uint32_t of = pairing_held_line(k->m->pairing, k->flow, TARGET, row);
    const struct line_judgement *l = of == NONE ? NULL : &k->j->line[of];
    if (!l || k->m->pairing->lines.v[of].pair == NONE || !k->decided[of] || l->cause != CAUSE_AGREES ||
        (l->basis != BASIS_RECOMPUTED && l->basis != BASIS_FLOW))
        return NONE;
    const struct figures *now = measure_figures(k->m, line), *then = measure_figures(k->m, of);
    bool same = now && then && (now->rel_l2 == then->rel_l2 || /* infinite beside zeros */
                                (isnan(now->rel_l2) && isnan(then->rel_l2)) || /* fills of masks that differ */
                                fabs(now->rel_l2 - then->rel_l2) <= SAME_ERROR * then->rel_l2);
    for (int s = 0; s < 2 && same; s++)
        same = now->side[s].max == then->side[s].max && now->side[s].min == then->side[s].min;
    uint32_t made = k->d->rows.v[dataflow_first(k->flow, row)].call;
    return same && k->d->calls.v[made].family != FAMILY_RANDOM ? of : NONE;
}

/* Whether an input's elements, numbers of tokens as well, may come out of earlier pairs, each side its own. */
static bool may_be_taken(const struct causes *k, uint32_t line, uint32_t row)
{
    const struct row *x = &k->d->rows.v[row];
    return x->io == IO_INPUT && x->kind == ROW_TENSOR && k->flow->held[row] == NONE &&
           !(k->j->line[line].flags & (LINE_STATISTICS | LINE_SOURCE));
}

/* The same as agreed_before of elements that an unrecorded step took out of an earlier pair that agrees. */
static uint32_t agreed_elements(const struct causes *k, uint32_t line, uint32_t row)
{
    uint32_t of = may_be_taken(k, line, row) ? taken_elements_from(k->m, k->flow, line) : NONE;
    if (of == NONE || !k->decided[of] || k->j->line[of].cause != CAUSE_AGREES)
        return NONE;
    /* where all of it agrees but for what nobody reads, this may be what somebody does read */
    bool whole = k->j->line[of].basis == BASIS_RECOMPUTED;
    return !whole && measure_figures(k->m, of)->rel_l2 > (double)k->j->line[of].limit ? NONE : of;
}

#define NOT_ASKED (NONE - 1)

/* The line of a call's first argument that differs and that nothing recorded made (a mask), else of that of the module
 * around it, and so on. A module's rows come behind those of its inner calls. NONE: no such argument. */
static uint32_t argument_around(struct causes *k, uint32_t call)
{
    uint32_t up = call, found = NONE;
    for (; up != NONE && k->around[up] == NOT_ASKED && found == NONE; up = k->d->calls.v[up].parent)
        EACH_ROW(k->d, up, r) {
            uint32_t line = k->m->pairing->line_of[TARGET][r];
            if (found == NONE && k->d->rows.v[r].io == IO_INPUT && line != NONE &&
                k->m->pairing->lines.v[line].pair != NONE && k->j->line[line].flags & LINE_SOURCE &&
                line_is_bad(&k->j->line[line]))
                found = line;
        }
    if (found == NONE && up != NONE)
        found = k->around[up];
    for (uint32_t c = call; c != up; c = k->d->calls.v[c].parent)
        k->around[c] = found;
    return found;
}

/* What an input of a forward call depends on that comes from steps inside of a module which nobody recorded. */
static uint32_t start_around(struct causes *k, uint32_t row)
{
    const struct call *c = &k->d->calls.v[k->d->rows.v[row].call];
    bool forward = c->phase == PHASE_FORWARD && k->d->rows.v[row].io == IO_INPUT;
    return forward && c->parent != NONE ? argument_around(k, c->parent) : NONE;
}

/* A row whose cause is being decided. */
struct undecided {
    uint32_t line, row;
    struct line_judgement *l;
    const struct row *x;
    struct origins of;
    bool by_value; /* judged by its values: a shape is none, and beyond the largest number every value is right */
    bool by_rows;  /* recomputed from the very values that are paired */
    bool judged;   /* its residual says whether both calls are one function */
    bool one_function; /* it is judged, and they are */
};

/* Whether a row's value was made by a call that puts in what a mask tells: infinities that differ there are the mask's
 * fills, no overflow. */
static bool is_filled_by_mask(const struct causes *k, uint32_t row)
{
    uint32_t made = k->d->rows.v[dataflow_first(k->flow, row)].call;
    return align_item_does(k->d, made, STR("masked_fill")) || align_item_does(k->d, made, STR("where"));
}

/* The largest error among the tensors that go into a target's call; infinite where one was not compared. */
static double error_put_in(const struct causes *k, uint32_t call)
{
    double most = 0;
    EACH_ROW(k->d, call, r) {
        const struct row *x = &k->d->rows.v[r];
        if (x->kind != ROW_TENSOR || (x->io != IO_INPUT && x->io != IO_PARAMETER))
            continue;
        const struct figures *f = measure_figures(k->m, k->m->pairing->line_of[TARGET][r]);
        most = fmax(most, f && f->two ? figures_judged_error(f) : INFINITY);
    }
    return most;
}

#define SCALED_LEAST 16      /* elements: so many roundings do not all have one direction */
#define SCALED_RESIDUAL 0.5F /* below it what goes in explains what comes out, a factor too */
#define SCALED_BESIDE 4      /* times what goes in is off: a product may add it up */

/* Whether a 16-bit output of a forward call is the golden one times a factor. A residual is a distance in units of what
 * roundings of all elements may add up to, and the level one of what calls before have; but roundings have no direction
 * in common, and a factor is nothing else. */
static bool is_scaled(const struct causes *k, const struct undecided *u)
{
    const struct figures *f = measure_figures(k->m, u->line);
    enum dtype d = type_of(k, u->line);
    if (!f || !f->two || f->unlike || f->side[TARGET].count < SCALED_LEAST || !(f->side[GOLDEN].norm > 0) ||
        dtype_table[d].epsilon < dtype_table[DTYPE_F16].epsilon || u->l->residual < SCALED_RESIDUAL ||
        u->x->io != IO_OUTPUT || k->d->calls.v[u->x->call].phase != PHASE_FORWARD || u->of.start != NONE)
        return false;
    double factor = fabs((1 - f->minus) * f->side[TARGET].norm / f->side[GOLDEN].norm - 1);
    double rounding = rule_limit(RULE_LIMIT_FACTOR_ROUNDINGS) * dtype_table[d].epsilon;
    return factor > fmax(rounding, 2 * sqrt(2 * f->minus)) && factor > SCALED_BESIDE * error_put_in(k, u->x->call);
}

static struct undecided undecided_of(const struct causes *k, uint32_t line, uint32_t row, struct origins of)
{
    struct line_judgement *l = &k->j->line[line];
    struct undecided u = {.line = line, .row = row, .l = l, .x = &k->d->rows.v[row], .of = of};
    u.by_value = (l->verdict == VERDICT_MATCH || l->verdict == VERDICT_DRIFT || l->verdict == VERDICT_DEVIATE ||
                  (l->verdict == VERDICT_NONFINITE && is_filled_by_mask(k, row))) &&
                 !k->o->exact && !has_verdict_of_its_own(k, line);
    u.by_rows = k->o->by_rows && k->o->by_rows[line];
    /* a parameter may be used in other ways than its module does: only a gradient that deviates is asked for its own */
    u.judged = !isnan(l->residual) && u.by_value && (u.by_rows || !operands_cross(k, line, u.x->call)) &&
               (u.x->io != IO_GRADIENT || line_is_bad(l));
    u.one_function = u.judged && (double)l->residual <= rule_limit(RULE_LIMIT_ORACLE_WRONG) && !is_scaled(k, &u);
    u.judged = u.judged && (u.x->io != IO_GRADIENT || k->earliest.start != NONE || u.one_function);
    return u;
}

/* Both calls are not one function, or the row is not what its own call makes of its inputs. */
static bool decide_other_function(struct causes *k, const struct undecided *u)
{
    bool other = u->judged && !u->one_function && u->l->rule != RULE_EQUAL &&
                 (u->by_rows || !operand_is_alone(k, u->line, u->x->call));
    bool contradicts = !other && u->by_value && isnan(u->l->residual) && contradicts_itself(k, u->line);
    if ((!other && !contradicts) || !dtype_is_float(u->x->dtype))
        return false;
    uint32_t forward = forward_start(k, u->x->call);
    give_cause(k, u->line, forward == NONE ? CAUSE_STARTS : CAUSE_INHERITED, BASIS_RECOMPUTED, forward);
    return true;
}

/* What differs behind a choice that noise turned, and behind no start. */
static bool decide_behind_choice(struct causes *k, const struct undecided *u)
{
    if (u->of.start != NONE || u->of.choice == NONE || !line_is_bad(u->l))
        return false;
    if (u->one_function)
        give_cause(k, u->line, CAUSE_AGREES, BASIS_RECOMPUTED, NONE);
    else if (turned_choice_explains(k->j, k->m, k->flow, u->line, u->of.choice))
        give_cause(k, u->line, CAUSE_UNKNOWN, BASIS_NONE, u->of.choice);
    else
        return false;
    return true;
}

/* Whether what goes into the call agrees on the side whose inputs have partners: its call was recomputed. */
static bool rows_agree(const struct causes *k, const struct undecided *u)
{
    uint32_t golden = k->m->pairing->lines.v[u->line].row[GOLDEN];
    return inputs_agree(k, TARGET, u->x->call) || inputs_agree(k, GOLDEN, k->m->side[GOLDEN]->rows.v[golden].call);
}

/* Both calls are one function, of inputs whose origin is known or that agree: a difference comes with them. `from`: the
 * start that the row is known to depend on, or NONE. */
static bool decide_one_function(struct causes *k, const struct undecided *u, uint32_t from)
{
    const struct line_judgement *l = u->l;
    if (!u->one_function)
        return false;
    /* nothing starts that it may depend on; what goes in was recomputed from the values that agree before it */
    bool behind_nothing = u->of.start == NONE &&
                          (u->x->io == IO_GRADIENT || (u->by_rows && (u->x->io == IO_INPUT || rows_agree(k, u))));
    bool known = from != NONE || behind_nothing || (origin_is_known(k, u->row, l) &&
                                                    (u->by_rows || inputs_correspond(k, u->line, u->x->call)));
    if (!known)
        return false;
    bool inherits = from != NONE && differs_at_all(k, u->line);
    /* one side's type is the difference, and not that of most products; angles in few bits are no rounding */
    bool widened = from == NONE && l->flags & LINE_DTYPE_DIFF && verdict_is_bad((enum verdict)l->verdict) &&
                   (type_of(k, u->line) != (enum dtype)k->j->arithmetic ||
                    (l->rule == RULE_ILL && l->was == CONDITION_TRIG));
    if (widened)
        give_cause(k, u->line, CAUSE_STARTS, BASIS_LEVEL, NONE);
    else
        give_cause(k, u->line, inherits ? CAUSE_INHERITED : CAUSE_AGREES, BASIS_RECOMPUTED, inherits ? from : NONE);
    return true;
}

/* A value that an earlier row holds which agrees by its residual, or an unrecorded step took or summed from such. */
static bool decide_agreed_before(struct causes *k, const struct undecided *u)
{
    if (!u->by_value || !line_is_bad(u->l))
        return false;
    uint32_t agreed = agreed_before(k, u->line, u->row);
    agreed = agreed == NONE ? agreed_elements(k, u->line, u->row) : agreed;
    const struct summed_gradient *sum =
        agreed == NONE ? summed_gradient_of_agreeing(k->j, k->m, k->o, k->decided, u->line) : NULL;
    if (agreed == NONE && !sum && k->o->residual &&
        open_results_explain(k->j, k->m, k->flow, k->decided, u->line)) {
        give_cause(k, u->line, CAUSE_AGREES, BASIS_FLOW, NONE);
        return true;
    }
    if (agreed == NONE && !sum)
        return false;
    u->l->residual = sum ? sum->residual : k->j->line[agreed].residual;
    give_cause(k, u->line, CAUSE_AGREES, BASIS_RECOMPUTED, NONE);
    return true;
}

/* What starts although its limits or its dependence would not say so. */
static bool decide_own_start(struct causes *k, const struct undecided *u, uint32_t from)
{
    bool bad = line_is_bad(u->l), apart = from == NONE && u->line < k->apart_before && goes_apart(k, u->line);
    bool within = !bad && from == NONE && u->by_value;
    bool handed = within && is_handed_on_otherwise(k, u->line, u->row);
    bool scaled = within && isnan(u->l->residual) && is_scaled(k, u);
    bool moved = bad && from != NONE &&
                 (adds_to_moved(k, u->line, u->row) || is_handed_on_otherwise(k, u->line, u->row));
    bool own = moved || (bad && loses_gradient(k, u->line, u->row));
    if (handed || scaled)
        u->l->limit = (float)dtype_table[u->x->dtype].epsilon;
    if (!apart && !own && !handed && !scaled)
        return false;
    give_cause(k, u->line, CAUSE_STARTS, basis_of(u->l), NONE);
    return true;
}

static void decide_cause(struct causes *k, uint32_t line, uint32_t row, struct origins of)
{
    uint32_t from = of.start;
    struct undecided u = undecided_of(k, line, row, of);
    if (!is_compared(u.l)) {
        bool drawn = k->d->calls.v[u.x->call].family == FAMILY_RANDOM;
        bool solved = u.by_value && !drawn && line_is_in_doubt(u.l) && from == NONE &&
                      inputs_agree(k, TARGET, u.x->call) &&
                      (double)u.l->residual <= rule_limit(RULE_LIMIT_ORACLE_WRONG);
        give_cause(k, line, solved ? CAUSE_AGREES : CAUSE_UNKNOWN, solved ? BASIS_RECOMPUTED : BASIS_NONE, NONE);
        return;
    }
    if (decide_other_function(k, &u))
        return;
    if (!origin_is_known(k, row, u.l)) {
        uint32_t around = start_around(k, row);
        u.of.start = from != NONE ? from : around != NONE ? around : k->earliest.start;
        u.of.choice = of.choice == NONE ? k->earliest.choice : of.choice;
    }
    if (decide_behind_choice(k, &u) || decide_one_function(k, &u, from) ||
        (from == NONE && decide_agreed_before(k, &u)) || decide_own_start(k, &u, from))
        return;
    decide_by_level(k, line, u.of.start);
}

/* A row without a partner is not compared, unless a gap counts as a deviation. A scale that is another number depends
 * on nothing. */
static void decide_alone(struct causes *k, uint32_t line)
{
    const struct line_judgement *l = &k->j->line[line];
    if (!line_is_bad(l))
        give_cause(k, line, CAUSE_UNKNOWN, BASIS_NONE, NONE);
    else if (k->earliest.start == NONE || l->rule == RULE_FUSED_SCALE || l->rule == RULE_FUSED_MASK)
        give_cause(k, line, CAUSE_STARTS, BASIS_LEVEL, NONE);
    else
        give_cause(k, line, CAUSE_INHERITED, BASIS_FLOW, k->earliest.start);
}

/* What a module around a backward call hands back lacks what the call does not. */
static void pass_to_modules(struct causes *k, uint32_t call, struct origins of)
{
    for (uint32_t c = k->d->calls.v[call].twin; c != NONE; c = k->d->calls.v[c].parent) {
        uint32_t back = k->d->calls.v[c].twin;
        if (back != NONE)
            k->call[back] = earlier_origins(k->call[back], of);
    }
}

/* Notes what a row passes on to its call and to later rows. */
static void pass_on(struct causes *k, uint32_t line, uint32_t row, struct origins of)
{
    const struct line_judgement *l = &k->j->line[line];
    const struct row *x = &k->d->rows.v[row];
    if (l->cause == CAUSE_STARTS)
        of.start = line;
    else if (l->cause == CAUSE_INHERITED)
        of.start = l->from;
    else if (l->rule == RULE_EQUAL) /* no bit differs, whatever it was computed from */
        of = no_origins;
    if (turned_choices(k->j, k->m, line) > 0) {
        of.choice = of.choice == NONE ? line : of.choice;
        k->earliest = earlier_origins(k->earliest, (struct origins){NONE, line});
    }
    k->row[row] = of;
    k->call[x->call] = earlier_origins(k->call[x->call], of);
    if (l->rule == RULE_LOST_GRADIENT)
        pass_to_modules(k, x->call, of);
    if (x->io != IO_OUTPUT && x->kind == ROW_TENSOR) {
        k->reads[x->call] = true;
        k->blind[x->call] |= l->cause == CAUSE_UNKNOWN;
    }
}

/* ---- rows that hold one value ---- */

static uint64_t mix_value(uint64_t key, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    key = (key ^ bits) * 0xff51afd7ed558ccd;
    return key ^ key >> 32;
}

/* A value by its size, its maximum and norm on both sides and their distance. */
static uint64_t value_key(const struct causes *k, uint32_t line, double apart)
{
    const uint32_t *row = k->m->pairing->lines.v[line].row;
    const struct row *r[2] = {&k->d->rows.v[row[TARGET]], &k->m->side[GOLDEN]->rows.v[row[GOLDEN]]};
    const struct figures *f = measure_figures(k->m, line);
    uint64_t key = mix_value(dump_row_numel(k->d, row[TARGET]), apart);
    for (int s = 0; s < 2; s++) {
        key = mix_value(key, f ? f->side[s].max : r[s]->stat[STAT_MAX]);
        key = mix_value(key, f ? f->side[s].norm : r[s]->stat[STAT_NORM]);
    }
    return key;
}

static double relative_distance(const struct causes *k, uint32_t line)
{
    const struct figures *f = measure_figures(k->m, line);
    return f ? f->rel_l2 : (double)k->j->line[line].error;
}

/* Whether a line's cause follows from the tensors of both its sides. */
static bool follows_from_tensors(const struct causes *k, uint32_t line)
{
    const uint32_t *row = k->m->pairing->lines.v[line].row;
    return row[TARGET] != NONE && row[GOLDEN] != NONE && k->d->rows.v[row[TARGET]].kind == ROW_TENSOR &&
           k->m->side[GOLDEN]->rows.v[row[GOLDEN]].kind == ROW_TENSOR && !has_verdict_of_its_own(k, line);
}

static bool line_differs(const struct causes *k, uint32_t line)
{
    uint8_t c = k->j->line[line].cause;
    return (c == CAUSE_STARTS || c == CAUSE_INHERITED) && relative_distance(k, line) > 0;
}

/* Lines that agree, as far apart as one that differs, with the first line that differs and holds the same values. */
struct equal_values {
    VEC(struct line_value {
        uint64_t key; /* value_key */
        uint32_t line;
    }) agree;
    struct nmap distances; /* of these lines */
    struct nmap first;     /* by key: a line that differs; the number of lines: none */
};

static double least_distance_of_differing(const struct causes *k)
{
    double least = INFINITY;
    for (uint32_t i = 0; k->earliest.start != NONE && i < k->j->lines; i++)
        least = line_differs(k, i) ? fmin(least, relative_distance(k, i)) : least;
    return least;
}

static void collect_agreeing(const struct causes *k, double least, struct equal_values *x)
{
    for (uint32_t i = 0; least < INFINITY && i < k->j->lines; i++) {
        double apart = relative_distance(k, i);
        if (k->j->line[i].cause != CAUSE_AGREES || !(apart >= least) || !follows_from_tensors(k, i))
            continue;
        struct line_value v = {value_key(k, i, apart), i};
        vec_push(&x->agree, v);
        nmap_add(&x->distances, mix_value(0, apart), 0);
        nmap_add(&x->first, v.key, k->j->lines);
    }
}

static void find_first_differing(const struct causes *k, struct equal_values *x)
{
    for (uint32_t i = 0; x->agree.n && i < k->j->lines; i++) {
        double apart = relative_distance(k, i);
        if (!line_differs(k, i) || nmap_get(&x->distances, mix_value(0, apart)) == MAP_NONE ||
            !follows_from_tensors(k, i))
            continue;
        uint64_t key = value_key(k, i, apart);
        if (nmap_get(&x->first, key) == k->j->lines)
            nmap_set(&x->first, key, i);
    }
}

/* Rows that hold the same values on each side are one case: if one differs, they all do. Few rows that agree are as far
 * apart as any that differs: the others are looked up among these. */
static void unify_equal_values(struct causes *k)
{
    struct equal_values x = {.agree = {0}};
    collect_agreeing(k, least_distance_of_differing(k), &x);
    find_first_differing(k, &x);
    for (size_t i = 0; i < x.agree.n; i++) {
        uint32_t differs = nmap_get(&x.first, x.agree.v[i].key);
        if (differs < k->j->lines)
            give_cause(k, x.agree.v[i].line, CAUSE_INHERITED, BASIS_FLOW,
                       k->j->line[differs].cause == CAUSE_STARTS ? differs : k->j->line[differs].from);
    }
    nmap_release(&x.distances);
    nmap_release(&x.first);
    vec_release(&x.agree);
}

/* ---- what follows ---- */

static void give_verdict(struct line_judgement *l, enum verdict v, enum verdict_rule r)
{
    l->verdict = (uint8_t)v;
    l->rule = (uint8_t)r;
    l->flags &= (uint8_t)~(LINE_DOUBTFUL | LINE_ILL);
}

/* Verdicts say what causes say. */
static void give_verdicts(struct causes *k)
{
    for (uint32_t i = 0; i < k->j->lines; i++) {
        struct line_judgement *l = &k->j->line[i];
        bool bad = line_is_bad(l);
        bool behind_choice = l->cause == CAUSE_UNKNOWN && l->from != NONE;
        if (behind_choice)
            l->from = NONE;
        if (has_verdict_of_its_own(k, i))
            continue;
        if (behind_choice)
            give_verdict(l, VERDICT_SKIP, RULE_BEHIND_CHOICE);
        else if (l->cause == CAUSE_AGREES && (bad || (l->basis == BASIS_RECOMPUTED && line_is_in_doubt(l))))
            give_verdict(l, VERDICT_MATCH, RULE_SAME_FUNCTION);
        else if (l->cause == CAUSE_STARTS && !bad)
            give_verdict(l, VERDICT_DEVIATE, l->basis == BASIS_RECOMPUTED ? RULE_OTHER_FUNCTION
                                             : l->basis == BASIS_FIGURES  ? RULE_OTHER_ELEMENTS
                                                                          : RULE_LIMIT);
        else if (l->cause == CAUSE_INHERITED && !bad)
            give_verdict(l, VERDICT_INHERITED, RULE_INHERITED);
        else if (l->cause == CAUSE_INHERITED && l->verdict == VERDICT_DEVIATE)
            l->verdict = VERDICT_INHERITED;
        else if (l->cause == CAUSE_UNKNOWN && l->verdict == VERDICT_DEVIATE && line_is_in_doubt(l))
            l->verdict = VERDICT_IN_DOUBT;
    }
}

static int by_inherit(const void *a, const void *b)
{
    const struct start *x = a, *y = b;
    if (x->inherit != y->inherit)
        return x->inherit > y->inherit ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

/* The name of a line's call with each number as one sign. */
static void kind_of_call(const struct causes *k, uint32_t line, struct buf *out)
{
    const uint32_t *row = k->m->pairing->lines.v[line].row;
    int s = row[TARGET] == NONE ? GOLDEN : TARGET;
    buf_numberless(out, dump_call_name(k->m->side[s], k->m->side[s]->rows.v[row[s]].call));
}

static int by_group_inherit(const void *a, const void *b)
{
    const struct start_group *x = a, *y = b;
    if (x->inherit != y->inherit)
        return x->inherit > y->inherit ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

/* Groups the starts, which are in the order of the table. */
static void group_starts(struct causes *k)
{
    struct judgement *j = k->j;
    struct arena a = {0};
    struct map kinds = {0};
    struct buf b = {0};
    for (size_t i = 0; i < j->starts.n; i++) {
        struct start *x = &j->starts.v[i];
        buf_clear(&b);
        kind_of_call(k, x->line, &b);
        uint32_t next = (uint32_t)j->start_groups.n, at = map_get(&kinds, buf_view(&b));
        if (at == MAP_NONE) {
            at = map_add(&kinds, str_of(arena_cstr(&a, buf_view(&b))), next);
            vec_push(&j->start_groups, ((struct start_group){.line = x->line}));
        }
        j->start_groups.v[at].starts++;
        j->start_groups.v[at].inherit += x->inherit;
        x->group = j->start_groups.v[at].line; /* until they are ranked */
    }
    vec_sort(&j->start_groups, by_group_inherit);
    map_release(&kinds);
    buf_release(&b);
    arena_release(&a);
}

/* Groups have been ranked: starts refer to them by rank. */
static void rank_starts(struct judgement *j)
{
    struct nmap rank = {0};
    for (size_t i = 0; i < j->start_groups.n; i++)
        nmap_set(&rank, j->start_groups.v[i].line, (uint32_t)i);
    for (size_t i = 0; i < j->starts.n; i++)
        j->starts.v[i].group = nmap_get(&rank, j->starts.v[i].group);
    nmap_release(&rank);
}

static void list_starts(struct causes *k)
{
    struct judgement *j = k->j;
    uint32_t *inherit = mem_zalloc((j->lines + 1) * sizeof *inherit);
    for (uint32_t i = 0; i < j->lines; i++) {
        const struct line_judgement *l = &j->line[i];
        j->sum.causes[l->cause]++;
        if (l->cause == CAUSE_INHERITED)
            inherit[l->from]++;
        else if (l->cause == CAUSE_STARTS)
            vec_push(&j->starts, ((struct start){.line = i}));
    }
    for (size_t i = 0; i < j->starts.n; i++)
        j->starts.v[i].inherit = inherit[j->starts.v[i].line];
    group_starts(k);
    rank_starts(j);
    vec_sort(&j->starts, by_inherit);
    j->sum.calls_starting = (uint32_t)j->start_groups.n;
    free(inherit);
}

static void decide_line(struct causes *k, uint32_t line);

/* A module's parameters are recorded after its output, which is computed from them. */
static void decide_parameters(struct causes *k, uint32_t row)
{
    uint32_t call = k->d->rows.v[row].call;
    if (k->d->rows.v[row].io != IO_OUTPUT || k->kept[call])
        return;
    k->kept[call] = true;
    EACH_ROW(k->d, call, r)
        if (k->d->rows.v[r].io == IO_PARAMETER)
            decide_line(k, k->m->pairing->line_of[TARGET][r]);
}

static void decide_line(struct causes *k, uint32_t line)
{
    const uint32_t *row = k->m->pairing->lines.v[line].row;
    uint32_t target = row[TARGET];
    if (k->decided[line])
        return;
    k->decided[line] = true;
    if (target != NONE)
        decide_parameters(k, target);
    k->j->line[line].residual = k->o->residual ? k->o->residual[line] : NAN;
    k->j->line[line].from = NONE;
    struct origins of = target == NONE ? no_origins : origins_of_row(k, line, target);
    if (target == NONE || row[GOLDEN] == NONE)
        decide_alone(k, line);
    else
        decide_cause(k, line, target, of);
    if (target != NONE)
        pass_on(k, line, target, of);
}

/* Gives every line its cause, in order. */
static void follow_causes(struct causes *k)
{
    k->earliest = no_origins;
    for (size_t i = 0; i < k->d->rows.n; i++)
        k->row[i] = no_origins;
    for (size_t i = 0; i < k->d->calls.n; i++) {
        k->call[i] = no_origins;
        k->blind[i] = k->reads[i] = k->kept[i] = false;
    }
    memset(k->decided, 0, k->j->lines * sizeof *k->decided);
    for (uint32_t i = 0; i < k->j->lines; i++) {
        decide_line(k, i);
        if (k->apart == NONE && i < k->earliest.start && goes_apart(k, i)) /* while its rows are at hand */
            k->apart = i;
    }
}

/* A deviation that figures show late may start where equal figures first gave others: it does if it depends on that. */
static void follow_back(struct causes *k)
{
    uint32_t shown = k->earliest.start;
    if (shown == NONE || !(k->j->line[shown].flags & LINE_STATISTICS) || k->apart >= shown)
        return;
    k->apart_before = shown;
    follow_causes(k);
    if (k->earliest.start < shown && k->j->line[shown].cause != CAUSE_INHERITED) {
        k->apart_before = 0;
        follow_causes(k);
    }
}

void causes_find(struct judgement *j, const struct measure *m, const struct dataflow flow[2],
                 const struct judge_options *o)
{
    const struct dump *d = m->side[TARGET];
    struct causes k = {
        .j = j, .m = m, .d = d, .flow = &flow[TARGET], .o = o,
        .apart = NONE,
        .told = packed_both(m->side[TARGET], m->side[GOLDEN]) != NULL || o->preset,
        .row = mem_alloc((d->rows.n + 1) * sizeof *k.row),
        .call = mem_alloc((d->calls.n + 1) * sizeof *k.call),
        .blind = mem_alloc((d->calls.n + 1) * sizeof *k.blind),
        .reads = mem_alloc((d->calls.n + 1) * sizeof *k.reads),
        .decided = mem_alloc((j->lines + 1) * sizeof *k.decided),
        .kept = mem_alloc((d->calls.n + 1) * sizeof *k.kept),
        .around = mem_alloc((d->calls.n + 1) * sizeof *k.around),
    };
    for (size_t c = 0; c < d->calls.n; c++)
        k.around[c] = NOT_ASKED;
    follow_causes(&k);
    follow_back(&k);
    accepted_order(j);
    unify_equal_values(&k);
    give_verdicts(&k);
    list_starts(&k);
    forward_uses_release(&k.uses);
    free(k.row);
    free(k.call);
    free(k.blind);
    free(k.reads);
    free(k.decided);
    free(k.kept);
    free(k.around);
}

const char *cause_name(enum cause c)
{
    static const char *const names[] = {"unknown", "agrees", "starts", "inherited"};
    return names[c];
}

const char *cause_basis_name(enum cause_basis b)
{
    static const char *const names[] = {NULL, "bits", "source", "recomputed", "level", "figures", "flow"};
    return names[b];
}

uint32_t start_group_of(const struct judgement *j, uint32_t line)
{
    const struct line_judgement *l = &j->line[line];
    uint32_t start = l->cause == CAUSE_STARTS ? line : l->cause == CAUSE_INHERITED ? l->from : NONE;
    for (size_t i = 0; start != NONE && i < j->starts.n; i++)
        if (j->starts.v[i].line == start)
            return j->starts.v[i].group;
    return NONE;
}
