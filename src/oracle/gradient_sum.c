/* Finds the uses of a value, takes or computes what each returns, and adds that up. */
#include "oracle/gradient_sum.h"

#include <math.h>

#include "dump/family.h"
#include "oracle/recompute.h"

#define OPERATIONS_MOST 1e7 /* of one product */

struct summing {
    const struct oracle_side *s;
    const struct dataflow *flow;
    struct arena *a;
    uint32_t value;        /* the row of the forward call's result */
    const double *v;       /* its elements */
    int64_t n;
    double *y, *size;      /* the sum, and that of the sizes of its terms */
    double *c, *inside, *squares; /* bounds of computed terms (struct candidate) */
    double terms;          /* the most products of an element of a computed term */
    enum arithmetic arithmetic; /* of computed products */
    uint32_t types;        /* floating types met, as bits */
    int uses;
    bool product;
    struct summed_gradient *out;
};

static bool is_float_tensor(const struct row *r, enum row_io io)
{
    return r->io == io && r->kind == ROW_TENSOR && dtype_is_float((enum dtype)r->dtype);
}

/* The result of the forward call of a gradient that comes in, if it is the only one; NONE. */
static uint32_t result_of(const struct dump *d, uint32_t row)
{
    const struct call *c = &d->calls.v[d->rows.v[row].call];
    uint32_t found = NONE;
    if (c->phase != PHASE_BACKWARD || c->kind == CALL_MODULE || c->twin == NONE ||
        !is_float_tensor(&d->rows.v[row], IO_INPUT))
        return NONE;
    EACH_ROW(d, c->twin, r)
        if (d->rows.v[r].io == IO_OUTPUT && d->rows.v[r].kind == ROW_TENSOR) {
            if (found != NONE)
                return NONE;
            found = r;
        }
    return found != NONE && dump_row_numel(d, found) == dump_row_numel(d, row) ? found : NONE;
}

/* Whether every element is the value's, rounded to the row's type by a cast that nobody recorded. */
static bool is_rounded_value(const struct summing *x, uint32_t r)
{
    const struct dump *d = x->s->dump;
    const struct row *u = &d->rows.v[r], *v = &d->rows.v[x->value];
    enum dtype type = (enum dtype)u->dtype;
    if (dtype_table[type].size >= dtype_table[v->dtype].size ||
        u->stat[STAT_MAX] != dtype_round(type, v->stat[STAT_MAX]) ||
        u->stat[STAT_MIN] != dtype_round(type, v->stat[STAT_MIN]))
        return false;
    const double *w = recorded_values(x->a, d, r, NULL, x->n);
    for (int64_t i = 0; w && i < x->n; i++)
        if (w[i] != dtype_round(type, x->v[i]))
            return false;
    return w != NULL;
}

/* Whether a forward call's input holds the value itself, and not by way of another call's result. */
static bool is_use(const struct summing *x, uint32_t r)
{
    const struct dump *d = x->s->dump;
    const struct call *c = &d->calls.v[d->rows.v[r].call];
    if (!is_float_tensor(&d->rows.v[r], IO_INPUT) || c->phase != PHASE_FORWARD || c->kind == CALL_MODULE ||
        (int64_t)dump_row_numel(d, r) != x->n)
        return false;
    uint32_t maker = dataflow_maker(x->flow, d, r);
    while (maker != NONE && maker != x->value && d->calls.v[d->rows.v[maker].call].kind == CALL_MODULE)
        maker = dataflow_maker(x->flow, d, maker);
    return maker == x->value || (maker == NONE && is_rounded_value(x, r));
}

/* The output of a backward call that is the gradient of an input of its forward call: the one at its place, or the only
 * one of its size; NONE. A product's may be the incoming one as a view leaves it. */
static uint32_t returned_row(const struct summing *x, uint32_t use, uint32_t back)
{
    const struct dump *d = x->s->dump;
    uint32_t call = d->rows.v[use].call, at = NONE, only = NONE;
    int inputs = 0, outputs = 0, place = 0, same = 0;
    EACH_EARLY_ROW(d, call, r) {
        place = r == use ? inputs : place;
        inputs += d->rows.v[r].io == IO_INPUT;
        same += d->rows.v[r].io == IO_INPUT && (int64_t)dump_row_numel(d, r) == x->n;
    }
    EACH_ROW(d, back, r) {
        if (d->rows.v[r].io != IO_OUTPUT)
            continue;
        bool fits = is_float_tensor(&d->rows.v[r], IO_OUTPUT) && (int64_t)dump_row_numel(d, r) == x->n;
        at = outputs++ == place && fits ? r : at;
        only = fits ? r : only;
    }
    uint32_t found = inputs == outputs ? at : same == 1 ? only : NONE;
    const struct oracle_row *known = found == NONE ? NULL : oracle_side_row(x->s, found);
    bool view = family_is_product(d->calls.v[call].family) && (!known || strcmp(known->formula, "g") == 0);
    return view ? NONE : found;
}

static bool note_row(struct summing *x, uint32_t row)
{
    if (x->out->rows == SUMMED_ROWS)
        return false;
    x->out->row[x->out->rows++] = row;
    x->types |= 1u << x->s->dump->rows.v[row].dtype;
    return true;
}

/* The only candidate of a computed gradient with as many elements as the value, but not the incoming one; NULL. */
static const struct candidate *candidate_of_size(const struct call_values *c, int64_t n)
{
    const struct candidate *found = NULL;
    for (int i = 0; i < c->candidates; i++) {
        const struct candidate *k = &c->candidate[i];
        const struct product *p = k->product;
        if (k->move || (p ? p->batches * p->rows * p->columns : k->y.count) != n)
            continue;
        if (found)
            return NULL;
        found = k;
    }
    return found;
}

static void add_term(struct summing *x, int64_t i, double y, double squares)
{
    x->y[i] += y;
    x->size[i] += fabs(y);
    x->squares[i] = hypot(x->squares[i], squares);
}

static bool add_product(struct summing *x, const struct product *p)
{
    if (p->unfold || p->scaled || p->added || (double)x->n * (double)p->terms > OPERATIONS_MOST)
        return false;
    for (int64_t b = 0; b < p->batches; b++)
        for (int64_t i = 0; i < p->rows; i++)
            for (int64_t j = 0; j < p->columns; j++) {
                const double *u = p->a.v + (p->a.at ? p->a.at[b] : 0) + i * p->a.row_step,
                             *w = p->b.v + (p->b.at ? p->b.at[b] : 0) + j * p->b.column_step;
                double sum = 0, squares = 0;
                for (int64_t t = 0; t < p->terms; t++) {
                    double term = u[t * p->a.column_step] * w[t * p->b.row_step];
                    sum += term;
                    squares += term * term;
                }
                int64_t at = (p->y.at ? p->y.at[b] : 0) + i * p->y.row_step + j * p->y.column_step;
                add_term(x, at, sum, sqrt(squares));
                x->c[at] += fabs(sum);
            }
    x->product = true;
    x->terms = fmax(x->terms, (double)p->terms);
    return true;
}

/* Adds what a backward call's formula gives, and notes what goes into that. */
static bool add_computed(struct summing *x, uint32_t back)
{
    const struct dump *d = x->s->dump;
    const struct call_plan *p = &x->s->plan[back];
    struct recorded_call r;
    if (!p->operator || !p->operator->backward || !p->looked_at || p->unknown)
        return false;
    recompute_open(&r, x->a, d, back);
    recompute_candidates(p, &r);
    const struct candidate *k = r.values.unknown ? NULL : candidate_of_size(&r.values, x->n);
    if (!k || (k->product && !add_product(x, k->product)))
        return false;
    for (int64_t i = 0; !k->product && i < x->n; i++) {
        add_term(x, i, k->y.v[i], k->squares ? k->squares[i] : 0);
        x->c[i] += k->roundings ? k->roundings[i] : 0;
        x->inside[i] += k->inside ? k->inside[i] : 0;
    }
    bool noted = true;
    uint32_t both[] = {back, d->calls.v[back].twin};
    for (size_t i = 0; i < ARRAY_LEN(both); i++)
        EACH_EARLY_ROW(d, both[i], row)
            if (is_float_tensor(&d->rows.v[row], IO_INPUT))
                noted = note_row(x, row) && noted;
    x->arithmetic = oracle_side_arithmetic(x->s, p, (enum dtype)d->rows.v[dump_first_tensor(d, back, IO_INPUT)].dtype);
    return noted;
}

static bool add_use(struct summing *x, uint32_t use)
{
    const struct dump *d = x->s->dump;
    uint32_t back = d->calls.v[d->rows.v[use].call].twin, row = back == NONE ? NONE : returned_row(x, use, back);
    x->types |= 1u << d->rows.v[use].dtype;
    x->uses++;
    if (back == NONE || row == NONE)
        return back != NONE && add_computed(x, back);
    const double *w = recorded_values(x->a, d, row, NULL, x->n);
    for (int64_t i = 0; w && i < x->n; i++)
        add_term(x, i, w[i], 0);
    return w && note_row(x, row);
}

static bool add_all_uses(struct summing *x)
{
    const struct dump *d = x->s->dump;
    for (uint32_t r = x->value + 1; r < d->rows.n; r++)
        if (is_use(x, r) && !add_use(x, r))
            return false;
    return x->uses > 0;
}

static double residual_of(struct summing *x, uint32_t row)
{
    const struct row *g = &x->s->dump->rows.v[row];
    const double *recorded = recorded_values(x->a, x->s->dump, row, NULL, x->n);
    enum dtype type = (enum dtype)g->dtype, finest = type;
    for (int t = 0; t < DTYPE_COUNT; t++)
        if (x->types >> t & 1) {
            type = dtype_coarser(type, (enum dtype)t);
            finest = dtype_table[t].epsilon < dtype_table[finest].epsilon ? (enum dtype)t : finest;
        }
    for (int64_t i = 0; i < x->n; i++) /* each addition rounds the sum so far */
        x->c[i] += (x->uses - 1) * x->size[i];
    struct error_sums e = {.of = {.output = (enum dtype)g->dtype, .type = type, .finer = type != finest,
        .product = x->product, .terms = x->terms, .mask = INFINITY}};
    struct error_found f;
    if (!recorded)
        return NAN;
    error_add(&e, &(struct error_elements){x->n, x->y, recorded, x->c, x->inside, x->squares});
    error_find(&e, &f);
    double bound = isnan(f.bound[x->arithmetic]) ? f.bound[ARITHMETIC_OWN] : f.bound[x->arithmetic];
    return f.error == 0 ? 0 : bound > 0 ? f.error / bound : INFINITY;
}

double gradient_sum_residual(const struct oracle_side *s, const struct dataflow *flow, struct arena *a, uint32_t row,
                             struct summed_gradient *out)
{
    struct summing x = {.s = s, .flow = flow, .a = a, .value = result_of(s->dump, row), .out = out};
    out->rows = 0;
    if (x.value == NONE || !s->any)
        return NAN;
    x.n = (int64_t)dump_row_numel(s->dump, row);
    x.v = recorded_values(a, s->dump, x.value, NULL, x.n);
    double **arrays[] = {&x.y, &x.size, &x.c, &x.inside, &x.squares};
    for (size_t i = 0; i < ARRAY_LEN(arrays); i++)
        *arrays[i] = arena_zalloc(a, (size_t)(x.n + 1) * sizeof **arrays[i]);
    return x.v && add_all_uses(&x) ? residual_of(&x, row) : NAN;
}
