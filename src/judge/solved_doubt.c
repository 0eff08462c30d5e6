/* Looks at the other operands and at the result of the calls of both sides. */
#include "judge/solved_doubt.h"

#include <stdlib.h>

#include "dump/family.h"

static const struct line_judgement *judgement_of_row(const struct judgement *j, const struct measure *m, int s,
                                                     uint32_t row)
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
        const struct line_judgement *x = judgement_of_row(j, m, TARGET, r);
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
            const struct line_judgement *x = judgement_of_row(j, m, s, r);
            if (x && m->side[s]->rows.v[r].io == IO_OUTPUT && line_is_bad(x))
                return true;
        }
    return false;
}

/* The call joined with this one, a product and the addition of its bias; NONE if it is one call. */
static uint32_t joined_with(const struct pairing *p, uint32_t side, uint32_t call)
{
    for (size_t i = 0; i < p->joined.n; i++) {
        const struct joined_call *x = &p->joined.v[i];
        if (x->side == side && (x->call == call || x->result == call))
            return x->call == call ? x->result : x->call;
    }
    return NONE;
}

/* 0: unknown. */
static int axes_of(const struct dump *d, uint32_t row)
{
    const struct shape *s = dump_row_shape(d, row);
    return s ? s->ndim : 0;
}

/* Whether a product's weight, or its bias, is among the parts of a fused one that together have its figures. */
static bool operand_is_part(const struct judgement *j, const struct measure *m, uint32_t side, uint32_t call,
                            bool weight)
{
    EACH_ROW(m->side[side], call, r) {
        const struct line_judgement *x = judgement_of_row(j, m, (int)side, r);
        if (x && x->rule == RULE_PART_SAME && m->side[side]->rows.v[r].io == IO_INPUT &&
            (weight ? axes_of(m->side[side], r) > 1 : axes_of(m->side[side], r) == 1))
            return true;
    }
    return false;
}

/* Whether a line is of an operand of a product whose other one, bias or weight, is a part: then this is the part of one
 * too. */
static bool is_beside_part(const struct judgement *j, const struct measure *m, const struct line *l)
{
    uint32_t s = dump_row_numel(m->side[TARGET], l->row[TARGET]) < dump_row_numel(m->side[GOLDEN], l->row[GOLDEN])
                     ? TARGET
                     : GOLDEN;
    const struct dump *d = m->side[s];
    const struct row *r = &d->rows.v[l->row[s]];
    uint32_t other = joined_with(m->pairing, s, r->call);
    bool product = family_is_product((enum family)d->calls.v[r->call].family) ||
                   (other != NONE && family_is_product((enum family)d->calls.v[other].family)),
         bias = axes_of(d, l->row[s]) == 1;
    return r->io == IO_INPUT && product && axes_of(d, l->row[s]) &&
           (operand_is_part(j, m, s, r->call, bias) || (other != NONE && operand_is_part(j, m, s, other, bias)));
}

/* The biases of a fused product whose parts' weights are known, or its weights where its biases are: all of them are in
 * doubt, or none. */
static void solve_parts(struct judgement *j, const struct measure *m)
{
    const struct pairing *p = m->pairing;
    bool *open = mem_zalloc(p->groups + 1);
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < j->lines && p->groups; i++) {
            const struct line *l = &p->lines.v[i];
            struct line_judgement *x = &j->line[i];
            uint32_t group = l->pair == NONE ? NONE : p->pairs.v[l->pair].group;
            if (group == NONE || !(x->flags & LINE_STATISTICS) || x->verdict != VERDICT_DEVIATE)
                continue;
            if (!pass)
                open[group] = open[group] || !is_beside_part(j, m, l);
            else if (!open[group])
                x->flags &= (uint8_t)~LINE_DOUBTFUL;
        }
    free(open);
}

/* Rows that differ and whose pair is in doubt, where a pair that is not in doubt reads exactly these values. */
static void solve_read(struct judgement *j, const struct measure *m, const struct dataflow flow[2])
{
    for (uint32_t i = 0; i < j->lines; i++) {
        const struct line *l = &m->pairing->lines.v[i];
        if (l->pair == NONE || j->line[i].flags & LINE_DOUBTFUL || j->line[i].verdict != VERDICT_DEVIATE ||
            m->side[TARGET]->rows.v[l->row[TARGET]].io != IO_INPUT ||
            m->side[GOLDEN]->rows.v[l->row[GOLDEN]].io != IO_INPUT)
            continue;
        uint32_t line = m->pairing->line_of[TARGET][dataflow_first(&flow[TARGET], l->row[TARGET])];
        if (line != NONE && m->pairing->lines.v[line].row[GOLDEN] == dataflow_first(&flow[GOLDEN], l->row[GOLDEN]) &&
            j->line[line].verdict == VERDICT_DEVIATE)
            j->line[line].flags &= (uint8_t)~LINE_DOUBTFUL;
    }
}

void solved_doubts_find(struct judgement *j, const struct measure *m, const struct dataflow flow[2])
{
    solve_parts(j, m);
    solve_read(j, m, flow);
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
