/* The table of known differences in what frameworks record, each with a condition on call and row. */
#include "judge/framework_difference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/msg.h"
#include "dump/family.h"
#include "judge/pass_rows.h"
#include "measure/element_sample.h"
#include "pair/align_item.h"

#define ADDED_LEAST 0.05 /* rel L2 that noise of two micro-batches may leave of their difference */

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

/* Whether an activation overwrote its input: its input hook then records the result. */
static bool in_place(const struct dump *d, uint32_t row)
{
    uint32_t forward = d->calls.v[d->rows.v[row].call].twin;
    return forward != NONE && passes_gradient(d, row) && dump_call_overwrites(d, forward);
}

/* Whether a module got its input in a list: its hooks take gradients of tensors that are
 * arguments themselves. */
static bool in_list(const struct dump *d, uint32_t row)
{
    uint32_t forward = d->calls.v[d->rows.v[row].call].twin;
    if (forward == NONE)
        return false;
    EACH_EARLY_ROW(d, forward, r)
        if (d->rows.v[r].io == IO_INPUT && d->rows.v[r].kind == ROW_TENSOR)
            return str_starts(str_of(d->slots.v[d->rows.v[r].slot]), "input.0.");
    return false;
}

static bool always_differs(const struct dump *d, uint32_t row)
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
    bool module; /* a module's row, not a call's */
} natures[] = {
    {"pytorch", "cross_entropy", PHASE_BACKWARD, IO_OUTPUT, always_differs,
     N_("PyTorch recorded the gradient of the last inner step of this composite function (with respect to the "
        "log-probabilities), not of its input"),
     false},
    {"pytorch", "linear", PHASE_BACKWARD, IO_OUTPUT, passes_gradient,
     N_("PyTorch recorded the last inner step of this call, a view: the incoming gradient, not that of its input"),
     false},
    {"pytorch", "matmul", PHASE_BACKWARD, IO_OUTPUT, passes_gradient,
     N_("PyTorch recorded the last inner step of this call, a view: the incoming gradient, not that of its input"),
     false},
    {"pytorch", NULL, PHASE_BACKWARD, IO_OUTPUT, in_place,
     N_("PyTorch recorded the incoming gradient: this activation works in place and overwrites its input"), false},
    {"pytorch", NULL, PHASE_BACKWARD, IO_OUTPUT, in_list,
     N_("PyTorch recorded another gradient: this module got its input in a list, which hooks do not open"),
     true},
    {"mindspore", "Parameter", PHASE_FORWARD, IO_OUTPUT, always_differs,
     N_("MindSpore dumps a parameter after the update of the step"), false},
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

static bool has_shape_of(const struct dump *d, uint32_t row, uint32_t other)
{
    const struct shape *a = dump_row_shape(d, row), *b = dump_row_shape(d, other);
    return shape_same(a, b);
}

/* Whether the record of a product is the incoming gradient with merged axes, as no input has them: of a square weight
 * the sizes do not tell. */
static bool is_merged_gradient(const struct dump *d, uint32_t row)
{
    uint32_t forward = d->calls.v[d->rows.v[row].call].twin;
    if (forward == NONE || !family_is_product((enum family)d->calls.v[forward].family) || !passes_gradient(d, row))
        return false;
    EACH_EARLY_ROW(d, forward, r)
        if (d->rows.v[r].io == IO_INPUT && d->rows.v[r].kind == ROW_TENSOR && has_shape_of(d, row, r))
            return false;
    return true;
}

/* Whether a gradient has the shape of one that went into its call's forward call. */
static bool is_shaped_as_input(const struct dump *d, uint32_t row)
{
    uint32_t forward = d->calls.v[d->rows.v[row].call].twin;
    if (forward != NONE)
        EACH_EARLY_ROW(d, forward, r)
            if (d->rows.v[r].io == IO_INPUT && d->rows.v[r].kind == ROW_TENSOR && has_shape_of(d, row, r))
                return true;
    return false;
}

/* Whether both rows are gradients that a function recorded, of what went in. */
static bool are_gradients_of_calls(const struct dump *const side[2], const uint32_t row[2])
{
    for (int s = 0; s < 2; s++) {
        const struct row *r = &side[s]->rows.v[row[s]];
        const struct call *c = &side[s]->calls.v[r->call];
        if (c->phase != PHASE_BACKWARD || c->gradient || c->kind != CALL_API || r->io != IO_OUTPUT ||
            r->kind != ROW_TENSOR)
            return false;
    }
    return true;
}

/* Depending on memory format or kernel, a framework ends a call with another inner step; if that step only reorders,
 * its record is the incoming gradient, and the call's actual output is what the next call gets. */
static const char *last_step_differs(const struct dump *const side[2], const uint32_t row[2])
{
    if (!are_gradients_of_calls(side, row))
        return NULL;
    bool same = dump_row_numel(side[TARGET], row[TARGET]) == dump_row_numel(side[GOLDEN], row[GOLDEN]), inner[2];
    for (int s = 0; s < 2; s++) {
        if (same && !telling_figures(&side[s]->rows.v[row[s]]))
            return NULL;
        inner[s] = same ? is_merged_gradient(side[s], row[s]) : is_inner_step(side[s], row[s]);
    }
    int other = inner[TARGET] ? GOLDEN : TARGET;
    if (same && !is_shaped_as_input(side[other], row[other])) /* an incoming gradient too, of another value */
        return NULL;
    return inner[TARGET] == inner[GOLDEN] ? NULL
               : N_("one side recorded the last inner step of this call, a view: the incoming gradient, not that of "
                    "its input");
}

/* Whether the gradients that a fused attention recorded are those of what went in: three, with their shapes. Written
 * out inside (PyTorch's math path), the call ends with the product with the values, whose gradients have merged
 * axes. */
static bool records_inner_product(const struct dump *d, uint32_t row)
{
    uint32_t forward = d->calls.v[d->rows.v[row].call].twin;
    bool tensors = false;
    if (forward == NONE || d->calls.v[forward].family != FAMILY_ATTENTION)
        return false;
    EACH_EARLY_ROW(d, forward, r) {
        if (d->rows.v[r].io != IO_INPUT || d->rows.v[r].kind != ROW_TENSOR || !dtype_is_float(d->rows.v[r].dtype))
            continue;
        if (has_shape_of(d, row, r))
            return false;
        tensors = true;
    }
    return tensors;
}

static const char *inner_product(const struct dump *const side[2], const uint32_t row[2])
{
    for (int s = 0; s < 2; s++) {
        const struct row *r = &side[s]->rows.v[row[s]];
        if (side[s]->calls.v[r->call].phase != PHASE_BACKWARD || r->io != IO_OUTPUT || r->kind != ROW_TENSOR)
            return NULL;
    }
    return records_inner_product(side[TARGET], row[TARGET]) == records_inner_product(side[GOLDEN], row[GOLDEN]) ? NULL
               : N_("one side recorded a gradient of a product inside this attention (PyTorch's math path), not of "
                    "what goes in: another quantity");
}

/* Whether a call has such a tensor with these figures. */
static bool holds_figures(const struct dump *d, uint32_t call, enum row_io io, struct fingerprint *of)
{
    EACH_EARLY_ROW(d, call, r) {
        struct fingerprint f = fingerprint_of(d, r);
        if (d->rows.v[r].io == io && d->rows.v[r].kind == ROW_TENSOR && fingerprint_compare(of, &f) == LIKE_SAME)
            return true;
    }
    return false;
}

/* Whether a function handed its input on as it was, without a node of its own, and the record is the gradient of the
 * call that made that input. */
static bool records_maker(const struct dump *d, uint32_t row)
{
    uint32_t forward = d->calls.v[d->rows.v[row].call].twin;
    struct fingerprint own = fingerprint_of(d, row);
    if (forward == NONE || !telling_figures(&d->rows.v[row]) || passes_gradient(d, row))
        return false;
    EACH_EARLY_ROW(d, forward, in) {
        if (d->rows.v[in].io != IO_INPUT || d->rows.v[in].kind != ROW_TENSOR)
            continue;
        struct fingerprint value = fingerprint_of(d, in);
        if (!holds_figures(d, forward, IO_OUTPUT, &value))
            return false;
        for (uint32_t c = 0; c < forward; c++)
            if (d->calls.v[c].kind == CALL_API && d->calls.v[c].phase == PHASE_FORWARD && d->calls.v[c].twin != NONE &&
                holds_figures(d, c, IO_OUTPUT, &value) && holds_figures(d, d->calls.v[c].twin, IO_OUTPUT, &own))
                return true;
        return false;
    }
    return false;
}

/* A dropout that drops nothing returns the tensor that went in: between two modules, or behind a function, its record
 * of a gradient is that of another node. */
static const char *of_maker(const struct dump *const side[2], const uint32_t row[2])
{
    if (!are_gradients_of_calls(side, row))
        return NULL;
    for (int s = 0; s < 2; s++)
        if (passes_gradient(side[s], row[s]) && records_maker(side[!s], row[!s]))
            return N_("the call hands its input on, and one side recorded there the gradient of the call that made it: "
                      "another quantity");
    return NULL;
}

/* Gradients of the calls of one place that computed the same value from a weight: one for each of its uses. */
struct uses {
    int n;
    double *sum; /* of all; NULL: unread */
    size_t elements;
    double mean, norms; /* sums of the recorded ones; NaN: not recorded */
};

/* The module around a call, or NONE. */
static uint32_t scope_around(const struct dump *d, uint32_t call)
{
    uint32_t up = d->calls.v[call].parent;
    return up == NONE ? NONE : d->calls.v[up].scope;
}

static void add_use(struct uses *x, const struct dump *d, uint32_t row)
{
    struct element_sample s;
    const struct row *r = &d->rows.v[row];
    x->mean += r->has & HAS_MEAN ? r->stat[STAT_MEAN] : NAN;
    x->norms += r->has & HAS_NORM ? r->stat[STAT_NORM] : NAN;
    if ((x->n && !x->sum) || !element_sample_whole(&s, d, row)) {
        free(x->sum);
        x->sum = NULL;
    } else {
        x->sum = x->sum ? x->sum : mem_zalloc((s.n + 1) * sizeof *x->sum);
        x->elements = x->n && x->elements != s.n ? 0 : s.n;
        for (size_t i = 0; i < x->elements; i++)
            x->sum[i] += s.v[0][i];
        element_sample_release(&s);
    }
    x->n++;
}

#define USES_APART 4096 /* the most calls between two uses of a weight: experts are called in one loop */

static struct uses uses_of(const struct dump *d, uint32_t row)
{
    const struct row *own = &d->rows.v[row];
    uint32_t forward = d->calls.v[own->call].twin, around = scope_around(d, forward),
             made = pass_first_float(d, forward, IO_OUTPUT);
    struct uses x = {.n = 0};
    if (around == NONE || made == NONE || !telling_figures(&d->rows.v[made]))
        return x;
    struct fingerprint value = fingerprint_of(d, made);
    uint32_t from = forward > USES_APART ? forward - USES_APART : 0;
    for (uint32_t c = from; c < d->calls.n && c <= forward + USES_APART; c++) {
        uint32_t back = d->calls.v[c].twin;
        if (d->calls.v[c].phase != PHASE_FORWARD || back == NONE || scope_around(d, c) != around ||
            !str_eq(align_item_operator(d, c), align_item_operator(d, forward)) ||
            !holds_figures(d, c, IO_OUTPUT, &value))
            continue;
        EACH_EARLY_ROW(d, back, r)
            if (d->rows.v[r].io == own->io && d->rows.v[r].slot == own->slot && d->rows.v[r].kind == ROW_TENSOR)
                add_use(&x, d, r);
    }
    return x;
}

#define USES_LEAST 0.01  /* rel L2 that noise may leave of the sums */
#define MEANS_LEAST 1e-4 /* the same of their means, relative to the size of an element */

/* Whether the elements of all uses agree. */
static bool uses_agree(const struct uses x[2])
{
    double off = 0, whole = 0;
    if (!x[TARGET].sum || !x[GOLDEN].sum || !x[TARGET].elements || x[TARGET].elements != x[GOLDEN].elements)
        return false;
    for (size_t i = 0; i < x[TARGET].elements; i++) {
        off += pow(x[TARGET].sum[i] - x[GOLDEN].sum[i], 2);
        whole += pow(x[GOLDEN].sum[i], 2);
    }
    return off <= USES_LEAST * USES_LEAST * whole;
}

/* The same by figures alone, of a vector that one side computed once: means add up, and its norm is no larger than
 * those of the terms together. */
static bool figures_of_uses_agree(const struct uses x[2], const struct shape *of)
{
    int one = x[TARGET].n == 1 ? TARGET : GOLDEN;
    return x[one].n == 1 && x[one].norms <= (1 + USES_LEAST) * x[!one].norms &&
           fabs(x[TARGET].mean - x[GOLDEN].mean) <= MEANS_LEAST * x[one].norms / sqrt((double)of->dim[0]);
}

/* What one side computes from a weight for each part of its input, the other computes once (experts one by one, or all
 * in one call): one use has a part of the gradient, and all of them have all of it. */
static const char *of_uses(const struct dump *const side[2], const uint32_t row[2])
{
    struct uses x[2] = {{.n = 0}, {.n = 0}};
    const struct shape *of = dump_row_shape(side[GOLDEN], row[GOLDEN]);
    bool read = true;
    for (int s = 0; s < 2; s++) {
        const struct call *c = &side[s]->calls.v[side[s]->rows.v[row[s]].call];
        if (c->phase != PHASE_BACKWARD || c->gradient || c->kind != CALL_API || c->twin == NONE ||
            side[s]->rows.v[row[s]].kind != ROW_TENSOR)
            return NULL;
        read = read && side[s]->rows.v[row[s]].has & HAS_FILE;
    }
    if (!read && (!of || of->ndim != 1))
        return NULL;
    for (int s = 0; s < 2; s++)
        x[s] = uses_of(side[s], row[s]);
    bool fits = x[TARGET].n && x[GOLDEN].n && x[TARGET].n != x[GOLDEN].n &&
                (read ? uses_agree(x) : figures_of_uses_agree(x, of));
    for (int s = 0; s < 2; s++)
        free(x[s].sum);
    return fits ? N_("one side uses this weight for each part of the input, the other once for all: the gradient of "
                     "one use beside that of more; together they agree")
                : NULL;
}

/* The record of the same parameter's gradient before this one; NONE: this is the step's first. */
static uint32_t gradient_before(const struct dump *d, uint32_t row)
{
    const struct call *own = &d->calls.v[d->rows.v[row].call];
    for (uint32_t c = d->rows.v[row].call; c-- > 0 && own->scope != NONE;) {
        if (!d->calls.v[c].gradient || d->calls.v[c].scope != own->scope)
            continue;
        EACH_EARLY_ROW(d, c, r)
            if (d->rows.v[r].io == IO_GRADIENT && d->rows.v[r].slot == d->rows.v[row].slot)
                return r;
    }
    return NONE;
}

/* Whether the gradient added since the record before is the other side's, within noise: by elements; where they cannot
 * be read or this is a part of a fused parameter, the norms must not contradict it. */
static bool adds_up(const struct dump *const side[2], int sums, uint32_t before, const uint32_t row[2])
{
    struct element_sample x[3] = {{.n = 0}, {.n = 0}, {.n = 0}};
    const struct row *r[3] = {&side[sums]->rows.v[before], &side[sums]->rows.v[row[sums]],
                              &side[!sums]->rows.v[row[!sums]]};
    double off = 0, whole = 0, epsilon = dtype_table[dtype_coarser(r[1]->dtype, r[2]->dtype)].epsilon;
    bool fits = false, read = element_sample_whole(&x[0], side[sums], before) &&
                              element_sample_whole(&x[1], side[sums], row[sums]) &&
                              element_sample_whole(&x[2], side[!sums], row[!sums]);
    bool part = dump_row_numel(side[sums], before) != dump_row_numel(side[!sums], row[!sums]);
    if (read && !part && x[1].n == x[2].n) {
        for (size_t i = 0; i < x[2].n; i++) {
            off += pow(x[1].v[0][i] - x[0].v[0][i] - x[2].v[0][i], 2);
            whole += pow(x[2].v[0][i], 2) + pow(x[1].v[0][i], 2);
        }
        fits = off <= pow(fmax(ADDED_LEAST, 2 * epsilon), 2) * whole;
    } else if (r[0]->has & r[1]->has & r[2]->has & HAS_NORM) {
        double a = r[0]->stat[STAT_NORM], b = r[1]->stat[STAT_NORM], t = r[2]->stat[STAT_NORM];
        fits = (part || fabs(b - a) <= 1.01 * t) && t <= 1.01 * (a + b);
    }
    for (int i = 0; i < 3; i++)
        element_sample_release(&x[i]);
    return fits;
}

/* From the second micro-batch on, PyTorch records what a parameter's gradient has accumulated, a functional gradient
 * is that of its micro-batch. */
static const char *accumulates_gradient(const struct dump *const side[2], const uint32_t row[2])
{
    for (int s = 0; s < 2; s++) {
        if (side[s]->rows.v[row[s]].io != IO_GRADIENT || strcmp(side[s]->framework, "pytorch") != 0)
            continue;
        uint32_t before = gradient_before(side[s], row[s]);
        if (before != NONE && side[!s]->rows.v[row[!s]].io == IO_GRADIENT && adds_up(side, s, before, row))
            return N_("PyTorch recorded the gradient accumulated over the micro-batches so far, the other side that "
                      "of this one");
    }
    return NULL;
}

const char *framework_difference_of(const struct dump *const side[2], const uint32_t row[2])
{
    if (dumps_of_one_framework(side[TARGET], side[GOLDEN])) {
        const char *why = inner_product(side, row);
        why = why ? why : of_maker(side, row);
        why = why ? why : of_uses(side, row);
        return why ? why : last_step_differs(side, row);
    }
    for (int s = 0; s < 2; s++) {
        const struct dump *d = side[s];
        const struct row *r = &d->rows.v[row[s]];
        const struct call *c = &d->calls.v[r->call];
        uint32_t op = family_operator(align_item_operator(d, r->call));
        for (size_t i = 0; i < ARRAY_LEN(natures); i++) {
            const struct nature *n = &natures[i];
            if (strcmp(d->framework, n->framework) == 0 && c->phase == n->phase && r->io == n->io && !c->gradient &&
                (c->kind == CALL_MODULE) == n->module && (!n->operator || op == family_operator(str_of(n->operator))) &&
                n->holds(d, row[s]))
                return n->why;
        }
    }
    return accumulates_gradient(side, row);
}
