/* Looks for a line's sum, and at the causes of the lines that it was computed from. */
#include "judge/summed_gradient.h"

#include <stdlib.h>

static int by_line(const void *key, const void *sum)
{
    uint32_t a = *(const uint32_t *)key, b = ((const struct summed_gradient *)sum)->line;
    return a < b ? -1 : a > b;
}

/* Whether a line is an argument of the forward pass that was not compared (a mask of another kind): what it does shows
 * in the results there. */
static bool is_uncompared_argument(const struct judgement *j, const struct measure *m, uint32_t line)
{
    const struct dump *d = m->side[TARGET];
    const struct row *r = &d->rows.v[m->pairing->lines.v[line].row[TARGET]];
    return j->line[line].cause == CAUSE_UNKNOWN && r->io == IO_INPUT && d->calls.v[r->call].phase == PHASE_FORWARD;
}

const struct summed_gradient *summed_gradient_of_agreeing(const struct judgement *j, const struct measure *m,
                                                          const struct judge_options *o, const bool *decided,
                                                          uint32_t line)
{
    const struct summed_gradient *x = o->summed ? bsearch(&line, o->sums, o->summed, sizeof *x, by_line) : NULL;
    for (int i = 0; x && i < x->lines; i++) {
        uint32_t of = x->from[i];
        if (!decided[of] || (j->line[of].cause != CAUSE_AGREES && !is_uncompared_argument(j, m, of)))
            return NULL;
    }
    return x;
}
