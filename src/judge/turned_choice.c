/* Compares the norms of what depends on a turned choice, and the sizes where other numbers of tokens went somewhere. */
#include "judge/turned_choice.h"

#include <math.h>
#include <stdlib.h>

#include "judge/conditioning.h"
#include "judge/row_verdict.h"

#define REACH 2 /* times the norm of the tokens that went elsewhere */

double turned_choices(const struct judgement *j, const struct measure *m, uint32_t line)
{
    const struct line_judgement *l = &j->line[line];
    uint32_t row = m->pairing->lines.v[line].row[TARGET];
    if (l->rule != RULE_ILL || l->was != CONDITION_ORDER || !class_is_whole(row_class(&m->side[TARGET]->rows.v[row])))
        return 0;
    double share = (double)l->error * (double)l->error / 2; /* condition_picked() */
    return share * (double)dump_row_numel(m->side[TARGET], row);
}

/* Whether tensors differ along one axis, by as many places as there are turned choices at most: tokens went elsewhere.
 */
static bool is_longer_by(const struct shape *t, const struct shape *g, double turned)
{
    int64_t apart = 0;
    int axes = 0;
    for (int i = 0; t && g && t->ndim == g->ndim && i < t->ndim; i++)
        if (t->dim[i] != g->dim[i]) {
            apart = llabs(t->dim[i] - g->dim[i]);
            axes++;
        }
    return axes == 1 && (double)apart <= turned + 0.5;
}

/* The norm of a side's elements, computed or recorded; NaN. */
static double norm_of(const struct measure *m, uint32_t line, int side)
{
    const struct figures *f = m->state[line] == MEASURE_DONE ? m->figures[line] : NULL;
    const struct row *r = &m->side[side]->rows.v[m->pairing->lines.v[line].row[side]];
    return f ? f->side[side].norm : r->has & HAS_NORM ? r->stat[STAT_NORM] : NAN;
}

/* Each choice changes one place of all axes but the last, and places may be in another order. A weight's gradient sums
 * over those of one choice, which may be few. Of the gradient of the choosing call itself the places are known
 * (kinks.h): its own verdict holds. */
bool turned_choice_explains(const struct judgement *j, const struct measure *m, const struct dataflow *flow,
                            uint32_t line, uint32_t choice)
{
    const struct dump *d = m->side[TARGET];
    const uint32_t *row = m->pairing->lines.v[line].row;
    const struct row *r = &d->rows.v[row[TARGET]];
    const struct shape *t = dump_row_shape(d, row[TARGET]), *g = dump_row_shape(m->side[GOLDEN], row[GOLDEN]);
    double turned = turned_choices(j, m, choice);
    if (d->calls.v[r->call].twin == d->rows.v[m->pairing->lines.v[choice].row[TARGET]].call)
        return false;
    if (j->line[line].verdict == VERDICT_SHAPE)
        return is_longer_by(t, g, turned);
    double norm[2] = {norm_of(m, line, TARGET), norm_of(m, line, GOLDEN)};
    if (j->line[line].verdict != VERDICT_DEVIATE || !t || !t->ndim)
        return false;
    bool summed = r->io == IO_GRADIENT || flow->weight_gradient[r->call];
    double places = (double)dump_row_numel(d, row[TARGET]) / (double)t->dim[t->ndim - 1];
    double apart = fabs(norm[TARGET] - norm[GOLDEN]);
    return isfinite(apart) && (summed || apart <= REACH * sqrt(turned / fmax(places, 1)) * norm[GOLDEN]);
}
