/* The table of known differences in what frameworks record, each with a condition on call and row. */
#include "judge/framework_difference.h"

#include <math.h>

#include "base/msg.h"
#include "dump/family.h"
#include "pair/align_item.h"

/* Whether figures identify a tensor: all finite, and not all zero. */
static bool telling_figures(const struct row *r)
{
    bool any = false;
    for (int i = 0; i < STAT_COUNT; i++) {
        if (r->has & 1U << i && !isfinite(r->stat[i]))
            return false;
        any |= r->has & 1U << i && r->stat[i] != 0;
    }
    return any;
}

/* Whether the incoming gradient is also the output: the recorded step only reorders (doc/differences.md). */
static bool passes_gradient(const struct dump *d, uint32_t row)
{
    const struct row *out = &d->rows.v[row];
    if (!telling_figures(out))
        return false;
    EACH_EARLY_ROW(d, out->call, r) {
        struct fingerprint a = fingerprint_of(d, row), b = fingerprint_of(d, r);
        if (d->rows.v[r].io == IO_INPUT && d->rows.v[r].kind == ROW_TENSOR && fingerprint_compare(&a, &b) == LIKE_SAME)
            return true;
    }
    return false;
}

/* Whether an activation overwrote its input ("inplace" by name or position): its input hook then records the result. */
static bool in_place(const struct dump *d, uint32_t row)
{
    uint32_t call = d->rows.v[row].call, forward = d->calls.v[call].twin;
    if (d->calls.v[call].family != FAMILY_ACTIVATION || forward == NONE || !passes_gradient(d, row))
        return false;
    EACH_EARLY_ROW(d, forward, r)
        if (d->rows.v[r].io == IO_INPUT && d->rows.v[r].kind == ROW_BOOL && d->rows.v[r].stat[STAT_MAX] != 0)
            return true;
    return false;
}

static bool always(const struct dump *d, uint32_t row)
{
    (void)d;
    (void)row;
    return true;
}

/* Each row: what one side is, and what the other must not be. */
static const struct nature {
    const char *framework; /* of the side it describes; the other side has another one */
    const char *operator;  /* as by family_operator; NULL: any */
    uint8_t phase, io;
    bool (*holds)(const struct dump *d, uint32_t row);
    const char *why;
} natures[] = {
    {"pytorch", "cross_entropy", PHASE_BACKWARD, IO_OUTPUT, always,
     N_("PyTorch recorded the gradient of the last inner step of this composite function (with respect to the "
        "log-probabilities), not of its input")},
    {"pytorch", "linear", PHASE_BACKWARD, IO_OUTPUT, passes_gradient,
     N_("PyTorch recorded the last inner step of this call, a view: the incoming gradient, not that of its input")},
    {"pytorch", "matmul", PHASE_BACKWARD, IO_OUTPUT, passes_gradient,
     N_("PyTorch recorded the last inner step of this call, a view: the incoming gradient, not that of its input")},
    {"pytorch", NULL, PHASE_BACKWARD, IO_OUTPUT, in_place,
     N_("PyTorch recorded the incoming gradient: this activation works in place and overwrites its input")},
    {"mindspore", "Parameter", PHASE_FORWARD, IO_OUTPUT, always,
     N_("MindSpore dumps a parameter after the update of the step")},
};

/* Whether the record is the incoming gradient: the call's input has another size, so it cannot be the input's
 * gradient. */
static bool is_inner_step(const struct dump *d, uint32_t row)
{
    uint32_t forward = d->calls.v[d->rows.v[row].call].twin;
    if (forward == NONE || !passes_gradient(d, row))
        return false;
    EACH_EARLY_ROW(d, forward, r)
        if (d->rows.v[r].io == IO_INPUT && d->rows.v[r].kind == ROW_TENSOR &&
            dump_row_numel(d, r) == dump_row_numel(d, row))
            return false;
    return true;
}

/* Depending on memory format or kernel, a framework ends a call with another inner step; if that step only reorders,
 * its record is the incoming gradient, and the call's actual output is what the next call gets. */
static const char *last_step_differs(const struct dump *const side[2], const uint32_t row[2])
{
    for (int s = 0; s < 2; s++) {
        const struct row *r = &side[s]->rows.v[row[s]];
        const struct call *c = &side[s]->calls.v[r->call];
        if (c->phase != PHASE_BACKWARD || c->gradient || c->kind != CALL_API || r->io != IO_OUTPUT ||
            r->kind != ROW_TENSOR)
            return NULL;
    }
    if (dump_row_numel(side[TARGET], row[TARGET]) == dump_row_numel(side[GOLDEN], row[GOLDEN]))
        return NULL;
    return is_inner_step(side[TARGET], row[TARGET]) == is_inner_step(side[GOLDEN], row[GOLDEN]) ? NULL
               : N_("one side recorded the last inner step of this call, a view: the incoming gradient, not that of "
                    "its input");
}

const char *framework_difference_of(const struct dump *const side[2], const uint32_t row[2])
{
    if (strcmp(side[TARGET]->framework, side[GOLDEN]->framework) == 0)
        return last_step_differs(side, row);
    for (int s = 0; s < 2; s++) {
        const struct dump *d = side[s];
        const struct row *r = &d->rows.v[row[s]];
        const struct call *c = &d->calls.v[r->call];
        uint32_t op = family_operator(align_item_operator(d, r->call));
        for (size_t i = 0; i < ARRAY_LEN(natures); i++) {
            const struct nature *n = &natures[i];
            if (strcmp(d->framework, n->framework) == 0 && c->phase == n->phase && r->io == n->io && !c->gradient &&
                c->kind != CALL_MODULE && (!n->operator || op == family_operator(str_of(n->operator))) &&
                n->holds(d, row[s]))
                return n->why;
        }
    }
    return NULL;
}
