/* Finds the paired inputs that hold a result, by the data flow of both sides. */
#include "judge/made_value.h"

/* The row that first held a value. */
static uint32_t origin(const struct dataflow *f, uint32_t row)
{
    while (f->held[row] != NONE)
        row = f->held[row];
    return row;
}

/* The line of an input of the same two values that is not bad, or NONE. */
static uint32_t excused_reader(const struct judgement *j, const struct measure *m, const struct dataflow flow[2],
                               const struct value_readers *reads, const struct line *l)
{
    uint32_t made = origin(&flow[GOLDEN], l->row[GOLDEN]);
    for (uint32_t r = reads->first[l->row[TARGET]]; r != NONE; r = reads->next[r]) {
        uint32_t line = m->pairing->line_of[TARGET][r];
        const struct line *x = line == NONE ? NULL : &m->pairing->lines.v[line];
        if (x && x->pair != NONE && origin(&flow[GOLDEN], x->row[GOLDEN]) == made && !line_is_bad(&j->line[line]))
            return line;
    }
    return NONE;
}

void made_values_follow(struct judgement *j, const struct measure *m, const struct dataflow flow[2],
                        const struct value_readers *reads)
{
    for (uint32_t i = 0; i < j->lines; i++) {
        const struct line *l = &m->pairing->lines.v[i];
        if (l->pair == NONE || m->pairing->pairs.v[l->pair].why != WHY_MADE ||
            (!line_is_bad(&j->line[i]) && !line_is_in_doubt(&j->line[i])))
            continue;
        uint32_t reader = excused_reader(j, m, flow, reads, l);
        if (reader != NONE)
            j->line[i] = j->line[reader];
    }
}
