/* The sections of the first deviation: its rows, their statistics and its diagnosis. */
#include <math.h>

#include "base/msg.h"
#include "base/num.h"
#include "table/evidence.h"
#include "judge/verdict_text.h"
#include "report/report_sections.h"

#define AROUND 4
#define FRAMES 8
#define LISTED 12

static void around(struct building *b, uint32_t line)
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
static void figures(struct building *b, uint32_t line)
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
                doc_cell(b->d, DOC_NUMBER, TONE_PLAIN, report_digits(b, x->side[k]));
        }
    }
    vec_release(&l);
}

static void stacks(struct building *b, uint32_t line)
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
    figures(b, line);
    around(b, line);
    report_elements(b, line);
    stacks(b, line);
}

/* ---- what it looks like ---- */

static void looks_like(struct building *b, uint32_t line)
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
        looks_like(b, b->j->first);
    for (size_t i = 0; i < b->j->suspects.n && i < LISTED; i++)
        if (b->j->suspects.v[i].line != b->j->first)
            looks_like(b, b->j->suspects.v[i].line);
}

static void call_cell(struct building *b, uint32_t call)
{
    doc_cell(b->d, DOC_NAME, TONE_PLAIN, dump_call_name(b->m->side[TARGET], call));
}

void report_suspects(struct building *b)
{
    const char *const who[] = {_("call"), _("error in"), _("error out"), _("growth")};
    const char *const front[] = {_("call"), _("share"), _("type")};
    if (b->j->suspects.n) {
        doc_say(b->d, TONE_PLAIN, "%s", _("Calls whose inputs and parameters agree while an output deviates: "
                                          "deviations start in these calls."));
        doc_table(b->d, ARRAY_LEN(who), who);
    }
    for (size_t i = 0; i < b->j->suspects.n && i < b->most; i++) {
        struct call_error p = call_error_of(b->j, b->m, b->j->suspects.v[i].call);
        const double v[] = {p.in, p.out, p.factor};
        call_cell(b, b->j->suspects.v[i].call);
        for (int k = 0; k < 3; k++) {
            char n[NUM_MAX] = "";
            if (!isnan(v[k]))
                num_cell(n, v[k], 3);
            doc_cell(b->d, DOC_NUMBER, TONE_PLAIN, str_of(n));
        }
    }
    if (b->j->suspects.n > b->most)
        doc_say(b->d, TONE_QUIET, _("… and %zu more"), b->j->suspects.n - b->most);
    if (b->j->frontier.n) {
        doc_heading(b->d, _("Entry points of deviations"));
        doc_say(b->d, TONE_PLAIN, "%s",
                _("Calls where a deviation starts, and the share of later deviations that depends on "
                  "each."));
        doc_table(b->d, ARRAY_LEN(front), front);
    }
    for (size_t i = 0; i < b->j->frontier.n && i < b->most; i++) {
        const struct entry_point *q = &b->j->frontier.v[i];
        call_cell(b, q->call);
        doc_cellf(b->d, DOC_NUMBER, TONE_PLAIN, "%.0f %%", q->downstream * 100);
        doc_cell(b->d, DOC_TEXT, TONE_PLAIN, str_of(entry_point_label(q->kind)));
    }
}
