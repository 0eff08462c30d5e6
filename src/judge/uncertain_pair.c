/* See uncertain_pair.h. */
#include "judge/uncertain_pair.h"

#include <string.h>

#include "dump/family.h"

/* Whether both rows are the same gradient of two forward calls that are paired for certain: however it differs, its
 * partner is not in doubt. Which gradient a module's or a product's place holds is. */
static bool forward_calls_are_paired(const struct judge_pass *p, const struct line *l)
{
    const struct row *r[2];
    uint32_t forward[2];
    for (int s = 0; s < 2; s++) {
        r[s] = &p->side[s]->rows.v[l->row[s]];
        const struct call *c = &p->side[s]->calls.v[r[s]->call];
        if (c->phase != PHASE_BACKWARD || c->twin == NONE || r[s]->kind != ROW_TENSOR || c->kind == CALL_MODULE ||
            c->family == FAMILY_MUL)
            return false;
        forward[s] = c->twin;
    }
    const struct shape *t = dump_row_shape(p->side[TARGET], l->row[TARGET]),
                       *g = dump_row_shape(p->side[GOLDEN], l->row[GOLDEN]);
    if (r[TARGET]->io != r[GOLDEN]->io || !shape_same(t, g) ||
        strcmp(p->side[TARGET]->slots.v[r[TARGET]->slot], p->side[GOLDEN]->slots.v[r[GOLDEN]->slot]) != 0)
        return false;
    EACH_ROW(p->side[TARGET], forward[TARGET], i) {
        const struct line *f = &p->m->pairing->lines.v[p->m->pairing->line_of[TARGET][i]];
        if (p->side[TARGET]->rows.v[i].io == IO_OUTPUT && f->pair != NONE &&
            p->side[GOLDEN]->rows.v[f->row[GOLDEN]].call == forward[GOLDEN] &&
            (double)p->m->pairing->pairs.v[f->pair].confidence >= p->tol->confidence)
            return true;
    }
    return false;
}

bool pair_is_doubtful(const struct judge_pass *p, const struct line *l)
{
    const struct pair *pair = &p->m->pairing->pairs.v[l->pair];
    return (double)pair->confidence < p->tol->confidence && !forward_calls_are_paired(p, l);
}
