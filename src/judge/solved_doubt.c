/* Looks at the other operands and at the result of the calls of both sides. */
#include "judge/solved_doubt.h"

static const struct line_judgement *judged(const struct judgement *j, const struct measure *m, int s, uint32_t row)
{
    uint32_t line = m->pairing->line_of[s][row];
    return line == NONE || m->pairing->lines.v[line].pair == NONE ? NULL : &j->line[line];
}

/* Whether another compared tensor that the call reads agrees, and none differs. */
static bool others_agree(const struct judgement *j, const struct measure *m, uint32_t row)
{
    const struct dump *d = m->side[TARGET];
    bool any = false;
    EACH_ROW(d, d->rows.v[row].call, r) {
        const struct line_judgement *x = judged(j, m, TARGET, r);
        if (r == row || !x || d->rows.v[r].io != IO_INPUT || d->rows.v[r].kind != ROW_TENSOR)
            continue;
        if (!line_agrees(x))
            return false;
        any = any || dump_row_numel(d, r) > 1;
    }
    return any;
}

static bool result_deviates(const struct judgement *j, const struct measure *m, const struct line *l)
{
    for (int s = 0; s < 2; s++)
        EACH_ROW(m->side[s], m->side[s]->rows.v[l->row[s]].call, r) {
            const struct line_judgement *x = judged(j, m, s, r);
            if (x && m->side[s]->rows.v[r].io == IO_OUTPUT && line_is_bad(x))
                return true;
        }
    return false;
}

void solved_doubts_find(struct judgement *j, const struct measure *m)
{
    for (uint32_t i = 0; i < j->lines; i++) {
        struct line_judgement *x = &j->line[i];
        const struct line *l = &m->pairing->lines.v[i];
        if (x->rule == RULE_REORDERED && x->verdict == VERDICT_DEVIATE && x->flags & LINE_DOUBTFUL &&
            m->side[TARGET]->rows.v[l->row[TARGET]].io == IO_INPUT &&
            m->side[GOLDEN]->rows.v[l->row[GOLDEN]].io == IO_INPUT && others_agree(j, m, l->row[TARGET]) &&
            result_deviates(j, m, l))
            x->flags &= (uint8_t)~LINE_DOUBTFUL;
    }
}
