/* Finds fused attention calls that the other side writes out, by the figures of queries and keys, and compares the
 * scales. */
#include "judge/fused_scale.h"

#include <math.h>

#include "dump/family.h"
#include "dump/recorded_figures.h"
#include "judge/value_readers.h"
#include "pair/align_item.h"
#include "pair/call_arguments.h"

#define STEPS 12 /* the most calls between a product and its softmax, or a softmax and the product with the values */

/* A product from which the written-out side may compute scores. */
struct scores_product {
    uint32_t call, input[2];
};

struct fused_search {
    struct judgement *j;
    const struct measure *m;
    const struct thresholds *tol;
    const struct dataflow *flow; /* one per side */
    struct value_readers readers[2];
    VEC(struct scores_product) products[2];
    bool looked[2]; /* whether a side's products were collected */
};

/* A fused call, with its scale from an argument or by default. */
struct fused_call {
    uint32_t query, key, output; /* its rows */
    uint32_t argument;           /* the row of its scale, or NONE */
    double scale;
};

/* Attention written out as separate calls. */
struct written_out {
    int side;
    double scale;
    uint32_t number; /* the row of the last number applied, or NONE */
    int numbers;
    uint32_t output; /* the product with the values */
};

static bool is_tensor(const struct dump *d, uint32_t row, enum row_io io)
{
    return d->rows.v[row].io == io && d->rows.v[row].kind == ROW_TENSOR;
}

static uint32_t result_of(const struct dump *d, uint32_t call)
{
    EACH_EARLY_ROW(d, call, r)
        if (is_tensor(d, r, IO_OUTPUT))
            return r;
    return NONE;
}

/* Whether a row holds a value that is paired with the one that the other side's row holds, and that no factor was
 * applied to. */
static bool are_paired(const struct fused_search *x, int side, uint32_t row, uint32_t other)
{
    const struct dump *d = x->m->side[side];
    uint32_t of = dataflow_first(&x->flow[side], row), line = x->m->pairing->line_of[side][of];
    const struct line *l = line == NONE ? NULL : &x->m->pairing->lines.v[line];
    return l && l->pair != NONE && d->calls.v[d->rows.v[of].call].family != FAMILY_MUL &&
           dataflow_first(&x->flow[!side], l->row[!side]) == dataflow_first(&x->flow[!side], other);
}

/* How far two rows are apart by all recorded data; infinite beyond the tolerance of an accepted row. A fused call takes
 * the keys of grouped queries as they are; the written-out side repeats each for every query of its group. */
static double operand_distance(const struct fused_search *x, int side, uint32_t row, uint32_t other)
{
    struct row a = x->m->side[side]->rows.v[row];
    const struct row *b = &x->m->side[!side]->rows.v[other];
    uint64_t n = dump_row_numel(x->m->side[side], row), once = dump_row_numel(x->m->side[!side], other);
    int all = HAS_MAX | HAS_MIN | HAS_NORM;
    if ((a.has & b->has & all) != all || !dtype_is_float(a.dtype) || !dtype_is_float(b->dtype) || !once || n % once)
        return INFINITY;
    a.stat[STAT_NORM] /= sqrt((double)(n / once));
    double e = recorded_error(&a, b);
    return e <= thresholds_of(x->tol, dtype_coarser(a.dtype, b->dtype))->deviate ? e : INFINITY;
}

static double drift_of(const struct fused_search *x, int side, uint32_t row, uint32_t other)
{
    return thresholds_of(x->tol, dtype_coarser(x->m->side[side]->rows.v[row].dtype,
                                               x->m->side[!side]->rows.v[other].dtype))->drift;
}

static bool operands_alike(const struct fused_search *x, int side, uint32_t row, uint32_t other)
{
    return isfinite(operand_distance(x, side, row, other));
}

/* ---- the fused side ---- */

static bool fused_call(const struct dump *d, uint32_t call, struct fused_call *out)
{
    const struct call *c = &d->calls.v[call];
    if (c->family != FAMILY_ATTENTION || c->phase != PHASE_FORWARD || c->kind == CALL_MODULE || c->recomputes != NONE)
        return false;
    *out = (struct fused_call){.query = call_input(d, call, 0),
                               .key = call_input(d, call, 1),
                               .output = result_of(d, call),
                               .argument = call_argument(d, call, ATTENTION_SCALE_WORDS),
                               .scale = NAN};
    if (out->argument != NONE)
        out->scale = d->rows.v[out->argument].stat[STAT_MAX];
    struct str rest = STR(ATTENTION_SCALE_WORDS), word;
    while (rest.n && isnan(out->scale)) {
        word = str_next(&rest, ' ');
        out->scale = left_out_number(d, call, word);
    }
    return out->key != NONE && out->output != NONE && isfinite(out->scale) && out->scale > 0;
}

/* ---- the written-out side ---- */

/* The value of a number or a tensor with one element. */
static double number_of(const struct dump *d, uint32_t row)
{
    const struct row *r = &d->rows.v[row];
    bool one = r->kind == ROW_TENSOR && dtype_is_float(r->dtype) && dump_row_numel(d, row) == 1;
    bool number = r->kind == ROW_INT || r->kind == ROW_FLOAT || (one && r->has & HAS_MAX);
    return r->io == IO_INPUT && number ? r->stat[STAT_MAX] : NAN;
}

double fused_scale_given(const struct dump *d, uint32_t row)
{
    uint32_t call = d->rows.v[row].call;
    double v = number_of(d, row);
    return d->calls.v[call].family == FAMILY_MUL && align_item_does(d, call, STR("div")) ? 1 / v : v;
}

/* Whether a call passes scores on: adding or filling a mask, a cast, a reshape, dropout. */
static bool passes_on(const struct dump *d, uint32_t call)
{
    enum family f = (enum family)d->calls.v[call].family;
    struct str op = align_item_operator(d, call);
    return f == FAMILY_VIEW || f == FAMILY_CAST || f == FAMILY_COPY || f == FAMILY_ADD || f == FAMILY_RANDOM ||
           str_ihas(op, "masked") || str_ihas(op, "where") || str_ihas(op, "identity");
}

/* Whether a call between leaves scores unchanged except for a factor. */
static bool go_past(const struct dump *d, uint32_t call, struct written_out *w)
{
    bool product = align_item_does(d, call, STR("mul")), quotient = align_item_does(d, call, STR("div"));
    if (d->calls.v[call].family != FAMILY_MUL)
        return passes_on(d, call);
    uint32_t number = NONE, first = NONE;
    EACH_EARLY_ROW(d, call, r) {
        first = first == NONE ? r : first;
        number = !isnan(number_of(d, r)) ? r : number;
    }
    if (number == NONE || !(product || (quotient && number != first)))
        return false;
    w->scale *= fused_scale_given(d, number);
    w->number = number;
    w->numbers++;
    return true;
}

/* The first forward call that reads an output, skipping modules that return their input. */
static uint32_t reader_of(const struct fused_search *x, int side, uint32_t output)
{
    const struct dump *d = x->m->side[side];
    for (int i = 0; i < STEPS && output != NONE; i++) {
        uint32_t handed_on = NONE;
        for (uint32_t r = x->readers[side].first[output]; r != NONE; r = x->readers[side].next[r]) {
            const struct call *c = &d->calls.v[d->rows.v[r].call];
            uint32_t out = result_of(d, d->rows.v[r].call);
            if (c->kind != CALL_MODULE && c->phase == PHASE_FORWARD)
                return d->rows.v[r].call;
            if (c->kind == CALL_MODULE && out != NONE && x->flow[side].held[out] == output)
                handed_on = out;
        }
        output = handed_on;
    }
    return NONE;
}

static bool row_is_computed(const struct dump *d, uint32_t row)
{
    return d->rows.v[row].io == IO_OUTPUT && d->calls.v[d->rows.v[row].call].kind != CALL_MODULE;
}

/* How far the value from which an operand of the product comes is from the fused call's; infinite: it is another. */
static double comes_from(const struct fused_search *x, struct written_out *w, uint32_t operand, uint32_t value)
{
    const struct dump *d = x->m->side[w->side];
    for (int i = 0; i < STEPS && operand != NONE; i++) {
        if (are_paired(x, w->side, operand, value)) /* whatever came in */
            return 0;
        if (operands_alike(x, w->side, operand, value))
            return operand_distance(x, w->side, operand, value);
        for (int k = 0; k < STEPS && operand != NONE && !row_is_computed(d, operand); k++)
            operand = x->flow[w->side].held[operand];
        if (operand == NONE || !row_is_computed(d, operand))
            return INFINITY;
        uint32_t call = d->rows.v[operand].call, row = operand;
        operand = call_input(d, call, 0);
        if (operand == NONE || dump_row_numel(d, operand) != dump_row_numel(d, row) || !go_past(d, call, w))
            return INFINITY;
    }
    return INFINITY;
}

/* Whether the product leads through a softmax to the product with the values. */
static bool leads_to_values(const struct fused_search *x, struct written_out *w, uint32_t product)
{
    const struct dump *d = x->m->side[w->side];
    bool softmax = false;
    uint32_t call = product;
    for (int i = 0; i < 2 * STEPS && call != NONE; i++) {
        uint32_t out = result_of(d, call);
        call = out == NONE ? NONE : reader_of(x, w->side, out);
        if (call == NONE)
            return false;
        if (softmax && family_is_product(d->calls.v[call].family)) {
            w->output = result_of(d, call);
            return w->output != NONE;
        }
        bool now = !softmax && align_item_does(d, call, STR("softmax"));
        if (!now && (!go_past(d, call, w) || (softmax && w->number != NONE && d->rows.v[w->number].call == call)))
            return false;
        softmax = softmax || now;
    }
    return false;
}

static void collect_products(struct fused_search *x, int side)
{
    const struct dump *d = x->m->side[side];
    x->looked[side] = true;
    for (uint32_t call = 0; call < d->calls.n; call++) {
        const struct call *c = &d->calls.v[call];
        if (!family_is_product(c->family) || c->phase != PHASE_FORWARD || c->kind == CALL_MODULE ||
            c->recomputes != NONE)
            continue;
        struct scores_product p = {call, {call_input(d, call, 0), call_input(d, call, 1)}};
        if (p.input[0] != NONE && p.input[1] != NONE)
            vec_push(&x->products[side], p);
    }
}

/* Finds the product of queries and keys on the other side: in 16 bits figures of another layer may be alike as well,
 * so the nearest one counts. */
static bool written_out(const struct fused_search *x, int side, const struct fused_call *f, struct written_out *out)
{
    double nearest = INFINITY;
    uint32_t call = NONE;
    for (size_t i = 0; i < x->products[side].n; i++) {
        const struct scores_product *p = &x->products[side].v[i];
        struct written_out w = {.side = side, .scale = 1, .number = NONE};
        double far = comes_from(x, &w, p->input[0], f->query) + comes_from(x, &w, p->input[1], f->key);
        if (!(far < nearest))
            continue;
        nearest = far;
        call = p->call;
        *out = w;
    }
    return call != NONE && leads_to_values(x, out, call);
}

/* ---- the verdict ---- */

static void give_fused_scale(const struct fused_search *x, int side, uint32_t row, double other)
{
    uint32_t line = row == NONE ? NONE : x->m->pairing->line_of[side][row];
    if (line == NONE || x->j->line[line].rule != RULE_ONE_SIDED)
        return;
    struct line_judgement *l = &x->j->line[line];
    l->verdict = VERDICT_DEVIATE;
    l->rule = RULE_FUSED_SCALE;
    l->limit = (float)other;
}

/* Whether the scales differ and the results differ too. */
static bool scales_differ(const struct fused_search *x, const struct fused_call *f, const struct written_out *w)
{
    const struct dump *d = x->m->side[w->side], *fused = x->m->side[!w->side];
    bool comparable = dump_row_numel(d, w->output) == dump_row_numel(fused, f->output);
    return comparable && fabs(w->scale / f->scale - 1) > rule_limit(RULE_LIMIT_FACTOR_LEAST) &&
           operand_distance(x, w->side, w->output, f->output) > drift_of(x, w->side, w->output, f->output);
}

void fused_scales_find(struct judgement *j, const struct measure *m, const struct dataflow flow[2],
                       const struct thresholds *tol)
{
    struct fused_search x = {.j = j, .m = m, .flow = flow, .tol = tol};
    for (int s = 0; s < 2; s++)
        for (uint32_t call = 0; call < m->side[s]->calls.n; call++) {
            struct fused_call f;
            struct written_out w;
            if (!fused_call(m->side[s], call, &f))
                continue;
            if (!x.looked[!s])
                collect_products(&x, !s);
            if (!x.products[!s].n)
                break;
            if (!x.readers[!s].first)
                readers_build(&x.readers[!s], m->side[!s], &flow[!s]);
            if (!written_out(&x, !s, &f, &w) || w.numbers != 1 || !scales_differ(&x, &f, &w))
                continue;
            /* in the target's row, unless it is the fused call's default */
            bool fused = s == TARGET && f.argument != NONE;
            give_fused_scale(&x, fused ? s : !s, fused ? f.argument : w.number, fused ? w.scale : f.scale);
        }
    for (int s = 0; s < 2; s++) {
        readers_release(&x.readers[s]);
        vec_release(&x.products[s]);
    }
}
