/* Makes the section of changes: the sentence, the counts before and now, the rows by kind, and changed findings and
 * panels. */
#include "report/changes_section.h"

#include <math.h>

#include "base/msg.h"
#include "base/num.h"
#include "judge/verdict_text.h"
#include "report/report_sections.h"

static const char *const titles[CHANGE_KINDS] = {
    [CHANGE_FIXED] = N_("Fixed: deviated before, agrees now"),
    [CHANGE_NEW] = N_("New: deviates now, did not deviate before"),
    [CHANGE_WORSE] = N_("Worse"),
    [CHANGE_BETTER] = N_("Better"),
    [CHANGE_VANISHED] = N_("Vanished: deviated before, now not recorded, not paired or not judged (not a fix)"),
};

void changes_table(struct document *d, enum change_kind k, uint32_t count)
{
    const char *const columns[] = {_("row"), _("was"), _("now")};
    char n[NUM_MAX];
    doc_begin(d, DOC_HEADING);
    doc_cellf(d, DOC_TEXT, TONE_PLAIN, _("%s: %s"), _(titles[k]), num_count(n, count));
    doc_table(d, ARRAY_LEN(columns), columns);
}

static void add_standing_cell(struct document *d, const struct round_row *x)
{
    char n[NUM_MAX] = "";
    if (x && !isnan(x->error))
        num_error(n, (double)x->error);
    doc_cellf(d, DOC_TEXT, x ? report_tone((enum verdict)x->verdict) : TONE_QUIET, "%s%s%s",
              x ? verdict_label((enum verdict)x->verdict) : _("not recorded"), *n ? " " : "", n);
}

void changes_row(struct document *d, const char *name, const struct round_row *was, const struct round_row *now)
{
    doc_cell(d, DOC_NAME, TONE_PLAIN, str_of(name));
    add_standing_cell(d, was);
    add_standing_cell(d, now);
}

void changes_more(struct document *d, uint32_t count, uint32_t listed)
{
    if (count > listed)
        doc_say(d, TONE_QUIET, _("… and %u more"), count - listed);
}

static void add_changed_rows(struct document *d, const struct changes_report *x, enum change_kind k)
{
    uint32_t told = 0;
    changes_table(d, k, x->c->count[k]);
    for (size_t i = 0; i < x->c->list.n && told < CHANGES_LISTED; i++) {
        const struct change *c = &x->c->list.v[i];
        if (c->kind != k)
            continue;
        changes_row(d, c->now == NONE ? round_row_name(x->before, c->was) : round_row_name(x->now, c->now),
                    c->was == NONE ? NULL : &x->before->rows.v[c->was],
                    c->now == NONE ? NULL : &x->now->rows.v[c->now]);
        told++;
    }
    changes_more(d, x->c->count[k], told);
}

static void add_verdict_counts(struct document *d, const struct changes_report *x)
{
    const char *const head[] = {_("rows"), _("before"), _("now")};
    const struct round *const r[] = {x->before, x->now};
    doc_table(d, ARRAY_LEN(head), head);
    for (int v = VERDICT_MATCH; v <= VERDICT_SKIP; v++) {
        uint32_t n[2];
        for (int k = 0; k < 2; k++)
            n[k] = v == VERDICT_DEVIATE ? verdicts_deviate(r[k]->by) : r[k]->by[v]; /* as result files have it */
        if (!n[0] && !n[1])
            continue;
        doc_cell(d, DOC_TEXT, TONE_PLAIN, str_of(verdict_label((enum verdict)v)));
        for (int k = 0; k < 2; k++)
            doc_cellf(d, DOC_NUMBER, TONE_PLAIN, "%u", n[k]);
    }
    if (x->c->types[0] || x->c->types[1]) {
        doc_cell(d, DOC_TEXT, TONE_PLAIN, str_of(_("different types")));
        for (int k = 0; k < 2; k++)
            doc_cellf(d, DOC_NUMBER, TONE_PLAIN, "%u", x->c->types[k]);
    }
    doc_cell(d, DOC_TEXT, TONE_PLAIN, str_of(_("coverage of compute calls, target")));
    for (int k = 0; k < 2; k++)
        doc_cellf(d, DOC_NUMBER, TONE_PLAIN, "%.0f %%", r[k]->coverage[TARGET] * 100);
}

static void findings_and_panels(struct document *d, const struct changes_report *x)
{
    for (size_t i = 0; i < x->now->findings.n; i++) {
        const struct round_finding *f = &x->now->findings.v[i], *was = round_finding(x->before, f->number);
        const char *before = was ? _(was->status) : _("not in the investigation");
        if (!was || strcmp(was->status, f->status) != 0)
            doc_note(d, DOC_NOTE, NULL, _("finding %u: %s → %s: %s"), f->number, before, _(f->status), f->text);
    }
    for (size_t i = 0; i < x->now->panels.n; i++) {
        const struct round_panel *p = &x->now->panels.v[i], *was = round_panel(x->before, p->name);
        if (was && strcmp(was->state, p->state) != 0)
            doc_note(d, DOC_NOTE, NULL, _("panel %s: %s → %s"), p->name, was->state, p->state);
    }
}

void changes_section(struct document *d, const struct changes_report *x)
{
    const struct round *const r[] = {x->before, x->now};
    struct buf t = {0};
    changes_sentence(x->c, &t);
    doc_begin(d, DOC_PARAGRAPH);
    doc_cellf(d, DOC_STRONG, x->c->status == 0 ? TONE_GOOD : x->c->status == 1 ? TONE_BAD : TONE_WARN, "%s.", t.p);
    buf_release(&t);
    for (int k = 0; k < 2; k++)
        doc_say(d, TONE_PLAIN, _("%s: %s (%s ⇄ %s)"), k ? _("now") : _("before"), x->path[k], r[k]->side[TARGET].path,
                r[k]->side[GOLDEN].path);
    add_verdict_counts(d, x);
    if (x->c->comparable && *x->c->why)
        doc_note(d, DOC_NOTE, NULL, "%s", x->c->why);
    for (int k = 0; k < CHANGE_KINDS; k++)
        if (x->c->comparable && x->c->rows && x->c->count[k])
            add_changed_rows(d, x, (enum change_kind)k);
    findings_and_panels(d, x);
}
