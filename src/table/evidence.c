/* Labels of facts, and the functions that collect a line's facts for findings and reports. */
#include "table/evidence.h"

#include <math.h>

#include "base/msg.h"
#include "base/num.h"
#include "judge/verdict_text.h"
#include "table/field.h"

#define FACTS_MOST 16 /* of one list of fields */

/* Those that are no fields of a row. */
static const struct {
    const char *what, *label;
} labels[] = {
    {"reason", N_("reason")}, {"first", N_("first deviation")}, {"diagnosis", N_("looks like")},
    {"pair", N_("why paired")}, {"view", N_("view")}, {"frame", N_("called at")},
    {"passage", N_("error through the call")}, {"dump", N_("recording")}, {"file", N_("files")},
    {"fingerprint", N_("checksum")}, {"screen", N_("rows around it")}, {"rows", N_("rows of the call")},
    {"row", N_("row")}, {"lines", N_("lines")}, {"calls", N_("calls")}, {"compute", N_("compute calls")},
    {"call", N_("call")}, {"before", N_("paired before it")}, {"after", N_("paired after it")},
    {"index", N_("position")}, {"bits", N_("stored as")}, {"difference", N_("difference")},
    {"relative", N_("relative difference")}, {"ulp", N_("ULP")}, {"elements", N_("elements")},
    {"state", N_("state")}, {"source", N_("set at")}, {"severity", N_("severity")}, {"setting", N_("setting")},
    {"wanted", N_("recommended")}, {"explanation", N_("explanation")}, {"waived", N_("waived")}, {"unit", N_("unit")},
    {"step", N_("step")}, {"median", N_("median difference")}, {"loss", N_("loss")}, {"lr", N_("learning rate")},
    {"scale", N_("loss scale")}, {"residual", N_("unexplained")}, {"reproduced", N_("reproduced")},
    {"detail", N_("detail")}, {"panel", N_("panel")},
};

const char *evidence_label(const char *what)
{
    for (const struct field *f = fields; f->name; f++)
        if (f->label && strcmp(f->key, what) == 0)
            return _(f->label);
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

void evidence_figures(const struct comparison *s, uint32_t line, struct arena *a, fact_list *out)
{
    static const char sided[] = "t.dtype t.shape t.value t.max t.min t.mean t.norm t.nan t.inf t.zero t.saturated "
                                "t.checksum";
    static const char paired[] = "cosine euclid max_abs max_rel one_thousandth five_thousandths one_minus_cosine "
                                 "figure.rel_l2";
    const struct field_line l = field_line(s, line);
    const struct field *f[FACTS_MOST];
    struct buf text[2] = {{0}, {0}};
    double v;
    size_t n = fields_named(sided, f);
    for (size_t i = 0; i < n; i++) {
        for (int d = 0; d < 2; d++) /* the golden side's stand behind the target's */
            field_exact(&l, f[i] + d, &text[d]);
        fact_sides(out, a, f[i]->key, text);
    }
    n = fields_named(paired, f);
    for (size_t i = 0; i < n; i++)
        if (field_value(&l, f[i], &v))
            fact_number(out, a, f[i]->key, v);
    buf_release(&text[0]);
    buf_release(&text[1]);
}

/* The call's stack, or that of its forward twin if it has none. */
static const struct stack *row_stack(const struct dump *d, uint32_t row)
{
    uint32_t st = row == NONE ? NONE : dump_call_stack(d, d->rows.v[row].call, NULL);
    return st == NONE ? NULL : &d->stacks.v[st];
}

/* The next frame from *i on, only frames of the user's own code if `own`; empty at the end. */
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

static bool has_own_frame(const struct dump *d, const struct stack *st)
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
            const struct stack *st = row_stack(x, l->row[d]);
            frame_text(x, st, has_own_frame(x, st), &at[d], &text[d]);
        }
        fact_sides(out, a, "frame", text);
    }
    buf_release(&text[0]);
    buf_release(&text[1]);
}

/* A line as the table shows it; the golden name only if it differs. */
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
            buf_fmt(&text[1][d], _("%llu bytes in %llu files"), (unsigned long long)now->bytes,
                    (unsigned long long)now->files);
        buf_fmt(&text[2][d], "%016llx", (unsigned long long)dump_fingerprint(x));
    }
    fact_sides(out, a, "dump", text[0]);
    fact_sides(out, a, "file", text[1]);
    fact_sides(out, a, "fingerprint", text[2]);
    for (int i = 0; i < 3; i++)
        for (int d = 0; d < 2; d++)
            buf_release(&text[i][d]);
}

static void add_verdict_facts(const struct comparison *s, uint32_t line, const struct diagnoses *known, struct arena *a,
                              fact_list *out)
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
        /* floats: no more digits than they have */
        fact_both(out, a, held[i].what, str_of(num_cell(n, (double)held[i].v, 6)));
    }
    buf_release(&b);
}

/* Of one side alone. */
static void add_problem_facts(const struct comparison *s, uint32_t row, struct arena *a, fact_list *out)
{
    size_t n = 0;
    const struct dump_check_problem *p = row == NONE ? NULL : one_side_problems(&s->examined, row, &n);
    for (size_t i = 0; p && i < n; i++)
        fact_both(out, a, "problem", str_of(p[i].text));
}

struct evidence evidence_collect(const struct comparison *s, uint32_t line, const struct diagnoses *known,
                                 struct arena *a)
{
    fact_list l = {0};
    struct buf b = {0};
    const struct line *at = &s->pairing->lines.v[line];
    if (s->judged && line < s->judged->lines)
        add_verdict_facts(s, line, known, a, &l);
    struct pairing_options po = comparison_pairing_options(s);
    add_problem_facts(s, at->row[TARGET], a, &l);
    if (at->pair != NONE)
        pairing_why(s->pairing, &po, s->measure.side, line, &b);
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
