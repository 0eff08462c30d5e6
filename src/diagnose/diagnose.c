/* The table of detectors with names and advice; samples a line's tensors, runs the applicable detectors, and ranks
 * their findings. */
#include "diagnose/diagnose.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/msg.h"
#include "base/num.h"
#include "judge/conditioning.h"
#include "judge/packed_verdicts.h"
#include "judge/call_error.h"
#include "diagnose/diagnosis_case.h"

static const struct {
    const char *name, *label, *advice;
} table[DIAGNOSIS_COUNT] = {
    [DIAGNOSIS_NONFINITE] = {"nonfinite", N_("NaN or infinity"),
        N_("Look for an overflow, a division, or a mask filled with -inf that is multiplied; on an NPU, "
           "INF_NAN_MODE_ENABLE=1 makes overflows visible.")},
    [DIAGNOSIS_WRONG_SHARD] = {"wrong-shard", N_("the shard of a different rank"),
        N_("Compare how the weight is sharded and which rank loads which shard: the order of ranks, gate and up "
           "sharded separately or together, the file each rank reads.")},
    [DIAGNOSIS_WRONG_POSITIONS] = {"wrong-positions", N_("positions of a different split"),
        N_("Split position ids, rotary tables and masks in the same way as the tokens: zigzag or natural.")},
    [DIAGNOSIS_WRONG_LAYER] = {"wrong-layer", N_("the weights of a different layer"),
        N_("Compare the layer numbers that a pipeline stage assigns with those it loads: offset of the stage, virtual "
           "stages.")},
    [DIAGNOSIS_WRONG_EXPERT] = {"wrong-expert", N_("the weights of a different expert"),
        N_("Compare the global expert numbers with those each expert-parallel rank loads: offset of the rank.")},
    [DIAGNOSIS_MICRO_BATCH_SCALE] = {"micro-batch-scale", N_("micro-batches summed"),
        N_("Divide the loss of each micro-batch by the number of micro-batches before the backward pass, once.")},
    [DIAGNOSIS_ALL_ZERO] = {"all-zero", N_("all zero"),
        N_("The result was never written: check whether the operator ran and whether its output was copied back in "
           "time; check masks and initialisation.")},
    [DIAGNOSIS_ZERO_GRADIENT] = {"zero-gradient", N_("zero gradient"),
        N_("Check the gradient kernel of this operator (especially for slices and views), detached tensors and "
           "stop_gradient.")},
    [DIAGNOSIS_SATURATED] = {"saturated", N_("saturated"),
        N_("Values are clipped at the largest number of the type: saturation mode hides an overflow. Set "
           "INF_NAN_MODE_ENABLE=1 and find the operator that overflows; use a wider type or scale the values.")},
    [DIAGNOSIS_UNINITIALISED] = {"uninitialised", N_("uninitialised buffer"),
        N_("Uninitialised memory: look for an empty() that is never filled, a kernel that skips the last block, or a "
           "missing synchronisation.")},
    [DIAGNOSIS_DROPOUT] = {"dropout", N_("dropout"),
        N_("Set all dropout probabilities to 0 on both sides; random numbers differ between frameworks.")},
    [DIAGNOSIS_MASK] = {"mask", N_("different mask"),
        N_("Compare how both sides build the mask: pattern, fill value, and whether it is multiplied or used to "
           "fill.")},
    [DIAGNOSIS_EPSILON] = {"epsilon", N_("different epsilon"),
        N_("Set the same epsilon in both configurations (rms_norm_eps, layernorm_epsilon, norm_epsilon).")},
    [DIAGNOSIS_ACTIVATION] = {"activation", N_("different activation function"),
        N_("Set the same function in both configurations (hidden_act, activation_func), in the same form: gelu has an "
           "exact and a tanh form (approximate).")},
    [DIAGNOSIS_ARGUMENT] = {"argument", N_("different argument"),
        N_("Set the argument to the same value on both sides: in the configuration, where the module is built, or in "
           "the call; a side that omits it uses the default of its framework.")},
    [DIAGNOSIS_UNTIED] = {"untied", N_("weights not tied"),
        N_("One side shares this weight with a second module and sums both gradients, the other side has two copies: "
           "compare tie_word_embeddings (untie_embeddings_and_output_weights) and how the checkpoint was loaded.")},
    [DIAGNOSIS_ROPE] = {"rope", N_("different rotary table"),
        N_("Compute inv_freq in float32 and with the same base (theta) on both sides; check on which device it is "
           "computed.")},
    [DIAGNOSIS_ROUNDED] = {"rounded", N_("rounded to a lower-precision type"),
        N_("Find the cast: a compute type, a parameter or a buffer has lower precision on that side.")},
    [DIAGNOSIS_DENORMAL] = {"denormal", N_("denormal numbers flushed to zero"),
        N_("The hardware or compiler of that side flushes denormals; a loss scale or a wider type preserves small "
           "gradients.")},
    [DIAGNOSIS_SIGN] = {"sign", N_("the sign is inverted"),
        N_("Look for swapped operands of a subtraction, a missing minus, or a different convention (rotation "
           "direction, mask polarity).")},
    [DIAGNOSIS_SCALE] = {"scale", N_("a constant factor"),
        N_("Look for a factor that is missing or applied twice: attention scale, mean instead of sum, loss scale, "
           "division by the world size or the number of micro-batches.")},
    [DIAGNOSIS_OFFSET] = {"offset", N_("a constant offset"),
        N_("Look for a bias, an offset or a mean that only one side adds.")},
    [DIAGNOSIS_SHIFTED] = {"shifted", N_("shifted along an axis"),
        N_("Compare the start on both sides: labels shifted by one token, positions that start at 1, a start token.")},
    [DIAGNOSIS_LAYOUT] = {"layout", N_("same values, different layout"),
        N_("One side reads heads, parts or halves interleaved, the other in blocks: compare how fused weights were "
           "converted and split, or set a view for the pair.")},
    [DIAGNOSIS_PERMUTED] = {"permuted", N_("same values, different order"),
        N_("Look for an extra or missing transpose: in the conversion of a weight, or in a view before this call.")},
    [DIAGNOSIS_STALE] = {"stale", N_("the value of a different row"),
        N_("A different variable was passed, or a weight was loaded into another's place; if the pairing is wrong, "
           "pair the rows by hand.")},
    [DIAGNOSIS_WEIGHTS_FIRST] = {"weights-first", N_("the weights differ before the operator runs"),
        N_("This operator is not the cause: compare the weight files and their conversion (diverge weights).")},
    [DIAGNOSIS_PARTIAL] = {"partial", N_("only some positions"),
        N_("Check what these positions have in common: padding, one head or expert, one shard of a parallel group, the "
           "last elements of a kernel block.")},
    [DIAGNOSIS_GAP] = {"gap", N_("starts in a gap"),
        N_("The difference starts in calls that only one side recorded: compare the source code between the last pair "
           "that agrees and this one, or record these calls.")},
    [DIAGNOSIS_UNREAD] = {"unread", N_("unknown"),
        N_("Make both files readable and compare again: the elements were not checked.")},
};

enum needs {
    NEED_FIGURES = 1, /* a tensor row with recorded or computed figures */
    NEED_SPREAD = 2,  /* elements from the whole tensor */
    NEED_CORNER = 4,  /* contiguous elements */
    NEED_ARGUMENT = 8, /* two arguments that differ: numbers, booleans, texts */
    NEED_LENGTHS = 32, /* tensors with different element counts */
    NEED_ORIGIN = 64, /* NEED_FIGURES, only where the deviation starts: the call is recomputed */
    NEED_NOTHING = 16, /* only the comparison around it; also run for doubtful rows, to find the reason */
};

/* One row per detector. */
static const struct {
    unsigned needs;
    void (*look)(struct diagnosis_case *p);
} detectors[] = {
    {NEED_FIGURES, detect_nonfinite},
    {NEED_FIGURES, detect_zero},
    {NEED_FIGURES, detect_saturated},
    {NEED_FIGURES, detect_uninitialised},
    {NEED_FIGURES, detect_scale_statistics},
    {NEED_FIGURES, detect_offset_statistics},
    {NEED_FIGURES, detect_implied_constant},
    {NEED_FIGURES, detect_mask_statistics},
    {NEED_FIGURES, detect_parts},
    {NEED_FIGURES, detect_sibling},
    {NEED_SPREAD, detect_micro_batches},
    {NEED_SPREAD, detect_dropout},
    {NEED_SPREAD, detect_rounded},
    {NEED_SPREAD, detect_denormal},
    {NEED_SPREAD, detect_sign},
    {NEED_SPREAD, detect_scale},
    {NEED_SPREAD, detect_offset},
    {NEED_SPREAD, detect_limited},
    {NEED_ORIGIN, detect_handed_on},
    {NEED_ORIGIN, detect_other_operand},
    {NEED_CORNER, detect_term},
    {NEED_CORNER, detect_offset_vector},
    {NEED_FIGURES, detect_dropout_both},
    {NEED_SPREAD, detect_partial},
    {NEED_SPREAD, detect_picks},
    {NEED_SPREAD, detect_mask},
    {NEED_CORNER, detect_shifted},
    {NEED_LENGTHS, detect_shifted_lengths},
    {NEED_CORNER, detect_shifted_labels},
    {NEED_CORNER, detect_order},
    {NEED_CORNER, detect_scale_rows},
    {NEED_FIGURES, detect_untied},
    {NEED_ORIGIN, detect_module_around},
    {NEED_CORNER, detect_softmax_axis},
    {NEED_CORNER, detect_temperature},
    {NEED_CORNER, detect_epsilon},
    {NEED_ORIGIN, detect_activation},
    {NEED_ORIGIN, detect_norm},
    {NEED_ORIGIN, detect_window},
    {NEED_ORIGIN, detect_attention},
    {NEED_CORNER, detect_rope},
    {NEED_CORNER, detect_contribution},
    {NEED_ARGUMENT, detect_argument},
    {NEED_FIGURES, detect_call_arguments},
    {NEED_FIGURES, detect_rope_statistics},
    {NEED_FIGURES, detect_stale},
    {NEED_FIGURES, detect_past},
    {NEED_NOTHING, detect_weights},
    {NEED_FIGURES, detect_gap},
    {NEED_FIGURES, detect_changed_end},
};

const char *diagnosis_name(enum diagnosis_id id)
{
    return table[id].name;
}

/* Its name in the user's language. */
static const char *diagnosis_label(enum diagnosis_id id)
{
    return _(table[id].label);
}

const char *diagnosis_advice(const struct diagnosis *d)
{
    return d->advice ? d->advice : _(table[d->id].advice);
}

void diagnosis_text(const struct diagnoses *x, int i, struct buf *out)
{
    buf_fmt(out, _("%s: %s."), diagnosis_label((enum diagnosis_id)x->v[i].id), x->v[i].evidence);
}

/* ---- for the detectors ---- */

void case_found(struct diagnosis_case *p, enum diagnosis_id id, int side, double score, const char *fmt, ...)
{
    struct diagnosis *d = NULL;
    for (int i = 0; i < p->out->n && !d; i++)
        if (p->out->v[i].id == id)
            d = &p->out->v[i];
    if (d && (double)d->score >= score)
        return;
    if (!d)
        d = &p->out->v[p->out->n++];
    else
        free(d->evidence);
    struct buf b = {0};
    va_list ap;
    va_start(ap, fmt);
    buf_vfmt(&b, fmt, ap);
    va_end(ap);
    *d = (struct diagnosis){.id = (uint8_t)id, .side = (int8_t)side, .score = (float)score, .evidence = b.p};
}

void case_advise(struct diagnosis_case *p, enum diagnosis_id id, const char *advice)
{
    for (int i = 0; i < p->out->n; i++)
        if (p->out->v[i].id == id)
            p->out->v[i].advice = advice;
}

double diagnosis_case_stat(const struct diagnosis_case *p, int side, int stat)
{
    static const int bit[] = {HAS_MAX, HAS_MIN, HAS_MEAN, HAS_NORM};
    if (p->f) {
        const struct side_figures *f = &p->f->side[side];
        const double v[] = {f->max, f->min, f->mean, f->norm};
        return v[stat];
    }
    return p->r[side]->has & bit[stat] ? p->r[side]->stat[stat] : NAN;
}

const char *diagnosis_side_word(int side)
{
    return side == TARGET ? _("target side") : _("golden side");
}

const char *diagnosis_left_text(char out[DIAGNOSIS_LEFT_MAX], double share)
{
    char n[NUM_MAX];
    if (share == 0)
        snprintf(out, DIAGNOSIS_LEFT_MAX, "%s", _("this explains the whole deviation"));
    else
        snprintf(out, DIAGNOSIS_LEFT_MAX, _("this explains all but %s %% of it"),
                 num_cell(n, share * 100, 2));
    return out;
}

void diagnosis_factor_text(double k, double tolerance, struct buf *out)
{
    char n[NUM_MAX];
    double a = fabs(k);
    buf_cstr(out, num_cell(n, k, 6));
    for (int e = -24; e <= 24; e++)
        if (e && fabs(a - ldexp(1, e)) <= tolerance * a) {
            if (e != 1 && e != -1)
                buf_fmt(out, " (%s2^%d)", k < 0 ? "-" : "", e);
            return;
        }
    int best = 0;
    bool rooted = false, divides = false;
    for (int root = 0; root < 2; root++)
        for (int up = 0; up < 2; up++) { /* within 0.1 / d only the nearest d of each form fits */
            double v = up ? a : 1 / a, d = nearbyint(root ? v * v : v), near = root ? sqrt(d) : d;
            if (!(d >= 3 && d <= 4096) || fabs(a - (up ? near : 1 / near)) > fmin(tolerance, 0.1 / d) * a ||
                (best && d >= best))
                continue;
            best = (int)d;
            rooted = root;
            divides = !up;
        }
    if (best)
        buf_fmt(out, " (%s%s%s%d)", k < 0 ? "-" : "", divides ? "1/" : "", rooted ? "√" : "", best);
}

void diagnosis_place_text(const struct diagnosis_case *p, uint64_t at, struct buf *out)
{
    const struct shape *s = dump_row_shape(p->side[TARGET], p->row[TARGET]);
    uint64_t part[TENSOR_DIMS];
    const struct view *v = measure_view(p->m, p->line);
    if (!s || s->ndim > TENSOR_DIMS || s->ndim < 2 || at >= s->numel || (v && v->side == TARGET)) {
        buf_fmt(out, "[%llu]", (unsigned long long)at);
        return;
    }
    for (int i = s->ndim - 1; i >= 0; i--) {
        part[i] = at % (uint64_t)s->dim[i];
        at /= (uint64_t)s->dim[i];
    }
    for (int i = 0; i < s->ndim; i++)
        buf_fmt(out, "%s%llu", i ? "," : "[", (unsigned long long)part[i]);
    buf_char(out, ']');
}

bool patient_before_root(const struct diagnosis_case *p)
{
    const struct dump *d = p->side[TARGET];
    bool output = p->r[TARGET]->io == IO_OUTPUT;
    for (uint32_t c = p->call + output; c < d->calls.n && c <= p->call + (output ? 2 : 0); c++)
        if (str_ihas(dump_call_name(d, c), "sqrt"))
            return true;
    return false;
}

const struct line_judgement *patient_judged(const struct diagnosis_case *p, int side, uint32_t row)
{
    uint32_t line = p->m->pairing->line_of[side][row];
    return line == NONE ? NULL : &p->j->line[line];
}

uint32_t patient_partner(const struct diagnosis_case *p, int side, uint32_t row)
{
    uint32_t line = p->m->pairing->line_of[side][row];
    return line == NONE ? NONE : p->m->pairing->lines.v[line].row[!side];
}

bool patient_inputs_agree(const struct diagnosis_case *p)
{
    EACH_EARLY_ROW(p->side[TARGET], p->call, r) {
        const struct row *x = &p->side[TARGET]->rows.v[r];
        bool tensor = x->io == IO_INPUT && x->kind == ROW_TENSOR;
        const struct line_judgement *j = tensor ? patient_judged(p, TARGET, r) : NULL;
        if (j && verdict_is_bad((enum verdict)j->verdict))
            return false;
    }
    return true;
}

/* ---- the driver ---- */

bool diagnose_possible(const struct judgement *j, const struct measure *m, uint32_t line)
{
    const struct line_judgement *x = &j->line[line];
    if (m->pairing->lines.v[line].pair == NONE)
        return x->rule == RULE_FUSED_SCALE || x->rule == RULE_FUSED_MASK || x->rule == RULE_LOST_GRADIENT;
    /* what the same function makes of noise has no cause of its own */
    bool explained = x->cause == CAUSE_AGREES && x->basis == BASIS_RECOMPUTED;
    return x->rule != RULE_INHERITED && (verdict_is_bad(x->verdict) || (x->verdict == VERDICT_DRIFT && !explained));
}

static int by_score(const void *a, const void *b)
{
    const struct diagnosis *x = a, *y = b;
    if (x->score < y->score || x->score > y->score)
        return x->score > y->score ? -1 : 1;
    return x->id - y->id;
}

static void drop_diagnosis(struct diagnoses *x, enum diagnosis_id id)
{
    for (int i = 0; i < x->n; i++)
        if (x->v[i].id == id) {
            free(x->v[i].evidence);
            x->n--;
            memmove(&x->v[i], &x->v[i + 1], (size_t)(x->n - i) * sizeof *x->v);
            return;
        }
}

static bool diagnoses_include(const struct diagnoses *x, enum diagnosis_id id)
{
    for (int i = 0; i < x->n; i++)
        if (x->v[i].id == id)
            return true;
    return false;
}

/* For a doubtful pair the doubt is the only finding. At an ill-conditioned operator the deviation is doubtful and may
 * still be diagnosed, because noise has no structure; except for gradients that are only rounding, inputs that
 * crossed a kink, rows reordered by a tie, integers and comparisons that noise changed, here or before, an optimizer's
 * steps of noise, and what weights leave of a gradient: if that has one direction, its noise is a factor. */
static bool diagnosis_is_doubtful(const struct line_judgement *x)
{
    bool formless = x->was == CONDITION_ZERO_GRADIENT || x->was == CONDITION_KINK || x->was == CONDITION_OTHER_ORDER ||
                    x->was == CONDITION_POOL_TIE || x->was == CONDITION_WEIGHTED || x->was == CONDITION_NONE ||
                    x->was == CONDITION_OPTIMIZER ||
                    condition_is_discrete((enum condition_kind)x->was);
    return x->flags & LINE_DOUBTFUL && (x->rule != RULE_ILL || formless);
}

/* Whether the deviation starts at this row: recomputing a call is too expensive for rows that only pass an error on,
 * and would show nothing. */
static bool is_origin(const struct diagnosis_case *p)
{
    const struct judgement *j = p->j;
    if (p->line == j->first || p->judged->cause == CAUSE_STARTS)
        return true;
    struct call_error x = call_error_of(j, p->m, p->call);
    enum call_error_kind k = call_error_kind(&x);
    return p->r[TARGET]->io == IO_OUTPUT && (k == CALL_ERROR_ADDED || k == CALL_ERROR_BOTH);
}

void diagnosis_case_examine(struct diagnosis_case *p)
{
    struct diagnoses *out = p->out;
    unsigned have = NEED_NOTHING;
    bool argument = p->judged->rule == RULE_SCALAR_DIFFERS && p->r[0]->io == IO_INPUT;
    bool tensors = p->r[0]->kind == ROW_TENSOR && p->r[1]->kind == ROW_TENSOR;
    if (!diagnosis_is_doubtful(p->judged)) {
        have |= argument ? NEED_ARGUMENT : 0;
        have |= tensors && p->judged->verdict != VERDICT_SHAPE ? NEED_FIGURES : 0;
        have |= tensors && p->judged->verdict == VERDICT_SHAPE ? NEED_LENGTHS : 0;
        have |= have & NEED_FIGURES && is_origin(p) ? NEED_ORIGIN : 0;
        have |= p->spread ? NEED_SPREAD : 0;
        have |= p->corner ? NEED_CORNER : 0;
    }
    for (size_t i = 0; i < ARRAY_LEN(detectors); i++)
        if (detectors[i].needs & have)
            detectors[i].look(p);
    qsort(out->v, (size_t)out->n, sizeof *out->v, by_score);
    /* a shifted mask is still a mask */
    if (diagnoses_include(out, DIAGNOSIS_MASK))
        drop_diagnosis(out, DIAGNOSIS_SHIFTED);
    /* a rotary table is not a weight, even at an operator's weight position */
    if (out->n > 1 && out->v[0].id == DIAGNOSIS_ROPE)
        drop_diagnosis(out, DIAGNOSIS_WEIGHTS_FIRST);
    /* the distribution along axes adds nothing once the deviation is explained */
    if ((out->n > 1 && out->v[0].score >= 0.9F) || p->judged->rule == RULE_ILL)
        drop_diagnosis(out, DIAGNOSIS_PARTIAL);
    for (; out->n > DIAGNOSES_MOST; out->n--)
        free(out->v[out->n - 1].evidence);
}

/* Samples elements if both tensors were compared; takes a second sample only if the first is not contiguous. -1 with
 * e if files that were readable no longer are. */
static int take_specimens(struct diagnosis_case *p, struct element_sample s[2], struct err *e)
{
    if (!p->f || diagnosis_is_doubtful(p->judged) || !(p->r[0]->has & p->r[1]->has & HAS_FILE))
        return 0;
    if (element_sample_take(&s[0], p->m, p->line, e))
        return -1;
    p->spread = &s[0];
    p->partly = s[0].at != NULL;
    if (p->partly && element_sample_corner(&s[1], p->m, p->line, e))
        return -1;
    if (!p->partly || !s[1].at)
        p->corner = p->partly ? &s[1] : &s[0];
    return 0;
}

/* The last finding in any case: only part of the data was examined. */
static void say_unread(struct diagnosis_case *p, const struct err *e)
{
    struct diagnoses *out = p->out;
    for (; out->n >= DIAGNOSES_MOST; out->n--)
        free(out->v[out->n - 1].evidence);
    case_found(p, DIAGNOSIS_UNREAD, BOTH_SIDES, 0, _("cannot read the elements: %s"), e->text);
}

/* Takes over the diagnoses in a pack; false if the line was not diagnosed there. */
static bool packed_verdicts_diagnoses(struct diagnoses *out, const struct measure *m, uint32_t line)
{
    const struct packed_line *x = packed_verdicts_line(m, line);
    if (!x || !x->diagnosis)
        return false;
    for (int i = 0; i < x->diagnoses && out->n < DIAGNOSIS_COUNT; i++)
        for (int id = 0; id < DIAGNOSIS_COUNT; id++)
            if (strcmp(diagnosis_name((enum diagnosis_id)id), x->diagnosis[i].name) == 0) {
                out->v[out->n++] = (struct diagnosis){(uint8_t)id, x->diagnosis[i].side, x->diagnosis[i].score,
                                                      mem_strdup(x->diagnosis[i].evidence),
                                                      *x->diagnosis[i].advice ? x->diagnosis[i].advice : NULL};
                break;
            }
    return true;
}

void diagnose_line(struct diagnoses *out, const struct judgement *j, const struct measure *m,
                   const struct dataflow flow[2], uint32_t line)
{
    struct element_sample s[2];
    out->n = 0;
    memset(s, 0, sizeof s);
    if (!diagnose_possible(j, m, line) || packed_verdicts_diagnoses(out, m, line))
        return;
    const struct line *l = &m->pairing->lines.v[line];
    struct diagnosis_case p = {
        .j = j, .m = m, .flow = flow, .line = line, .row = {l->row[0], l->row[1]}, .side = {m->side[0], m->side[1]},
        .judged = &j->line[line], .f = measure_figures(m, line), .out = out,
    };
    if (p.judged->rule == RULE_LOST_GRADIENT) {
        detect_lost_gradient(&p);
        return;
    }
    if (p.judged->rule == RULE_FUSED_MASK) {
        case_found(&p, DIAGNOSIS_MASK, BOTH_SIDES, 0.9, "%s",
                   _("masks another share of the attention scores than the other side does"));
        return;
    }
    if (l->pair == NONE) {
        detect_fused_scale(&p);
        return;
    }
    for (int d = 0; d < 2; d++)
        p.r[d] = &p.side[d]->rows.v[p.row[d]];
    p.call = p.r[TARGET]->call;
    struct err e;
    int rc = take_specimens(&p, s, &e);
    diagnosis_case_examine(&p);
    if (rc)
        say_unread(&p, &e);
    element_sample_release(&s[0]);
    element_sample_release(&s[1]);
}

void diagnoses_release(struct diagnoses *x)
{
    for (int i = 0; i < x->n; i++)
        free(x->v[i].evidence);
    x->n = 0;
}
