/* The sections of the first deviation: its rows, their statistics and its diagnosis. */
#include <math.h>

#include "base/msg.h"
#include "base/num.h"
#include "table/evidence.h"
#include "compare/start_text.h"
#include "judge/verdict_text.h"
#include "report/report_sections.h"

#define AROUND 4
#define FRAMES 8

static void add_rows_around(struct building *b, uint32_t line)
{
    const char *const head[] = {_("row"), _("target"), _("verdict"), _("error"), _("golden")};
    uint32_t from = line > AROUND ? line - AROUND : 0;
    doc_heading(b->d, _("Rows around it"));
    doc_table(b->d, ARRAY_LEN(head), head);
    for (uint32_t i = from; i < b->j->lines && i <= line + AROUND; i++) {
        char n[NUM_MAX];
        if (i == line)
            doc_mark_row(b->d);
        doc_cell(b->d, DOC_NUMBER, TONE_QUIET, str_of(num_count(n, i + 1)));
        report_row_name(b, i, TARGET);
        report_verdict(b, i);
        report_error(b, i);
        report_row_name(b, i, GOLDEN);
    }
}

/* Facts as a table: those of both sides with two values, those of the pair with one. */
static void add_figure_facts(struct building *b, uint32_t line)
{
    const char *const two[] = {"", _("target"), _("golden")}, *const one[] = {_("pair"), _("value")};
    fact_list l = {0};
    evidence_figures(b->s, line, &b->d->arena, &l);
    for (int pass = 0; pass < 2; pass++) {
        bool any = false;
        for (size_t i = 0; i < l.n; i++) {
            const struct fact *x = &l.v[i];
            if ((x->side[1] == NULL) != (pass == 1))
                continue;
            if (!any)
                doc_table(b->d, pass ? 2 : 3, pass ? one : two);
            any = true;
            doc_cell(b->d, DOC_TEXT, TONE_QUIET, str_of(evidence_label(x->what)));
            for (int k = 0; k < (pass ? 1 : 2); k++)
                doc_cell(b->d, DOC_NUMBER, TONE_PLAIN, report_digits(b, x->side[k], x->side[!k]));
        }
    }
    vec_release(&l);
}

static void add_stacks(struct building *b, uint32_t line)
{
    static const char *const title[] =
        {N_("Stack of the target, innermost first"), N_("Stack of the golden side, innermost first")};
    fact_list l = {0};
    evidence_frames(b->s, line, FRAMES, &b->d->arena, &l);
    for (int s = 0; s < 2; s++) {
        struct buf t = {0};
        for (size_t i = 0; i < l.n; i++)
            if (*l.v[i].side[s])
                buf_fmt(&t, "%s\n", l.v[i].side[s]);
        if (t.n) {
            doc_heading(b->d, _(title[s]));
            doc_code(b->d, buf_view(&t));
        }
        buf_release(&t);
    }
    vec_release(&l);
}

void report_first(struct building *b)
{
    uint32_t line = b->j->first;
    struct buf t = {0};
    if (line == NONE)
        return;
    explain_verdict(b->j, b->m, line, &t);
    doc_begin(b->d, DOC_PARAGRAPH);
    report_row_name(b, line, TARGET);
    doc_cell(b->d, DOC_TEXT, TONE_PLAIN, STR(" ↔ "));
    report_row_name(b, line, GOLDEN);
    doc_cellf(b->d, DOC_TEXT, TONE_PLAIN, _(": %s."), t.p);
    doc_say(b->d, TONE_PLAIN, "%s", explain_first(b->j, b->m));
    buf_clear(&t);
    struct pairing_options po = comparison_pairing_options(b->s);
    if (b->m->pairing->lines.v[line].pair != NONE) {
        pairing_why(b->m->pairing, &po, b->m->side, line, &t);
        doc_say(b->d, TONE_QUIET, _("Why these rows are paired: %s"), t.p);
    }
    buf_clear(&t);
    explain_reference(&b->s->reference, b->m->pairing->lines.v[line].row, &t);
    if (t.n)
        doc_say(b->d, TONE_PLAIN, "%s", t.p);
    buf_release(&t);
    add_figure_facts(b, line);
    add_rows_around(b, line);
    report_elements(b, line);
    add_stacks(b, line);
}

/* ---- what it looks like ---- */

static void add_line_diagnoses(struct building *b, uint32_t line)
{
    struct diagnoses x = {.n = 0};
    diagnose_line(&x, b->j, b->m, b->s->flow, line);
    for (int i = 0; i < x.n; i++) {
        struct buf t = {0};
        diagnosis_text(&x, i, &t);
        doc_begin(b->d, DOC_ITEM);
        report_row_name(b, line, b->m->pairing->lines.v[line].row[TARGET] != NONE ? TARGET : GOLDEN);
        doc_cellf(b->d, DOC_TEXT, TONE_PLAIN, ": %s %s", t.p, i ? "" : diagnosis_advice(&x.v[i]));
        buf_release(&t);
    }
    diagnoses_release(&x);
}

void report_diagnosis(struct building *b)
{
    if (b->j->first != NONE)
        add_line_diagnoses(b, b->j->first);
}

/* "; error 1.2e-4, limit 2e-5", where the sentence says what it looks like instead. */
static void error_and_limit(struct building *b, const struct line_judgement *l)
{
    char n[2][NUM_MAX];
    if (isfinite(l->error) && isfinite(l->limit))
        doc_cellf(b->d, DOC_TEXT, TONE_PLAIN, _("; error %s, limit %s"), num_error(n[0], (double)l->error),
                  num_error(n[1], (double)l->limit));
}

/* "1. different rotary table: cosines … NAME, model.py:63; error 1.2e-4, limit 2e-5; 2 places, 296 rows inherit.
 * Compute inv_freq …" */
static void add_start_item(struct building *b, size_t rank)
{
    const struct start_group *g = &b->j->start_groups.v[rank];
    const struct frame *f = start_place(b->m, g->line);
    struct diagnoses x = {.n = 0};
    struct buf t = {0};
    diagnose_line(&x, b->j, b->m, b->s->flow, g->line);
    start_sentence(b->s, g->line, &x, &t);
    doc_begin(b->d, DOC_ITEM);
    doc_cellf(b->d, DOC_STRONG, TONE_BAD, _("%zu. %s."), rank + 1, t.p);
    doc_cell(b->d, DOC_TEXT, TONE_PLAIN, STR(" "));
    report_row_name(b, g->line, b->m->pairing->lines.v[g->line].row[TARGET] != NONE ? TARGET : GOLDEN);
    buf_clear(&t);
    start_extent(g, &t);
    if (f)
        doc_cellf(b->d, DOC_TEXT, TONE_PLAIN, _(", %s:%u"), path_base(str_of(f->file)).p, f->line);
    if (x.n)
        error_and_limit(b, &b->j->line[g->line]);
    doc_cellf(b->d, DOC_TEXT, TONE_PLAIN, _("; %s. %s"), t.p, start_action(b->s, g->line, &x));
    buf_release(&t);
    diagnoses_release(&x);
}

void report_starts(struct building *b)
{
    size_t n = b->j->start_groups.n;
    for (size_t i = 0; i < n && i < b->most; i++)
        add_start_item(b, i);
    if (n > b->most)
        doc_say(b->d, TONE_QUIET, _("… and %zu more"), n - b->most);
}
