/* Looks for the largest distance of what backward calls return. */
#include "judge/gradient_terms.h"

#include <math.h>

#define TERMS_FACTOR 2   /* as much again may come from uses of the value that turn it, as a rotation does */
#define INSIDE_MOST 4096 /* calls before the end of a module that are looked at */

/* The distance of the recomputed gradient that differs most among those which a backward call returns. */
static double returned_distance(const struct judgement *j, const struct measure *m, const bool *decided, uint32_t call)
{
    const struct dump *d = m->side[TARGET];
    double most = 0;
    EACH_EARLY_ROW(d, call, r) {
        uint32_t of = m->pairing->line_of[TARGET][r];
        const struct line_judgement *l = of == NONE ? NULL : &j->line[of];
        bool counts = l && decided[of] && d->rows.v[r].io == IO_OUTPUT && l->cause == CAUSE_AGREES &&
                      l->basis == BASIS_RECOMPUTED;
        double apart = counts ? measure_distance(m, of) : 0;
        most = isfinite(apart) ? fmax(most, apart) : most;
    }
    return most;
}

bool gradient_terms_explain(const struct judgement *j, const struct measure *m, const struct dataflow *flow,
                            const bool *decided, uint32_t line)
{
    const struct dump *d = m->side[TARGET];
    uint32_t row = m->pairing->lines.v[line].row[TARGET], module = d->rows.v[row].call;
    const struct call *c = &d->calls.v[module];
    double most = 0, apart = measure_distance(m, line);
    if (c->phase != PHASE_BACKWARD || c->twin == NONE || c->kind != CALL_MODULE || d->rows.v[row].io != IO_OUTPUT ||
        flow->held[row] != NONE || !(apart > 0))
        return false;
    for (uint32_t i = module; i-- > 0 && module - i <= INSIDE_MOST;)
        if (d->calls.v[i].parent == module)
            most = fmax(most, returned_distance(j, m, decided, i));
    return apart <= TERMS_FACTOR * most;
}
