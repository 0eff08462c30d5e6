/* Sentences for every verdict, for the first deviation, and the result of a comparison. */
#include "judge/verdict_text.h"

#include <math.h>

#include "base/msg.h"
#include "base/num.h"
#include "judge/judge_summary.h"
#include "judge/conditioning.h"
#include "judge/packed_verdicts.h"
#include "judge/accepted.h"
#include "judge/framework_difference.h"
#include "judge/fused_arguments.h"
#include "judge/lost_gradient.h"
#include "judge/row_verdict.h"
#include "judge/tool_rules.h"
#include "dump/checksum.h"
#include "dump/recorded_figures.h"
#include "judge/implied_constant.h"
#include "judge/recorded_mask.h"
#include "judge/step_inputs.h"
#include "judge/table_verdicts.h"

static const char *error_digits(char out[NUM_MAX], float v)
{
    return num_cell(out, (double)v, 3);
}

static void line_dtypes(const struct measure *m, const struct line *l, const char *name[2])
{
    for (int s = 0; s < 2; s++) {
        const struct row *r = &m->side[s]->rows.v[l->row[s]];
        name[s] = r->kind == ROW_NULL ? "None" : dtype_table[r->dtype].name;
    }
}

/* Whether the means are farther apart than the other figures. */
static bool means_show_it(const struct measure *m, uint32_t line, const struct line_judgement *x)
{
    const uint32_t *row = m->pairing->lines.v[line].row;
    if (row[TARGET] == NONE || row[GOLDEN] == NONE)
        return false;
    double others = recorded_error(&m->side[TARGET]->rows.v[row[TARGET]], &m->side[GOLDEN]->rows.v[row[GOLDEN]]);
    return (double)x->error > others * (1 + 1e-6); /* false if nothing else was recorded */
}

static const char *error_name(const struct measure *m, uint32_t line, const struct line_judgement *x)
{
    bool exact;
    if (x->flags & LINE_STATISTICS && !isnan(table_verdicts_error(m, line, &exact)))
        return _("the error by cosine, largest error and norms in the table");
    if (x->flags & LINE_STATISTICS && means_show_it(m, line, x))
        return _("difference of the means, relative to the size of an element,");
    return x->flags & LINE_STATISTICS ? _("largest difference of max, min and norm, relative to the golden norm,")
           : x->flags & LINE_MASKED   ? _("rel L2 without masked elements")
                                      : "rel L2";
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

static void say_nonfinite_counts(const struct measure *m, uint32_t line, struct buf *out)
{
    const struct figures *f = measure_figures(m, line);
    if (!f) {
        buf_cstr(out, counted_only(m, line) ? _("the counts of NaN or infinite elements differ; the recorded max and "
                                                "min exclude such elements")
                                            : _("the recorded max or min is non-finite on one side only, or non-finite "
                                                "in different ways"));
        return;
    }
    buf_fmt(
        out,
        _("%llu elements are non-finite on one side only or in different ways, the first at index %llu (target: %llu "
          "NaN, %llu Inf; golden: %llu NaN, %llu Inf)"),
        (unsigned long long)f->unlike, (unsigned long long)f->unlike_at, (unsigned long long)f->side[0].nan,
        (unsigned long long)f->side[0].inf, (unsigned long long)f->side[1].nan, (unsigned long long)f->side[1].inf);
}

/* `what`: of what the error is (error_name()). */
static void say_ill_conditioned(const struct line_judgement *x, const char *what, struct buf *out)
{
    enum condition_kind kind = (enum condition_kind)x->was;
    char e[NUM_MAX], k[NUM_MAX], lim[NUM_MAX];
    if (kind == CONDITION_NONE) {
        buf_cstr(out, _("doubtful: integer results changed upstream at near ties of an ill-conditioned operator"));
        return;
    }
    if (kind == CONDITION_OTHER_ORDER) {
        buf_fmt(
            out,
            _("doubtful: noise changed integers passed to its module, so the order of its elements may differ; max, "
              "min and norm differ by %s of the norm"),
            error_digits(e, x->error));
        return;
    }
    if (kind == CONDITION_POOL_TIE) {
        buf_cstr(
            out,
            _("doubtful: ties in max-pooling windows: the sides pass the gradient to different tied elements; the sums "
              "agree"));
        return;
    }
    if (kind == CONDITION_OPTIMIZER) {
        buf_fmt(
            out,
            _("doubtful: an optimizer's steps of gradients that are smaller than their noise, in a few elements or in "
              "all of a parameter without a gradient; %s is %s"),
            what, error_digits(e, x->error));
        return;
    }
    num_cell(k, (double)x->kappa, 2);
    if (condition_is_discrete(kind))
        buf_fmt(out, _("doubtful: ill-conditioned (%s): noise alone can change %s of its integers (kappa ~ %s)"),
                condition_text(kind), error_digits(lim, x->limit), k);
    else
        buf_fmt(out, _("doubtful: ill-conditioned (kappa ~ %s, %s): %s is %s, input noise alone can reach %s"), k,
                condition_text(kind), what, error_digits(e, x->error), error_digits(lim, x->limit));
}

/* Recomputed: the same call of agreeing inputs. */
static void same_function(const struct line_judgement *x, const char *what, struct buf *out)
{
    char e[NUM_MAX], r[NUM_MAX];
    buf_fmt(out, _("%s is %s, from inputs that agree: both calls compute the same function (residual %s of its bound)"),
            what, error_digits(e, x->error), error_digits(r, x->residual));
}

static void other_function(const struct line_judgement *x, struct buf *out)
{
    char r[NUM_MAX];
    if (isnan(x->residual)) {
        buf_cstr(out, _("recomputed from its own inputs, one side's call gives another result than was recorded"));
        return;
    }
    buf_fmt(out, _("the golden call, recomputed on the target's inputs, gives another result: %s times the bound of "
                   "rounding"), error_digits(r, x->residual));
}

static void say_inherited(const struct line_judgement *x, const char *what, struct buf *out)
{
    char e[NUM_MAX];
    buf_fmt(out, _("%s is %s: it depends on an earlier deviation"), what, error_digits(e, x->error));
}

static void say_rounded_type(const struct line_judgement *x, const struct figures *f, const char *what, struct buf *out)
{
    char e[NUM_MAX];
    int s = f && f->kept[GOLDEN] ? GOLDEN : TARGET;
    bool part = f && f->kept[s] & KEPT_PART;
    const char *side = s == TARGET ? _("target") : _("golden");
    error_digits(e, x->error);
    buf_fmt(
        out,
        part
            ? _("%s is %s; at least 1/8 of the elements are exactly representable in %s on the %s side only, and not "
                "in the inputs")
            : _("%s is %s; all elements are exactly representable in %s on the %s side only, and most input elements "
                "are not"),
        what, e, f ? dtype_table[f->kept[s] & ~KEPT_PART].name : "", side);
}

/* Whether a line is of a backward call. */
static bool is_backward(const struct measure *m, uint32_t line)
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

static bool of_samples(const struct measure *m, uint32_t line)
{
    uint32_t row = m->pairing->lines.v[line].row[TARGET];
    return row != NONE && step_input_of_samples(m->side[TARGET], row);
}

static void by_rule(const struct judgement *j, const struct measure *m, uint32_t line, struct buf *out)
{
    const struct line_judgement *x = &j->line[line];
    const struct line *l = &m->pairing->lines.v[line];
    char e[NUM_MAX], lim[NUM_MAX], lev[NUM_MAX];
    const char *type[2], *what = error_name(m, line, x);
    error_digits(e, x->error);
    error_digits(lim, x->limit);
    error_digits(lev, x->level);
    switch ((enum verdict_rule)x->rule) {
    case RULE_NONE:
    case RULE_COUNT:
        buf_cstr(out, x->verdict == VERDICT_PENDING ? _("tensors not compared yet") : "");
        break;
    case RULE_ONE_SIDED:
        buf_cstr(out, l->row[TARGET] == NONE ? _("no target row found for it") : _("no golden row found for it"));
        break;
    case RULE_CONTRADICTS:
        buf_cstr(out, l->row[TARGET] == NONE
                          ? _("no target row found for it, and it is not what its call makes of its own inputs")
                          : _("no golden row found for it, and it is not what its call makes of its own inputs"));
        break;
    case RULE_MISSING:
        buf_cstr(out, l->row[TARGET] == NONE ? _("the target recorded the call, and not this value of it")
                                             : _("the golden side recorded the call, and not this value of it"));
        break;
    case RULE_LOST_GRADIENT:
        buf_cstr(out, lost_gradient_side(m, line) == TARGET
                          ? _("no gradient comes back on the target: its input was detached")
                          : _("no gradient comes back on the golden side: its input was detached"));
        break;
    case RULE_OTHER_SHAPE:
        buf_cstr(out, _("the same figures in another shape, which nothing else of the call has: they do not show "
                        "whether the elements are in one order"));
        break;
    case RULE_OPEN_END:
        buf_cstr(out, _("an operator without a formula ends the step here and has no partner: nothing shows whether "
                        "its result is right"));
        break;
    case RULE_NESTED: {
        int s = l->row[TARGET] == NONE ? GOLDEN : TARGET;
        const struct dump *d = m->side[s];
        uint32_t other = d->calls.v[d->rows.v[l->row[s]].call].nested;
        buf_fmt(out, _("recorded twice: %s has the same tensors and is paired"),
                other == NONE ? _("the call around it") : d->calls.v[other].name);
        break;
    }
    case RULE_RECOMPUTED: {
        int s = l->row[TARGET] == NONE ? GOLDEN : TARGET;
        const struct dump *d = m->side[s];
        uint32_t first = d->calls.v[d->rows.v[l->row[s]].call].recomputes;
        buf_fmt(out, _("recomputed inside the backward pass: %s is the same call, first run"),
                first == NONE ? _("an earlier call") : d->calls.v[first].name);
        break;
    }
    case RULE_IDLE_ARGUMENT:
        buf_fmt(out, _("%s and %s; every output of the call agrees, so this argument has no effect here"),
                scalar_text(m, l, TARGET, e), scalar_text(m, l, GOLDEN, lim));
        break;
    case RULE_FACTOR:
        buf_fmt(out, _("the golden value times %s: the other side applies this constant factor elsewhere; all results "
                       "computed from it agree"), lim);
        break;
    case RULE_CONTAINER:
        buf_cstr(out, _("the module ends at a different call on the other side; the calls inside it and all results "
                        "computed from it agree"));
        break;
    case RULE_DISCARDED:
        buf_cstr(out, _("only elements that the next call discards (activation, where) differ; all results computed "
                        "from it agree"));
        break;
    case RULE_MASKED_BEFORE:
        buf_cstr(out, _("the mask was applied earlier on one side and here on the other: the result agrees"));
        break;
    case RULE_ANGLES:
        error_digits(lev, (float)row_verdict_angles(m, line, NULL));
        buf_fmt(out, _("figures agree, but the angles differ in type: in 16 bits they are rounded by up to %s, which "
                       "figures of sines do not show"), lev);
        break;
    case RULE_OTHER_VALUE:
        buf_cstr(out, _("the partner holds another value: nothing is compared"));
        break;
    case RULE_NEVER_READ:
        buf_cstr(out, m->side[TARGET]->rows.v[l->row[TARGET]].io == IO_INPUT
                          ? _("this call does not use the value: no result depends on it")
                          : _("this call does not write the value, and no recorded call uses it"));
        break;
    case RULE_CHANNELS:
        buf_cstr(out, _("the same values with the channels of each head in another order (rotary halves and pairs), in "
                        "queries and keys alike; the scores agree"));
        break;
    case RULE_BEFORE_SCORES:
        buf_cstr(out, _("queries and keys have their rotary channels in another order on each side, and what is "
                        "computed here is not the same quantity; the scores agree"));
        break;
    case RULE_SAME_ROWS:
        buf_cstr(out, _("the same rows in another order, as where tokens are sorted by expert; what is computed from "
                        "them does not deviate"));
        break;
    case RULE_SAME_FUNCTION:
        same_function(x, what, out);
        break;
    case RULE_OTHER_FUNCTION:
        other_function(x, out);
        break;
    case RULE_OTHER_ELEMENTS:
        buf_fmt(out, _("the same figures go in and others come out, element by element, and later deviations depend on "
                       "it: the elements lie in another order on one side (such as a rotation by pairs or by halves)"));
        break;
    case RULE_INHERITED:
        say_inherited(x, what, out);
        break;
    case RULE_MASKED_ROWS:
        buf_cstr(
            out,
            _("only positions where the attention mask hides every key differ; their values depend on the kernel; all "
              "other elements agree"));
        break;
    case RULE_SAME_PICKS:
        buf_cstr(out, _("same experts for every token, in a different order: experts are compared as a set"));
        break;
    case RULE_ROUNDED:
        say_rounded_type(x, measure_figures(m, line), what, out);
        break;
    case RULE_FUSED_SCALE: {
        int s = l->row[TARGET] == NONE ? GOLDEN : TARGET;
        num_cell(e, m->side[s]->rows.v[l->row[s]].stat[STAT_MAX], 6);
        num_cell(lim, (double)x->limit, 6);
        buf_fmt(out,
                _("the scale of attention scores differs: %s here, where the other side's scale would take %s"), e,
                lim);
        break;
    }
    case RULE_FUSED_MASK:
        buf_cstr(out, _("masks another share of the attention scores than the other side does"));
        break;
    case RULE_FUSED_ARGUMENT:
        fused_arguments_explain(j, m, line, out);
        break;
    case RULE_EQUAL:
        buf_cstr(out, _("no element differs"));
        break;
    case RULE_WITHIN:
        buf_fmt(out, _("%s %s, within the limit %s"), what, e, lim);
        break;
    case RULE_LEVEL:
        buf_fmt(out, _("%s is %s, within the noise accumulated so far (level %s)"), what, e, lev);
        break;
    case RULE_DRIFT:
        buf_fmt(out, _("%s is %s: above the noise here (level %s), below the limit %s"), what, e, lev, lim);
        break;
    case RULE_LIMIT:
        buf_fmt(out, _("%s is %s, above the limit %s (noise level here %s)"), what, e, lim, lev);
        break;
    case RULE_JUMP:
        buf_fmt(out, _("%s is %s: far above the local noise level %s and above the lower "
                       "limit"), what, e, lev);
        break;
    case RULE_BEHIND_UNREAD:
        buf_fmt(
            out,
            _("could not be judged: %s is %s, above the noise level here (%s); the matrix product before it could not "
              "be read and may have caused an error of this size"),
            what, e, lev);
        break;
    case RULE_BEHIND_CHOICE:
        buf_fmt(out, _("not compared: %s is %s; it depends on a choice between nearly tied values, which the two sides "
                       "made differently"), what, e);
        break;
    case RULE_SOURCE:
        buf_fmt(out, is_backward(m, line)
                         ? _("the step's gradients begin with this number, so no noise excuses it: %s is %s, limit %s")
                     : of_samples(m, line)
                         ? _("input of the step, so no noise excuses it: %s is %s, limit %s")
                         : _("no recorded call made this input (a table or a buffer), so no noise excuses it: %s is "
                             "%s, limit %s"), what, e, lim);
        break;
    case RULE_PARAMETER:
        buf_fmt(out, dump_row_is_lone_number(m->side[TARGET], l->row[TARGET])
                         ? _("a number of the file must agree within the rounding of its type: %s is %s, limit %s")
                         : _("a parameter must agree within the rounding of its type: %s is %s, limit %s"),
                what, e, lim);
        break;
    case RULE_SAME_STATS:
        buf_cstr(out, x->error > 0 ? _("same statistics within the limit; the elements were not recorded")
                                   : _("same statistics; the elements were not recorded"));
        break;
    case RULE_SCALAR_SAME:
        buf_cstr(out, _("same value"));
        break;
    case RULE_CONSTANT: {
        struct implied_constant c[2] = {implied_constant_of(m->side[TARGET], l->row[TARGET]),
                                        implied_constant_of(m->side[GOLDEN], l->row[GOLDEN])};
        buf_fmt(out, c[TARGET].factor
                         ? _("by the recorded figures before and after it, the call multiplies by %s on the target and "
                             "by %s on the golden side")
                         : _("by the recorded figures before and after it, the call adds %s on the target and %s on "
                             "the golden side"),
                num_cell(e, c[TARGET].value, 3), num_cell(lim, c[GOLDEN].value, 3));
        break;
    }
    case RULE_MASK_COUNTS:
        buf_fmt(out, _("a mask fills %s elements on the target and %s on the golden side, by the recorded figures"),
                num_cell(e, recorded_fills(m->side[TARGET], l->row[TARGET]), 6),
                num_cell(lim, recorded_fills(m->side[GOLDEN], l->row[GOLDEN]), 6));
        break;
    case RULE_MASK_UNCOUNTED:
        buf_cstr(out, _("masks with different fill values; the recorded figures do not tell how many elements are "
                        "filled"));
        break;
    case RULE_FILLS:
        buf_cstr(out, _("each side has the lowest number of a type, a mask's fill value"));
        break;
    case RULE_SCALAR_DIFFERS:
        buf_fmt(out, _("%s on the target, %s on the golden side; scalars must be equal"), scalar_text(m, l, TARGET, e),
                scalar_text(m, l, GOLDEN, lim));
        break;
    case RULE_INTEGERS_DIFFER:
        buf_cstr(out, _("integers must be equal"));
        break;
    case RULE_CHECKSUM_SAME:
        if (checksum_is_xor(m->side[TARGET]->rows.v[l->row[TARGET]].text))
            buf_cstr(out, _("same XOR of all 8-byte words; it does not depend on their order"));
        else
            buf_cstr(out, _("same checksum"));
        break;
    case RULE_CHECKSUM_DIFFERS:
        buf_cstr(out, _("checksums differ; equal bits are expected here"));
        break;
    case RULE_CHECKSUM_OTHER:
        buf_cstr(out, _("the checksums are of different kinds, or XORs in which equal values cancel: not comparable; "
                        "no statistics were recorded"));
        break;
    case RULE_CHECKSUM_SAYS_NOTHING:
        buf_cstr(out, _("checksums differ, which is not conclusive between two frameworks; no statistics were "
                        "recorded"));
        break;
    case RULE_NONFINITE:
        say_nonfinite_counts(m, line, out);
        break;
    case RULE_NONFINITE_ALIKE:
        buf_cstr(out, _("non-finite on both sides; the recorded statistics do not show where"));
        break;
    case RULE_PART:
        buf_cstr(out, _("a part of a fused tensor: compare it through a view"));
        break;
    case RULE_PART_SAME:
        buf_cstr(out, _("a part of a fused tensor: max, min and norm of all parts together agree with it"));
        break;
    case RULE_ELEMENTS:
        buf_fmt(out, _("%llu elements on the target, %llu on the golden side"),
                (unsigned long long)dump_row_numel(m->side[0], l->row[0]),
                (unsigned long long)dump_row_numel(m->side[1], l->row[1]));
        break;
    case RULE_KINDS:
        line_dtypes(m, l, type);
        buf_fmt(out, _("the kinds of value differ and cannot be compared: %s on the target, %s on the golden "
                       "side"), type[0],
                type[1]);
        break;
    case RULE_ABSENT:
        buf_cstr(out, _("recorded as None"));
        break;
    case RULE_EMPTY:
        buf_cstr(out, _("no elements on either side"));
        break;
    case RULE_NO_FIGURES:
        buf_cstr(out, _("no statistics were recorded to compare"));
        break;
    case RULE_FRAMEWORK: {
        const char *why = framework_difference_of(m->side, m->pairing->lines.v[line].row);
        buf_cstr(out, why ? _(why) : _("the two frameworks record different quantities here"));
        break;
    }
    case RULE_REORDERED:
        buf_cstr(out, _("same max, min and norm, but the elements differ: reordered values, or a different quantity"));
        break;
    case RULE_PRESET:
        buf_fmt(out, _("by the rule of %s: %s"), tool_rules_name(j->preset),
                x->verdict == VERDICT_DEVIATE ? _("an error")
                : x->verdict == VERDICT_DRIFT ? _("a warning")
                                              : _("passes"));
        break;
    case RULE_TABLE:
        table_verdicts_explain(m, line, out);
        break;
    case RULE_ILL:
        say_ill_conditioned(x, what, out);
        break;
    case RULE_ACCEPTED: {
        const struct accepted *q = accepted_of(j, line);
        buf_fmt(out, _("known difference, accepted (%s): %s"), verdict_label((enum verdict)x->was), q ? q->reason : "");
        if (q && *q->until)
            buf_fmt(out, _(", until %s"), q->until);
        break;
    }
    case RULE_UNPARSED:
        buf_cstr(out, _("not compared: a recorded value could not be read, or contradicts another one of it"));
        break;
    case RULE_CUT:
        buf_cstr(out, _("one side was cut before it was recorded: not compared, or another part of the tensor"));
        break;
    case RULE_NO_BITS:
        buf_cstr(out, _("equal figures do not show equal bits: neither elements nor comparable checksums were recorded "
                        "on both sides"));
        break;
    case RULE_EXACT:
        buf_cstr(out, _("not bitwise equal, as the exact comparison requires"));
        break;
    }
}

void explain_verdict(const struct judgement *j, const struct measure *m, uint32_t line, struct buf *out)
{
    const struct line_judgement *x = &j->line[line];
    const struct line *l = &m->pairing->lines.v[line];
    by_rule(j, m, line, out);
    if (x->rule != RULE_TABLE && table_verdicts_line(m, line)) {
        buf_cstr(out, "; ");
        table_verdicts_explain(m, line, out);
    }
    const struct view *v = measure_view(m, line);
    if (v && v->count) {
        buf_cstr(out, v->side == TARGET ? _("; target side ") : _("; golden side "));
        view_text(v, out);
    }
    if (x->flags & LINE_BAND)
        buf_cstr(out, _("; noise level: the difference of the two golden runs"));
    if (x->flags & LINE_ILL && x->rule != RULE_ILL)
        buf_cstr(out, _("; cancellation: relative error and noise level grow"));
    if (x->flags & LINE_DTYPE_DIFF) {
        const char *type[2];
        line_dtypes(m, l, type);
        buf_fmt(out, _("; types differ: %s on the target, %s on the golden side"), type[0], type[1]);
    }
    if ((x->flags & LINE_UNREAD) && m->failure && m->failure[line])
        buf_fmt(out, _("; judged without its tensor: %s"), m->failure[line]);
    for (int s = 0; s < 2; s++)
        if (l->row[s] != NONE) {
            const struct problem *q = dump_row_problem(m->side[s], l->row[s]);
            if (q)
                buf_fmt(out, _("; %s"), q->text);
        }
    if (x->flags & LINE_DOUBTFUL && x->rule != RULE_ILL)
        buf_cstr(out, _("; doubtful pair"));
    if (packed_verdicts_line(m, line))
        buf_cstr(out, _("; from the pack"));
}

static const struct {
    const char *name, *label, *text;
} classes[] = {
    [FIRST_INPUT] = {"input-first", N_("an input"), N_("An input deviates first. Look upstream: the call that produced it, an "
                                                       "unrecorded call, or a constant.")},
    [FIRST_OUTPUT] = {"output-first", N_("an output"), N_("The inputs agree and an output deviates: the deviation starts in this "
                                                          "call.")},
    [FIRST_GAP] = {"gap-first", N_("behind unpaired calls"), N_("The deviation starts in calls that only one side recorded: compare the calls "
                                                                "of this gap.")},
    [FIRST_SHAPE] = {"shape-first", N_("another size"), N_("The element counts differ: a different layout, padding, or a different "
                                                           "quantity.")},
    [FIRST_NONFINITE] = {"nonfinite-first", N_("NaN or infinity"), N_("NaN or infinity on one side: look for an overflow, a mask or a division here.")},
};

const char *first_class_name(enum first_class k)
{
    return classes[k].name;
}

const char *first_class_label(enum first_class k)
{
    return _(classes[k].label);
}

static const char *const labels[VERDICT_COUNT] = {
    [VERDICT_PENDING] = N_("pending"), [VERDICT_MATCH] = N_("match"), [VERDICT_DRIFT] = N_("drift"),
    [VERDICT_DEVIATE] = N_("deviates"), [VERDICT_NONFINITE] = N_("non-finite"),
    [VERDICT_SHAPE] = N_("element counts differ"), [VERDICT_DTYPE] = N_("kinds differ"),
    [VERDICT_ONLY] = N_("not paired"), [VERDICT_SKIP] = N_("skipped"), [VERDICT_INHERITED] = N_("inherited"),
    [VERDICT_IN_DOUBT] = N_("in doubt"),
};

const char *verdict_label(enum verdict v)
{
    return _(labels[v]);
}

const char *verdict_glyph_of(enum verdict v)
{
    static const char *const glyph[VERDICT_COUNT] = {
        [VERDICT_PENDING] = "…", [VERDICT_MATCH] = "✓", [VERDICT_DRIFT] = "!",
        [VERDICT_DEVIATE] = "✗", [VERDICT_NONFINITE] = "∞", [VERDICT_SHAPE] = "#",
        [VERDICT_DTYPE] = "T", [VERDICT_ONLY] = "∅", [VERDICT_SKIP] = "·",
        [VERDICT_INHERITED] = "↓", [VERDICT_IN_DOUBT] = "?",
    };
    return glyph[v];
}

int verdict_shown_as(struct str word)
{
    for (int v = 0; v < VERDICT_COUNT; v++)
        if (str_is(word, verdict_glyph_of((enum verdict)v)) || str_ieq(word, str_of(labels[v])) ||
            str_ieq(word, str_of(_(labels[v]))))
            return v;
    return -1;
}

/* The number of recorded inputs of a line's call, and whether one in an uncertain pair deviates too. */
static int inputs_of(const struct judgement *j, const struct measure *m, uint32_t line, bool *unsure)
{
    uint32_t row = m->pairing->lines.v[line].row[TARGET];
    const struct dump *d = m->side[TARGET];
    int n = 0;
    *unsure = false;
    if (row == NONE)
        return 1;
    EACH_ROW(d, d->rows.v[row].call, r) {
        if (d->rows.v[r].io == IO_OUTPUT || d->rows.v[r].io == IO_GRADIENT)
            continue;
        n++;
        *unsure = *unsure || verdict_is_bad(j->line[m->pairing->line_of[TARGET][r]].verdict);
    }
    return n;
}

static const char *explain_class(const struct judgement *j, const struct measure *m, uint32_t line, enum first_class k)
{
    const struct line_judgement *x = &j->line[line];
    const struct line *l = &m->pairing->lines.v[line];
    if (x->rule == RULE_PARAMETER && dump_row_is_lone_number(m->side[TARGET], l->row[TARGET]))
        return _("A number beside tensors differs: compare what both runs saved under this name.");
    if (x->rule == RULE_PARAMETER)
        return _(
            "A weight or table differs before the call runs: compare how both sides load, initialise or compute it.");
    if (x->rule == RULE_FUSED_SCALE)
        return _("An argument differs, not a computed value: compare both sides' configuration and code.");
    if (x->rule == RULE_SCALAR_DIFFERS && l->pair != NONE && m->side[TARGET]->rows.v[l->row[TARGET]].io != IO_OUTPUT)
        return _("An argument differs, not a computed value: compare both sides' configuration and code.");
    if (x->rule == RULE_SOURCE && of_samples(m, j->first))
        return _("The data of the step differ: compare the data pipeline (loading, decoding, augmentation, "
                 "normalisation) of both sides before any layer.");
    if (x->rule == RULE_SOURCE && is_backward(m, line))
        return _("Compare what both sides do with the loss before its backward pass: a factor, an average, another "
                 "term.");
    if (x->rule == RULE_SOURCE)
        return _("Check where and in which precision both sides compute this table or buffer.");
    if (x->basis == BASIS_RECOMPUTED && l->row[TARGET] != NONE &&
        m->side[TARGET]->rows.v[l->row[TARGET]].io == IO_GRADIENT)
        return _("This gradient does not follow from what goes into its module and what comes back: look for a hook, a "
                 "factor or a reduction of this parameter alone.");
    bool unsure;
    if (k == FIRST_OUTPUT && !inputs_of(j, m, line, &unsure))
        return _("No input of this call was recorded; its output deviates.");
    if (k == FIRST_OUTPUT && unsure)
        return _("An output deviates, and so does an input whose pairing is doubtful: check that input first.");
    return _(classes[k].text);
}

const char *explain_first(const struct judgement *j, const struct measure *m)
{
    return explain_class(j, m, j->first, j->first_class);
}

const char *explain_start(const struct judgement *j, const struct measure *m, uint32_t line)
{
    return line == j->first ? explain_first(j, m) : explain_class(j, m, line, start_class(j, m, line));
}

void explain_call_error(const struct call_error *x, struct buf *out)
{
    static const char *const words[] = {"", N_("added here"), N_("inherited"), N_("partly inherited")};
    char n[3][NUM_MAX];
    enum call_error_kind k = call_error_kind(x);
    if (k == CALL_ERROR_UNKNOWN)
        return;
    num_cell(n[0], x->in, 2);
    num_cell(n[1], x->out, 2);
    if (isfinite(x->factor))
        buf_fmt(out, _("error %s in, %s out: × %s, %s"), n[0], n[1], num_cell(n[2], x->factor, 2), _(words[k]));
    else
        buf_fmt(out, _("no error in, %s out: %s"), n[1], _(words[k]));
}

void explain_reference(const struct third_run_errors *c, const uint32_t row[2], struct buf *out)
{
    char n[2][NUM_MAX];
    int nearer = third_run_nearer(c, row);
    if (nearer == -2)
        return;
    error_digits(n[0], c->error[TARGET][row[TARGET]]);
    error_digits(n[1], c->error[GOLDEN][row[GOLDEN]]);
    buf_fmt(out, nearer == TARGET   ? _("rel L2 to the reference: target %s, golden %s; the target is closer")
                 : nearer == GOLDEN ? _("rel L2 to the reference: target %s, golden %s; the golden side is closer")
                                    : _("rel L2 to the reference: target %s, golden %s; both equally close to the "
                                        "reference"), n[0], n[1]);
    enum three_way v = third_run_three_way(c, row);
    if (v != THREE_WAY_UNTOLD)
        buf_fmt(out, v == THREE_WAY_PASS ? _("; three-way: passes (no farther than %g × the golden side)")
                                         : _("; three-way: fails (farther than %g × the golden side)"),
                (double)THREE_WAY_LIMIT);
}

void explain_three_way(const struct measure *m, const struct third_run_errors *c, struct buf *out)
{
    if (!c->of || !m->pairing)
        return;
    struct three_way_sum s = third_run_three_way_sum(c, m->pairing);
    buf_fmt(out, _("three-way: %u rows pass, %u fail, %u undecided (limit: %g × the distance of the golden side from "
                   "the reference)"), s.pass, s.fail, s.untold, (double)THREE_WAY_LIMIT);
    if (s.first == NONE)
        return;
    struct buf name = {0};
    dump_row_name(m->side[TARGET], m->pairing->lines.v[s.first].row[TARGET], &name);
    buf_fmt(out, _("; first to fail: %s"), name.p);
    buf_release(&name);
}

static void add_count(struct buf *out, bool *any, uint32_t n, const char *what)
{
    if (!n)
        return;
    buf_cstr(out, *any ? _(", ") : _("perhaps not the first; before it: "));
    buf_fmt(out, "%s: %u", what, n);
    *any = true;
}

void explain_provisional(const struct judgement *j, struct buf *out)
{
    bool any = false;
    add_count(out, &any, j->pending_before, _("rows still to be compared"));
    add_count(out, &any, j->doubtful_before - j->ill_before, _("doubtful pairs"));
    add_count(out, &any, j->ill_before, _("rows doubtful at ill-conditioned operators"));
    add_count(out, &any, j->gaps_before, _("places where one side has compute calls without a partner"));
    add_count(out, &any, j->unread_before, _("tensors that could not be read"));
    add_count(out, &any, j->contradicting_before, _("outputs without a partner that contradict their own inputs"));
}

static void say_aligned(const struct judge_summary *s, struct buf *out)
{
    if (s->other_sums)
        buf_fmt(out, _("aligned: nothing deviates (≈ the elements of %u of %u pairs were not compared; the checksums "
                       "of %u differ)"), s->figures_only, s->pairs, s->other_sums);
    else if (s->figures_only)
        buf_fmt(out, _("aligned: nothing deviates (≈ the elements of %u of %u pairs were not compared)"),
                s->figures_only, s->pairs);
    else
        buf_cstr(out, _("aligned: nothing deviates"));
    if (!s->compute[TARGET]) /* without computing calls there is no share: only rows count */
        buf_cstr(out, _("; no compute call was recorded on the target side"));
    else
        buf_fmt(out, _("; %.0f %% of the target's compute calls were judged match or drift"),
                100.0 * s->judged / s->compute[TARGET]);
    if (s->only[TARGET] || s->only[GOLDEN])
        buf_fmt(out, _("; without a partner, not compared: %u target rows, %u golden rows"), s->only[TARGET],
                s->only[GOLDEN]);
    if (s->idle)
        buf_fmt(out, _("; arguments that differ while the outputs of their calls agree: %u"), s->idle);
    if (s->other_types)
        buf_fmt(out, _("; pairs that agree but differ in element type: %u"), s->other_types);
    if (s->other_needs)
        buf_fmt(out, _("; pairs that differ in requires_grad: %u"), s->other_needs);
}

static void say_unjudged(const struct judge_summary *s, enum unjudged why, struct buf *out)
{
    const char *first = why == UNJUDGED_UNREAD        ? s->first_unread
                        : why == UNJUDGED_IN_DOUBT    ? s->first_in_doubt
                        : why == UNJUDGED_CONTRADICTS ? s->first_contradicting
                        : why == UNJUDGED_UNANSWERED  ? s->first_unanswered
                                                      : NULL;
    switch (why) {
    case UNJUDGED_NOT:
        say_aligned(s, out);
        break;
    case UNJUDGED_UNREAD:
        buf_fmt(out, _("could not be judged: nothing deviates, but some data could not be read: rows %u, files %u"),
                s->unread, s->unread_files);
        break;
    case UNJUDGED_NO_BITS:
        buf_fmt(out, _("could not be judged: no bits were recorded for %u of %u pairs, so their equality is unknown; "
                       "record tensors or checksums on both sides"), s->without_bits, s->pairs);
        break;
    case UNJUDGED_IN_DOUBT:
        buf_fmt(out, _("could not be judged: no certain pair deviates, but %u doubtful pairs differ"), s->in_doubt);
        break;
    case UNJUDGED_CONTRADICTS:
        buf_fmt(out, _("could not be judged: no pair deviates, but outputs without a partner are not what their calls "
                       "make of their own inputs: %u"), s->contradicting);
        break;
    case UNJUDGED_UNANSWERED:
        buf_fmt(out, !s->of_weights
                         ? _("could not be judged: no pair deviates, but values that one side alone recorded are shown "
                             "by nothing else: %u")
                         : _("could not be judged: no pair deviates, but weights have no partner, or lie in parts of "
                             "others: %u; `diverge weights` compares parts"), s->unanswered);
        break;
    case UNJUDGED_FIGURES:
        buf_fmt(out, _("could not be judged: the recorded figures do not deviate, but the elements were not compared "
                       "(%u of %u pairs), as --strict asks"), s->figures_only, s->pairs);
        break;
    case UNJUDGED_FEW:
        if (!s->compute[TARGET])
            buf_cstr(out, _("could not be judged: no certain pair deviates, but too few rows are paired; "
                            "pair more (--map) or record more"));
        else
            buf_fmt(out, _("could not be judged: no certain pair deviates, but only %.0f %% of the target's "
                           "compute calls were judged match or drift; pair more (--map) or record more"),
                    100.0 * s->judged / s->compute[TARGET]);
        break;
    }
    if (first)
        buf_fmt(out, _("; the first: %s"), first);
}

void explain_outcome(const struct judgement *j, const struct judge_options *o, struct buf *out)
{
    const struct judge_summary *s = &j->sum;
    int status = judgement_status(j, o);
    if (status == 1)
        buf_cstr(out, _("deviates"));
    else
        say_unjudged(s, judgement_unjudged(j, o), out);
    /* a dump that ends early, or a smaller model */
    if (status == 0 && s->compute[GOLDEN] && s->coverage[GOLDEN] < o->tol->coverage)
        buf_fmt(out, _("; only %.0f %% of the golden calls are paired; the rest was not compared"),
                100 * s->coverage[GOLDEN]);
    if (status == 0 && s->judged < o->tol->coverage * s->compute[TARGET])
        buf_fmt(out, _("; %u others have no partner, but stand between calls that agree"), s->enclosed);
    if (status == 0 && s->experts_alone)
        buf_fmt(out, _("; inside the experts not everything was compared: %u products with the weights of all experts "
                       "have no partner"), s->experts_alone);
    if (status != 1 && s->ill)
        buf_fmt(out, _("; doubtful rows at ill-conditioned operators: %u"), s->ill);
}

void explain_factor(const struct judgement *j, struct buf *out)
{
    if (j->loss_scale > 1)
        buf_fmt(out, _("gradients × %.0f: loss scale"), j->loss_scale);
    else if (j->loss_scale > 0 && j->loss_scale < 1)
        buf_fmt(out, _("gradients × 1/%.0f: loss scale"), 1 / j->loss_scale);
}

void explain_regions(const struct judge_summary *s, const char *before, struct buf *out)
{
    for (int d = 0; d < 2; d++) {
        struct buf list = {0};
        char tmp[NUM_MAX];
        for (int r = 0; r < REGION_COUNT; r++)
            if (s->missing[d] >> r & 1)
                buf_fmt(&list, "%s%s", list.n ? _(", ") : "", _(region_name((enum region)r)));
        if (list.n)
            buf_fmt(out,
                    d == TARGET ? _("%snot recorded by the target: %s (%s golden rows)")
                                : _("%snot recorded by the golden side: %s (%s target rows)"),
                    before, list.p, num_count(tmp, s->left_out[!d]));
        buf_release(&list);
    }
}

void explain_pairing(const struct judge_summary *s, struct buf *out)
{
    uint32_t left[WHY_COUNT], guessed = 0;
    memcpy(left, s->paired_by, sizeof left);
    left[WHY_ORDER] += left[WHY_UNLIKELY];
    left[WHY_UNLIKELY] = 0;
    for (int i = 0; i < WHY_COUNT; i++)
        guessed += i != WHY_NAME && i != WHY_MAPPING && i != WHY_TABLE && i != WHY_MARK && i != WHY_RULE ? left[i] : 0;
    for (bool any = guessed > 0; any;) {
        int most = 0;
        for (int i = 1; i < WHY_COUNT; i++)
            most = left[i] > left[most] ? i : most;
        any = left[most] > 0;
        if (any)
            buf_fmt(out, "%s%s %u", out->n ? _(", ") : "", _(pair_why_name((enum pair_why)most)), left[most]);
        left[most] = 0;
    }
}
