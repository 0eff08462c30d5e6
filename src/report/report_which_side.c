/* The section of calls recomputed from their own inputs: which side is wrong. */
#include "base/msg.h"
#include "oracle/oracle_text.h"
#include "report/report_sections.h"

enum { WRONG_LISTED = 12 };

static void add_oracle_coverage(struct building *b, const struct oracle *o)
{
    for (uint32_t i = 0; i < o->sides; i++) {
        struct buf t = {0};
        oracle_cover_text(&o->side[i], &t);
        doc_begin(b->d, DOC_ITEM);
        doc_cell(b->d, DOC_STRONG, TONE_PLAIN, str_of(i ? _("golden") : _("target")));
        doc_cellf(b->d, DOC_TEXT, TONE_PLAIN, ": %s", t.p);
        buf_release(&t);
    }
}

static void add_oracle_line(struct building *b, const struct oracle *o, uint32_t line)
{
    struct buf t = {0};
    oracle_whole_text(o, b->m, b->j, line, &t);
    if (t.n) {
        doc_begin(b->d, DOC_ITEM);
        report_row_name(b, line, TARGET);
        doc_cellf(b->d, DOC_TEXT, TONE_PLAIN, ": %s", t.p);
    }
    buf_release(&t);
}

void report_which_side(struct building *b)
{
    const struct oracle *o = comparison_oracle(b->s);
    uint32_t told = 0;
    if (!o || !(o->side[TARGET].cover.recomputed + o->side[GOLDEN].cover.recomputed))
        return;
    doc_say(b->d, TONE_PLAIN, "%s",
        _("Recorded calls are recomputed in float64 from the inputs and arguments of the same side. An output is wrong "
          "if its error exceeds twice the rounding error of a correct computation."));
    add_oracle_coverage(b, o);
    if (b->j->first != NONE && !oracle_which_is_wrong(oracle_which(o, b->m->pairing->lines.v[b->j->first].row)))
        add_oracle_line(b, o, b->j->first);
    for (uint32_t i = 0; i < b->m->pairing->lines.n && told < WRONG_LISTED; i++)
        if (oracle_which_is_wrong(oracle_which(o, b->m->pairing->lines.v[i].row))) {
            add_oracle_line(b, o, i);
            told++;
        }
}
