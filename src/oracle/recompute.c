/* Compares a call's candidates with the recorded outputs. */
#include "oracle/recompute.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/map.h"
#include "judge/thresholds.h"
#include "oracle/moved_inputs.h"
#include "oracle/candidate_trial.h"
#include "pair/align_item.h"
#include "pair/call_arguments.h"
#include "dump/family.h"
#include "dump/reader.h"

enum { ROUNDED_LEAST = 16 };
enum { RESULTS = 3 }; /* arrays of a candidate: y, roundings, inside */

/* ---- planning ---- */

static bool is_float_row(const struct dump *d, uint32_t r)
{
    return d->rows.v[r].kind == ROW_TENSOR && d->rows.v[r].has & HAS_FILE
        && dtype_is_float((enum dtype)d->rows.v[r].dtype);
}

static bool has_output(const struct dump *d, uint32_t call, bool floating)
{
    EACH_ROW(d, call, r)
        if ((d->rows.v[r].io == IO_OUTPUT || d->rows.v[r].io == IO_GRADIENT) && d->rows.v[r].kind == ROW_TENSOR &&
            d->rows.v[r].has & HAS_FILE && (!floating || is_float_row(d, r)))
            return true;
    return false;
}

static bool is_move(const struct call_plan *p, const struct call *c)
{
    return (p->operator && p->operator->move) || c->family == FAMILY_VIEW || c->family == FAMILY_CAST ||
           c->family == FAMILY_COPY ||
           c->family == FAMILY_COLLECTIVE;
}

/* Number of terms in each sum of a product, from the sizes of its operands. */
static double product_terms(const struct call_values *c, enum formula_family f)
{
    const struct real_tensor *w = c->module ? call_parameter(c, "weight") : call_nth_tensor(c, 1), *t;
    if (f == FORMULA_CONVOLUTION)
        return w && w->axes && w->shape[0] ? (double)w->count / (double)w->shape[0] : 1;
    for (int i = 0; (t = call_nth_tensor(c, i)); i++)
        if (t->axes > 1)
            return (double)t->shape[t->axes - 1];
    return 1;
}

/* Number of rows of a product, from the size of its result. */
static double product_rows_of(enum formula_family f, const struct real_tensor *y)
{
    int columns = f == FORMULA_CONVOLUTION ? 1 : y->axes - 1;
    return columns >= 0 && columns < y->axes && y->shape[columns] ? (double)y->count / (double)y->shape[columns] : 1;
}

static double operations_of(const struct operator *o, const struct recorded_call *r)
{
    const struct call_values *c = &r->values;
    double forward = (double)r->largest;
    if (o->cost) {
        forward = o->cost(c);
    } else if (o->family != FORMULA_OTHER) {
        double results = 0;
        for (int i = 0; i < c->results; i++)
            results += (double)c->result[i].count;
        forward = results * product_terms(c, o->family);
    }
    return ceil(forward * (c->backward ? 2 : 1)) + 1;
}

/* A module's backward call is considered only if its class has a formula for it, and around other calls only in
 * PyTorch: its linear function hands on the gradient of a view, and the module alone has that of the product. */
static bool is_looked_at(const struct call_plan *p, const struct dump *d, const struct call *x, bool container)
{
    bool own = !container || strcmp(d->framework, "pytorch") == 0;
    return x->kind != CALL_MODULE || x->phase == PHASE_FORWARD || (own && p->operator && p->operator->backward);
}

bool call_plan_make(struct call_plan *p, const struct dump *d, uint32_t call, unsigned holds)
{
    bool container = holds & HOLDS_CALLS;
    const struct call *x = &d->calls.v[call];
    uint32_t made_by = recorded_call_made_by(d, call);
    if (made_by == NONE || x->phase == PHASE_OPTIMIZER || !has_output(d, call, false))
        return false;
    struct str name = align_item_operator(d, made_by);
    *p = (struct call_plan){.operator = x->kind == CALL_MODULE ? operator_find_class(name) : operator_find(name)};
    p->votes = !container && !x->gradient;
    p->looked_at = is_looked_at(p, d, x, container);
    p->counted = p->looked_at && !container && !x->gradient && !is_move(p, x) && has_output(d, call, true);
    if (!p->looked_at)
        return false;
    if (holds & HOLDS_COLLECTIVES) {
        p->unknown = UNKNOWN_COLLECTIVE;
        return true;
    }
    if (!p->operator) {
        p->unknown = x->kind == CALL_MODULE ? UNKNOWN_CLASS : UNKNOWN_OPERATOR;
        return true;
    }
    struct arena a = {0};
    struct recorded_call r;
    recorded_call_open(&r, &a, d, call);
    snprintf(p->name, sizeof p->name, "%s", r.values.operator);
    bool large = (double)r.elements > REAL_ELEMENTS_MOST;
    p->unknown = r.values.unknown ? r.values.unknown : large ? UNKNOWN_LARGE : UNKNOWN_NOT;
    p->operations = p->unknown ? 0 : operations_of(p->operator, &r);
    p->bytes = ((double)r.elements + RESULTS * (double)r.largest) * sizeof(double);
    p->products = r.values.backward ? 4 : 1;
    bool sampled = p->operator->family != FORMULA_OTHER && !p->operator->cost && r.values.results;
    if (sampled && p->operator->family == FORMULA_PRODUCT)
        p->vector_operations = (double)r.elements;
    if (sampled)
        p->row_operations = p->operations / fmax(1, product_rows_of(p->operator->family, &r.values.result[0]));
    arena_release(&a);
    return true;
}

/* ---- before the formula ---- */

static bool same_tensor(const struct real_tensor *a, const struct real_tensor *b)
{
    return a->count == b->count && memcmp(a->v, b->v, (size_t)a->count * sizeof *a->v) == 0;
}

static bool asks_in_place(const struct recorded_call *r)
{
    const struct dump *d = r->dump;
    struct str name = str_of(r->values.operator);
    if ((str_ends(name, "_") && !str_ends(name, "__")) || str_starts(name, "__i"))
        return true;
    EACH_EARLY_ROW(d, r->call, i)
        if (d->rows.v[i].io == IO_INPUT && d->rows.v[i].kind == ROW_BOOL && d->rows.v[i].stat[STAT_MAX] != 0 &&
            str_is(argument_name(d, i), "inplace"))
            return true;
    return false;
}

static void refuse_in_place(struct recorded_call *r)
{
    const struct call_values *c = &r->values;
    const struct real_tensor *x = call_nth_tensor(c, 0);
    if (!c->backward && !c->module && c->outputs && x && asks_in_place(r) && same_tensor(x, &c->output[0]))
        call_unknown(&r->values, UNKNOWN_IN_PLACE);
}

/* PyTorch's backward hooks see the gradients of a call's last node: more gradients than input tensors mean a
 * composite operator. */
static void refuse_composite(struct recorded_call *r)
{
    if (r->values.backward && !r->values.mindspore && !r->values.module && r->values.outputs > r->tensors)
        call_unknown(&r->values, UNKNOWN_COMPOSITE);
}

/* ---- outputs ---- */

/* Whether the output is the incoming gradient itself, returned by a view that was the last node of a PyTorch call:
 * only if equal to the last bits. */
static bool is_gradient_view(const struct trials *j, int output, struct trial *t)
{
    const struct call_values *c = &j->r->values;
    struct candidate view = {.output = output, .formula = "g", .move = true};
    if (!c->backward || c->mindspore || c->gradient[0].count != c->output[output].count)
        return false;
    struct candidate *kept = arena_alloc(c->arena, sizeof *kept);
    view.y = c->gradient[0];
    *kept = view;
    trial_run(j, kept, output, 0, t);
    double u = fmax(unit_roundoff(c->output[output].dtype), 0x1p-24);
    return t->found.error <= 2 * u;
}

/* ---- unrecorded casts ---- */

static bool holds_only(const struct real_tensor *t, uint32_t low_bits)
{
    for (int64_t i = 0; i < t->count; i++) {
        float f = (float)t->v[i];
        uint32_t bits;
        memcpy(&bits, &f, sizeof bits);
        if (bits & ((1u << low_bits) - 1))
            return false;
    }
    return true;
}

static enum dtype rounded_to(const struct real_tensor *t, enum dtype type, const struct trial *best)
{
    double error = best->found.error;
    if (t->dtype != DTYPE_F32 || type != DTYPE_F32 || t->count < ROUNDED_LEAST || best->candidate->move || error == 0)
        return DTYPE_UNKNOWN;
    if (error < 2 * 0x1p-8 && holds_only(t, 16))
        return DTYPE_BF16;
    return error < 2 * 0x1p-11 && holds_only(t, 13) ? DTYPE_F16 : DTYPE_UNKNOWN;
}

/* ---- a call ---- */

/* Whether a product whose error TF32 would explain is that of operands rounded to it, within the bound of its own type.
 */
static bool is_of_tf32_operands(const struct trials *j, const struct trial *best, int output)
{
    const struct error_found *f = &best->found;
    if (!best->candidate->product || best->vectors || !(f->error > f->bound[ARITHMETIC_OWN]) ||
        !(f->error <= f->bound[ARITHMETIC_TF32]))
        return false;
    struct product operands = *best->candidate->product;
    struct candidate rounded = *best->candidate;
    struct trial t;
    operands.tf32 = true;
    rounded.product = &operands;
    trial_run(j, &rounded, output, 0, &t);
    return t.found.error <= t.found.bound[ARITHMETIC_OWN];
}

static bool judge_output(const struct trials *j, bool few, int output, struct recomputed_output *out)
{
    const struct call_values *c = &j->r->values;
    struct trial best, view;
    bool finer, found = trial_best(j, output, &best);
    if (is_gradient_view(j, output, &view) && (!found || trial_likeness(&view) < trial_likeness(&best))) {
        best = view;
        found = true;
    }
    if (!found)
        return false;
    *out = (struct recomputed_output){.row = j->r->output_row[output], .found = best.found, .part = best.part,
        .vectors = best.vectors};
    out->type = recorded_call_type(j->r, c->output[output].dtype, &finer);
    out->product = best.candidate->product || best.candidate->squares;
    out->tf32 = few && is_of_tf32_operands(j, &best, output);
    out->rounded = rounded_to(&c->output[output], out->type, &best);
    out->condition = NAN;
    out->candidate = trial_candidate_number(c, best.candidate);
    snprintf(out->formula, sizeof out->formula, "%s", best.candidate->formula);
    return true;
}

static void judge_outputs(const struct trials *j, bool few, struct recomputed_call *out)
{
    struct call_values *c = &j->r->values;
    int judged = c->module && !c->backward ? 1 : c->outputs;
    out->output = mem_zalloc((size_t)(c->outputs + 1) * sizeof *out->output);
    for (int i = 0; i < judged && i < c->outputs; i++)
        out->outputs += judge_output(j, few, i, &out->output[out->outputs]);
    if (!out->outputs)
        call_unknown(c, c->candidates ? UNKNOWN_SHAPE : UNKNOWN_OPERATOR);
}

void recompute_open(struct recorded_call *r, struct arena *a, const struct dump *d, uint32_t call)
{
    recorded_call_open(r, a, d, call);
    refuse_composite(r);
    if (!r->values.unknown)
        recorded_call_load(r);
    if (!r->values.unknown)
        refuse_in_place(r);
}

void recompute_candidates(const struct call_plan *p, struct recorded_call *r)
{
    struct call_values *c = &r->values;
    formula_function *formula = c->backward ? p->operator->backward : p->operator->forward;
    if (!c->unknown && formula)
        formula(c);
    if (!c->unknown && !formula && (!c->backward || c->mindspore))
        call_unknown(c, UNKNOWN_OPERATOR);
    if (!c->unknown)
        recorded_call_look(r);
}

void recompute_call(const struct call_plan *p, const struct dump *d, struct arena *a, uint32_t call, double allowed,
    struct recomputed_call *out)
{
    struct recorded_call r;
    struct trials j = {&r, allowed};
    struct fits fits = {.v = NULL};
    *out = (struct recomputed_call){.output = NULL};
    recompute_open(&r, a, d, call);
    struct call_values *c = &r.values;
    c->fits = &fits;
    recompute_candidates(p, &r);
    c->fits = NULL;
    out->fitted = hash_bytes(fits.v, (size_t)fits.n * sizeof *fits.v, 1);
    if (!c->unknown)
        judge_outputs(&j, p->few, out);
    out->unknown = c->unknown;
    out->assumed = c->stored || (r.default_taken && !c->module && !dump_format(d)->arguments);
    if (c->unknown)
        out->outputs = 0;
    formula_function *formula = c->backward ? p->operator->backward : p->operator->forward;
    if (p->moved && formula && out->outputs && out->output[0].candidate >= 0)
        out->output[0].condition = moved_inputs_change(&r, formula, out->output[0].candidate);
}
