/* Adds up the distances of what backward calls return. */
#include "judge/gradient_terms.h"

#include <math.h>
#include <stdlib.h>

#define TERMS_FACTOR 2   /* as much again may come from uses of the value that turn it, as a rotation does */
#define INSIDE_MOST 4096 /* calls before the end of a module that are looked at */

/* The distance of the recomputed gradient that differs most among those which a backward call returns; n: only those of
 * n elements, 0: all. */
static double returned_distance(const struct gradient_terms *t, uint32_t call, uint64_t n)
{
    const struct dump *d = t->m->side[TARGET];
    double most = 0;
    EACH_EARLY_ROW(d, call, r) {
        uint32_t of = t->m->pairing->line_of[TARGET][r];
        const struct line_judgement *l = of == NONE ? NULL : &t->j->line[of];
        bool counts = l && t->decided[of] && d->rows.v[r].io == IO_OUTPUT && (!n || dump_row_numel(d, r) == n) &&
                      l->cause == CAUSE_AGREES && l->basis == BASIS_RECOMPUTED;
        double apart = counts ? measure_distance(t->m, of) : 0;
        most = isfinite(apart) ? fmax(most, apart) : most;
    }
    return most;
}

/* That of the gradients which the recorded uses of a forward call's result return, together. */
static double uses_distance(const struct gradient_terms *t, uint32_t forward, uint64_t n)
{
    const struct dump *d = t->m->side[TARGET];
    double sum = 0;
    if (!t->uses->first)
        forward_uses_find(t->uses, d, t->flow);
    for (uint32_t r = t->uses->first[forward]; r != NONE; r = t->uses->next[r]) {
        const struct call *use = &d->calls.v[d->rows.v[r].call];
        sum += use->kind != CALL_MODULE && use->twin != NONE ? returned_distance(t, use->twin, n) : 0;
    }
    return sum;
}

/* That of the gradient that differs most among those which the calls directly inside of a module return. */
static double inside_distance(const struct gradient_terms *t, uint32_t module)
{
    const struct dump *d = t->m->side[TARGET];
    double most = 0;
    for (uint32_t c = module; c-- > 0 && module - c <= INSIDE_MOST;)
        if (d->calls.v[c].parent == module)
            most = fmax(most, returned_distance(t, c, 0));
    return most;
}

bool gradient_terms_explain(const struct gradient_terms *t, uint32_t line)
{
    const struct dump *d = t->m->side[TARGET];
    uint32_t row = t->m->pairing->lines.v[line].row[TARGET];
    const struct row *x = &d->rows.v[row];
    const struct call *c = &d->calls.v[x->call];
    double terms = 0, apart = measure_distance(t->m, line);
    if (c->phase != PHASE_BACKWARD || c->twin == NONE || t->flow->held[row] != NONE || !(apart > 0))
        return false;
    if (x->io == IO_INPUT)
        terms = uses_distance(t, c->twin, dump_row_numel(d, row));
    else if (x->io == IO_OUTPUT && c->kind == CALL_MODULE)
        terms = inside_distance(t, x->call);
    return apart <= TERMS_FACTOR * terms;
}

static int by_line(const void *key, const void *sum)
{
    uint32_t a = *(const uint32_t *)key, b = ((const struct summed_gradient *)sum)->line;
    return a < b ? -1 : a > b;
}

/* Whether a line is an argument of the forward pass that was not compared (a mask of another kind): what it does shows in
 * the results there. */
static bool is_uncompared_argument(const struct gradient_terms *t, uint32_t line)
{
    const struct dump *d = t->m->side[TARGET];
    uint32_t row = t->m->pairing->lines.v[line].row[TARGET];
    return t->j->line[line].cause == CAUSE_UNKNOWN && d->rows.v[row].io == IO_INPUT &&
           d->calls.v[d->rows.v[row].call].phase == PHASE_FORWARD;
}

const struct summed_gradient *gradient_sum_of_agreeing(const struct gradient_terms *t, const struct judge_options *o,
                                                       uint32_t line)
{
    const struct summed_gradient *x = o->summed ? bsearch(&line, o->sums, o->summed, sizeof *x, by_line) : NULL;
    for (int i = 0; x && i < x->lines; i++)
        if (!t->decided[x->from[i]] ||
            (t->j->line[x->from[i]].cause != CAUSE_AGREES && !is_uncompared_argument(t, x->from[i])))
            return NULL;
    return x;
}
