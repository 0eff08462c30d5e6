/* The table of facts and their labels, and the functions that collect a line's facts for findings and reports. */
#include "compare/evidence.h"

#include <math.h>

#include "base/msg.h"
#include "base/num.h"
#include "judge/verdict_text.h"
#include "judge/table_verdicts.h"

static const struct {
    const char *what, *label;
} labels[] = {
    {"verdict", N_("verdict")}, {"problem", N_("problem")}, {"reason", N_("reason")}, {"first", N_("first deviation")}, {"diagnosis", N_("looks like")},
    {"pair", N_("why paired")}, {"view", N_("compared through")}, {"dtype", N_("type")}, {"shape", N_("shape")},
    {"value", N_("value")}, {"max", N_("max")}, {"min", N_("min")}, {"mean", N_("mean")}, {"norm", N_("norm (L2)")},
    {"nan", N_("NaN elements")}, {"inf", N_("infinite elements")}, {"zero", N_("zero elements")},
    {"saturated", N_("saturated elements")}, {"checksum", N_("checksum")}, {"cosine", N_("cosine")},
    {"one_minus_cosine", N_("1 − cosine")}, {"rel_l2", N_("rel L2")}, {"euclid", N_("Euclidean distance")},
    {"max_abs_err", N_("largest absolute error")}, {"max_rel_err", N_("largest relative error")},
    {"one_thousandth", N_("share within 0.1 %")}, {"five_thousandths", N_("share within 0.5 %")},
    {"error", N_("error judged")}, {"limit", N_("limit")}, {"level", N_("noise level")}, {"frame", N_("called at")},
    {"passage", N_("error through the call")}, {"dump", N_("recording")}, {"file", N_("files")}, {"fingerprint", N_("fingerprint")},
    {"screen", N_("around it")}, {"rows", N_("rows of the call")}, {"row", N_("row")}, {"lines", N_("lines")}, {"calls", N_("calls")},
    {"compute", N_("calls that compute")}, {"call", N_("call")}, {"before", N_("paired before it")}, {"after", N_("paired after it")},
    {"index", N_("place")}, {"bits", N_("as stored")}, {"difference", N_("difference")}, {"relative", N_("relative difference")},
    {"ulp", N_("units of the last place")}, {"elements", N_("elements")}, {"state", N_("state")}, {"source", N_("set at")},
    {"severity", N_("severity")}, {"setting", N_("setting")}, {"wanted", N_("wanted")}, {"explanation", N_("explanation")},
    {"waived", N_("waived")}, {"unit", N_("unit")}, {"step", N_("step")}, {"median", N_("median difference")}, {"loss", N_("loss")},
    {"lr", N_("learning rate")}, {"scale", N_("loss scale")}, {"residual", N_("left unexplained")}, {"reproduced", N_("reproduced")},
    {"detail", N_("detail")}, {"panel", N_("panel")},
};

const char *evidence_label(const char *what)
{
    for (size_t i = 0; i < ARRAY_LEN(labels); i++)
        if (strcmp(labels[i].what, what) == 0)
            return _(labels[i].label);
    return what;
}

void fact_both(fact_list *out, struct arena *a, const char *what, struct str text)
{
    struct fact x = {what, {arena_cstr(a, text), NULL}};
    if (text.n)
        vec_push(out, x);
}

void fact_sides(fact_list *out, struct arena *a, const char *what, const struct buf text[2])
{
    struct fact x = {what, {arena_cstr(a, buf_view(&text[0])), arena_cstr(a, buf_view(&text[1]))}};
    if (text[0].n || text[1].n)
        vec_push(out, x);
}

void fact_number(fact_list *out, struct arena *a, const char *what, double v)
{
    char n[NUM_MAX];
    fact_both(out, a, what, str_of(num_exact(n, v)));
}

enum { SIDE_DTYPE, SIDE_SHAPE, SIDE_VALUE, SIDE_MAX, SIDE_MIN, SIDE_MEAN, SIDE_NORM, SIDE_NAN, SIDE_INF, SIDE_ZERO, SIDE_SATURATED, SIDE_CHECKSUM, SIDE_FACTS };
static const char *const side_fact[SIDE_FACTS] = {"dtype", "shape", "value", "max", "min", "mean", "norm", "nan", "inf", "zero", "saturated", "checksum"};

/* One side's figure: computed where the tensor was read, else as recorded, else nothing. */
static void side_text(const struct dump *d, uint32_t r, const struct side_figures *f, int which, struct buf *b)
{
    static const uint8_t bit[] = {HAS_MAX, HAS_MIN, HAS_MEAN, HAS_NORM};
    const struct row *x = &d->rows.v[r];
    char n[NUM_MAX];
    if (which == SIDE_DTYPE && x->kind == ROW_TENSOR)
        buf_cstr(b, dtype_table[x->dtype].name);
    else if (which == SIDE_SHAPE && dump_row_shape(d, r))
        shape_text(dump_row_shape(d, r), b);
    else if (which == SIDE_VALUE && x->kind != ROW_TENSOR && x->text)
        buf_cstr(b, x->text);
    else if (which == SIDE_CHECKSUM && x->has & HAS_CHECKSUM)
        buf_cstr(b, x->text);
    else if (which >= SIDE_MAX && which <= SIDE_NORM && f)
        buf_cstr(b, num_exact(n, which == SIDE_MAX ? f->max : which == SIDE_MIN ? f->min : which == SIDE_MEAN ? f->mean : f->norm));
    else if (which >= SIDE_MAX && which <= SIDE_NORM && x->kind == ROW_TENSOR && x->has & bit[which - SIDE_MAX])
        buf_cstr(b, num_exact(n, x->stat[which - SIDE_MAX]));
    else if (which >= SIDE_NAN && which <= SIDE_SATURATED && f)
        buf_count(b, which == SIDE_NAN ? f->nan : which == SIDE_INF ? f->inf : which == SIDE_ZERO ? f->zero : f->saturated);
}

void evidence_figures(const struct comparison *s, uint32_t line, struct arena *a, fact_list *out)
{
    const struct measure *m = &s->measure;
    const struct line *l = &s->pairing->lines.v[line];
    const struct figures *f = measure_figures(m, line);
    struct buf text[2] = {{0}, {0}};
    for (int k = 0; k < SIDE_FACTS; k++) {
        for (int d = 0; d < 2; d++) {
            buf_clear(&text[d]);
            if (l->row[d] != NONE)
                side_text(&s->side[d].dump, l->row[d], comparison_figures(s, line, d), k, &text[d]);
        }
        fact_sides(out, a, side_fact[k], text);
    }
    buf_release(&text[0]);
    buf_release(&text[1]);
    static const char *const pair_fact[] = {"cosine", "euclid", "max_abs_err", "max_rel_err", "one_thousandth", "five_thousandths"};
    for (int k = 0; k < (int)ARRAY_LEN(pair_fact); k++) { /* in the order of enum result_figure */
        const double own[] = {f ? f->cosine : 0, f ? f->euclid : 0, f ? f->max_abs : 0, f ? f->max_rel : 0, f ? f->one_thousandth : 0, f ? f->five_thousandths : 0};
        double v = own[k];
        if ((f && f->two) || (l->pair != NONE && table_verdicts_figure(m, line, (enum result_figure)k, &v)))
            fact_number(out, a, pair_fact[k], v);
    }
    if (f && f->two) {
        fact_number(out, a, "one_minus_cosine", f->minus);
        fact_number(out, a, "rel_l2", f->rel_l2);
    }
}

/* The call's stack, its forward twin's where it has none. */
static const struct stack *stack_of(const struct dump *d, uint32_t row)
{
    uint32_t st = row == NONE ? NONE : dump_call_stack(d, d->rows.v[row].call, NULL);
    return st == NONE ? NULL : &d->stacks.v[st];
}

/* The next frame from *i on, the people's own ones only where `own`; empty at the end. */
static void frame_text(const struct dump *d, const struct stack *st, bool own, uint32_t *i, struct buf *b)
{
    buf_clear(b);
    for (; st && *i < st->n; ++*i) {
        const struct frame *f = &d->frames.v[d->stack_frames.v[st->first + *i]];
        if (own && frame_is_library(f))
            continue;
        if (f->line)
            buf_fmt(b, "%s:%u  %s  %s", f->file, f->line, f->func, f->code);
        else
            buf_cstr(b, f->raw ? f->raw : "");
        ++*i;
        return;
    }
}

static bool has_own(const struct dump *d, const struct stack *st)
{
    for (uint32_t i = 0; st && i < st->n; i++)
        if (!frame_is_library(&d->frames.v[d->stack_frames.v[st->first + i]]))
            return true;
    return false;
}

void evidence_frames(const struct comparison *s, uint32_t line, int most, struct arena *a, fact_list *out)
{
    const struct line *l = &s->pairing->lines.v[line];
    struct buf text[2] = {{0}, {0}};
    uint32_t at[2] = {0, 0};
    for (int i = 0; i < most; i++) {
        for (int d = 0; d < 2; d++) {
            const struct dump *x = &s->side[d].dump;
            const struct stack *st = stack_of(x, l->row[d]);
            frame_text(x, st, has_own(x, st), &at[d], &text[d]);
        }
        fact_sides(out, a, "frame", text);
    }
    buf_release(&text[0]);
    buf_release(&text[1]);
}

uint64_t evidence_fingerprint(const struct dump *d)
{
    uint64_t h = 1;
    for (uint32_t c = 0; c < d->calls.n; c++) {
        struct str name = dump_call_name(d, c);
        h = hash_bytes(name.p, name.n, h);
        EACH_ROW(d, c, r) {
            const struct row *x = &d->rows.v[r];
            const struct shape *shape = dump_row_shape(d, r);
            const char *slot = d->slots.v[x->slot];
            double stat[STAT_COUNT];
            uint8_t has = (uint8_t)(x->has & ~(x->has >> IS_COMPUTED)); /* as recorded: what is computed is no part of it */
            for (int i = 0; i < STAT_COUNT; i++)
                stat[i] = x->has & HAS_MAX << i << IS_COMPUTED ? 0 : x->stat[i];
            const uint8_t kind[] = {x->kind, x->dtype, has};
            h = hash_bytes(slot, strlen(slot), h);
            h = hash_bytes(kind, sizeof kind, h);
            h = hash_bytes(stat, sizeof stat, h);
            if (shape)
                h = hash_bytes(shape->dim, (size_t)shape->ndim * sizeof *shape->dim, h);
            if (x->text)
                h = hash_bytes(x->text, strlen(x->text), h);
        }
    }
    return h;
}

/* A line as the table shows it; the golden name only where it is another. */
static void shown_line(const struct comparison *s, uint32_t line, bool here, struct buf *b)
{
    const struct line *l = &s->pairing->lines.v[line];
    const struct line_judgement *j = s->judged && line < s->judged->lines ? &s->judged->line[line] : NULL;
    struct buf name[2] = {{0}, {0}};
    char n[NUM_MAX];
    for (int d = 0; d < 2; d++) {
        if (l->row[d] != NONE)
            dump_row_name(&s->side[d].dump, l->row[d], &name[d]);
        else
            buf_cstr(&name[d], "·");
    }
    buf_clear(b);
    buf_fmt(b, "%s %s  %s", here ? ">" : " ", num_count(n, line + 1), name[0].p);
    if (j)
        buf_fmt(b, "  %s", verdict_label(j->verdict));
    if (j && !isnan(j->error))
        buf_fmt(b, " %s", num_error(n, (double)j->error));
    if (!str_eq(buf_view(&name[0]), buf_view(&name[1])))
        buf_fmt(b, "  %s", name[1].p);
    buf_release(&name[0]);
    buf_release(&name[1]);
}

void evidence_around(const struct comparison *s, uint32_t line, struct arena *a, fact_list *out)
{
    uint32_t lines = (uint32_t)s->pairing->lines.n;
    uint32_t from = line > EVIDENCE_AROUND ? line - EVIDENCE_AROUND : 0, to = line + EVIDENCE_AROUND;
    struct buf b = {0};
    for (uint32_t i = from; i < lines && i <= to; i++) {
        shown_line(s, i, i == line, &b);
        fact_both(out, a, "screen", buf_view(&b));
    }
    buf_release(&b);
}

void evidence_recordings(const struct comparison *s, struct arena *a, fact_list *out)
{
    struct buf text[3][2] = {{{0}}};
    char n[NUM_MAX];
    for (int d = 0; d < 2; d++) {
        const struct dump *x = &s->side[d].dump;
        const struct file_stamp *now = &s->side[d].now;
        if (!x->reader)
            continue;
        buf_fmt(&text[0][d], "%s %s %s %s", x->reader->name, x->framework, x->level, x->task);
        if (x->step >= 0)
            buf_fmt(&text[0][d], _(" · step %d"), x->step);
        if (x->rank >= 0)
            buf_fmt(&text[0][d], _(" · rank %d"), x->rank);
        buf_fmt(&text[0][d], _(" · %s rows"), num_count(n, x->rows.n));
        if (now->bytes)
            buf_fmt(&text[1][d], _("%llu bytes in %llu files"), (unsigned long long)now->bytes, (unsigned long long)now->files);
        buf_fmt(&text[2][d], "%016llx", (unsigned long long)evidence_fingerprint(x));
    }
    fact_sides(out, a, "dump", text[0]);
    fact_sides(out, a, "file", text[1]);
    fact_sides(out, a, "fingerprint", text[2]);
    for (int i = 0; i < 3; i++)
        for (int d = 0; d < 2; d++)
            buf_release(&text[i][d]);
}

static void judged(const struct comparison *s, uint32_t line, const struct diagnoses *known, struct arena *a, fact_list *out)
{
    const struct judgement *j = s->judged;
    const struct line_judgement *x = &j->line[line];
    struct diagnoses own = {.n = 0};
    struct buf b = {0};
    fact_both(out, a, "verdict", str_of(verdict_name(x->verdict)));
    explain_verdict(j, &s->measure, line, &b);
    fact_both(out, a, "reason", buf_view(&b));
    if (j->first == line)
        fact_both(out, a, "first", str_of(first_class_label(j->first_class)));
    if (!known && diagnose_possible(j, &s->measure, line)) {
        diagnose_line(&own, j, &s->measure, s->flow, line);
        known = &own;
    }
    for (int i = 0; known && i < known->n; i++) {
        buf_clear(&b);
        diagnosis_text(known, i, &b);
        fact_both(out, a, "diagnosis", buf_view(&b));
    }
    diagnoses_release(&own);
    const struct {
        const char *what;
        float v;
    } held[] = {{"error", x->error}, {"limit", x->limit}, {"level", x->level}};
    for (size_t i = 0; i < ARRAY_LEN(held) && !isnan(x->error); i++) {
        if (isnan(held[i].v))
            continue;
        char n[NUM_MAX];
        fact_both(out, a, held[i].what, str_of(num_cell(n, (double)held[i].v, 6))); /* floats: no more digits than they have */
    }
    buf_release(&b);
}

/* Of one side alone. */
static void problems(const struct comparison *s, uint32_t row, struct arena *a, fact_list *out)
{
    size_t n = 0;
    const struct dump_check_problem *p = row == NONE ? NULL : one_side_problems(&s->examined, row, &n);
    for (size_t i = 0; p && i < n; i++)
        fact_both(out, a, "problem", str_of(p[i].text));
}

struct evidence evidence_collect(const struct comparison *s, uint32_t line, const struct diagnoses *known, struct arena *a)
{
    fact_list l = {0};
    struct buf b = {0};
    const struct line *at = &s->pairing->lines.v[line];
    if (s->judged && line < s->judged->lines)
        judged(s, line, known, a, &l);
    struct pairing_options po = comparison_pairing_options(s);
    problems(s, at->row[TARGET], a, &l);
    if (at->pair != NONE)
        pairing_why(s->pairing, &po, line, &b);
    fact_both(&l, a, "pair", buf_view(&b));
    buf_clear(&b);
    const struct view *v = at->pair == NONE ? NULL : measure_view(&s->measure, line);
    if (v && v->count)
        view_write(v, &b);
    fact_both(&l, a, "view", buf_view(&b));
    evidence_figures(s, line, a, &l);
    evidence_frames(s, line, EVIDENCE_FRAMES, a, &l);
    evidence_around(s, line, a, &l);
    evidence_recordings(s, a, &l);
    buf_release(&b);
    return evidence_keep(a, &l);
}
