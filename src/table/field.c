/* The table of fields: name, title, and the function that gives a line's number or text. */
#include "table/field.h"

#include <math.h>

#include "base/msg.h"
#include "base/num.h"
#include "judge/table_verdicts.h"
#include "judge/verdict_text.h"
#include "dump/family.h"

struct field_line field_line(const struct comparison *s, uint32_t line)
{
    struct field_line l = {.s = s, .line = line, .row = {NONE, NONE}};
    if (s->paired) {
        memcpy(l.row, s->pairing->lines.v[line].row, sizeof l.row);
        l.f = measure_figures(&s->measure, line);
    } else {
        l.row[TARGET] = line;
    }
    if (s->judged && line < s->judged->lines)
        l.j = &s->judged->line[line];
    return l;
}

static const struct dump *field_dump(const struct field_line *l, int side)
{
    return &l->s->side[side].dump;
}

static const struct row *field_row(const struct field_line *l, int side)
{
    return l->row[side] == NONE ? NULL : &field_dump(l, side)->rows.v[l->row[side]];
}

/* The side whose data describes the line: the target's if it has a row. */
static int described_side(const struct field_line *l)
{
    return l->row[TARGET] == NONE ? GOLDEN : TARGET;
}

static const struct call *field_call(const struct field_line *l)
{
    int s = described_side(l);
    const struct row *r = field_row(l, s);
    return r ? &field_dump(l, s)->calls.v[r->call] : NULL;
}

static const struct pair *field_pair(const struct field_line *l)
{
    uint32_t p = l->s->paired ? l->s->pairing->lines.v[l->line].pair : NONE;
    return p == NONE ? NULL : &l->s->pairing->pairs.v[p];
}

/* A number that is absent where it is NaN. */
static bool give_finite(double x, double *v)
{
    *v = x;
    return !isnan(x);
}

/* ---- errors ---- */

static bool field_amplification(const struct field_line *l, const struct field *f, double *v)
{
    const struct row *r = field_row(l, TARGET);
    (void)f;
    return l->j && r && r->io == IO_OUTPUT &&
           give_finite(call_error_of(l->s->judged, &l->s->measure, r->call).factor, v);
}

enum { JUDGED_ERROR, JUDGED_LEVEL, JUDGED_LIMIT };

static bool field_judged(const struct field_line *l, const struct field *f, double *v)
{
    return l->j && give_finite((double)(f->which == JUDGED_ERROR   ? l->j->error
                                        : f->which == JUDGED_LEVEL ? l->j->level
                                                             : l->j->limit), v);
}

enum { FIGURE_MINUS = RESULT_FIGURES, FIGURE_REL_L2 }; /* a result table prints the others too */

/* As a result table prints it, or from what it prints. */
static bool result_table_figure(const struct field_line *l, int which, double *v)
{
    const struct measure *m = &l->s->measure;
    double printed;
    bool exact;
    switch (which) {
    case FIGURE_MINUS:
        return table_verdicts_figure(m, l->line, RESULT_COSINE, &printed) && give_finite(1 - printed, v);
    case FIGURE_REL_L2:
        return give_finite(table_verdicts_error(m, l->line, &exact), v) && exact;
    default:
        return table_verdicts_figure(m, l->line, (enum result_figure)which, v);
    }
}

/* Computed here, else from a result table. */
static bool field_figure(const struct field_line *l, const struct field *f, double *v)
{
    const struct figures *x = l->f;
    if (!x || !x->two)
        return l->s->paired && result_table_figure(l, f->which, v);
    const double own[] = {x->cosine,         x->euclid,           x->max_abs, x->max_rel,
                          x->one_thousandth, x->five_thousandths, x->minus,   x->rel_l2};
    *v = own[f->which];
    return true;
}

/* ---- one side's figures: computed where the tensor was read, else recorded ---- */

bool field_line_stat(const struct field_line *l, int side, int stat, double *v)
{
    static const int bit[] = {HAS_MAX, HAS_MIN, HAS_MEAN, HAS_NORM};
    const struct row *r = field_row(l, side);
    const struct side_figures *f = comparison_figures(l->s, l->line, side);
    if (!r || !(f || r->has & bit[stat]))
        return false;
    const double own[] = {f ? f->max : 0, f ? f->min : 0, f ? f->mean : 0, f ? f->norm : 0};
    *v = f ? own[stat] : r->stat[stat];
    return true;
}

bool field_stat(const struct field_line *l, const struct field *f, double *v)
{
    const struct row *r = field_row(l, f->side);
    return r && r->kind == ROW_TENSOR && field_line_stat(l, f->side, f->which, v);
}

enum { COUNTED_NAN, COUNTED_INF, COUNTED_ZERO, COUNTED_SATURATED };

static bool field_count(const struct field_line *l, const struct field *f, double *v)
{
    static const uint8_t bit[] = {COUNT_NAN, COUNT_POS_INF, COUNT_ZERO, 0}; /* how many are saturated nobody records */
    const struct row *r = field_row(l, f->side);
    const struct side_figures *x = comparison_figures(l->s, l->line, f->side);
    const struct row_extra *e = r && r->extra != NONE ? &field_dump(l, f->side)->extras.v[r->extra] : NULL;
    if (!x && !(e && e->counts & bit[f->which]))
        return false;
    const uint64_t own[] = {x ? x->nan : e->nan, x ? x->inf : e->pos_inf + e->neg_inf,
                            x ? x->zero : e->zero, x ? x->saturated : 0};
    *v = (double)own[f->which];
    return true;
}

/* ---- what the line is ---- */

static bool field_order(const struct field_line *l, const struct field *f, double *v)
{
    (void)f;
    *v = (double)l->line + 1;
    return true;
}

static bool field_numel(const struct field_line *l, const struct field *f, double *v)
{
    int s = described_side(l);
    (void)f;
    if (!field_row(l, s))
        return false;
    *v = (double)dump_row_numel(field_dump(l, s), l->row[s]);
    return true;
}

static bool field_confidence(const struct field_line *l, const struct field *f, double *v)
{
    const struct pair *p = field_pair(l);
    (void)f;
    return p && give_finite(round((double)p->confidence * 1e4) / 1e4, v); /* a float: no more digits than it has */
}

static bool field_layer(const struct field_line *l, const struct field *f, double *v)
{
    int s = described_side(l);
    const struct row *r = field_row(l, s);
    uint32_t n = r && l->s->flow[s].layer ? l->s->flow[s].layer[r->call] : NONE;
    (void)f;
    *v = (double)n;
    return n != NONE;
}

static bool field_rank(const struct field_line *l, const struct field *f, double *v)
{
    (void)f;
    *v = field_dump(l, TARGET)->rank;
    return *v >= 0;
}

/* The severity of a verdict, in the order of the header's counts. */
static bool verdict_severity(enum verdict v, double *out)
{
    static const uint8_t bad[VERDICT_COUNT] = {
        [VERDICT_DEVIATE] = 9, [VERDICT_NONFINITE] = 8, [VERDICT_SHAPE] = 7, [VERDICT_INHERITED] = 6, [VERDICT_IN_DOUBT] = 6,
        [VERDICT_DTYPE] = 5,
        [VERDICT_DRIFT] = 4,   [VERDICT_ONLY] = 3,      [VERDICT_MATCH] = 2, [VERDICT_SKIP] = 1,
    };
    *out = bad[v];
    return bad[v] > 0;
}

static bool verdict_rank(const struct field_line *l, const struct field *f, double *v)
{
    (void)f;
    return l->j && verdict_severity(l->j->verdict, v);
}

static void field_verdict(const struct field_line *l, const struct field *f, struct buf *out)
{
    (void)f;
    buf_cstr(out, l->j ? verdict_name(l->j->verdict) : "pending");
}

/* What the result table that the comparison was opened from says of the pair. */
static void field_table_result(const struct field_line *l, const struct field *f, struct buf *out)
{
    const struct result_line *t = l->s->paired ? table_verdicts_line(&l->s->measure, l->line) : NULL;
    (void)f;
    if (t)
        buf_cstr(out, t->said);
}

static void field_name_text(const struct field_line *l, const struct field *f, struct buf *out)
{
    if (l->row[f->side] != NONE)
        dump_row_name(field_dump(l, f->side), l->row[f->side], out);
}

static void field_dtype(const struct field_line *l, const struct field *f, struct buf *out)
{
    const struct row *r = field_row(l, f->side);
    if (r && r->kind == ROW_TENSOR && r->dtype)
        buf_cstr(out, dtype_table[r->dtype].name);
}

static void field_shape(const struct field_line *l, const struct field *f, struct buf *out)
{
    const struct shape *s = l->row[f->side] == NONE ? NULL : dump_row_shape(field_dump(l, f->side), l->row[f->side]);
    if (s)
        shape_text(s, out);
}

static void field_checksum(const struct field_line *l, const struct field *f, struct buf *out)
{
    const struct row *r = field_row(l, f->side);
    if (r && r->has & HAS_CHECKSUM)
        buf_cstr(out, r->text);
}

static void field_value_text(const struct field_line *l, const struct field *f, struct buf *out)
{
    const struct row *r = field_row(l, f->side);
    if (r && r->kind != ROW_TENSOR && r->text)
        buf_cstr(out, r->text);
}

static void field_origin(const struct field_line *l, const struct field *f, struct buf *out)
{
    const struct pair *p = field_pair(l);
    (void)f;
    if (p)
        buf_cstr(out, origin_name(p->origin));
}

static void field_sides(const struct field_line *l, const struct field *f, struct buf *out)
{
    (void)f;
    buf_cstr(out, l->row[TARGET] == NONE ? "golden" : l->row[GOLDEN] == NONE ? "target" : "both");
}

static void field_phase(const struct field_line *l, const struct field *f, struct buf *out)
{
    static const char *const names[PHASE_COUNT] = {"forward", "backward", "optimizer"};
    const struct call *c = field_call(l);
    (void)f;
    if (c)
        buf_cstr(out, names[c->phase]);
}

static void field_io(const struct field_line *l, const struct field *f, struct buf *out)
{
    static const char *const names[IO_COUNT] = {"input", "output", "parameter", "gradient"};
    const struct row *r = field_row(l, described_side(l));
    (void)f;
    if (r)
        buf_cstr(out, names[r->io]);
}

static void field_family(const struct field_line *l, const struct field *f, struct buf *out)
{
    const struct call *c = field_call(l);
    (void)f;
    if (c)
        buf_cstr(out, family_name(c->family));
}

static void field_module(const struct field_line *l, const struct field *f, struct buf *out)
{
    const struct call *c = field_call(l);
    (void)f;
    if (c && c->scope != NONE)
        buf_cstr(out, field_dump(l, described_side(l))->scopes.v[c->scope]);
}

/* ---- calls recomputed ---- */

static bool field_excess(const struct field_line *l, const struct field *f, double *v)
{
    const struct oracle *o = comparison_oracle(l->s);
    const struct oracle_row *r = o && f->side < o->sides ? oracle_side_row(&o->side[f->side], l->row[f->side]) : NULL;
    return r && (*v = r->excess, true);
}

static void field_wrong_side(const struct field_line *l, const struct field *f, struct buf *out)
{
    const struct oracle *o = comparison_oracle(l->s);
    const char *name = o ? oracle_which_name(oracle_which(o, l->row)) : NULL;
    (void)f;
    if (name)
        buf_cstr(out, name);
}

/* ---- the previous round ---- */

static void field_was(const struct field_line *l, const struct field *f, struct buf *out)
{
    const struct round_row *r = round_since_row(&l->s->since, l->line);
    (void)f;
    if (round_since_knows(&l->s->since, l->line))
        buf_cstr(out, r ? verdict_name((enum verdict)r->verdict) : "absent");
}

static bool was_rank(const struct field_line *l, const struct field *f, double *v)
{
    const struct round_row *r = round_since_row(&l->s->since, l->line);
    (void)f;
    return r && r->verdict < VERDICT_COUNT && verdict_severity((enum verdict)r->verdict, v);
}

static bool was_error(const struct field_line *l, const struct field *f, double *v)
{
    const struct round_row *r = round_since_row(&l->s->since, l->line);
    (void)f;
    return r && give_finite((double)r->error, v);
}

static void field_change(const struct field_line *l, const struct field *f, struct buf *out)
{
    enum change_kind k = round_since_change(l->s, l->line);
    (void)f;
    if (k != CHANGE_KINDS)
        buf_cstr(out, change_name(k));
}

static void field_flags(const struct field_line *l, const struct field *f, struct buf *out)
{
    static const struct {
        int bit;
        const char *name;
    } names[] = {{LINE_DTYPE_DIFF, "precision"}, {LINE_DOUBTFUL, "doubtful"}, {LINE_STATISTICS, "statistics"},
                 {LINE_SOURCE, "source"},        {LINE_UNREAD, "unread"}};
    (void)f;
    for (size_t i = 0; l->j && i < ARRAY_LEN(names); i++)
        if (l->j->flags & names[i].bit)
            buf_fmt(out, "%s%s", out->n ? " " : "", names[i].name);
}

static void field_problem(const struct field_line *l, const struct field *f, struct buf *out)
{
    size_t n;
    const struct dump_check_problem *p = l->row[TARGET] == NONE
                                         ? NULL : one_side_problems(&l->s->examined, l->row[TARGET], &n);
    (void)f;
    for (size_t i = 0; p && i < n; i++)
        buf_fmt(out, "%s%s", i ? " " : "", p[i].kind);
}

const struct field fields[] = {
    {"verdict", N_("verdict"), N_("match, drift, deviate, nonfinite, shape, dtype, only, skip, pending"), 10,
     .text = field_verdict, .rank = verdict_rank, .key = "verdict", .column = "Verdict", .label = N_("verdict")},
    {"rel_l2", N_("rel L2"), N_("relative L2 error; for statistics the largest relative difference"), 8,
     .number = field_judged, .error = true, .which = JUDGED_ERROR, .key = "error", .label = N_("error")},
    {"one_minus_cosine", N_("1-cos"), N_("1 - cosine, with full precision"), 8,
     .number = field_figure, .error = true, .which = FIGURE_MINUS, .key = "one_minus_cosine", .column = "1-Cosine", .label = N_("1 − cosine")},
    {"max_abs", N_("max abs"), N_("largest absolute error"), 8,
     .number = field_figure, .error = true, .which = RESULT_MAX_ABS, .key = "max_abs_err", .column = "MaxAbsErr", .label = N_("largest absolute error")},
    {"max_rel", N_("max rel"), N_("largest relative error"), 8,
     .number = field_figure, .error = true, .which = RESULT_MAX_REL, .key = "max_rel_err", .column = "MaxRelativeErr", .label = N_("largest relative error")},
    {"cosine", N_("cosine"), N_("cosine of the two tensors"), 12,
     .number = field_figure, .which = RESULT_COSINE, .key = "cosine", .column = "Cosine", .label = N_("cosine")},
    {"one_thousandth", N_("<0.1 %"), N_("share of elements with a relative error below 0.001"), 10,
     .number = field_figure, .which = RESULT_ONE_THOUSANDTH, .key = "one_thousandth", .column = "One Thousandth Err Ratio", .label = N_("share within 0.1 %")},
    {"five_thousandths", N_("<0.5 %"), N_("share of elements with a relative error below 0.005"), 10,
     .number = field_figure, .which = RESULT_FIVE_THOUSANDTHS, .key = "five_thousandths", .column = "Five Thousandths Err Ratio", .label = N_("share within 0.5 %")},
    {"euclid", N_("euclid"), N_("Euclidean distance"), 8,
     .number = field_figure, .error = true, .which = RESULT_EUCLID, .key = "euclid", .column = "EucDist", .label = N_("Euclidean distance")},
    {"amplification", N_("× error"), N_("for outputs: output error of the call divided by its input error; large if "
                                        "the call adds error"), 8,
     .number = field_amplification, .error = true},
    {"level", N_("level"), N_("noise level here"), 8,
     .number = field_judged, .error = true, .which = JUDGED_LEVEL, .key = "level", .label = N_("noise level")},
    {"limit", N_("limit"), N_("limit applied to the error"), 8,
     .number = field_judged, .error = true, .which = JUDGED_LIMIT, .key = "limit", .label = N_("limit")},
    {"t.max", N_("t max"), N_("target's maximum"), 11,
     .number = field_stat, .side = TARGET, .which = STAT_MAX, .key = "max", .column = "NPU max", .label = N_("max")},
    {"g.max", N_("g max"), N_("golden maximum"), 11,
     .number = field_stat, .side = GOLDEN, .which = STAT_MAX, .key = "max", .column = "Bench max"},
    {"t.min", N_("t min"), N_("target's minimum"), 11,
     .number = field_stat, .side = TARGET, .which = STAT_MIN, .key = "min", .column = "NPU min", .label = N_("min")},
    {"g.min", N_("g min"), N_("golden minimum"), 11,
     .number = field_stat, .side = GOLDEN, .which = STAT_MIN, .key = "min", .column = "Bench min"},
    {"t.mean", N_("t mean"), N_("target's mean"), 11,
     .number = field_stat, .side = TARGET, .which = STAT_MEAN, .key = "mean", .column = "NPU mean", .label = N_("mean")},
    {"g.mean", N_("g mean"), N_("golden mean"), 11,
     .number = field_stat, .side = GOLDEN, .which = STAT_MEAN, .key = "mean", .column = "Bench mean"},
    {"t.norm", N_("t norm"), N_("target's L2 norm"), 11,
     .number = field_stat, .side = TARGET, .which = STAT_NORM, .key = "norm", .column = "NPU l2norm", .label = N_("norm (L2)")},
    {"g.norm", N_("g norm"), N_("golden L2 norm"), 11,
     .number = field_stat, .side = GOLDEN, .which = STAT_NORM, .key = "norm", .column = "Bench l2norm"},
    {"t.nan", N_("t nan"), N_("NaN elements of the target"), 6,
     .number = field_count, .side = TARGET, .which = COUNTED_NAN, .key = "nan", .column = "NPU nan", .label = N_("NaN elements")},
    {"g.nan", N_("g nan"), N_("NaN elements of the golden side"), 6,
     .number = field_count, .side = GOLDEN, .which = COUNTED_NAN, .key = "nan", .column = "Bench nan"},
    {"t.inf", N_("t inf"), N_("infinite elements of the target"), 6,
     .number = field_count, .side = TARGET, .which = COUNTED_INF, .key = "inf", .column = "NPU inf", .label = N_("infinite elements")},
    {"g.inf", N_("g inf"), N_("infinite elements of the golden side"), 6,
     .number = field_count, .side = GOLDEN, .which = COUNTED_INF, .key = "inf", .column = "Bench inf"},
    {"t.zero", N_("t zero"), N_("zeros of the target"), 7,
     .number = field_count, .side = TARGET, .which = COUNTED_ZERO, .key = "zero", .column = "NPU zero", .label = N_("zero elements")},
    {"g.zero", N_("g zero"), N_("zeros of the golden side"), 7,
     .number = field_count, .side = GOLDEN, .which = COUNTED_ZERO, .key = "zero", .column = "Bench zero"},
    {"t.dtype", N_("t dtype"), N_("target's element type"), 9,
     .text = field_dtype, .side = TARGET, .key = "dtype", .column = "NPU Dtype", .label = N_("type")},
    {"g.dtype", N_("g dtype"), N_("golden element type"), 9,
     .text = field_dtype, .side = GOLDEN, .key = "dtype", .column = "Bench Dtype"},
    {"t.shape", N_("t shape"), N_("target's shape"), 14,
     .text = field_shape, .side = TARGET, .key = "shape", .column = "NPU Tensor Shape", .label = N_("shape")},
    {"g.shape", N_("g shape"), N_("golden shape"), 14,
     .text = field_shape, .side = GOLDEN, .key = "shape", .column = "Bench Tensor Shape"},
    {"t.value", N_("t value"), N_("target's scalar value"), 10,
     .text = field_value_text, .side = TARGET, .key = "value", .column = "NPU value", .label = N_("value")},
    {"g.value", N_("g value"), N_("golden scalar value"), 10,
     .text = field_value_text, .side = GOLDEN, .key = "value", .column = "Bench value"},
    {"t.checksum", N_("t checksum"), N_("target's checksum"), 10,
     .text = field_checksum, .side = TARGET, .key = "checksum", .column = "NPU MD5", .label = N_("checksum")},
    {"g.checksum", N_("g checksum"), N_("golden checksum"), 10,
     .text = field_checksum, .side = GOLDEN, .key = "checksum", .column = "BENCH MD5"},
    {"origin", N_("origin"), N_("source of the pairing: name, mapping, sequence, rule, mark"), 9,
     .text = field_origin, .key = "origin", .column = "Origin"},
    {"confidence", N_("conf"), N_("confidence of the pair, 0 to 1"), 5,
     .number = field_confidence, .key = "confidence", .column = "Confidence"},
    {"family", N_("family"), N_("kind of operator: linear, norm, softmax …"), 11, .text = field_family},
    {"phase", N_("phase"), N_("forward, backward, optimizer"), 9, .text = field_phase},
    {"io", N_("io"), N_("input, output, parameter, gradient"), 9, .text = field_io},
    {"side", N_("side"), N_("which sides have the row: both, target or golden"), 7, .text = field_sides},
    {"module", N_("module"), N_("module path"), 28, .text = field_module},
    {"layer", N_("layer"), N_("layer number"), 5, .number = field_layer},
    {"numel", N_("elements"), N_("element count"), 9, .number = field_numel},
    {"flags", N_("flags"), N_("precision, doubtful, statistics, source, unread"), 12, .text = field_flags},
    {"problem", N_("problem"), N_("problems of one side: nan, inf, saturated, damaged, missing-file, dtype, all-zero, "
                                  "constant"), 12,
     .text = field_problem, .key = "problem", .label = N_("problem")},
    {"which", N_("wrong"), N_("which side is wrong, from recomputed calls: target, golden, both, neither"), 8, .text = field_wrong_side},
    {"t.excess", N_("t excess"), N_("error of the target output against recomputation from its own inputs, in units of "
                                    "the rounding error of a correct computation; above 2: wrong"), 8,
     .number = field_excess, .error = true, .side = TARGET, .key = "excess"},
    {"g.excess", N_("g excess"), N_("error of the golden output against recomputation from its own inputs, in units "
                                    "of the rounding error of a correct computation; above 2: wrong"), 8,
     .number = field_excess, .error = true, .side = GOLDEN, .key = "excess"},
    {"told", N_("told"), N_("verdict of the other tool's result table, as written there"), 9,
     .text = field_table_result, .key = "told", .column = "Table's Result", .label = N_("the table's verdict")},
    {"was", N_("was"), N_("verdict in the previous round; absent: not recorded then"), 9, .text = field_was, .rank = was_rank},
    {"was.rel_l2", N_("was L2"), N_("error in the previous round"), 8,
     .number = was_error, .error = true, .column = "Was Error"},
    {"change", N_("change"), N_("change since the previous round: fixed, new, worse, better, vanished"), 8,
     .text = field_change, .column = "Change"},
    {"rank", N_("rank"), N_("rank of the dump"), 4, .number = field_rank},
    {"row", N_("row"), N_("position in execution order"), 8, .number = field_order},
    {"target", N_("target"), N_("target's row name"), 40,
     .text = field_name_text, .side = TARGET, .key = "target", .column = "NPU Name"},
    {"golden", N_("golden"), N_("golden row name"), 40,
     .text = field_name_text, .side = GOLDEN, .key = "golden", .column = "Bench Name"},
    /* in files only */
    {"figure.rel_l2", .number = field_figure, .which = FIGURE_REL_L2, .key = "rel_l2", .column = "Rel L2", .label = N_("rel L2")},
    {"t.saturated", .number = field_count, .side = TARGET, .which = COUNTED_SATURATED, .key = "saturated", .label = N_("saturated elements")},
    {"g.saturated", .number = field_count, .side = GOLDEN, .which = COUNTED_SATURATED, .key = "saturated"},
    {0},
};

bool field_value(const struct field_line *l, const struct field *f, double *v)
{
    return f->number(l, f, v);
}

bool field_sorts_by_number(const struct field *f)
{
    return f->number || f->rank;
}

bool field_sort_value(const struct field_line *l, const struct field *f, double *v)
{
    return f->rank ? f->rank(l, f, v) : f->number && f->number(l, f, v);
}

void field_text(const struct field_line *l, const struct field *f, struct buf *out)
{
    buf_clear(out);
    f->text(l, f, out);
}

void field_exact(const struct field_line *l, const struct field *f, struct buf *out)
{
    char n[NUM_MAX];
    double v;
    buf_clear(out);
    if (f->text)
        f->text(l, f, out);
    else if (field_value(l, f, &v))
        buf_cstr(out, num_exact(n, v));
}

size_t fields_named(const char *names, const struct field *out[])
{
    struct str rest = str_of(names), word;
    size_t n = 0;
    while (rest.n) {
        word = str_next(&rest, ' ');
        out[n++] = field_find(word);
    }
    return n;
}

const struct field *field_find(struct str name)
{
    static const struct {
        const char *alias, *name;
    } aliases[] = {{"error", "rel_l2"},  {"1-cos", "one_minus_cosine"},
                   {"dtype", "t.dtype"}, {"shape", "t.shape"},
                   {"norm", "t.norm"},   {"order", "row"},
                   {"scope", "module"}};
    for (const struct field *f = fields; f->name; f++)
        if (str_is(name, f->name))
            return f;
    for (size_t i = 0; i < ARRAY_LEN(aliases); i++)
        if (str_is(name, aliases[i].alias))
            return field_find(str_of(aliases[i].name));
    return NULL;
}
