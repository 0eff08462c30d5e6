/* Pairs the epsilon of a norm that one side writes out as operators with the argument of the other side's norm: the
 * results of both are paired already, and what they are told is compared where it enters. */
#include "pair/sequence_parts.h"

#include "dump/family.h"
#include "pair/call_arguments.h"

#define STEPS 16         /* calls of one norm that are looked at */
#define EPSILON_MOST 0.2 /* the largest number that is added as one */

/* The number that a sum adds to reduced values, smaller than the norm's result; NONE: it is no such sum. */
static uint32_t number_added(const struct dump *d, uint32_t call, uint64_t numel)
{
    uint32_t number = NONE;
    bool reduced = false;
    if (d->calls.v[call].family != FAMILY_ADD)
        return NONE;
    EACH_EARLY_ROW(d, call, r) {
        const struct row *x = &d->rows.v[r];
        uint64_t n = dump_row_numel(d, r);
        bool small = (x->has & HAS_MAX) && x->stat[STAT_MAX] > 0 && x->stat[STAT_MAX] <= EPSILON_MOST;
        if (x->io == IO_INPUT && n == 1 && small && number == NONE)
            number = r;
        reduced |= x->io == IO_INPUT && n > 1 && n < numel;
    }
    return reduced ? number : NONE;
}

/* The epsilon among the calls of one scope that a result was computed by; NONE: none adds one. */
static uint32_t epsilon_behind(const struct sequence *w, int s, uint32_t result)
{
    const struct dump *d = w->d[s];
    uint32_t queue[STEPS] = {d->rows.v[result].call}, scope = d->calls.v[queue[0]].scope;
    for (int i = 0, n = 1; i < n; i++) {
        uint32_t number = number_added(d, queue[i], dump_row_numel(d, result));
        if (number != NONE)
            return number;
        EACH_EARLY_ROW(d, queue[i], r) {
            uint32_t from = d->rows.v[r].io == IO_INPUT ? w->from[s][r] : NONE,
                     call = from == NONE ? NONE : d->rows.v[from].call;
            bool known = call == NONE || d->calls.v[call].scope != scope;
            for (int k = 0; k < n; k++)
                known = known || queue[k] == call;
            if (!known && n < STEPS)
                queue[n++] = call;
        }
    }
    return NONE;
}

void sequence_pair_epsilons(struct sequence *w)
{
    for (size_t i = 0, n = w->out->n; i < n; i++) {
        uint32_t row[2] = {w->out->v[i].t, w->out->v[i].g};
        for (int s = 0; s < 2; s++) {
            const struct call *written = &w->d[s]->calls.v[w->d[s]->rows.v[row[s]].call],
                              *norm = &w->d[!s]->calls.v[w->d[!s]->rows.v[row[!s]].call];
            if (norm->family != FAMILY_NORM || norm->kind == CALL_MODULE || written->family == FAMILY_NORM ||
                written->kind != CALL_OPERATOR || w->d[!s]->rows.v[row[!s]].io != IO_OUTPUT ||
                norm->phase != PHASE_FORWARD || written->scope == NONE)
                continue;
            uint32_t number = epsilon_behind(w, s, row[s]),
                     argument = call_argument(w->d[!s], w->d[!s]->rows.v[row[!s]].call, "eps epsilon");
            if (number != NONE && argument != NONE && sequence_free(w, s, number) && sequence_free(w, !s, argument))
                sequence_emit(w, s ? argument : number, s ? number : argument, WHY_FLOW, w->out->v[i].confidence);
        }
    }
}
