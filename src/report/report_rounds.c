/* What a new dump after a fix has changed. */
#include <math.h>

#include "base/msg.h"
#include "base/num.h"
#include "judge/verdict_text.h"
#include "report/report_sections.h"

#define LISTED 12

static const char *const titles[CHANGE_KINDS] = {
    [CHANGE_FIXED] = N_("Fixed: deviated, agrees now"),
    [CHANGE_NEW] = N_("New: deviates now and did not"),
    [CHANGE_WORSE] = N_("Worse"),
    [CHANGE_BETTER] = N_("Better"),
    [CHANGE_VANISHED] = N_("Vanished: deviated, and is no longer recorded or judged, which is no fix"),
};

static void standing(struct building *b, const struct round_row *x)
{
    char n[NUM_MAX] = "";
    doc_cellf(b->d, DOC_TEXT, x ? report_tone((enum verdict)x->verdict) : TONE_QUIET, "%s", x ? verdict_label((enum verdict)x->verdict) : _("not recorded"));
    if (x && !isnan(x->error))
        num_error(n, (double)x->error);
    doc_cell(b->d, DOC_NUMBER, TONE_PLAIN, str_of(n));
}

static void head(struct building *b, enum change_kind k)
{
    const char *const columns[] = {_("row"), _("was"), _("error then"), _("now"), _("error now")};
    doc_heading(b->d, _(titles[k]));
    doc_table(b->d, ARRAY_LEN(columns), columns);
}

/* Those that have a line, then, of what vanished, those that have none any more. */
static void list(struct building *b, enum change_kind k)
{
    const struct round_since *x = &b->s->since;
    uint32_t told = 0;
    if (!x->changes.count[k])
        return;
    head(b, k);
    for (uint32_t i = 0; i < b->j->lines && told < LISTED; i++) {
        if (round_since_change(b->s, i) != k)
            continue;
        struct round_row now = {.verdict = b->j->line[i].verdict, .error = b->j->line[i].error};
        report_row_name(b, i, b->m->pairing->lines.v[i].row[TARGET] != NONE ? TARGET : GOLDEN);
        standing(b, round_since_row(x, i));
        standing(b, &now);
        told++;
    }
    for (uint32_t i = 0; k == CHANGE_VANISHED && i < x->before->rows.n && told < LISTED; i++) {
        if (x->join->again[i] || change_of(&x->before->rows.v[i], NULL) != CHANGE_VANISHED)
            continue;
        doc_cell(b->d, DOC_NAME, TONE_PLAIN, str_of(round_row_name(x->before, i)));
        standing(b, &x->before->rows.v[i]);
        standing(b, NULL);
        told++;
    }
    if (x->changes.count[k] > told)
        doc_say(b->d, TONE_QUIET, _("… and %u more"), x->changes.count[k] - told);
}

void report_rounds(struct building *b)
{
    const struct round_since *x = &b->s->since;
    struct buf t = {0};
    round_since_sentence(b->s, &t);
    if (t.n) {
        doc_say(b->d, x->changes.confirmed ? TONE_GOOD : TONE_PLAIN, "%s.", t.p);
        for (int k = 0; k < CHANGE_KINDS && x->changes.comparable; k++)
            list(b, (enum change_kind)k);
    }
    buf_release(&t);
}
