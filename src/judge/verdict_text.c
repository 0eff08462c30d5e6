/* Sentences for every verdict, for the first deviation, and the result of a comparison. */
#include "judge/verdict_text.h"

#include <math.h>

#include "base/msg.h"
#include "base/num.h"
#include "judge/judge_summary.h"
#include "judge/packed_verdicts.h"
#include "judge/rule_text.h"
#include "judge/table_verdicts.h"

void explain_verdict(const struct judgement *j, const struct measure *m, uint32_t line, struct buf *out)
{
    const struct line_judgement *x = &j->line[line];
    const struct line *l = &m->pairing->lines.v[line];
    rule_text(j, m, line, out);
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
        buf_fmt(out, l->pair == NONE ? _("; %s") : _("; judged without its tensor: %s"), m->failure[line]);
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
    [FIRST_OUTPUT] = {"output-first", N_("an output"), NULL}, /* by what is known of its inputs */
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

/* What is known of the inputs of an output that deviates. */
enum inputs_known {
    INPUTS_AGREE,
    INPUTS_NONE,       /* none was recorded */
    INPUTS_UNCOMPARED, /* one was not compared */
    INPUTS_MASKED,     /* figures do not tell whether the mask in one agrees */
    INPUTS_UNSURE,     /* one in an uncertain pair deviates too */
};

static enum inputs_known inputs_of(const struct judgement *j, const struct measure *m, uint32_t line)
{
    uint32_t row = m->pairing->lines.v[line].row[TARGET];
    const struct dump *d = m->side[TARGET];
    enum inputs_known known = row == NONE ? INPUTS_AGREE : INPUTS_NONE;
    if (row == NONE)
        return known;
    EACH_ROW(d, d->rows.v[row].call, r) {
        const struct line_judgement *x = &j->line[m->pairing->line_of[TARGET][r]];
        enum inputs_known of = verdict_is_bad((enum verdict)x->verdict)                      ? INPUTS_UNSURE
                               : x->rule == RULE_MASK_UNCOUNTED                              ? INPUTS_MASKED
                               : x->verdict == VERDICT_SKIP && d->rows.v[r].kind == ROW_TENSOR ? INPUTS_UNCOMPARED
                                                                                             : INPUTS_AGREE;
        if (d->rows.v[r].io == IO_OUTPUT || d->rows.v[r].io == IO_GRADIENT)
            continue;
        known = known == INPUTS_NONE || of > known ? of : known;
    }
    return known;
}

static const char *explain_inputs(enum inputs_known known)
{
    static const char *const text[] = {
        [INPUTS_AGREE] = N_("The inputs agree and an output deviates: the deviation starts in this call."),
        [INPUTS_NONE] = N_("No input of this call was recorded; its output deviates."),
        [INPUTS_UNCOMPARED] = N_("An output deviates, and an input was not compared: the deviation starts in this call or "
                                 "in that input."),
        [INPUTS_MASKED] = N_("An output deviates, and the recorded figures do not tell whether the mask in its input is "
                             "the same: compare both sides' masks first."),
        [INPUTS_UNSURE] = N_("An output deviates, and so does an input whose pairing is doubtful: check that input "
                             "first."),
    };
    return _(text[known]);
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
    if (x->rule == RULE_SOURCE && line_is_of_samples(m, line))
        return _("The data of the step differ: compare the data pipeline (loading, decoding, augmentation, "
                 "normalisation) of both sides before any layer.");
    if (x->rule == RULE_SOURCE && line_is_backward(m, line))
        return _("Compare what both sides do with the loss before its backward pass: a factor, an average, another "
                 "term.");
    if (x->rule == RULE_SOURCE)
        return _("Check where and in which precision both sides compute this table or buffer.");
    if (x->basis == BASIS_RECOMPUTED && l->row[TARGET] != NONE &&
        m->side[TARGET]->rows.v[l->row[TARGET]].io == IO_GRADIENT)
        return _("This gradient does not follow from what goes into its module and what comes back: look for a hook, a "
                 "factor or a reduction of this parameter alone.");
    return k == FIRST_OUTPUT ? explain_inputs(inputs_of(j, m, line)) : _(classes[k].text);
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
    num_cell(n[0], (double)c->error[TARGET][row[TARGET]], 3);
    num_cell(n[1], (double)c->error[GOLDEN][row[GOLDEN]], 3);
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
    add_count(out, &any, j->contradicting_before, _("values that contradict what else was recorded of their calls"));
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
    if (s->other_shapes)
        buf_fmt(out, _("; pairs that agree but differ in shape: %u"), s->other_shapes);
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
        buf_fmt(out, _("could not be judged: no pair deviates, but values contradict what else was recorded of their "
                       "calls: %u"), s->contradicting);
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
