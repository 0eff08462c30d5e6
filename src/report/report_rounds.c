/* The section of changes since the previous round. */
#include "report/changes_section.h"
#include "report/report_sections.h"

/* Rows that have a line, then, of vanished ones, those without. */
static void add_rows_of_change(struct building *b, enum change_kind k)
{
    const struct round_since *x = &b->s->since;
    uint32_t told = 0;
    if (!x->changes.count[k])
        return;
    changes_table(b->d, k, x->changes.count[k]);
    for (uint32_t i = 0; i < b->j->lines && told < CHANGES_LISTED; i++) {
        if (round_since_change(b->s, i) != k)
            continue;
        struct round_row now = {.verdict = b->j->line[i].verdict, .error = b->j->line[i].error};
        const uint32_t *row = b->m->pairing->lines.v[i].row;
        int side = row[TARGET] != NONE ? TARGET : GOLDEN;
        dump_row_name(b->m->side[side], row[side], &b->name);
        changes_row(b->d, b->name.p, round_since_row(x, i), &now);
        told++;
    }
    for (uint32_t i = 0; k == CHANGE_VANISHED && i < x->before->rows.n && told < CHANGES_LISTED; i++) {
        if (x->join->again[i] || round_row_change(&x->before->rows.v[i], NULL) != CHANGE_VANISHED)
            continue;
        changes_row(b->d, round_row_name(x->before, i), &x->before->rows.v[i], NULL);
        told++;
    }
    changes_more(b->d, x->changes.count[k], told);
}

void report_rounds(struct building *b)
{
    const struct round_since *x = &b->s->since;
    struct buf t = {0};
    round_since_sentence(b->s, &t);
    if (t.n) {
        doc_say(b->d, x->changes.confirmed ? TONE_GOOD : TONE_PLAIN, "%s.", t.p);
        for (int k = 0; k < CHANGE_KINDS && x->changes.comparable; k++)
            add_rows_of_change(b, (enum change_kind)k);
    }
    buf_release(&t);
}
