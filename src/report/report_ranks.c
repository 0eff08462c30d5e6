/* The section of all ranks of a job: the first deviation, both layouts, the strip, collectives and replicas. */
#include "base/msg.h"
#include "base/num.h"
#include "compare/job_text.h"
#include "ranks/join_text.h"
#include "report/formats.h"
#include "report/report_sections.h"

#define STRIP_WIDTH 100
#define STRIP_LINES 64 /* of a step: ranks share one where they are more */

static void add_ranks_item(struct building *b, const char *word, enum doc_tone tone, struct buf *text)
{
    doc_begin(b->d, DOC_ITEM);
    doc_cell(b->d, DOC_STRONG, TONE_PLAIN, str_of(word));
    doc_cell(b->d, DOC_TEXT, tone, buf_view(text));
    buf_clear(text);
}

static void add_rank_strip(struct building *b, const struct job_result *r)
{
    struct job_strip s;
    struct buf t = {0};
    job_strip_build(&s, r);
    job_strip_add_beside(&s, r);
    job_strip_text(&s, STRIP_WIDTH, STRIP_LINES, &t);
    doc_heading(b->d, _("Ranks and calls"));
    doc_say(b->d, TONE_QUIET,
            _("One line per rank, one character per call in execution order. If there is not enough space, one "
              "character shows the worst of several neighbouring calls."));
    doc_code(b->d, t.p ? buf_view(&t) : STR(""));
    buf_release(&t);
    job_strip_release(&s);
}

/* Where each rank's rows first deviate. */
static void rank_table(struct building *b, const struct job_result *r)
{
    const char *const head[] = {_("Step"), _("Rank"), _("Rows"), _("Deviating"), _("First deviation"), _("Error")};
    size_t shown = 0, left = 0;
    for (size_t i = 0; i < r->pairs.n; i++) {
        const struct job_pair *p = &r->pairs.v[i];
        const struct judgement *j = p->c->judged;
        char n[NUM_MAX];
        struct buf name = {0};
        rank_list ranks = {0};
        if (!j || j->first == NONE)
            continue;
        if (shown == 2 * b->most) {
            left++;
            continue;
        }
        if (!shown++)
            doc_table(b->d, ARRAY_LEN(head), head);
        if (r->first.kind == FIRST_ROW && r->first.pair == i)
            doc_mark_row(b->d);
        job_bad_ranks(r, i, j->first, &ranks);
        rank_list_text(&ranks, &name);
        doc_cellf(b->d, DOC_NUMBER, TONE_PLAIN, "%d", p->step);
        doc_cell(b->d, DOC_NUMBER, TONE_PLAIN, buf_view(&name));
        doc_cellf(b->d, DOC_NUMBER, TONE_PLAIN, "%zu", j->lines);
        doc_cellf(b->d, DOC_NUMBER, TONE_PLAIN, "%u",
                  judge_summary_bad(&j->sum));
        buf_clear(&name);
        job_row_name(r, i, j->first, &name);
        doc_cell(b->d, DOC_NAME, TONE_PLAIN, buf_view(&name));
        doc_cell(b->d, DOC_NUMBER, TONE_PLAIN, str_of(num_error(n, (double)j->line[j->first].error)));
        vec_release(&ranks);
        buf_release(&name);
    }
    if (left)
        doc_say(b->d, TONE_QUIET, _("and %zu more"), left);
}

static void add_bad_collectives(struct building *b, const struct job_result *r)
{
    size_t told_of = 0;
    for (int s = 0; s < 2; s++) {
        for (size_t i = 0; i < r->collectives[s].v.n && told_of < b->most; i++) {
            const struct collective *c = &r->collectives[s].v.v[i];
            if (!collective_is_bad(c))
                continue;
            if (!told_of++)
                doc_heading(b->d, _("Collectives and replicas"));
            doc_begin(b->d, DOC_ITEM);
            doc_cell(b->d, DOC_TEXT, TONE_PLAIN, str_of(s == TARGET ? _("target: ") : _("golden: ")));
            doc_cell(b->d, DOC_NAME, TONE_PLAIN, str_of(c->at ? c->at : c->name));
            doc_cellf(b->d, DOC_TEXT, TONE_PLAIN, ": %s", c->evidence);
        }
        for (size_t i = 0; i < r->replicas[s].v.n && told_of < b->most; i++) {
            if (!told_of++)
                doc_heading(b->d, _("Collectives and replicas"));
            doc_begin(b->d, DOC_ITEM);
            doc_cell(b->d, DOC_TEXT, TONE_PLAIN, str_of(s == TARGET ? _("target: ") : _("golden: ")));
            doc_cell(b->d, DOC_TEXT, TONE_PLAIN, str_of(r->replicas[s].v.v[i].evidence));
        }
    }
}

void report_ranks(struct building *b)
{
    const struct job_result *r = b->o ? b->o->job : NULL;
    struct buf t = {0};
    if (b->o && b->o->job_busy)
        doc_say(b->d, TONE_WARN, "%s",
                _("The comparison of the ranks was not finished when this report was written: the following describes "
                  "one pair of ranks."));
    if (!r || !r->steps)
        return;
    job_unseen_text(r, &t);
    if (t.n)
        add_ranks_item(b, _("Not checked: "), TONE_WARN, &t);
    job_outcome_text(r, true, &t);
    add_ranks_item(b, _("Result: "), r->first.found ? TONE_BAD : job_status(r) == 0 ? TONE_GOOD : TONE_WARN, &t);
    for (int s = 0; s < 2; s++) {
        job_layout_text(r->job[0], s, &t);
        add_ranks_item(b, s == TARGET ? _("Target: ") : _("Golden: "), TONE_PLAIN, &t);
        for (int i = 0; i < JOB_LAYOUT_DOUBTS; i++) {
            buf_clear(&t);
            if (job_layout_doubt(&r->job[0]->layout[s], s == TARGET ? _("target") : _("golden"), i, &t))
                doc_say(b->d, TONE_WARN, "%s", t.p);
        }
        buf_clear(&t);
    }
    buf_release(&t);
    add_rank_strip(b, r);
    rank_table(b, r);
    add_bad_collectives(b, r);
}

void job_report(struct out *o, const struct job_result *r, const struct writer *w, const struct report_options *opt)
{
    struct report_options all = *opt;
    all.job = r;
    if (r->pairs.n)
        w->report(o, r->pairs.v[r->first.found && r->first.kind == FIRST_ROW ? r->first.pair : 0].c, &all);
    else
        err_set(&o->err, ERR_DATA, "%s", _("no report: nothing could be compared"));
}
