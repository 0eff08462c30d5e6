/* Finds the uses of a value, takes or computes what each returns, and adds that up. */
#include "oracle/gradient_sum.h"

#include <math.h>

#include "dump/family.h"
#include "judge/conditioning.h"
#include "judge/pass_rows.h"
#include "judge/thresholds.h"
#include "oracle/recompute.h"
#include "pair/axis_order.h"

#define OPERATIONS_MOST 1e7 /* of one product */
#define AXES_MOST 5         /* of a use, whose orders are tried */
#define REPEATED_MOST 64    /* how often an axis of a use repeats the value's */
#define NONE_REPEATED (-1)
#define TERMS_MOST 32       /* rows that a sum is computed from */
#define DEPTH_MOST 48       /* rows without a partner, one behind the other */
#define ROWS_BACK 1024      /* earlier rows among which an input is looked for */
#define RETURNED_MOST 16    /* outputs of a backward call */

struct summing {
    const struct oracle_side *s;
    const struct dataflow *flow;
    struct gradient_work *work;
    struct arena *a;
    uint32_t value;        /* the row of the forward call's result, or of the parameter */
    const double *v;       /* its elements */
    int64_t n;
    double *y, *size, *count; /* the sum, that of the sizes of its terms, and their number */
    double *c, *inside, *squares; /* bounds of computed terms (struct candidate) */
    double terms;          /* the most products of an element of a computed term */
    enum arithmetic arithmetic; /* of computed products */
    uint32_t types;        /* floating types met, as bits */
    int uses, silent;      /* of the value; those whose calls have no backward call */
    bool product;
    uint32_t read[TERMS_MOST]; /* what was summed, or multiplied for it */
    int rows;
};

static bool is_float_tensor(const struct row *r, enum row_io io)
{
    return r->io == io && r->kind == ROW_TENSOR && dtype_is_float((enum dtype)r->dtype);
}

/* The parameter of a recorded gradient, as its module's forward call was given it; NONE. */
static uint32_t parameter_of(const struct dump *d, uint32_t row)
{
    uint32_t back = condition_module_backward(d, d->rows.v[row].call);
    uint32_t forward = back == NONE ? NONE : d->calls.v[back].twin;
    if (forward != NONE)
        EACH_ROW(d, forward, r)
            if (is_float_tensor(&d->rows.v[r], IO_PARAMETER) && strcmp(pass_name_in(d, r), pass_name_in(d, row)) == 0)
                return dump_row_numel(d, r) == dump_row_numel(d, row) ? r : NONE;
    return NONE;
}

/* The value that a gradient is of: a parameter, or the result of the forward call of a gradient that comes in, at its
 * place if there are as many; NONE. */
static uint32_t value_of(const struct dump *d, uint32_t row)
{
    if (d->rows.v[row].io == IO_GRADIENT)
        return parameter_of(d, row);
    const struct call *c = &d->calls.v[d->rows.v[row].call];
    uint32_t found = NONE;
    int place = 0, gradients = 0, results = 0;
    if (c->phase != PHASE_BACKWARD || c->kind == CALL_MODULE || c->twin == NONE ||
        !is_float_tensor(&d->rows.v[row], IO_INPUT))
        return NONE;
    EACH_ROW(d, d->rows.v[row].call, r)
        if (d->rows.v[r].io == IO_INPUT) {
            place = r == row ? gradients : place;
            gradients++;
        }
    EACH_ROW(d, c->twin, r)
        if (d->rows.v[r].io == IO_OUTPUT && d->rows.v[r].kind == ROW_TENSOR) {
            found = results == 0 || results == place ? r : found;
            results++;
        }
    bool place_tells = results == 1 || results == gradients;
    return place_tells && found != NONE && dump_row_numel(d, found) == dump_row_numel(d, row) ? found : NONE;
}

/* A forward input that reads the value: as it is, turned, with an axis repeated, or rounded by a cast, by steps that
 * nobody recorded. */
struct value_use {
    uint32_t row;
    int64_t n;
    int64_t *place; /* per element: the value's element that it holds, ~ of it if it is negated */
};

/* The element of the value at an index of the use's axes: the value's own order has them as `order` says, with those of
 * `repeated` side by side so many times. */
static int64_t place_at(const struct shape *s, const int64_t *at, const int *order, int repeated, int64_t times)
{
    int64_t place = 0;
    for (int k = 0; k < s->ndim; k++) {
        int a = order[k];
        int64_t width = s->dim[a] / (a == repeated ? times : 1);
        place = place * width + at[a] / (a == repeated ? times : 1);
    }
    return place;
}

/* Whether one element of a row is one of the value's, at most rounded. */
static bool is_element(const struct summing *x, const struct value_use *u, double w, double v)
{
    const struct dump *d = x->s->dump;
    enum dtype type = (enum dtype)d->rows.v[u->row].dtype;
    bool narrow = dtype_table[type].size < dtype_table[d->rows.v[x->value].dtype].size;
    return w == v || (narrow && w == dtype_round(type, v));
}

/* Whether all elements are those of the value in that order, which is noted. */
static bool holds_in_order(const struct summing *x, struct value_use *u, const double *w, const int *order,
                           int repeated)
{
    const struct shape *s = dump_row_shape(x->s->dump, u->row);
    int64_t at[TENSOR_DIMS] = {0};
    for (int64_t i = 0; i < u->n; i++) {
        u->place[i] = place_at(s, at, order, repeated, u->n / x->n);
        if (!is_element(x, u, w[i], x->v[u->place[i]]))
            return false;
        for (int a = s->ndim - 1; a >= 0 && ++at[a] == s->dim[a]; a--)
            at[a] = 0;
    }
    return true;
}

/* Whether a row is the value as a rotation reads it beside the value itself: the second half of the last axis negated
 * before the first, or each odd element before the even one. */
static bool is_rotated(const struct summing *x, struct value_use *u, const double *w, int64_t width, bool pairs)
{
    for (int64_t i = 0; i < u->n; i++) {
        int64_t at = i % width, from = pairs ? at ^ 1 : (at + width / 2) % width;
        bool negated = pairs ? !(at & 1) : at < width / 2;
        double v = x->v[i - at + from];
        u->place[i] = negated ? ~(i - at + from) : i - at + from;
        if (!is_element(x, u, w[i], negated ? -v : v))
            return false;
    }
    return true;
}

/* Whether a row holds the value in some order of its axes, one of them repeated if it is larger, or rotated. */
static bool find_order(const struct summing *x, struct value_use *u)
{
    const struct dump *d = x->s->dump;
    const struct shape *s = dump_row_shape(d, u->row);
    const double *w = s && s->ndim <= AXES_MOST ? recorded_values(x->a, d, u->row, NULL, u->n) : NULL;
    int order[AXES_MOST];
    if (!w)
        return false;
    u->place = arena_alloc(x->a, (size_t)u->n * sizeof *u->place);
    for (int a = 0; a < s->ndim; a++)
        order[a] = a;
    do {
        if (u->n == x->n && holds_in_order(x, u, w, order, NONE_REPEATED))
            return true;
        for (int a = 0; a < s->ndim && u->n > x->n; a++)
            if (s->dim[a] % (u->n / x->n) == 0 && holds_in_order(x, u, w, order, a))
                return true;
    } while (axis_order_next(order, s->ndim));
    int64_t width = s->ndim ? s->dim[s->ndim - 1] : 1;
    return u->n == x->n && width % 2 == 0 && (is_rotated(x, u, w, width, false) || is_rotated(x, u, w, width, true));
}

static double largest_of(const struct row *r)
{
    return fmax(fabs(r->stat[STAT_MAX]), fabs(r->stat[STAT_MIN]));
}

/* Whether the largest element of a row, by size, can be that of the value, at most rounded. */
static bool has_largest(const struct dump *d, uint32_t r, uint32_t value)
{
    const struct row *u = &d->rows.v[r], *v = &d->rows.v[value];
    double most = largest_of(v);
    return (u->has & v->has & (HAS_MAX | HAS_MIN)) == (HAS_MAX | HAS_MIN) &&
           (largest_of(u) == most || largest_of(u) == dtype_round((enum dtype)u->dtype, most));
}

/* Whether a call hands its input on and no gradient of it was recorded: a module, or a dropout of nothing. */
static bool is_passed(const struct summing *x, uint32_t call)
{
    const struct dump *d = x->s->dump;
    uint32_t out = dump_first_tensor(d, call, IO_OUTPUT);
    return d->calls.v[call].kind == CALL_MODULE ||
           (d->calls.v[call].twin == NONE && out != NONE && x->flow->held[out] != NONE);
}

/* Whether what an input's call returns in the backward pass may go into this call's: false where the call's result has
 * the value that went into it (a number added that is less than rounding), so that either may be read, and the
 * gradient that comes into it is another call's. */
static bool is_reader_of(const struct summing *x, uint32_t r, uint32_t maker)
{
    const struct dump *d = x->s->dump;
    uint32_t out = dump_first_tensor(d, maker, IO_OUTPUT), in = dump_first_tensor(d, maker, IO_INPUT);
    uint32_t back = d->calls.v[maker].twin, came = back == NONE ? NONE : dump_first_tensor(d, back, IO_INPUT);
    uint32_t from = came == NONE ? NONE : dataflow_maker(x->flow, d, came), own = d->calls.v[d->rows.v[r].call].twin;
    bool same = in != NONE && out != NONE && has_largest(d, out, in) && dump_row_numel(d, in) == dump_row_numel(d, out);
    if (!same || from == NONE)
        return true;
    if (own != NONE) /* several calls may return one gradient */
        EACH_ROW(d, own, g)
            if (d->rows.v[g].io == IO_OUTPUT && dataflow_first(x->flow, g) == dataflow_first(x->flow, came))
                return true;
    return false;
}

/* Whether a forward call's input holds the value, and not by way of another call's result. */
static bool is_use(const struct summing *x, uint32_t r, struct value_use *u)
{
    const struct dump *d = x->s->dump;
    const struct call *c = &d->calls.v[d->rows.v[r].call];
    *u = (struct value_use){.row = r, .n = (int64_t)dump_row_numel(d, r)};
    if (!is_float_tensor(&d->rows.v[r], IO_INPUT) || c->phase != PHASE_FORWARD || is_passed(x, d->rows.v[r].call) ||
        !u->n || u->n % x->n != 0 || u->n / x->n > REPEATED_MOST || !has_largest(d, r, x->value))
        return false;
    uint32_t maker = dataflow_maker(x->flow, d, r);
    while (maker != NONE && maker != x->value &&
           (is_passed(x, d->rows.v[maker].call) || !is_reader_of(x, r, d->rows.v[maker].call)))
        maker = dataflow_maker(x->flow, d, maker);
    return (maker == x->value || maker == NONE) && find_order(x, u);
}

/* The output of a backward call that is the gradient of an input of its forward call: the one at its place, among all
 * inputs or among the tensors, or the only one of its size; NONE. A product's may be the incoming one as a view leaves
 * it, a loss's that of a node inside of it. *nothing: at that place it returned none. */
static uint32_t returned_row(const struct summing *x, const struct value_use *u, uint32_t back, bool *nothing)
{
    const struct dump *d = x->s->dump;
    uint32_t call = d->rows.v[u->row].call, only = NONE, output[RETURNED_MOST];
    bool none[RETURNED_MOST];
    int inputs = 0, tensors = 0, place = 0, of_tensors = 0, same = 0, n = 0;
    EACH_EARLY_ROW(d, call, r) {
        bool tensor = d->rows.v[r].kind == ROW_TENSOR;
        if (d->rows.v[r].io != IO_INPUT)
            continue;
        place = r == u->row ? inputs : place;
        of_tensors = r == u->row ? tensors : of_tensors;
        inputs++;
        tensors += tensor;
        same += tensor && (int64_t)dump_row_numel(d, r) == u->n;
    }
    EACH_ROW(d, back, r)
        if (d->rows.v[r].io == IO_OUTPUT && n < RETURNED_MOST) {
            bool fits = is_float_tensor(&d->rows.v[r], IO_OUTPUT) && (int64_t)dump_row_numel(d, r) == u->n;
            none[n] = d->rows.v[r].kind == ROW_NULL;
            output[n++] = fits ? r : NONE;
            only = fits ? r : only;
        }
    int at = inputs == n ? place : tensors == n ? of_tensors : -1;
    uint32_t found = at >= 0 ? output[at] : same == 1 ? only : NONE;
    *nothing = at >= 0 && none[at] && n > 1;
    const struct oracle_row *known = found == NONE ? NULL : oracle_side_row(x->s, found);
    bool view = family_is_product(d->calls.v[call].family) && (!known || strcmp(known->formula, "g") == 0);
    return view || (known && strcmp(known->formula, FORMULA_LAST_NODE) == 0) ? NONE : found;
}

static bool note_row(struct summing *x, uint32_t row)
{
    if (x->rows == TERMS_MOST)
        return false;
    x->read[x->rows++] = row;
    x->types |= 1u << x->s->dump->rows.v[row].dtype;
    return true;
}

/* Whether a candidate is a gradient of this shape: of a product's, by its last two axes; else by its size. */
static bool has_shape(const struct candidate *k, const struct shape *s)
{
    const struct product *p = k->product;
    if ((uint64_t)(p ? p->batches * p->rows * p->columns : k->y.count) != s->numel)
        return false;
    return !p || s->ndim < 2 || (p->rows == s->dim[s->ndim - 2] && p->columns == s->dim[s->ndim - 1]);
}

/* The only candidate for a gradient of this shape that is not the incoming one; NULL. */
static const struct candidate *candidate_of_shape(const struct call_values *c, const struct shape *s)
{
    const struct candidate *found = NULL;
    for (int i = 0; i < c->candidates; i++) {
        if (c->candidate[i].move || strcmp(c->candidate[i].formula, FORMULA_LAST_NODE) == 0 ||
            !has_shape(&c->candidate[i], s))
            continue;
        if (found)
            return NULL;
        found = &c->candidate[i];
    }
    return found;
}

static void add_term(struct summing *x, int64_t place, double y, double squares)
{
    int64_t i = place < 0 ? ~place : place;
    y = place < 0 ? -y : y;
    x->y[i] += y;
    x->size[i] += fabs(y);
    x->squares[i] = hypot(x->squares[i], squares);
    x->count[i]++;
}

static bool add_product(struct summing *x, const struct value_use *use, const struct product *p)
{
    if (p->unfold || p->scaled || p->added || (double)use->n * (double)p->terms > OPERATIONS_MOST)
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
                int64_t place = use->place[(p->y.at ? p->y.at[b] : 0) + i * p->y.row_step + j * p->y.column_step];
                add_term(x, place, sum, sqrt(squares));
                x->c[place < 0 ? ~place : place] += fabs(sum);
            }
    x->product = true;
    x->terms = fmax(x->terms, (double)p->terms);
    return true;
}

/* Adds what a backward call's formula gives, and notes what goes into that. */
static bool add_computed(struct summing *x, const struct value_use *u, uint32_t back)
{
    const struct dump *d = x->s->dump;
    const struct call_plan *p = &x->s->plan[back];
    struct recorded_call r;
    if (!p->operator || !p->operator->backward || !p->looked_at || p->unknown)
        return false;
    recompute_open(&r, x->a, d, back);
    recompute_candidates(p, &r);
    const struct candidate *k = r.values.unknown ? NULL : candidate_of_shape(&r.values, dump_row_shape(d, u->row));
    if (!k || (k->product && !add_product(x, u, k->product)))
        return false;
    for (int64_t i = 0; !k->product && i < u->n; i++) {
        int64_t at = u->place[i] < 0 ? ~u->place[i] : u->place[i];
        add_term(x, u->place[i], k->y.v[i], k->squares ? k->squares[i] : 0);
        x->c[at] += k->roundings ? k->roundings[i] : 0;
        x->inside[at] += k->inside ? k->inside[i] : 0;
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

/* A call that returns nothing for an input (what is detached) adds nothing: the other uses have to make all of the sum.
 */
static bool add_use(struct summing *x, const struct value_use *u)
{
    const struct dump *d = x->s->dump;
    uint32_t back = d->calls.v[d->rows.v[u->row].call].twin;
    bool nothing = back == NONE;
    uint32_t row = back == NONE ? NONE : returned_row(x, u, back, &nothing);
    if (nothing) {
        x->silent++;
        return true;
    }
    x->types |= 1u << d->rows.v[u->row].dtype;
    x->uses++;
    if (row == NONE)
        return add_computed(x, u, back);
    const double *w = recorded_values(x->a, d, row, NULL, u->n);
    for (int64_t i = 0; w && i < u->n; i++)
        add_term(x, u->place[i], w[i], 0);
    return w && note_row(x, row);
}

/* Whether so many rows may be looked at. */
static bool work_is_left(struct gradient_work *w, size_t rows)
{
    w->rows -= (double)rows;
    return gradient_work_goes_on(w);
}

static bool add_all_uses(struct summing *x)
{
    const struct dump *d = x->s->dump;
    struct value_use u;
    uint32_t from = d->rows.v[x->value].io == IO_PARAMETER ? 0 : x->value + 1;
    if (!work_is_left(x->work, d->rows.n - from))
        return false;
    for (uint32_t r = from; r < d->rows.n; r++)
        if (is_use(x, r, &u) && !add_use(x, &u))
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
        x->c[i] += fmax(0, x->count[i] - 1) * x->size[i];
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

/* The sum's residual, and in x what it was computed from; NAN: not every use is known with what it returns. */
static double sum_residual(struct summing *x, const struct gradient_side *g, struct arena *a, uint32_t row)
{
    const struct dump *d = g->side->dump;
    *x = (struct summing){.s = g->side, .flow = g->flow, .work = g->work, .a = a, .value = value_of(d, row)};
    if (x->value == NONE || !g->side->any)
        return NAN;
    x->n = (int64_t)dump_row_numel(d, row);
    x->v = x->n ? recorded_values(a, d, x->value, NULL, x->n) : NULL;
    double **arrays[] = {&x->y, &x->size, &x->count, &x->c, &x->inside, &x->squares};
    for (size_t i = 0; i < ARRAY_LEN(arrays); i++)
        *arrays[i] = arena_zalloc(a, (size_t)(x->n + 1) * sizeof **arrays[i]);
    return x->v && add_all_uses(x) ? residual_of(x, row) : NAN;
}

/* A gradient whose origin is followed. Where one way back ends, all do: what was seen need not be followed again. */
struct tracing {
    const struct gradient_side *g;
    struct arena *a;
    bool *seen; /* per row */
    int silent; /* uses that add nothing */
    struct summed_gradient *out;
};

static bool trace_row(struct tracing *t, uint32_t row, int depth);
static bool trace_sum(struct tracing *t, uint32_t row, int depth, double *residual);

/* The same for what goes into a call without a partner, and into its forward call, if the call is right. */
static bool trace_call(struct tracing *t, uint32_t output, int depth)
{
    const struct gradient_side *g = t->g;
    const struct dump *d = g->side->dump;
    const struct oracle_row *r = oracle_side_row(g->side, output);
    uint32_t call = d->rows.v[output].call, both[] = {call, d->calls.v[call].twin};
    bool traced = r && !oracle_row_is_wrong(r), backward = d->calls.v[call].phase == PHASE_BACKWARD;
    if (backward && both[1] == NONE)
        return false;
    for (int i = 0; i <= backward && traced; i++)
        EACH_ROW(d, both[i], in)
            if (traced && (is_float_tensor(&d->rows.v[in], IO_INPUT) || is_float_tensor(&d->rows.v[in], IO_PARAMETER)))
                traced = trace_row(t, in, depth + 1);
    return traced;
}

/* The nearest earlier output whose value an input of the forward pass reads turned, repeated or rounded; NONE. */
static uint32_t read_from(const struct gradient_side *g, struct arena *a, uint32_t row)
{
    const struct dump *d = g->side->dump;
    if (d->calls.v[d->rows.v[row].call].phase != PHASE_FORWARD || !work_is_left(g->work, ROWS_BACK))
        return NONE;
    for (uint32_t r = row; r-- > 0 && row - r <= ROWS_BACK;) {
        struct summing x = {.s = g->side, .flow = g->flow, .a = a, .value = r, .n = (int64_t)dump_row_numel(d, r)};
        struct value_use u = {.row = row, .n = (int64_t)dump_row_numel(d, row)};
        if (!is_float_tensor(&d->rows.v[r], IO_OUTPUT) || !x.n || u.n % x.n != 0 || !has_largest(d, row, r))
            continue;
        x.v = recorded_values(a, d, r, NULL, x.n);
        if (x.v && find_order(&x, &u))
            return r;
    }
    return NONE;
}

/* The line of the parameter that an input without a partner is: its module's record of it, which stands behind. */
static uint32_t parameter_line(const struct gradient_side *g, uint32_t row)
{
    const struct dump *d = g->side->dump;
    if (g->flow->weight[row] && work_is_left(g->work, d->rows.n - row))
        for (uint32_t r = row + 1; r < d->rows.n; r++)
            if (d->rows.v[r].io == IO_PARAMETER && g->flow->held[r] == row)
                return g->pairing->line_of[g->number][r];
    return NONE;
}

/* Follows a row back to lines of pairs, through calls without a partner that are right by their own inputs; false: it
 * cannot be. */
static bool trace_row(struct tracing *t, uint32_t row, int depth)
{
    const struct gradient_side *g = t->g;
    struct summed_gradient *out = t->out;
    const struct dump *d = g->side->dump;
    uint32_t line = g->pairing->line_of[g->number][row], held = g->flow->held[row];
    if (line == NONE || g->pairing->lines.v[line].pair == NONE)
        line = pairing_held_line(g->pairing, g->flow, g->number, row);
    if (line == NONE || g->pairing->lines.v[line].pair == NONE)
        line = parameter_line(g, row);
    if (line != NONE && g->pairing->lines.v[line].pair != NONE) {
        for (int i = 0; i < out->lines; i++)
            if (out->from[i] == line)
                return true;
        if (out->lines < SUMMED_LINES)
            out->from[out->lines++] = line;
        return out->lines < SUMMED_LINES;
    }
    if (t->seen[row] || depth == DEPTH_MOST)
        return t->seen[row];
    t->seen[row] = true;
    if (d->rows.v[row].io == IO_OUTPUT)
        return trace_call(t, row, depth);
    held = held == NONE ? read_from(g, t->a, row) : held;
    if (held != NONE)
        return trace_row(t, held, depth + 1);
    double residual;
    return trace_sum(t, row, depth, &residual);
}

/* The same for what a gradient was summed from, if it is a sum. */
static bool trace_sum(struct tracing *t, uint32_t row, int depth, double *residual)
{
    struct summing *x = arena_alloc(t->a, sizeof *x);
    *residual = sum_residual(x, t->g, t->a, row);
    bool traced = *residual <= rule_limit(RULE_LIMIT_ORACLE_WRONG);
    t->silent += x->silent;
    for (int i = 0; i < x->rows && traced; i++)
        traced = trace_row(t, x->read[i], depth + 1);
    return traced;
}

bool gradient_is_sum(const struct gradient_side *g, struct arena *a, uint32_t row, struct summed_gradient *out,
                     int *silent)
{
    struct tracing t = {.g = g, .a = a, .seen = arena_zalloc(a, g->side->dump->rows.n + 1), .out = out};
    double residual;
    bool sum = trace_sum(&t, row, 0, &residual);
    out->residual = (float)residual;
    *silent = t.silent;
    return sum;
}
