/* See rule_text.h. */
#include "judge/rule_text.h"

#include <math.h>

#include "base/msg.h"
#include "base/num.h"
#include "dump/checksum.h"
#include "dump/recorded_figures.h"
#include "judge/accepted.h"
#include "judge/conditioning.h"
#include "judge/framework_difference.h"
#include "judge/fused_arguments.h"
#include "judge/implied_constant.h"
#include "judge/lost_gradient.h"
#include "judge/recorded_mask.h"
#include "judge/row_verdict.h"
#include "judge/step_inputs.h"
#include "judge/table_verdicts.h"
#include "judge/tool_rules.h"
#include "judge/verdict_text.h"

/* A line whose verdict is told, and its figures as text. */
struct rule_case {
    const struct judgement *j;
    const struct measure *m;
    uint32_t line;
    const struct line_judgement *x;
    const struct line *l;
    const char *what; /* the error is called */
    char error[NUM_MAX], limit[NUM_MAX], level[NUM_MAX];
    struct buf *out;
};

static const char *error_digits(char out[NUM_MAX], float v)
{
    return num_cell(out, (double)v, 3);
}

void line_dtypes(const struct measure *m, const struct line *l, const char *name[2])
{
    for (int s = 0; s < 2; s++) {
        const struct row *r = &m->side[s]->rows.v[l->row[s]];
        name[s] = r->kind == ROW_NULL ? "None" : dtype_table[r->dtype].name;
    }
}

/* What recorded figures differ by most: max, min and norm together, unless the means say more or, of a parameter, max
 * and min alone do. */
static const char *figures_name(const struct measure *m, uint32_t line, const struct line_judgement *x)
{
    const uint32_t *row = m->pairing->lines.v[line].row;
    if (row[TARGET] != NONE && row[GOLDEN] != NONE) {
        const struct row *t = &m->side[TARGET]->rows.v[row[TARGET]], *g = &m->side[GOLDEN]->rows.v[row[GOLDEN]];
        double others = recorded_error(t, g), n = (double)dump_row_numel(m->side[GOLDEN], row[GOLDEN]);
        if (x->rule == RULE_PARAMETER && (float)recorded_extremes_error(t, g, n) == x->error)
            return _("difference of max and min, relative to the largest element,");
        if ((double)x->error > others * (1 + 1e-6)) /* false if nothing else was recorded */
            return _("difference of the means, relative to the size of an element,");
    }
    return _("largest difference of max, min and norm, relative to the golden norm,");
}

static const char *error_name(const struct measure *m, uint32_t line, const struct line_judgement *x)
{
    bool exact;
    if (!(x->flags & LINE_STATISTICS))
        return x->flags & LINE_MASKED ? _("rel L2 without masked elements") : "rel L2";
    return isnan(table_verdicts_error(m, line, &exact))
               ? figures_name(m, line, x)
               : _("the error by cosine, largest error and norms in the table");
}

/* Whether the extremes of both sides are finite, so that only the counts differ. */
static bool counted_only(const struct measure *m, uint32_t line)
{
    uint64_t nan, inf, all = 0;
    for (int s = 0; s < 2; s++) {
        uint32_t row = m->pairing->lines.v[line].row[s];
        const struct row *r = row == NONE ? NULL : &m->side[s]->rows.v[row];
        if (!r || ((r->has & HAS_MAX) && !isfinite(r->stat[STAT_MAX])) ||
            ((r->has & HAS_MIN) && !isfinite(r->stat[STAT_MIN])))
            return false;
        recorded_counts(m->side[s], r, &nan, &inf);
        all += nan + inf;
    }
    return all > 0;
}

bool line_is_backward(const struct measure *m, uint32_t line)
{
    const struct dump *d = m->side[TARGET];
    return d->calls.v[d->rows.v[m->pairing->lines.v[line].row[TARGET]].call].phase == PHASE_BACKWARD;
}

/* The number as recorded; that of a tensor of one element in `out`. */
static const char *scalar_text(const struct measure *m, const struct line *l, int side, char out[NUM_MAX])
{
    const struct row *r = &m->side[side]->rows.v[l->row[side]];
    if (r->kind != ROW_TENSOR)
        return r->text ? r->text : "None";
    bool one = r->has & HAS_MAX && dump_row_numel(m->side[side], l->row[side]) == 1;
    return one ? num_cell(out, r->stat[STAT_MAX], 7) : _("a tensor");
}

bool line_is_of_samples(const struct measure *m, uint32_t line)
{
    uint32_t row = m->pairing->lines.v[line].row[TARGET];
    return row != NONE && step_input_of_samples(m->side[TARGET], row);
}

static void say_none(struct rule_case *k)
{
    buf_cstr(k->out, k->x->verdict == VERDICT_PENDING ? _("tensors not compared yet") : "");
}

static void say_one_sided(struct rule_case *k)
{
    buf_cstr(k->out, k->l->row[TARGET] == NONE ? _("no target row found for it") : _("no golden row found for it"));
}

static void say_contradicts(struct rule_case *k)
{
    buf_cstr(k->out, k->l->pair != NONE
                         ? _("not compared: the arguments, sizes and figures that one side recorded of the call "
                             "contradict each other")
                     : k->l->row[TARGET] == NONE
                         ? _("no target row found for it, and it contradicts what else was recorded of its call")
                         : _("no golden row found for it, and it contradicts what else was recorded of its call"));
}

static void say_other_shape(struct rule_case *k)
{
    buf_cstr(k->out, k->x->flags & LINE_STATISTICS
                         ? _("the same figures in another shape, which nothing else of the call has: they do not show "
                             "whether the elements are in one order")
                         : _("the same elements as they lie, in a shape of other axes: what reads them takes them in "
                             "another order"));
}

static void say_unlinked(struct rule_case *k)
{
    buf_cstr(k->out, k->l->row[TARGET] == NONE
                         ? _("no target row found for it, and no other operator made or reads it")
                         : _("no golden row found for it, and no other operator made or reads it"));
}

static void say_missing(struct rule_case *k)
{
    buf_cstr(k->out, k->l->row[TARGET] == NONE ? _("the target recorded the call, and not this value of it")
                                               : _("the golden side recorded the call, and not this value of it"));
}

static void say_lost_gradient(struct rule_case *k)
{
    buf_cstr(k->out, lost_gradient_side(k->m, k->line) == TARGET
                         ? _("no gradient comes back on the target: its input was detached")
                         : _("no gradient comes back on the golden side: its input was detached"));
}

static void say_nested(struct rule_case *k)
{
    int s = k->l->row[TARGET] == NONE ? GOLDEN : TARGET;
    const struct dump *d = k->m->side[s];
    uint32_t other = d->calls.v[d->rows.v[k->l->row[s]].call].nested;
    buf_fmt(k->out, _("recorded twice: %s has the same tensors and is paired"),
            other == NONE ? _("the call around it") : d->calls.v[other].name);
}

static void say_recomputed(struct rule_case *k)
{
    int s = k->l->row[TARGET] == NONE ? GOLDEN : TARGET;
    const struct dump *d = k->m->side[s];
    uint32_t first = d->calls.v[d->rows.v[k->l->row[s]].call].recomputes;
    buf_fmt(k->out, _("recomputed inside the backward pass: %s is the same call, first run"),
            first == NONE ? _("an earlier call") : d->calls.v[first].name);
}

static void say_idle_argument(struct rule_case *k)
{
    buf_fmt(k->out, _("%s and %s; every output of the call agrees, so this argument has no effect here"),
            scalar_text(k->m, k->l, TARGET, k->error), scalar_text(k->m, k->l, GOLDEN, k->limit));
}

static void say_factor(struct rule_case *k)
{
    buf_fmt(k->out,
            _("the golden value times %s: the other side applies this constant factor elsewhere; all results "
              "computed from it agree"),
            k->limit);
}

static void say_angles(struct rule_case *k)
{
    error_digits(k->level, (float)row_verdict_angles(k->m, k->line, NULL));
    buf_fmt(k->out,
            _("figures agree, but the angles differ in type: in 16 bits they are rounded by up to %s, which "
              "figures of sines do not show"),
            k->level);
}

static void say_never_read(struct rule_case *k)
{
    buf_cstr(k->out, k->m->side[TARGET]->rows.v[k->l->row[TARGET]].io == IO_INPUT
                         ? _("this call does not use the value: no result depends on it")
                         : _("this call does not write the value, and no recorded call uses it"));
}

/* Recomputed: the same call of agreeing inputs. */
static void say_same_function(struct rule_case *k)
{
    char r[NUM_MAX];
    if (isnan(k->x->residual)) {
        buf_fmt(k->out, _("%s is %s, as far as steps that were not recorded hand on what rows that agree differ by"),
                k->what, k->error);
        return;
    }
    buf_fmt(k->out,
            _("%s is %s, from inputs that agree: both calls compute the same function (residual %s of its bound)"),
            k->what, k->error, error_digits(r, k->x->residual));
}

static void say_other_function(struct rule_case *k)
{
    char r[NUM_MAX];
    if (isnan(k->x->residual)) {
        buf_cstr(k->out, _("recomputed from its own inputs, one side's call gives another result than was recorded"));
        return;
    }
    if ((double)k->x->residual <= rule_limit(RULE_LIMIT_ORACLE_WRONG)) {
        buf_cstr(k->out, _("the golden call, recomputed on the target's inputs, gives another result: all elements are "
                           "off by one factor, which rounding does not make"));
        return;
    }
    buf_fmt(k->out,
            _("the golden call, recomputed on the target's inputs, gives another result: %s times the bound of "
              "rounding"),
            error_digits(r, k->x->residual));
}

static void say_inherited(struct rule_case *k)
{
    buf_fmt(k->out, _("%s is %s: it depends on an earlier deviation"), k->what, k->error);
}

static void say_rounded(struct rule_case *k)
{
    const struct figures *f = measure_figures(k->m, k->line);
    int s = f && f->kept[GOLDEN] ? GOLDEN : TARGET;
    bool part = f && f->kept[s] & KEPT_PART;
    const char *side = s == TARGET ? _("target") : _("golden");
    buf_fmt(
        k->out,
        part ? _("%s is %s; at least 1/8 of the elements are exactly representable in %s on the %s side only, and not "
                 "in the inputs")
             : _("%s is %s; all elements are exactly representable in %s on the %s side only, and most input elements "
                 "are not"),
        k->what, k->error, f ? dtype_table[f->kept[s] & ~KEPT_PART].name : "", side);
}

static void say_fused_scale(struct rule_case *k)
{
    int s = k->l->row[TARGET] == NONE ? GOLDEN : TARGET;
    num_cell(k->error, k->m->side[s]->rows.v[k->l->row[s]].stat[STAT_MAX], 6);
    num_cell(k->limit, (double)k->x->limit, 6);
    buf_fmt(k->out, _("the scale of attention scores differs: %s here, where the other side's scale would take %s"),
            k->error, k->limit);
}

static void say_fused_argument(struct rule_case *k)
{
    fused_arguments_explain(k->j, k->m, k->line, k->out);
}

static void say_within(struct rule_case *k)
{
    buf_fmt(k->out, _("%s %s, within the limit %s"), k->what, k->error, k->limit);
}

static void say_level(struct rule_case *k)
{
    buf_fmt(k->out, _("%s is %s, within the noise accumulated so far (level %s)"), k->what, k->error, k->level);
}

static void say_drift(struct rule_case *k)
{
    buf_fmt(k->out, _("%s is %s: above the noise here (level %s), below the limit %s"), k->what, k->error, k->level,
            k->limit);
}

static void say_limit(struct rule_case *k)
{
    buf_fmt(k->out, _("%s is %s, above the limit %s (noise level here %s)"), k->what, k->error, k->limit, k->level);
}

static void say_jump(struct rule_case *k)
{
    buf_fmt(k->out,
            _("%s is %s: far above the local noise level %s and above the lower "
              "limit"),
            k->what, k->error, k->level);
}

static void say_behind_unread(struct rule_case *k)
{
    buf_fmt(k->out,
            _("could not be judged: %s is %s, above the noise level here (%s); the matrix product before it could not "
              "be read and may have caused an error of this size"),
            k->what, k->error, k->level);
}

static void say_behind_choice(struct rule_case *k)
{
    buf_fmt(k->out,
            _("not compared: %s is %s; it depends on a choice between nearly tied values, which the two sides "
              "made differently"),
            k->what, k->error);
}

static void say_source(struct rule_case *k)
{
    buf_fmt(k->out,
            line_is_backward(k->m, k->line)
                ? _("the step's gradients begin with this number, so no noise excuses it: %s is %s, limit %s")
            : line_is_of_samples(k->m, k->line)
                ? _("input of the step, so no noise excuses it: %s is %s, limit %s")
                : _("no recorded call made this input (a table or a buffer), so no noise excuses it: %s is "
                    "%s, limit %s"),
            k->what, k->error, k->limit);
}

static void say_parameter(struct rule_case *k)
{
    buf_fmt(k->out,
            dump_row_is_lone_number(k->m->side[TARGET], k->l->row[TARGET])
                ? _("a number of the file must agree within the rounding of its type: %s is %s, limit %s")
                : _("a parameter must agree within the rounding of its type: %s is %s, limit %s"),
            k->what, k->error, k->limit);
}

static void say_same_stats(struct rule_case *k)
{
    buf_cstr(k->out, k->x->error > 0 ? _("same statistics within the limit; the elements were not recorded")
                                     : _("same statistics; the elements were not recorded"));
}

static void say_constant(struct rule_case *k)
{
    struct implied_constant c[2] = {implied_constant_of(k->m->side[TARGET], k->l->row[TARGET]),
                                    implied_constant_of(k->m->side[GOLDEN], k->l->row[GOLDEN])};
    buf_fmt(k->out,
            c[TARGET].factor
                ? _("by the recorded figures before and after it, the call multiplies by %s on the target and "
                    "by %s on the golden side")
                : _("by the recorded figures before and after it, the call adds %s on the target and %s on "
                    "the golden side"),
            num_cell(k->error, c[TARGET].value, 3), num_cell(k->limit, c[GOLDEN].value, 3));
}

static void say_mask_counts(struct rule_case *k)
{
    buf_fmt(k->out, _("a mask fills %s elements on the target and %s on the golden side, by the recorded figures"),
            num_cell(k->error, recorded_fills(k->m->side[TARGET], k->l->row[TARGET]), 6),
            num_cell(k->limit, recorded_fills(k->m->side[GOLDEN], k->l->row[GOLDEN]), 6));
}

static void say_scalar_differs(struct rule_case *k)
{
    buf_fmt(k->out, _("%s on the target, %s on the golden side; scalars must be equal"),
            scalar_text(k->m, k->l, TARGET, k->error), scalar_text(k->m, k->l, GOLDEN, k->limit));
}

static void say_checksum_same(struct rule_case *k)
{
    if (checksum_is_xor(k->m->side[TARGET]->rows.v[k->l->row[TARGET]].text))
        buf_cstr(k->out, _("same XOR of all 8-byte words; it does not depend on their order"));
    else
        buf_cstr(k->out, _("same checksum"));
}

static void say_nonfinite(struct rule_case *k)
{
    const struct figures *f = measure_figures(k->m, k->line);
    if (!f) {
        buf_cstr(k->out, counted_only(k->m, k->line)
                             ? _("the counts of NaN or infinite elements differ; the recorded max and "
                                 "min exclude such elements")
                             : _("the recorded max or min is non-finite on one side only, or non-finite "
                                 "in different ways"));
        return;
    }
    buf_fmt(
        k->out,
        _("%llu elements are non-finite on one side only or in different ways, the first at index %llu (target: %llu "
          "NaN, %llu Inf; golden: %llu NaN, %llu Inf)"),
        (unsigned long long)f->unlike, (unsigned long long)f->unlike_at, (unsigned long long)f->side[0].nan,
        (unsigned long long)f->side[0].inf, (unsigned long long)f->side[1].nan, (unsigned long long)f->side[1].inf);
}

static void say_elements(struct rule_case *k)
{
    buf_fmt(k->out, _("%llu elements on the target, %llu on the golden side"),
            (unsigned long long)dump_row_numel(k->m->side[0], k->l->row[0]),
            (unsigned long long)dump_row_numel(k->m->side[1], k->l->row[1]));
}

static void say_kinds(struct rule_case *k)
{
    const char *type[2];
    line_dtypes(k->m, k->l, type);
    buf_fmt(k->out, _("the kinds of value differ and cannot be compared: %s on the target, %s on the golden side"),
            type[0], type[1]);
}

static void say_framework(struct rule_case *k)
{
    const char *why = framework_difference_of(k->m->side, k->m->pairing->lines.v[k->line].row);
    buf_cstr(k->out, why ? _(why) : _("the two frameworks record different quantities here"));
}

static void say_preset(struct rule_case *k)
{
    buf_fmt(k->out, _("by the rule of %s: %s"), tool_rules_name(k->j->preset),
            k->x->verdict == VERDICT_DEVIATE ? _("an error")
            : k->x->verdict == VERDICT_DRIFT ? _("a warning")
                                             : _("passes"));
}

static void say_table(struct rule_case *k)
{
    table_verdicts_explain(k->m, k->line, k->out);
}

static void say_ill(struct rule_case *k)
{
    enum condition_kind kind = (enum condition_kind)k->x->was;
    char kappa[NUM_MAX];
    if (kind == CONDITION_NONE) {
        buf_cstr(k->out, _("doubtful: integer results changed upstream at near ties of an ill-conditioned operator"));
        return;
    }
    if (kind == CONDITION_OTHER_ORDER) {
        buf_fmt(
            k->out,
            _("doubtful: noise changed integers passed to its module, so the order of its elements may differ; max, "
              "min and norm differ by %s of the norm"),
            k->error);
        return;
    }
    if (kind == CONDITION_POOL_TIE) {
        buf_cstr(
            k->out,
            _("doubtful: ties in max-pooling windows: the sides pass the gradient to different tied elements; the sums "
              "agree"));
        return;
    }
    if (kind == CONDITION_OPTIMIZER) {
        buf_fmt(
            k->out,
            _("doubtful: an optimizer's steps of gradients that are smaller than their noise, in a few elements or in "
              "all of a parameter without a gradient; %s is %s"),
            k->what, k->error);
        return;
    }
    num_cell(kappa, (double)k->x->kappa, 2);
    if (condition_is_discrete(kind))
        buf_fmt(k->out, _("doubtful: ill-conditioned (%s): noise alone can change %s of its integers (kappa ~ %s)"),
                condition_text(kind), k->limit, kappa);
    else
        buf_fmt(k->out, _("doubtful: ill-conditioned (kappa ~ %s, %s): %s is %s, input noise alone can reach %s"),
                kappa, condition_text(kind), k->what, k->error, k->limit);
}

static void say_accepted(struct rule_case *k)
{
    const struct accepted *q = accepted_of(k->j, k->line);
    buf_fmt(k->out, _("known difference, accepted (%s): %s"), verdict_label((enum verdict)k->x->was),
            q ? q->reason : "");
    if (q && *q->until)
        buf_fmt(k->out, _(", until %s"), q->until);
}

/* A sentence, or what writes one. */
static const struct {
    const char *plain;
    void (*say)(struct rule_case *k);
} texts[RULE_COUNT] = {
    [RULE_NONE] = {.say = say_none},
    [RULE_ONE_SIDED] = {.say = say_one_sided},
    [RULE_CONTRADICTS] = {.say = say_contradicts},
    [RULE_UNLINKED] = {.say = say_unlinked},
    [RULE_MISSING] = {.say = say_missing},
    [RULE_LOST_GRADIENT] = {.say = say_lost_gradient},
    [RULE_OTHER_SHAPE] = {.say = say_other_shape},
    [RULE_OPEN_END] =
        {.plain =
             N_("an operator without a formula ends the step here and has no partner: nothing shows whether its result "
                "is right")},
    [RULE_NESTED] = {.say = say_nested},
    [RULE_RECOMPUTED] = {.say = say_recomputed},
    [RULE_IDLE_ARGUMENT] = {.say = say_idle_argument},
    [RULE_FACTOR] = {.say = say_factor},
    [RULE_CONTAINER] =
        {.plain =
             N_("the module ends at a different call on the other side; the calls inside it and all results computed "
                "from it agree")},
    [RULE_DISCARDED] = {.plain = N_("only elements that the next call discards (activation, where, top-k) differ; all results "
                                    "computed from it agree")},
    [RULE_MASKED_BEFORE] = {.plain = N_(
                                "the mask was applied earlier on one side and here on the other: the result agrees")},
    [RULE_ANGLES] = {.say = say_angles},
    [RULE_OTHER_VALUE] = {.plain = N_("the partner holds another value: nothing is compared")},
    [RULE_NEVER_READ] = {.say = say_never_read},
    [RULE_CHANNELS] =
        {.plain =
             N_("the same values with the channels of each head in another order (rotary halves and pairs), in queries "
                "and keys alike; the scores agree")},
    [RULE_BEFORE_SCORES] =
        {.plain = N_(
             "queries and keys have their rotary channels in another order on each side, and what is computed here is "
             "not the same quantity; the scores agree")},
    [RULE_SAME_ROWS] =
        {.plain =
             N_("the same rows in another order, as where tokens are sorted by expert, or the transpose of a square "
                "matrix; what is computed from them does not deviate")},
    [RULE_SAME_FUNCTION] = {.say = say_same_function},
    [RULE_OTHER_FUNCTION] = {.say = say_other_function},
    [RULE_OTHER_ELEMENTS] =
        {.plain = N_(
             "the same figures go in and others come out, element by element, and later deviations depend on it: the "
             "elements lie in another order on one side (such as a rotation by pairs or by halves)")},
    [RULE_INHERITED] = {.say = say_inherited},
    [RULE_MASKED_ROWS] =
        {.plain = N_(
             "only positions where the attention mask hides every key differ; their values depend on the kernel; all "
             "other elements agree")},
    [RULE_SAME_PICKS] =
        {.plain = N_("same picks in a different order: a token's experts are a set, as are equal keys of a sort")},
    [RULE_ROUNDED] = {.say = say_rounded},
    [RULE_FUSED_SCALE] = {.say = say_fused_scale},
    [RULE_FUSED_MASK] = {.plain = N_("masks another share of the attention scores than the other side does")},
    [RULE_FUSED_ARGUMENT] = {.say = say_fused_argument},
    [RULE_EQUAL] = {.plain = N_("no element differs")},
    [RULE_WITHIN] = {.say = say_within},
    [RULE_LEVEL] = {.say = say_level},
    [RULE_DRIFT] = {.say = say_drift},
    [RULE_LIMIT] = {.say = say_limit},
    [RULE_JUMP] = {.say = say_jump},
    [RULE_BEHIND_UNREAD] = {.say = say_behind_unread},
    [RULE_BEHIND_CHOICE] = {.say = say_behind_choice},
    [RULE_SOURCE] = {.say = say_source},
    [RULE_PARAMETER] = {.say = say_parameter},
    [RULE_SAME_STATS] = {.say = say_same_stats},
    [RULE_SCALAR_SAME] = {.plain = N_("same value")},
    [RULE_CONSTANT] = {.say = say_constant},
    [RULE_MASK_COUNTS] = {.say = say_mask_counts},
    [RULE_MASK_UNCOUNTED] =
        {.plain = N_("a mask has filled elements; the recorded figures do not tell how many")},
    [RULE_FILLS] = {.plain = N_("each side has the lowest number of a type, a mask's fill value")},
    [RULE_SCALAR_DIFFERS] = {.say = say_scalar_differs},
    [RULE_INTEGERS_DIFFER] = {.plain = N_("integers must be equal")},
    [RULE_CHECKSUM_SAME] = {.say = say_checksum_same},
    [RULE_CHECKSUM_DIFFERS] = {.plain = N_("checksums differ; equal bits are expected here")},
    [RULE_CHECKSUM_OTHER] =
        {.plain = N_("the checksums are of different kinds, or XORs in which equal values cancel: not comparable; no "
                     "statistics were recorded")},
    [RULE_CHECKSUM_SAYS_NOTHING] =
        {.plain = N_("checksums differ, which is not conclusive between two frameworks; no statistics were recorded")},
    [RULE_NONFINITE] = {.say = say_nonfinite},
    [RULE_NONFINITE_ALIKE] = {.plain = N_("non-finite on both sides; the recorded statistics do not show where")},
    [RULE_PART] = {.plain = N_("a part of a fused tensor: compare it through a view")},
    [RULE_PART_ROLE] = {.plain = N_("both halves of a fused product together have its figures, but the half that the "
                                    "activation reads has others: its columns are cut or laid out in another way")},
    [RULE_PART_SAME] = {.plain = N_("a part of a fused tensor: max, min and norm of all parts together agree with it")},
    [RULE_ELEMENTS] = {.say = say_elements},
    [RULE_KINDS] = {.say = say_kinds},
    [RULE_ABSENT] = {.plain = N_("recorded as None")},
    [RULE_EMPTY] = {.plain = N_("no elements on either side")},
    [RULE_NO_FIGURES] = {.plain = N_("no statistics were recorded to compare")},
    [RULE_FRAMEWORK] = {.say = say_framework},
    [RULE_REORDERED] =
        {.plain = N_("same max, min and norm, but the elements differ: reordered values, or a different quantity")},
    [RULE_PRESET] = {.say = say_preset},
    [RULE_TABLE] = {.say = say_table},
    [RULE_ILL] = {.say = say_ill},
    [RULE_ACCEPTED] = {.say = say_accepted},
    [RULE_UNPARSED] = {.plain =
                           N_("not compared: a recorded value could not be read, or contradicts another one of it")},
    [RULE_CUT] = {.plain = N_("one side was cut before it was recorded: not compared, or another part of the tensor")},
    [RULE_NO_BITS] =
        {.plain =
             N_("equal figures do not show equal bits: neither elements nor comparable checksums were recorded on both "
                "sides")},
    [RULE_EXACT] = {.plain = N_("not bitwise equal, as the exact comparison requires")},
};

_Static_assert(RULE_COUNT == 73, "each rule has a row");

void rule_text(const struct judgement *j, const struct measure *m, uint32_t line, struct buf *out)
{
    const struct line_judgement *x = &j->line[line];
    struct rule_case k = {.j = j, .m = m, .line = line, .x = x, .l = &m->pairing->lines.v[line], .out = out};
    if (texts[x->rule].plain) {
        buf_cstr(out, _(texts[x->rule].plain));
        return;
    }
    k.what = error_name(m, line, x);
    error_digits(k.error, x->error);
    error_digits(k.limit, x->limit);
    error_digits(k.level, x->level);
    texts[x->rule].say(&k);
}
