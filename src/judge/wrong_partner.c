/* Finds doubtful pairs that differ because their rows hold different values, and sets them aside. */
#include "judge/wrong_partner.h"

#include <math.h>

#include "dump/family.h"
#include "judge/moved_factor.h"
#include "judge/recorded_mask.h"
#include "judge/pass_rows.h"
#include "num/masked.h"
#include "pair/align_item.h"

#define DOUBTS 256 /* each may be compared with all lone values; of more of them none is set aside */

/* A tensor of the target that has no partner. */
struct lone_value {
    uint32_t row;
    struct fingerprint value;
};

struct doubts {
    struct judgement *j;
    const struct measure *m;
    const struct dump *d[2];
    VEC(struct lone_value) lone;
    VEC(uint32_t) aside; /* lines that were set aside */
    const struct value_readers *reads; /* of the target */
};

static const struct row *row_of(const struct doubts *x, uint32_t line, int side)
{
    return &x->d[side]->rows.v[x->m->pairing->lines.v[line].row[side]];
}

static void set_aside(struct doubts *x, uint32_t line)
{
    x->j->line[line].verdict = VERDICT_SKIP;
    x->j->line[line].rule = RULE_OTHER_VALUE;
    vec_push(&x->aside, line);
}

static void collect_lone_values(struct doubts *x)
{
    const struct dump *d = x->d[TARGET];
    for (uint32_t r = 0; r < d->rows.n; r++) {
        uint32_t own = x->m->pairing->line_of[TARGET][r];
        if (own == NONE || x->m->pairing->lines.v[own].pair != NONE || d->rows.v[r].kind != ROW_TENSOR)
            continue;
        struct lone_value v = {r, fingerprint_of(d, r)};
        vec_push(&x->lone, v);
    }
}

/* Whether the target holds the golden value where it has no partner. */
static bool held_elsewhere(const struct doubts *x, uint32_t line)
{
    const struct row *g = row_of(x, line, GOLDEN), *t = row_of(x, line, TARGET);
    if (g->kind != ROW_TENSOR || !dtype_is_float(g->dtype))
        return false;
    struct fingerprint value = fingerprint_of(x->d[GOLDEN], x->m->pairing->lines.v[line].row[GOLDEN]);
    const struct dump *d = x->d[TARGET];
    for (size_t i = 0; i < x->lone.n; i++) {
        const struct row *other = &d->rows.v[x->lone.v[i].row];
        if (other->io == t->io && d->calls.v[other->call].phase == d->calls.v[t->call].phase &&
            fingerprint_compare(&x->lone.v[i].value, &value) > LIKE_UNKNOWN)
            return true;
    }
    return false;
}

static bool is_near(double factor, double constant)
{
    double most = 4 * rule_limit(RULE_LIMIT_FACTOR_PROPORTIONAL);
    return fabs(factor * constant - 1) <= most || fabs(factor / constant - 1) <= most;
}

/* Whether a factor is a number that a call got (alpha), or the scale of attention that one of its operands has, 1/√d,
 * or the root of that, as each operand may have it; or its inverse. */
static bool gives_factor(const struct dump *d, uint32_t call, double factor)
{
    if (call == NONE)
        return false;
    EACH_EARLY_ROW(d, call, r) {
        const struct row *n = &d->rows.v[r];
        const struct shape *shape = n->kind == ROW_TENSOR ? dump_row_shape(d, r) : NULL;
        double width = shape && shape->ndim ? (double)shape->dim[shape->ndim - 1] : NAN;
        bool number = n->kind == ROW_FLOAT || n->kind == ROW_INT;
        if (n->io == IO_INPUT && (is_near(factor, sqrt(width)) || is_near(factor, sqrt(sqrt(width))) ||
                                  (number && is_near(factor, n->stat[STAT_MAX]))))
            return true;
    }
    return false;
}

/* The same of both sides' calls and the forward calls of gradients. */
static bool is_scale(const struct doubts *x, uint32_t line, double factor)
{
    for (int s = 0; s < 2; s++) {
        uint32_t call = row_of(x, line, s)->call;
        if (gives_factor(x->d[s], call, factor) || gives_factor(x->d[s], x->d[s]->calls.v[call].twin, factor))
            return true;
    }
    return false;
}

/* Whether the results that were compared agree. */
static bool results_agree(const struct doubts *x, uint32_t call)
{
    bool any = false;
    EACH_EARLY_ROW(x->d[TARGET], call, r) {
        uint32_t line = x->m->pairing->line_of[TARGET][r];
        if (x->d[TARGET]->rows.v[r].io != IO_OUTPUT || line == NONE || x->m->pairing->lines.v[line].pair == NONE)
            continue;
        if (verdict_is_bad((enum verdict)x->j->line[line].verdict))
            return false;
        any = any || line_agrees(&x->j->line[line]);
    }
    return any;
}

/* Whether one side scales this operand or incoming gradient before a product (or multiplies it by one number before, by
 * another here), and the other in it: the products agree. */
static bool is_scaled_operand(const struct doubts *x, uint32_t line)
{
    const struct row *t = row_of(x, line, TARGET);
    const struct call *c = &x->d[TARGET]->calls.v[t->call];
    double factor = proportional_factor(x->j, x->m, line);
    return t->io == IO_INPUT && (family_is_product(c->family) || c->family == FAMILY_MUL) && !isnan(factor) &&
           is_scale(x, line, factor) && results_agree(x, t->call);
}

/* Whether a gradient has a factor whose inverse its operand had. */
static bool is_gradient_of_scaled(const struct doubts *x, uint32_t line)
{
    const struct row *t = row_of(x, line, TARGET), *g = row_of(x, line, GOLDEN);
    uint32_t forward = x->d[TARGET]->calls.v[t->call].twin, partner = x->d[GOLDEN]->calls.v[g->call].twin;
    if (x->d[TARGET]->calls.v[t->call].phase != PHASE_BACKWARD || forward == NONE || partner == NONE ||
        !family_is_product(x->d[TARGET]->calls.v[forward].family))
        return false;
    double factor = proportional_factor(x->j, x->m, line);
    EACH_EARLY_ROW(x->d[TARGET], forward, r) {
        uint32_t own = x->m->pairing->line_of[TARGET][r];
        if (own == NONE || x->m->pairing->lines.v[own].pair == NONE || x->j->line[own].rule != RULE_OTHER_VALUE ||
            row_of(x, own, GOLDEN)->call != partner)
            continue;
        const struct row *a = row_of(x, own, TARGET), *b = row_of(x, own, GOLDEN);
        double scale = a->has & b->has & HAS_NORM ? a->stat[STAT_NORM] / b->stat[STAT_NORM] : NAN;
        if (fabs(scale * factor - 1) <= 4 * rule_limit(RULE_LIMIT_FACTOR_PROPORTIONAL))
            return true;
    }
    return false;
}

static bool only_moves(const struct doubts *x, uint32_t line, int side)
{
    uint8_t family = x->d[side]->calls.v[row_of(x, line, side)->call].family;
    return family == FAMILY_VIEW || family == FAMILY_COPY;
}

/* Whether the pair is of calls of one operator, and all else of them that is paired agrees: the value belongs there,
 * wherever else the golden one is held. */
static bool rest_agrees(const struct doubts *x, uint32_t line)
{
    const struct row *t = row_of(x, line, TARGET), *g = row_of(x, line, GOLDEN);
    bool any = false;
    if (x->d[TARGET]->calls.v[t->call].family != x->d[GOLDEN]->calls.v[g->call].family)
        return false;
    EACH_EARLY_ROW(x->d[TARGET], t->call, r) {
        uint32_t own = x->m->pairing->line_of[TARGET][r];
        if (own == line || x->m->pairing->lines.v[own].pair == NONE || dump_row_numel(x->d[TARGET], r) < 2)
            continue;
        if (row_of(x, own, GOLDEN)->call != g->call || !line_agrees(&x->j->line[own]))
            return false;
        any = true;
    }
    return any;
}

/* Whether a call of the other side than the row's holds this value in the same phase, as figures tell. */
static bool other_side_holds(const struct doubts *x, uint32_t line, int side)
{
    const struct dump *d = x->d[!side];
    uint32_t own = x->m->pairing->lines.v[line].row[side], partner = x->m->pairing->lines.v[line].row[!side];
    struct fingerprint value = fingerprint_of(x->d[side], own);
    uint8_t phase = d->calls.v[d->rows.v[partner].call].phase;
    for (uint32_t r = 0; r < d->rows.n; r++) {
        if (r == partner || d->rows.v[r].kind != ROW_TENSOR || d->calls.v[d->rows.v[r].call].phase != phase)
            continue;
        struct fingerprint other = fingerprint_of(d, r);
        if (fingerprint_compare(&other, &value) == LIKE_SAME)
            return true;
    }
    return false;
}

/* Whether a side's value was compared elsewhere in this phase, and agrees with another value of the other side than the
 * one it is beside here: types may differ. */
static bool agrees_elsewhere(const struct doubts *x, uint32_t line, int side)
{
    const uint32_t *own = x->m->pairing->lines.v[line].row;
    struct fingerprint value = fingerprint_of(x->d[side], own[side]), beside = fingerprint_of(x->d[!side], own[!side]);
    uint8_t phase = x->d[side]->calls.v[x->d[side]->rows.v[own[side]].call].phase;
    for (uint32_t i = 0; i < x->j->lines; i++) {
        const struct line *l = &x->m->pairing->lines.v[i];
        if (l->pair == NONE || !line_agrees(&x->j->line[i]) || x->j->line[i].flags & LINE_DOUBTFUL ||
            row_of(x, i, side)->kind != ROW_TENSOR || x->d[side]->calls.v[row_of(x, i, side)->call].phase != phase)
            continue;
        struct fingerprint same = fingerprint_of(x->d[side], l->row[side]);
        if (fingerprint_compare(&same, &value) != LIKE_SAME)
            continue;
        struct fingerprint partner = fingerprint_of(x->d[!side], l->row[!side]);
        return fingerprint_compare(&partner, &beside) != LIKE_SAME;
    }
    return false;
}

/* Whether a pair of modules that begin or end in another place holds two values, both of which each side has: the
 * gradient before an activation beside the one behind it, the input of a layer beside that of its second half. */
static bool is_end_of_another_module(const struct doubts *x, uint32_t line)
{
    for (int s = 0; s < 2; s++) {
        const struct row *r = row_of(x, line, s);
        if (x->d[s]->calls.v[r->call].kind != CALL_MODULE || r->kind != ROW_TENSOR || !dtype_is_float(r->dtype) ||
            dump_row_numel(x->d[s], x->m->pairing->lines.v[line].row[s]) < 2)
            return false;
    }
    for (int s = 0; s < 2; s++)
        if (!other_side_holds(x, line, s) && !agrees_elsewhere(x, line, s))
            return false;
    return true;
}

static bool is_inside(const struct dump *d, uint32_t call, uint32_t module)
{
    while (call != NONE && call != module)
        call = d->calls.v[call].parent;
    return call != NONE;
}

/* Whether it is the gradient that a pair of modules returns, of which one contains a product whose partner stands
 * beside the other, a router inside of the experts or before them: it has that product's share on one side alone. */
static bool is_gradient_of_other_calls(const struct doubts *x, uint32_t line)
{
    uint32_t module[2];
    for (int s = 0; s < 2; s++) {
        const struct row *r = row_of(x, line, s);
        const struct call *c = &x->d[s]->calls.v[r->call];
        module[s] = c->twin;
        if (c->kind != CALL_MODULE || c->phase != PHASE_BACKWARD || r->io != IO_OUTPUT || c->twin == NONE)
            return false;
    }
    for (uint32_t i = 0; i < x->j->lines; i++) {
        const struct line *l = &x->m->pairing->lines.v[i];
        if (l->pair == NONE || !line_agrees(&x->j->line[i]) || x->j->line[i].flags & LINE_DOUBTFUL)
            continue;
        uint32_t t = row_of(x, i, TARGET)->call, g = row_of(x, i, GOLDEN)->call;
        if (family_is_product((enum family)x->d[TARGET]->calls.v[t].family) &&
            x->d[TARGET]->calls.v[t].phase == PHASE_FORWARD &&
            is_inside(x->d[TARGET], t, module[TARGET]) != is_inside(x->d[GOLDEN], g, module[GOLDEN]))
            return true;
    }
    return false;
}

/* Nothing starts where both calls only move values, nor where nothing agrees although everything around does. */
static bool is_no_partner(const struct doubts *x, uint32_t line)
{
    const struct pair *pair = &x->m->pairing->pairs.v[x->m->pairing->lines.v[line].pair];
    return pair->why == WHY_UNLIKELY || (!line_is_incomparable(&x->j->line[line]) && only_moves(x, line, TARGET) &&
                                         only_moves(x, line, GOLDEN) && !rest_agrees(x, line));
}

/* Whether another line of the same two values was set aside. */
static bool holds_such_a_value(const struct doubts *x, uint32_t line)
{
    struct fingerprint own[2];
    for (int s = 0; s < 2; s++)
        own[s] = fingerprint_of(x->d[s], x->m->pairing->lines.v[line].row[s]);
    for (size_t i = 0; i < x->aside.n; i++) {
        const struct line *l = &x->m->pairing->lines.v[x->aside.v[i]];
        bool same = true;
        for (int s = 0; s < 2 && same; s++) {
            struct fingerprint other = fingerprint_of(x->d[s], l->row[s]);
            same = fingerprint_compare(&own[s], &other) == LIKE_SAME;
        }
        if (same)
            return true;
    }
    return false;
}

/* The number of ones of a side that holds 0 and 1 alone, as far as figures tell; NaN: it does not. */
static double ones_of(const struct doubts *x, uint32_t line, int side)
{
    const struct row *r = row_of(x, line, side);
    bool is = r->has & HAS_MIN && r->has & HAS_MAX && r->stat[STAT_MIN] == 0 && r->stat[STAT_MAX] == 1;
    return is && r->has & HAS_NORM ? r->stat[STAT_NORM] * r->stat[STAT_NORM] : NAN;
}

/* The number of fills of a side that holds nothing above 0 and fills; NaN: it does not, or is not known. */
static double fills_of(const struct doubts *x, uint32_t line, int side)
{
    const struct row *r = row_of(x, line, side);
    const struct figures *f = measure_figures(x->m, line);
    if (!(r->has & HAS_MIN) || !(r->has & HAS_MAX) || r->stat[STAT_MIN] > MASK_FILL || r->stat[STAT_MAX] > 0)
        return NAN;
    return f && f->two ? pow(f->side[side].norm / f->side[side].min, 2)
                       : recorded_fills(x->d[side], x->m->pairing->lines.v[line].row[side]);
}

/* Whether a side holds 0 and fills so low that the figures that would tell their number overflowed. */
static bool fills_overflow(const struct doubts *x, uint32_t line, int side)
{
    const struct row *r = row_of(x, line, side);
    const struct figures *f = measure_figures(x->m, line);
    return !(f && f->two) && r->has & HAS_MIN && r->has & HAS_MAX && r->stat[STAT_MIN] <= MASK_FILL &&
           isfinite(r->stat[STAT_MIN]) && r->stat[STAT_MAX] == 0 && r->has & HAS_NORM && isinf(r->stat[STAT_NORM]);
}

/* Whether one side says by 0 and 1 what is masked, the other by what is added to scores, and as much is, where that can
 * be counted; the results tell of the mask. */
static bool is_mask_of_another_kind(const struct doubts *x, uint32_t line)
{
    for (int s = 0; s < 2; s++) {
        double ones = ones_of(x, line, s), filled = fills_of(x, line, !s);
        double n = (double)dump_row_numel(x->d[!s], x->m->pairing->lines.v[line].row[!s]);
        if (fabs(n - ones - filled) < 0.5 || fabs(ones - filled) < 0.5 ||
            (!isnan(ones) && fills_overflow(x, line, !s)))
            return results_agree(x, row_of(x, line, TARGET)->call);
    }
    return false;
}

/* Whether it is what a selection chooses from, or keys that a sort puts in order: what it gives agrees. */
static bool is_not_chosen(const struct doubts *x, uint32_t line)
{
    static const char *const operators[] = {"where", "sort"};
    const struct row *t = row_of(x, line, TARGET);
    for (size_t i = 0; i < ARRAY_LEN(operators) && t->io == IO_INPUT; i++)
        if (align_item_does(x->d[TARGET], t->call, str_of(operators[i])) &&
            align_item_does(x->d[GOLDEN], row_of(x, line, GOLDEN)->call, str_of(operators[i])))
            return results_agree(x, t->call);
    return false;
}

/* Whether a call gives nothing but booleans: it asks something of what goes in. */
static bool is_predicate(const struct dump *d, uint32_t call)
{
    bool any = false;
    EACH_EARLY_ROW(d, call, r) {
        if (d->rows.v[r].io == IO_OUTPUT && d->rows.v[r].dtype != DTYPE_BOOL)
            return false;
        any = any || d->rows.v[r].io == IO_OUTPUT;
    }
    return any;
}

/* Whether the sides ask values of two kinds (a mask of floats whether it is 0, tokens whether they are padding), and
 * get the same answers. */
static bool is_asked_of_another_kind(const struct doubts *x, uint32_t line)
{
    uint32_t t = row_of(x, line, TARGET)->call;
    return x->j->line[line].verdict == VERDICT_DTYPE && row_of(x, line, TARGET)->io == IO_INPUT &&
           is_predicate(x->d[TARGET], t) && is_predicate(x->d[GOLDEN], row_of(x, line, GOLDEN)->call) &&
           results_agree(x, t);
}

/* An argument, a tensor beside none, or integers beside floats: one of the call's results was set aside. */
static bool belongs_to_others(const struct doubts *x, uint32_t line)
{
    const struct row *t = row_of(x, line, TARGET);
    bool tensors = t->kind == ROW_TENSOR && row_of(x, line, GOLDEN)->kind == ROW_TENSOR;
    if (t->io != IO_INPUT || (tensors && x->j->line[line].verdict != VERDICT_DTYPE))
        return false;
    EACH_EARLY_ROW(x->d[TARGET], t->call, r) {
        uint32_t own = x->m->pairing->line_of[TARGET][r];
        if (x->d[TARGET]->rows.v[r].io == IO_OUTPUT && own != NONE && x->j->line[own].rule == RULE_OTHER_VALUE)
            return true;
    }
    return false;
}

/* Whether the pair has no more than its number of elements in common, and the target's value has its partner elsewhere:
 * the target computes it twice (a graph that runs the forward pass for the loss and for the gradients). */
static bool is_computed_twice(const struct doubts *x, uint32_t line)
{
    const struct line *l = &x->m->pairing->lines.v[line];
    const struct row *t = row_of(x, line, TARGET);
    if (dump_row_last_axis(x->d[TARGET], l->row[TARGET]) == dump_row_last_axis(x->d[GOLDEN], l->row[GOLDEN]))
        return false;
    struct fingerprint own = fingerprint_of(x->d[TARGET], l->row[TARGET]);
    for (uint32_t i = 0; i < x->j->lines; i++) {
        const struct line *other = &x->m->pairing->lines.v[i];
        if (i == line || other->pair == NONE || other->row[TARGET] == NONE || !line_agrees(&x->j->line[i]) ||
            (x->j->line[i].flags & LINE_DOUBTFUL) || row_of(x, i, TARGET)->io != t->io)
            continue;
        struct fingerprint f = fingerprint_of(x->d[TARGET], other->row[TARGET]);
        if (dump_row_last_axis(x->d[TARGET], other->row[TARGET]) == dump_row_last_axis(x->d[TARGET], l->row[TARGET]) &&
            fingerprint_compare(&own, &f) == LIKE_SAME)
            return true;
    }
    return false;
}

static bool is_single_product(const struct doubts *x, uint32_t line, int side)
{
    const struct row *r = row_of(x, line, side);
    return r->io == IO_OUTPUT && r->kind == ROW_TENSOR && r->has & HAS_MAX &&
           x->d[side]->calls.v[r->call].family == FAMILY_MUL &&
           dump_row_numel(x->d[side], x->m->pairing->lines.v[line].row[side]) == 1;
}

/* Whether one side's product of single elements is a number that goes into the other's: the gradient with which a
 * scaled loss begins, beside the loss times that scale. */
static bool is_factor_of_partner(const struct doubts *x, uint32_t line)
{
    for (int s = 0; s < 2; s++) {
        const struct row *factor = row_of(x, line, s), *product = row_of(x, line, !s);
        if (!is_single_product(x, line, s) || !is_single_product(x, line, !s))
            return false;
        EACH_EARLY_ROW(x->d[!s], product->call, r) {
            const struct row *n = &x->d[!s]->rows.v[r];
            if ((n->kind == ROW_FLOAT || n->kind == ROW_INT) && n->stat[STAT_MAX] == factor->stat[STAT_MAX] &&
                product->stat[STAT_MAX] != factor->stat[STAT_MAX])
                return true;
        }
    }
    return false;
}

/* Whether one side's product returns the gradient that came in, as its last step does, an addition or a view, while the
 * other returns what its product makes of it: one was recorded with the steps inside of it, the other without. */
static bool is_of_another_step(const struct doubts *x, uint32_t line)
{
    bool hands_on[2];
    for (int s = 0; s < 2; s++) {
        uint32_t forward = x->d[s]->calls.v[row_of(x, line, s)->call].twin;
        if (forward == NONE || !family_is_product((enum family)x->d[s]->calls.v[forward].family))
            return false;
        hands_on[s] = align_item_hands_on(x->d[s], x->m->pairing->lines.v[line].row[s]);
    }
    uint32_t came = pass_first_float(x->d[TARGET], row_of(x, line, TARGET)->call, IO_INPUT),
             own = came == NONE ? NONE : x->m->pairing->line_of[TARGET][came];
    return hands_on[TARGET] != hands_on[GOLDEN] && own != NONE && x->m->pairing->lines.v[own].pair != NONE &&
           line_agrees(&x->j->line[own]);
}

/* Whether it goes into calls of two operators (a cosine beside a sine of another angle), and their results agree. */
static bool goes_into_others(const struct doubts *x, uint32_t line)
{
    const struct row *t = row_of(x, line, TARGET), *g = row_of(x, line, GOLDEN);
    return t->io == IO_INPUT && g->io == IO_INPUT &&
           family_operator(align_item_operator(x->d[TARGET], t->call)) !=
               family_operator(align_item_operator(x->d[GOLDEN], g->call)) &&
           results_agree(x, t->call);
}

static bool is_other_value(const struct doubts *x, uint32_t line)
{
    return is_no_partner(x, line) || is_of_another_step(x, line) || is_factor_of_partner(x, line) ||
           is_scaled_operand(x, line) || is_mask_of_another_kind(x, line) || is_not_chosen(x, line) ||
           goes_into_others(x, line) ||
           is_asked_of_another_kind(x, line) || (held_elsewhere(x, line) && !rest_agrees(x, line)) ||
           is_end_of_another_module(x, line) || is_gradient_of_other_calls(x, line) || is_computed_twice(x, line);
}

#define FOLLOWED 64 /* rows that a value is followed to, at most */

/* Whether the target's value goes into nothing but what was set aside: it is computed for a selection that chose
 * something else. */
static bool goes_nowhere(const struct doubts *x, uint32_t line)
{
    uint32_t made[FOLLOWED];
    size_t n = 0;
    bool aside = false;
    const struct dump *d = x->d[TARGET];
    if (row_of(x, line, TARGET)->io != IO_OUTPUT)
        return false;
    made[n++] = x->m->pairing->lines.v[line].row[TARGET];
    for (size_t i = 0; i < n; i++)
        for (uint32_t r = x->reads->first[made[i]]; r != NONE; r = x->reads->next[r]) {
            uint32_t own = x->m->pairing->line_of[TARGET][r];
            if (x->m->pairing->lines.v[own].pair != NONE && x->j->line[own].rule == RULE_OTHER_VALUE) {
                aside = true;
                continue;
            }
            if (x->m->pairing->lines.v[own].pair != NONE && !line_is_in_doubt(&x->j->line[own]))
                return false;
            EACH_EARLY_ROW(d, d->rows.v[r].call, out) {
                uint32_t of = x->m->pairing->line_of[TARGET][out];
                if (d->rows.v[out].io != IO_OUTPUT || d->rows.v[out].kind != ROW_TENSOR)
                    continue;
                if (n == FOLLOWED || (x->m->pairing->lines.v[of].pair != NONE && !line_is_in_doubt(&x->j->line[of]) &&
                                      x->j->line[of].rule != RULE_OTHER_VALUE))
                    return false;
                made[n++] = out;
            }
        }
    return aside;
}

/* The same, where it follows from what was set aside. */
static bool goes_with_others(struct doubts *x, uint32_t line)
{
    return goes_nowhere(x, line) || is_gradient_of_scaled(x, line) || belongs_to_others(x, line) ||
           holds_such_a_value(x, line);
}

void wrong_partners_find(struct judgement *j, const struct measure *m, const struct value_readers *reads)
{
    struct doubts x = {.j = j, .m = m, .d = {m->side[0], m->side[1]}, .reads = reads};
    size_t n = 0;
    for (uint32_t i = 0; i < j->lines; i++)
        n += line_is_in_doubt(&j->line[i]);
    if (!n || n > DOUBTS)
        return;
    for (uint32_t i = 0; i < j->lines; i++) /* of another route, or of a factor that stands elsewhere */
        if (j->line[i].rule == RULE_OTHER_VALUE || j->line[i].rule == RULE_FACTOR)
            vec_push(&x.aside, i);
    collect_lone_values(&x);
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < j->lines; i++)
            if (m->pairing->lines.v[i].pair != NONE && line_is_in_doubt(&j->line[i]) &&
                (pass ? goes_with_others(&x, i) : is_other_value(&x, i)))
                set_aside(&x, i);
    vec_release(&x.lone);
    vec_release(&x.aside);
}
