/* Follows recorded values from calls that agree forwards, and from their readers backwards, through calls that have no
 * partner. */
#include "judge/enclosed_calls.h"

#include <stdlib.h>

#define ROUNDS 4 /* a graph's calls are not in the order of its data */

struct enclosure {
    const struct dump *d;
    const struct dataflow *flow;
    struct value_readers reads;
    const bool *agrees;
    const uint8_t *paired;
    bool *fed, *read; /* per call: all that goes in, or all that reads it, leads to calls that agree */
};

static bool is_looked_through(const struct enclosure *x, uint32_t call)
{
    const struct call *c = &x->d->calls.v[call];
    return !x->paired[call] && c->kind != CALL_MODULE && c->phase != PHASE_OPTIMIZER;
}

/* The call that made what a row holds; NONE. */
static uint32_t enclosed_maker(const struct enclosure *x, uint32_t row)
{
    uint32_t made = dataflow_maker(x->flow, x->d, row);
    return made == NONE ? NONE : x->d->rows.v[made].call;
}

/* The call before (step -1) or behind (1) the calls without a partner that a call stands among, of its phase; NONE. */
static uint32_t beside_run(const struct enclosure *x, uint32_t call, int step)
{
    uint32_t c = call;
    do
        c += (uint32_t)step;
    while (c < x->d->calls.n && (is_looked_through(x, c) || x->d->calls.v[c].kind == CALL_MODULE));
    return c < x->d->calls.n && x->d->calls.v[c].phase == x->d->calls.v[call].phase ? c : NONE;
}

/* Whether no recorded call made what a row holds: none is known, or a module gives it that no call inside made. */
static bool is_made_unseen(const struct enclosure *x, uint32_t row)
{
    uint32_t made = dataflow_maker(x->flow, x->d, row);
    return x->flow->held[row] == NONE || (made != NONE && x->flow->held[made] == NONE &&
                                          x->d->calls.v[x->d->rows.v[made].call].kind == CALL_MODULE);
}

/* Whether the call behind those without a partner agrees and reads something that no recorded call made: what they
 * gave, as steps nobody recorded put it together (a stack of slices). */
static bool is_read_unseen(const struct enclosure *x, uint32_t call)
{
    uint32_t next = beside_run(x, call, 1);
    if (next == NONE || !x->agrees[next])
        return false;
    EACH_EARLY_ROW(x->d, next, r) {
        const struct row *in = &x->d->rows.v[r];
        if (in->io == IO_INPUT && in->kind == ROW_TENSOR && dtype_is_float(in->dtype) && !x->flow->weight[r] &&
            x->flow->known[r] && is_made_unseen(x, r))
            return true;
    }
    return false;
}

/* Whether inputs are known to be made, each by a call that agrees or is fed by such; or none is (slices), directly
 * behind a call that agrees. */
static bool is_fed(const struct enclosure *x, uint32_t call)
{
    bool any = false, takes = false;
    EACH_EARLY_ROW(x->d, call, r) {
        if (x->d->rows.v[r].io != IO_INPUT || x->d->rows.v[r].kind != ROW_TENSOR)
            continue;
        uint32_t from = enclosed_maker(x, r);
        takes = true;
        if (from == NONE)
            continue;
        if (!x->agrees[from] && !x->fed[from])
            return false;
        any = true;
    }
    uint32_t before = any || !takes ? NONE : beside_run(x, call, -1);
    return any || (before != NONE && x->agrees[before]);
}

/* Whether outputs are read, each by calls that agree or lead to such. */
static bool is_read(const struct enclosure *x, uint32_t call)
{
    bool any = false;
    EACH_EARLY_ROW(x->d, call, out)
        for (uint32_t r = x->d->rows.v[out].io == IO_OUTPUT ? x->reads.first[out] : NONE; r != NONE;
             r = x->reads.next[r]) {
            uint32_t by = x->d->rows.v[r].call;
            if (by == call || x->d->calls.v[by].kind == CALL_MODULE)
                continue;
            if (!x->agrees[by] && !x->read[by])
                return false;
            any = true;
        }
    return any || is_read_unseen(x, call);
}

bool *enclosed_calls_find(const struct dump *d, const struct dataflow *flow, const bool *agrees, const uint8_t *paired)
{
    struct enclosure x = {.d = d, .flow = flow, .agrees = agrees, .paired = paired};
    uint32_t n = (uint32_t)d->calls.n;
    x.fed = mem_zalloc((n + 1) * sizeof *x.fed);
    x.read = mem_zalloc((n + 1) * sizeof *x.read);
    readers_build(&x.reads, d, flow);
    for (int round = 0; round < ROUNDS; round++)
        for (uint32_t i = 0; i < n; i++) {
            uint32_t back = n - 1 - i;
            if (is_looked_through(&x, i))
                x.fed[i] = x.fed[i] || is_fed(&x, i);
            if (is_looked_through(&x, back))
                x.read[back] = x.read[back] || is_read(&x, back);
        }
    for (uint32_t i = 0; i < n; i++)
        x.fed[i] = x.fed[i] && x.read[i];
    readers_release(&x.reads);
    free(x.read);
    return x.fed;
}
