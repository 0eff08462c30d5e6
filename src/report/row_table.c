/* All rows of the table. The columns msprobe's own result has keep its names, so that scripts made for
 * it go on working; where the figures differ, doc/differences.md says why. */
#include "report/row_table.h"

#include <math.h>

#include "base/num.h"
#include "judge/verdict_text.h"
#include "judge/table_verdicts.h"

static void text(struct row_writer *c, struct str s)
{
    c->sink->text(c->sink, s);
}

static void number(struct row_writer *c, bool have, double v)
{
    if (have)
        c->sink->number(c->sink, v);
    else
        c->sink->text(c->sink, STR(""));
}

static void count(struct row_writer *c, bool have, uint64_t v)
{
    if (have)
        c->sink->count(c->sink, v);
    else
        c->sink->text(c->sink, STR(""));
}

/* "3.2%": as msprobe writes relative errors of statistics */
static void percent(struct row_writer *c, bool have, double t, double g)
{
    struct buf b = {0};
    char tmp[NUM_MAX];
    if (have && t == g)
        buf_cstr(&b, "0");
    else if (have)
        buf_fmt(&b, "%s%s", num_exact(tmp, fabs((t - g) / g) * 100), isfinite((t - g) / g) ? "%" : "");
    text(c, buf_view(&b));
    buf_release(&b);
}

struct table_column {
    const char *name;
    void (*put)(struct row_writer *c, uint32_t line, int arg);
    int arg;
};

static const struct row *row_of(struct row_writer *c, uint32_t line, int side)
{
    uint32_t r = c->m->pairing->lines.v[line].row[side];
    return r == NONE ? NULL : &c->m->side[side]->rows.v[r];
}

static void put_name(struct row_writer *c, uint32_t line, int side)
{
    struct buf b = {0};
    uint32_t r = c->m->pairing->lines.v[line].row[side];
    if (r == NONE)
        buf_cstr(&b, "N/A");
    else
        dump_row_name(c->m->side[side], r, &b);
    text(c, buf_view(&b));
    buf_release(&b);
}

static void put_dtype(struct row_writer *c, uint32_t line, int side)
{
    const struct row *r = row_of(c, line, side);
    text(c, str_of(!r ? "N/A" : r->kind == ROW_TENSOR ? dtype_table[r->dtype].name : ""));
}

static void put_shape(struct row_writer *c, uint32_t line, int side)
{
    struct buf b = {0};
    uint32_t r = c->m->pairing->lines.v[line].row[side];
    const struct shape *s = r == NONE ? NULL : dump_row_shape(c->m->side[side], r);
    if (s)
        shape_text(s, &b);
    text(c, buf_view(&b));
    buf_release(&b);
}

enum { F_COSINE, F_EUCLID, F_ABS, F_REL, F_ONE, F_FIVE, F_REL_L2, F_MINUS };

static void put_figure(struct row_writer *c, uint32_t line, int which)
{
    const struct figures *f = measure_figures(c->m, line);
    bool have = f && f->two;
    double v = !have                ? 0
               : which == F_COSINE  ? f->cosine
               : which == F_EUCLID  ? f->euclid
               : which == F_ABS     ? f->max_abs
               : which == F_REL     ? f->max_rel
               : which == F_ONE     ? f->one_thousandth
               : which == F_FIVE    ? f->five_thousandths
               : which == F_REL_L2  ? f->rel_l2
                                    : f->minus;
    if (!have && which <= F_FIVE) /* in the order of the table's */
        have = table_verdicts_figure(c->m, line, (enum result_figure)which, &v);
    number(c, have, v);
}

/* A figure of one side: computed where the tensor was read, else recorded. */
static bool stat_of(struct row_writer *c, uint32_t line, int side, int stat, double *v)
{
    const struct figures *f = measure_figures(c->m, line);
    const struct row *r = row_of(c, line, side);
    static const int bit[] = {HAS_MAX, HAS_MIN, HAS_MEAN, HAS_NORM};
    if (f) {
        const struct side_figures *x = &f->side[side];
        *v = stat == STAT_MAX ? x->max : stat == STAT_MIN ? x->min : stat == STAT_MEAN ? x->mean : x->norm;
        return true;
    }
    if (!r || !(r->has & bit[stat]))
        return false;
    *v = r->stat[stat];
    return true;
}

static void put_stat(struct row_writer *c, uint32_t line, int arg) /* side * 4 + stat */
{
    double v = 0;
    bool have = stat_of(c, line, arg / 4, arg % 4, &v);
    number(c, have, v);
}

static void put_stat_diff(struct row_writer *c, uint32_t line, int stat)
{
    double t = 0, g = 0;
    bool have = stat_of(c, line, 0, stat, &t) && stat_of(c, line, 1, stat, &g);
    number(c, have, t - g);
}

static void put_stat_rel(struct row_writer *c, uint32_t line, int stat)
{
    double t = 0, g = 0;
    bool have = stat_of(c, line, 0, stat, &t) && stat_of(c, line, 1, stat, &g);
    percent(c, have, t, g);
}

static void put_checksum(struct row_writer *c, uint32_t line, int side)
{
    const struct row *r = row_of(c, line, side);
    text(c, str_of(r && r->has & HAS_CHECKSUM ? r->text : ""));
}

/* msprobe's word for it */
static void put_result(struct row_writer *c, uint32_t line, int arg)
{
    static const char *const word[VERDICT_COUNT] = {
        [VERDICT_PENDING] = "", [VERDICT_MATCH] = "pass", [VERDICT_DRIFT] = "warning",
        [VERDICT_DEVIATE] = "error", [VERDICT_NONFINITE] = "error", [VERDICT_SHAPE] = "error",
        [VERDICT_DTYPE] = "error", [VERDICT_ONLY] = "unmatched", [VERDICT_SKIP] = "skip",
    };
    (void)arg;
    text(c, str_of(word[c->j->line[line].verdict]));
}

static void put_reason(struct row_writer *c, uint32_t line, int arg)
{
    struct buf b = {0};
    (void)arg;
    explain_verdict(c->j, c->m, line, &b);
    text(c, buf_view(&b));
    buf_release(&b);
}

static void put_order(struct row_writer *c, uint32_t line, int arg)
{
    (void)arg;
    count(c, true, line);
}

static void put_verdict(struct row_writer *c, uint32_t line, int arg)
{
    (void)arg;
    text(c, str_of(verdict_name(c->j->line[line].verdict)));
}

static void put_origin(struct row_writer *c, uint32_t line, int arg)
{
    uint32_t p = c->m->pairing->lines.v[line].pair;
    (void)arg;
    text(c, str_of(p == NONE ? "" : origin_name(c->m->pairing->pairs.v[p].origin)));
}

static void put_confidence(struct row_writer *c, uint32_t line, int arg)
{
    uint32_t p = c->m->pairing->lines.v[line].pair;
    (void)arg;
    number(c, p != NONE, p == NONE ? 0 : round((double)c->m->pairing->pairs.v[p].confidence * 1e4) / 1e4);
}

/* What the round before said of the row, and what became of it. */
static void put_was(struct row_writer *c, uint32_t line, int arg)
{
    const struct round_row *r = round_since_row(&c->s->since, line);
    (void)arg;
    text(c, str_of(r ? verdict_name((enum verdict)r->verdict) : ""));
}

static void put_was_error(struct row_writer *c, uint32_t line, int arg)
{
    const struct round_row *r = round_since_row(&c->s->since, line);
    (void)arg;
    number(c, r && !isnan(r->error), r ? (double)r->error : 0);
}

static void put_change(struct row_writer *c, uint32_t line, int arg)
{
    enum change_kind k = round_since_change(c->s, line);
    (void)arg;
    text(c, str_of(k == CHANGE_KINDS ? "" : change_name(k)));
}

static void put_count(struct row_writer *c, uint32_t line, int arg) /* side * 3 + nan, inf, zero */
{
    const struct figures *f = measure_figures(c->m, line);
    const struct side_figures *x = f ? &f->side[arg / 3] : NULL;
    count(c, x != NULL, !x ? 0 : arg % 3 == 0 ? x->nan : arg % 3 == 1 ? x->inf : x->zero);
}

static void put_value(struct row_writer *c, uint32_t line, int side)
{
    const struct row *r = row_of(c, line, side);
    text(c, str_of(r && r->kind != ROW_TENSOR && r->text ? r->text : ""));
}

static void put_stack(struct row_writer *c, uint32_t line, int side)
{
    const struct row *r = row_of(c, line, side);
    const struct dump *d = c->m->side[side];
    struct buf b = {0};
    /* on the first row of a call only, as msprobe does */
    if (r && d->calls.v[r->call].first_row == c->m->pairing->lines.v[line].row[side] && d->calls.v[r->call].stack != NONE) {
        const struct stack *st = &d->stacks.v[d->calls.v[r->call].stack];
        for (uint32_t i = 0; i < st->n; i++) {
            const struct frame *f = &d->frames.v[d->stack_frames.v[st->first + i]];
            if (f->line)
                buf_fmt(&b, "%s%s:%u %s", i ? " | " : "", f->file, f->line, f->code);
            else
                buf_fmt(&b, "%s%s", i ? " | " : "", f->raw);
        }
    }
    text(c, buf_view(&b));
    buf_release(&b);
}

static const struct table_column head[] = {
    {"NPU Name", put_name, 0},           {"Bench Name", put_name, 1},
    {"NPU Dtype", put_dtype, 0},         {"Bench Dtype", put_dtype, 1},
    {"NPU Tensor Shape", put_shape, 0},  {"Bench Tensor Shape", put_shape, 1},
    {0},
};
static const struct table_column tensor_columns[] = {
    {"Cosine", put_figure, F_COSINE},
    {"EucDist", put_figure, F_EUCLID},
    {"MaxAbsErr", put_figure, F_ABS},
    {"MaxRelativeErr", put_figure, F_REL},
    {"One Thousandth Err Ratio", put_figure, F_ONE},
    {"Five Thousandths Err Ratio", put_figure, F_FIVE},
    {0},
};
static const struct table_column stat_columns[] = {
    {"Max diff", put_stat_diff, STAT_MAX},          {"Min diff", put_stat_diff, STAT_MIN},
    {"Mean diff", put_stat_diff, STAT_MEAN},        {"L2norm diff", put_stat_diff, STAT_NORM},
    {"MaxRelativeErr", put_stat_rel, STAT_MAX},     {"MinRelativeErr", put_stat_rel, STAT_MIN},
    {"MeanRelativeErr", put_stat_rel, STAT_MEAN},   {"NormRelativeErr", put_stat_rel, STAT_NORM},
    {0},
};
static const struct table_column md5_columns[] = {
    {"NPU MD5", put_checksum, 0},
    {"BENCH MD5", put_checksum, 1},
    {0},
};
static const struct table_column tail[] = {
    {"NPU max", put_stat, 0},            {"NPU min", put_stat, 1},
    {"NPU mean", put_stat, 2},           {"NPU l2norm", put_stat, 3},
    {"Bench max", put_stat, 4},          {"Bench min", put_stat, 5},
    {"Bench mean", put_stat, 6},         {"Bench l2norm", put_stat, 7},
    {"Result", put_result, 0},           {"Err_message", put_reason, 0},
    {"NPU_Stack_Info", put_stack, 0},
    /* ours */
    {"Order", put_order, 0},             {"Verdict", put_verdict, 0},
    {"Origin", put_origin, 0},           {"Confidence", put_confidence, 0},
    {"Rel L2", put_figure, F_REL_L2},    {"1-Cosine", put_figure, F_MINUS},
    {"NPU nan", put_count, 0},           {"NPU inf", put_count, 1},
    {"NPU zero", put_count, 2},          {"Bench nan", put_count, 3},
    {"Bench inf", put_count, 4},         {"Bench zero", put_count, 5},
    {"NPU value", put_value, 0},         {"Bench value", put_value, 1},
    {"Bench_Stack_Info", put_stack, 1},
    {0},
};

static const struct table_column round_columns[] = {
    {"Was", put_was, 0},
    {"Was Error", put_was_error, 0},
    {"Change", put_change, 0},
    {0},
};

void row_table_init(struct row_writer *c, const struct comparison *s, struct row_sink *sink)
{
    *c = (struct row_writer){.sink = sink, .s = s, .j = s->judged, .m = &s->measure};
    bool md5 = s->side[0].dump.checksums || s->side[1].dump.checksums;
    const struct table_column *const part[ROW_PARTS] = {
        head,
        c->m->wanted ? tensor_columns : stat_columns,
        md5 ? md5_columns : tail + ARRAY_LEN(tail) - 1,
        tail,
        s->since.join ? round_columns : round_columns + ARRAY_LEN(round_columns) - 1,
    };
    memcpy(c->part, part, sizeof part);
}

void row_table_head(struct row_writer *c)
{
    for (size_t p = 0; p < ROW_PARTS; p++)
        for (const struct table_column *k = c->part[p]; k->name; k++)
            text(c, str_of(k->name));
}

void row_table_write(struct row_writer *c, uint32_t line)
{
    for (size_t p = 0; p < ROW_PARTS; p++)
        for (const struct table_column *k = c->part[p]; k->name; k++)
            k->put(c, line, k->arg);
}
