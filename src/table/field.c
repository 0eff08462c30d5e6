/* The table of fields: how each is named and titled, and the function that gives its number or text of a line. */
#include "table/field.h"

#include <math.h>

#include "base/msg.h"
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

static const struct dump *dump_of(const struct field_line *l, int side)
{
    return &l->s->side[side].dump;
}

static const struct row *row_of(const struct field_line *l, int side)
{
    return l->row[side] == NONE ? NULL : &dump_of(l, side)->rows.v[l->row[side]];
}

/* The side that speaks for the line: the target's where it has a row. */
static int speaker(const struct field_line *l)
{
    return l->row[TARGET] == NONE ? GOLDEN : TARGET;
}

static const struct call *call_of(const struct field_line *l)
{
    int s = speaker(l);
    const struct row *r = row_of(l, s);
    return r ? &dump_of(l, s)->calls.v[r->call] : NULL;
}

static const struct pair *pair_of(const struct field_line *l)
{
    uint32_t p = l->s->paired ? l->s->pairing->lines.v[l->line].pair : NONE;
    return p == NONE ? NULL : &l->s->pairing->pairs.v[p];
}

/* ---- errors ---- */

static double amplification(const struct field_line *l)
{
    if (!l->j || l->row[TARGET] == NONE || l->s->side[TARGET].dump.rows.v[l->row[TARGET]].io != IO_OUTPUT)
        return NAN;
    return call_error_of(l->s->judged, &l->s->measure, l->s->side[TARGET].dump.rows.v[l->row[TARGET]].call).factor;
}

static double rel_l2(const struct field_line *l)
{
    return l->j ? (double)l->j->error : NAN;
}

#define TWO_SIDED(name, member)                                                                    \
    static double name(const struct field_line *l)                                                 \
    {                                                                                              \
        return l->f && l->f->two ? l->f->member : NAN;                                             \
    }
TWO_SIDED(cosine, cosine)
TWO_SIDED(minus, minus)
TWO_SIDED(euclid, euclid)
TWO_SIDED(max_abs, max_abs)
TWO_SIDED(max_rel, max_rel)
TWO_SIDED(one_thousandth, one_thousandth)
TWO_SIDED(five_thousandths, five_thousandths)

static double level(const struct field_line *l)
{
    return l->j ? (double)l->j->level : NAN;
}

static double limit(const struct field_line *l)
{
    return l->j ? (double)l->j->limit : NAN;
}

/* ---- one side's figures: computed where the tensor was read, else recorded ---- */

static double stat_of(const struct field_line *l, int side, int stat)
{
    static const int bit[] = {HAS_MAX, HAS_MIN, HAS_MEAN, HAS_NORM};
    const struct row *r = row_of(l, side);
    if (!r || r->kind != ROW_TENSOR) /* a scalar's value is t.value */
        return NAN;
    const struct side_figures *f = comparison_figures(l->s, l->line, side);
    if (f) {
        const double v[] = {f->max, f->min, f->mean, f->norm};
        return v[stat];
    }
    return r->has & bit[stat] ? r->stat[stat] : NAN;
}

static double count_of(const struct field_line *l, int side, int which)
{
    const struct row *r = row_of(l, side);
    const struct side_figures *f = comparison_figures(l->s, l->line, side);
    if (f)
        return (double)(which == 0 ? f->nan : which == 1 ? f->inf : f->zero);
    if (!r || r->extra == NONE)
        return NAN;
    const struct row_extra *e = &dump_of(l, side)->extras.v[r->extra];
    if (which == 0)
        return e->counts & COUNT_NAN ? (double)e->nan : NAN;
    if (which == 1)
        return e->counts & COUNT_POS_INF ? (double)(e->pos_inf + e->neg_inf) : NAN;
    return e->counts & COUNT_ZERO ? (double)e->zero : NAN;
}

#define SIDED(name, call)                                                                          \
    static double t_##name(const struct field_line *l)                                             \
    {                                                                                              \
        return call(l, TARGET, S_##name);                                                          \
    }                                                                                              \
    static double g_##name(const struct field_line *l)                                             \
    {                                                                                              \
        return call(l, GOLDEN, S_##name);                                                          \
    }
enum { S_max = STAT_MAX, S_min = STAT_MIN, S_mean = STAT_MEAN, S_norm = STAT_NORM, S_nan = 0, S_inf = 1, S_zero = 2 };
SIDED(max, stat_of)
SIDED(min, stat_of)
SIDED(mean, stat_of)
SIDED(norm, stat_of)
SIDED(nan, count_of)
SIDED(inf, count_of)
SIDED(zero, count_of)

/* ---- what the line is ---- */

static double order(const struct field_line *l)
{
    return (double)l->line + 1;
}

static double numel(const struct field_line *l)
{
    int s = speaker(l);
    return row_of(l, s) ? (double)dump_row_numel(dump_of(l, s), l->row[s]) : NAN;
}

static double confidence(const struct field_line *l)
{
    const struct pair *p = pair_of(l);
    return p ? (double)p->confidence : NAN;
}

static double layer(const struct field_line *l)
{
    int s = speaker(l);
    const struct row *r = row_of(l, s);
    uint32_t n = r && l->s->flow[s].layer ? l->s->flow[s].layer[r->call] : NONE;
    return n == NONE ? NAN : (double)n;
}

static double rank(const struct field_line *l)
{
    int r = dump_of(l, TARGET)->rank;
    return r < 0 ? NAN : r;
}

static void verdict(const struct field_line *l, struct buf *out)
{
    buf_cstr(out, l->j ? verdict_name(l->j->verdict) : "pending");
}

static void name_of(const struct field_line *l, int side, struct buf *out)
{
    if (l->row[side] != NONE)
        dump_row_name(dump_of(l, side), l->row[side], out);
}

static void target(const struct field_line *l, struct buf *out)
{
    name_of(l, TARGET, out);
}

static void golden(const struct field_line *l, struct buf *out)
{
    name_of(l, GOLDEN, out);
}

static void dtype_of(const struct field_line *l, int side, struct buf *out)
{
    const struct row *r = row_of(l, side);
    if (r && r->kind == ROW_TENSOR && r->dtype)
        buf_cstr(out, dtype_table[r->dtype].name);
}

static void t_dtype(const struct field_line *l, struct buf *out)
{
    dtype_of(l, TARGET, out);
}

static void g_dtype(const struct field_line *l, struct buf *out)
{
    dtype_of(l, GOLDEN, out);
}

static void shape_of(const struct field_line *l, int side, struct buf *out)
{
    const struct shape *s = l->row[side] == NONE ? NULL : dump_row_shape(dump_of(l, side), l->row[side]);
    if (s)
        shape_text(s, out);
}

static void t_shape(const struct field_line *l, struct buf *out)
{
    shape_of(l, TARGET, out);
}

static void g_shape(const struct field_line *l, struct buf *out)
{
    shape_of(l, GOLDEN, out);
}

static void checksum_of(const struct field_line *l, int side, struct buf *out)
{
    const struct row *r = row_of(l, side);
    if (r && r->has & HAS_CHECKSUM)
        buf_cstr(out, r->text);
}

static void t_checksum(const struct field_line *l, struct buf *out)
{
    checksum_of(l, TARGET, out);
}

static void g_checksum(const struct field_line *l, struct buf *out)
{
    checksum_of(l, GOLDEN, out);
}

static void value_of(const struct field_line *l, int side, struct buf *out)
{
    const struct row *r = row_of(l, side);
    if (r && r->kind != ROW_TENSOR && r->text)
        buf_cstr(out, r->text);
}

static void t_value(const struct field_line *l, struct buf *out)
{
    value_of(l, TARGET, out);
}

static void g_value(const struct field_line *l, struct buf *out)
{
    value_of(l, GOLDEN, out);
}

static void origin(const struct field_line *l, struct buf *out)
{
    const struct pair *p = pair_of(l);
    if (p)
        buf_cstr(out, origin_name(p->origin));
}

static void side(const struct field_line *l, struct buf *out)
{
    buf_cstr(out, l->row[TARGET] == NONE ? "golden" : l->row[GOLDEN] == NONE ? "target" : "both");
}

static void phase(const struct field_line *l, struct buf *out)
{
    static const char *const names[PHASE_COUNT] = {"forward", "backward", "optimizer"};
    const struct call *c = call_of(l);
    if (c)
        buf_cstr(out, names[c->phase]);
}

static void io(const struct field_line *l, struct buf *out)
{
    static const char *const names[IO_COUNT] = {"input", "output", "parameter", "gradient"};
    const struct row *r = row_of(l, speaker(l));
    if (r)
        buf_cstr(out, names[r->io]);
}

static void family(const struct field_line *l, struct buf *out)
{
    const struct call *c = call_of(l);
    if (c)
        buf_cstr(out, family_name(c->family));
}

static void module(const struct field_line *l, struct buf *out)
{
    const struct call *c = call_of(l);
    if (c && c->scope != NONE)
        buf_cstr(out, dump_of(l, speaker(l))->scopes.v[c->scope]);
}

/* ---- the round before ---- */

static void was(const struct field_line *l, struct buf *out)
{
    const struct round_row *r = round_since_row(&l->s->since, l->line);
    if (round_since_knows(&l->s->since, l->line))
        buf_cstr(out, r ? verdict_name((enum verdict)r->verdict) : "absent");
}

static double was_error(const struct field_line *l)
{
    const struct round_row *r = round_since_row(&l->s->since, l->line);
    return r ? (double)r->error : NAN;
}

static void change(const struct field_line *l, struct buf *out)
{
    enum change_kind k = round_since_change(l->s, l->line);
    if (k != CHANGE_KINDS)
        buf_cstr(out, change_name(k));
}

static void flags(const struct field_line *l, struct buf *out)
{
    static const struct {
        int bit;
        const char *name;
    } names[] = {{LINE_DTYPE_DIFF, "precision"}, {LINE_DOUBTFUL, "doubtful"}, {LINE_STATISTICS, "statistics"},
                 {LINE_SOURCE, "source"},        {LINE_UNREAD, "unread"}};
    for (size_t i = 0; l->j && i < ARRAY_LEN(names); i++)
        if (l->j->flags & names[i].bit)
            buf_fmt(out, "%s%s", out->n ? " " : "", names[i].name);
}

static void problem(const struct field_line *l, struct buf *out)
{
    size_t n;
    const struct dump_check_problem *p = l->row[TARGET] == NONE
                                         ? NULL : one_side_problems(&l->s->examined, l->row[TARGET], &n);
    buf_clear(out);
    for (size_t i = 0; p && i < n; i++)
        buf_fmt(out, "%s%s", i ? " " : "", p[i].kind);
}

const struct field fields[] = {
    {"verdict", N_("verdict"), N_("match, drift, deviate, nonfinite, shape, dtype, only, skip, pending"), 10, NULL, verdict, false},
    {"rel_l2", N_("rel L2"), N_("relative L2 error; of statistics the largest relative difference"), 8, rel_l2, NULL, true},
    {"one_minus_cosine", N_("1-cos"), N_("1 - cosine, with its digits"), 8, minus, NULL, true},
    {"max_abs", N_("max abs"), N_("largest absolute error"), 8, max_abs, NULL, true},
    {"max_rel", N_("max rel"), N_("largest relative error"), 8, max_rel, NULL, true},
    {"cosine", N_("cosine"), N_("cosine of the two tensors"), 12, cosine, NULL, false},
    {"one_thousandth", N_("<1 in 1000"), N_("share of elements with a relative error below 0.001"), 10, one_thousandth, NULL, false},
    {"five_thousandths", N_("<5 in 1000"), N_("share of elements with a relative error below 0.005"), 10, five_thousandths, NULL, false},
    {"euclid", N_("euclid"), N_("Euclidean distance"), 8, euclid, NULL, true},
    {"amplification", N_("× error"), N_("of outputs: the call's error out by its error in; what it adds stands out"), 8, amplification, NULL, true},
    {"level", N_("level"), N_("noise level here"), 8, level, NULL, true},
    {"limit", N_("limit"), N_("what the error was held against"), 8, limit, NULL, true},
    {"t.max", N_("t max"), N_("target's maximum"), 11, t_max, NULL, false},
    {"g.max", N_("g max"), N_("golden maximum"), 11, g_max, NULL, false},
    {"t.min", N_("t min"), N_("target's minimum"), 11, t_min, NULL, false},
    {"g.min", N_("g min"), N_("golden minimum"), 11, g_min, NULL, false},
    {"t.mean", N_("t mean"), N_("target's mean"), 11, t_mean, NULL, false},
    {"g.mean", N_("g mean"), N_("golden mean"), 11, g_mean, NULL, false},
    {"t.norm", N_("t norm"), N_("target's L2 norm"), 11, t_norm, NULL, false},
    {"g.norm", N_("g norm"), N_("golden L2 norm"), 11, g_norm, NULL, false},
    {"t.nan", N_("t nan"), N_("NaN elements of the target"), 6, t_nan, NULL, false},
    {"g.nan", N_("g nan"), N_("NaN elements of the golden side"), 6, g_nan, NULL, false},
    {"t.inf", N_("t inf"), N_("infinite elements of the target"), 6, t_inf, NULL, false},
    {"g.inf", N_("g inf"), N_("infinite elements of the golden side"), 6, g_inf, NULL, false},
    {"t.zero", N_("t zero"), N_("zeros of the target"), 7, t_zero, NULL, false},
    {"g.zero", N_("g zero"), N_("zeros of the golden side"), 7, g_zero, NULL, false},
    {"t.dtype", N_("t dtype"), N_("target's element type"), 9, NULL, t_dtype, false},
    {"g.dtype", N_("g dtype"), N_("golden element type"), 9, NULL, g_dtype, false},
    {"t.shape", N_("t shape"), N_("target's shape"), 14, NULL, t_shape, false},
    {"g.shape", N_("g shape"), N_("golden shape"), 14, NULL, g_shape, false},
    {"t.value", N_("t value"), N_("target's scalar value"), 10, NULL, t_value, false},
    {"g.value", N_("g value"), N_("golden scalar value"), 10, NULL, g_value, false},
    {"t.checksum", N_("t checksum"), N_("target's checksum"), 10, NULL, t_checksum, false},
    {"g.checksum", N_("g checksum"), N_("golden checksum"), 10, NULL, g_checksum, false},
    {"origin", N_("origin"), N_("how the pair came to be: name, mapping, sequence, rule, mark"), 9, NULL, origin, false},
    {"confidence", N_("conf"), N_("how sure the pair is, 0 to 1"), 5, confidence, NULL, false},
    {"family", N_("family"), N_("kind of operator: linear, norm, softmax …"), 11, NULL, family, false},
    {"phase", N_("phase"), N_("forward, backward, optimizer"), 9, NULL, phase, false},
    {"io", N_("io"), N_("input, output, parameter, gradient"), 9, NULL, io, false},
    {"side", N_("side"), N_("both, target or golden: who has a row"), 7, NULL, side, false},
    {"module", N_("module"), N_("module path"), 28, NULL, module, false},
    {"layer", N_("layer"), N_("layer number"), 5, layer, NULL, false},
    {"numel", N_("elements"), N_("element count"), 9, numel, NULL, false},
    {"flags", N_("flags"), N_("precision, doubtful, statistics, source, unread"), 12, NULL, flags, false},
    {"problem", N_("problem"), N_("of one side alone: nan, inf, saturated, damaged, missing-file, dtype, all-zero, constant"), 12, NULL, problem, false},
    {"was", N_("was"), N_("verdict in the round before; absent: not recorded then"), 9, NULL, was, false},
    {"was.rel_l2", N_("was L2"), N_("its error in the round before"), 8, was_error, NULL, true},
    {"change", N_("change"), N_("since the round before: fixed, new, worse, better, vanished"), 8, NULL, change, false},
    {"rank", N_("rank"), N_("rank of the dump"), 4, rank, NULL, false},
    {"row", N_("row"), N_("place in execution order"), 8, order, NULL, false},
    {"target", N_("target"), N_("target's row name"), 40, NULL, target, false},
    {"golden", N_("golden"), N_("golden row name"), 40, NULL, golden, false},
    {0},
};

/* A NaN that the dump or the comparison gave as a side's own figure. */
static bool recorded(const struct field_line *l, const struct field *f)
{
    static const struct {
        const char *name;
        int bit;
    } bits[] = {{"max", HAS_MAX}, {"min", HAS_MIN}, {"mean", HAS_MEAN}, {"norm", HAS_NORM}};
    int side = f->name[0] == 'g' ? GOLDEN : TARGET;
    const struct row *r = row_of(l, side);
    if (!r || f->name[1] != '.' || r->kind != ROW_TENSOR)
        return false;
    for (size_t i = 0; i < ARRAY_LEN(bits); i++)
        if (strcmp(f->name + 2, bits[i].name) == 0)
            return l->f || (r->has & bits[i].bit);
    return false;
}

bool field_value(const struct field_line *l, const struct field *f, double *v)
{
    *v = f->number(l);
    return !isnan(*v) || recorded(l, f);
}

const struct field *field_find(struct str name)
{
    static const struct {
        const char *alias, *name;
    } aliases[] = {{"error", "rel_l2"}, {"1-cos", "one_minus_cosine"}, {"dtype", "t.dtype"}, {"shape", "t.shape"}, {"norm", "t.norm"}, {"order", "row"}, {"scope", "module"}};
    for (const struct field *f = fields; f->name; f++)
        if (str_is(name, f->name))
            return f;
    for (size_t i = 0; i < ARRAY_LEN(aliases); i++)
        if (str_is(name, aliases[i].alias))
            return field_find(str_of(aliases[i].name));
    return NULL;
}
