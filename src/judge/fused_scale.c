/* Finds attention that a side writes out, and the other side writes out otherwise or computes in a fused call, by the
 * figures of queries and keys, and compares the scales. */
#include "judge/fused_scale.h"

#include <math.h>

#include "dump/family.h"
#include "dump/recorded_figures.h"
#include "judge/recorded_mask.h"
#include "judge/value_readers.h"
#include "num/masked.h"
#include "pair/align_item.h"
#include "pair/call_arguments.h"

#define SHARE_NOISE 5e-4 /* of a share of masked scores that follows from a norm */
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

/* The share of scores that are masked: a range, where figures leave it open. */
struct masked_share {
    bool known;
    double least, most;
    uint32_t mask; /* the row of the mask, or NONE */
    int masks;     /* how many are applied */
};

/* A fused call, with its scale from an argument or by default. */
struct fused_call {
    uint32_t query, key, output; /* its rows */
    uint32_t argument;           /* the row of its scale, or NONE */
    double scale;
    struct masked_share masked;
};

/* Attention written out as separate calls. */
struct written_out {
    int side;
    double scale;
    uint32_t number; /* the row of the first number applied, or NONE */
    bool divides;    /* by that number */
    int numbers;
    struct masked_share masked;
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

/* ---- masks ---- */

static struct masked_share share_of(uint32_t mask, double least, double most)
{
    return (struct masked_share){.known = !isnan(least), .least = least, .most = most, .mask = mask, .masks = 1};
}

static struct masked_share share_measured(uint32_t mask, double share)
{
    return share_of(mask, share - SHARE_NOISE, share + SHARE_NOISE);
}

/* By the figures of scores or of what is added to them: fills, and none where nothing is that low. */
static struct masked_share share_of_fills(const struct dump *d, uint32_t row, uint32_t mask)
{
    bool any = d->rows.v[row].has & HAS_MIN && d->rows.v[row].stat[STAT_MIN] <= MASK_FILL;
    return any ? share_measured(mask, recorded_fills(d, row) / (double)dump_row_numel(d, row)) : share_of(mask, 0, 0);
}

/* By the figures of booleans that are true for kept scores. Statistics may have no more than both extremes. */
static struct masked_share share_of_kept(const struct dump *d, uint32_t row)
{
    const struct row *r = &d->rows.v[row];
    double n = (double)dump_row_numel(d, row), norm = r->stat[STAT_NORM];
    if (!(r->has & HAS_MAX) || !(r->has & HAS_MIN))
        return share_of(row, NAN, NAN);
    if (r->stat[STAT_MAX] == r->stat[STAT_MIN])
        return share_of(row, 1 - r->stat[STAT_MAX], 1 - r->stat[STAT_MAX]);
    return r->has & HAS_NORM ? share_measured(row, 1 - norm * norm / n) : share_of(row, 1 / n, 1 - 1 / n);
}

/* Of a fused call's own causal mask, which begins at the first query and the first key. */
static struct masked_share share_of_causal(const struct dump *d, uint32_t query, uint32_t key)
{
    const struct shape *q = dump_row_shape(d, query), *k = dump_row_shape(d, key);
    if (!q || !k || q->ndim < 2 || k->ndim < 2)
        return share_of(NONE, NAN, NAN);
    double rows = (double)q->dim[q->ndim - 2], keys = (double)k->dim[k->ndim - 2], kept = fmin(rows, keys);
    double share = 1 - (kept * (kept + 1) / 2 + fmax(rows - keys, 0) * keys) / (rows * keys);
    return share_of(NONE, share, share);
}

/* Known for this call alone: fused calls of the NPU drop scores where a mask is true, and take compressed masks. */
static struct masked_share fused_share(const struct dump *d, uint32_t call, uint32_t query, uint32_t key)
{
    uint32_t mask = NONE, causal = call_argument(d, call, "is_causal");
    if (!align_item_does(d, call, STR("scaled_dot_product_attention")))
        return share_of(NONE, NAN, NAN);
    EACH_EARLY_ROW(d, call, r)
        if (is_tensor(d, r, IO_INPUT) && str_ihas(argument_name(d, r), "mask"))
            mask = r;
    if (causal != NONE && d->rows.v[causal].stat[STAT_MAX] > 0)
        return mask == NONE ? share_of_causal(d, query, key) : share_of(mask, NAN, NAN);
    if (mask == NONE)
        return (struct masked_share){.known = true, .mask = NONE};
    return dtype_is_float(d->rows.v[mask].dtype) ? share_of_fills(d, mask, mask) : share_of_kept(d, mask);
}

/* Notes the mask that a call on the way from scores to probabilities applies, if it is one. */
static void note_mask(const struct dump *d, uint32_t call, uint32_t scores, struct masked_share *all)
{
    uint32_t out = result_of(d, call), other = NONE;
    bool adds = d->calls.v[call].family == FAMILY_ADD;
    struct str op = align_item_operator(d, call);
    if (!adds && !str_ihas(op, "masked") && !str_ihas(op, "where"))
        return;
    EACH_EARLY_ROW(d, call, r)
        if (is_tensor(d, r, IO_INPUT) && r != scores && dump_row_numel(d, r) > 1 &&
            (adds || !dtype_is_float(d->rows.v[r].dtype)))
            other = r;
    const struct row *x = other == NONE ? NULL : &d->rows.v[other];
    bool zero = x && x->has & HAS_MAX && x->has & HAS_MIN && x->stat[STAT_MAX] == 0 && x->stat[STAT_MIN] == 0;
    if (!x || (adds && !zero && !(x->has & HAS_MIN && x->stat[STAT_MIN] <= MASK_FILL)))
        return;
    int masks = all->masks + 1;
    *all = share_of_fills(d, adds ? other : out, other);
    all->masks = masks;
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
    if (out->key != NONE)
        out->masked = fused_share(d, call, out->query, out->key);
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
    w->scale *= quotient ? 1 / number_of(d, number) : number_of(d, number);
    if (!w->numbers++) {
        w->number = number;
        w->divides = quotient;
    }
    return true;
}

static bool row_is_computed(const struct dump *d, uint32_t row)
{
    return d->rows.v[row].io == IO_OUTPUT && d->calls.v[d->rows.v[row].call].kind != CALL_MODULE;
}

/* What a call that leaves scores unchanged except for a factor made an operand from, or NONE. */
static uint32_t step_back(const struct fused_search *x, struct written_out *w, uint32_t operand)
{
    const struct dump *d = x->m->side[w->side];
    for (int k = 0; k < STEPS && operand != NONE && !row_is_computed(d, operand); k++)
        operand = x->flow[w->side].held[operand];
    if (operand == NONE || !row_is_computed(d, operand))
        return NONE;
    uint32_t call = d->rows.v[operand].call, from = call_input(d, call, 0);
    bool same = from != NONE && dump_row_numel(d, from) == dump_row_numel(d, operand);
    return same && go_past(d, call, w) ? from : NONE;
}

/* How far the value from which an operand of the product comes is from the fused call's; infinite: it is another. */
static double comes_from(const struct fused_search *x, struct written_out *w, uint32_t operand, uint32_t value)
{
    for (int i = 0; i < STEPS && operand != NONE; i++) {
        if (are_paired(x, w->side, operand, value)) /* whatever came in */
            return 0;
        if (operands_alike(x, w->side, operand, value))
            return operand_distance(x, w->side, operand, value);
        operand = step_back(x, w, operand);
    }
    return INFINITY;
}

/* Whether operands of both sides' products come from values with the same figures. */
static bool come_from_one(const struct fused_search *x, struct written_out w[2], uint32_t target, uint32_t golden)
{
    for (int i = 0; i < STEPS && golden != NONE; i++) {
        struct written_out t = w[TARGET];
        uint32_t operand = target;
        for (int k = 0; k < STEPS && operand != NONE && !operands_alike(x, TARGET, operand, golden); k++)
            operand = step_back(x, &t, operand);
        if (operand != NONE && operands_alike(x, TARGET, operand, golden)) {
            w[TARGET] = t;
            return true;
        }
        golden = step_back(x, &w[GOLDEN], golden);
    }
    return false;
}

/* Whether a call is a softmax and nothing else: one that takes a mask as well may scale too. */
static bool is_softmax(const struct dump *d, uint32_t call)
{
    uint32_t more = call_input(d, call, 1);
    return d->calls.v[call].kind != CALL_MODULE && align_item_does(d, call, STR("softmax")) &&
           (more == NONE || dtype_table[d->rows.v[more].dtype].klass == CLASS_INT);
}

/* Follows scores from a row to the calls that read it, through a softmax to the product with the values, of which
 * *left is the most to look at. Casts to and fro are read at any of their results. */
static bool leads_on(const struct fused_search *x, struct written_out *w, uint32_t row, bool softmax, int *left)
{
    const struct dump *d = x->m->side[w->side];
    for (uint32_t r = x->readers[w->side].first[row]; r != NONE && *left > 0; r = x->readers[w->side].next[r]) {
        uint32_t call = d->rows.v[r].call, out = result_of(d, call);
        const struct call *c = &d->calls.v[call];
        struct written_out next = *w;
        --*left;
        /* a graph casts for the backward pass early, and the forward call may read that result */
        if (out == NONE || (c->phase != PHASE_FORWARD && c->family != FAMILY_CAST))
            continue;
        bool product = c->kind != CALL_MODULE && family_is_product(c->family);
        bool now = !softmax && is_softmax(d, call);
        bool on = c->kind == CALL_MODULE ? x->flow[w->side].held[out] == row : now || go_past(d, call, &next);
        if (on && !softmax && !now)
            note_mask(d, call, r, &next.masked);
        if (softmax && product)
            next.output = out;
        else if (!on || (softmax && next.numbers > w->numbers) || !leads_on(x, &next, out, softmax || now, left))
            continue;
        *w = next;
        return true;
    }
    return false;
}

static bool leads_to_values(const struct fused_search *x, struct written_out *w, uint32_t product)
{
    uint32_t out = result_of(x->m->side[w->side], product);
    int left = 4 * STEPS;
    return out != NONE && leads_on(x, w, out, false, &left);
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
        struct written_out w = {.side = side, .scale = 1, .number = NONE, .masked = {.known = true, .mask = NONE}};
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

/* Where the module that applies a number has it first: casts hand it on. */
static uint32_t origin_of(const struct fused_search *x, int side, uint32_t number)
{
    const struct dump *d = x->m->side[side];
    const uint32_t *held = x->flow[side].held;
    uint32_t scope = d->calls.v[d->rows.v[number].call].scope, first = number;
    for (uint32_t row = scope == NONE ? NONE : held[number]; row != NONE; row = held[row]) {
        uint32_t call = d->rows.v[row].call;
        bool cast = row_is_computed(d, row) && d->calls.v[call].family == FAMILY_CAST;
        uint32_t taken = cast ? call_input(d, call, 0) : row;
        if (d->calls.v[call].scope == scope && taken != NONE && !isnan(number_of(d, taken)))
            first = taken;
    }
    return first;
}

static bool is_one_sided(const struct fused_search *x, int side, uint32_t row)
{
    uint32_t line = row == NONE ? NONE : x->m->pairing->line_of[side][row];
    return line != NONE && x->j->line[line].rule == RULE_ONE_SIDED;
}

static void give_alone(const struct fused_search *x, int side, uint32_t row, enum verdict_rule rule, double other)
{
    if (!is_one_sided(x, side, row))
        return;
    struct line_judgement *l = &x->j->line[x->m->pairing->line_of[side][row]];
    l->verdict = VERDICT_DEVIATE;
    l->rule = (uint8_t)rule;
    l->limit = (float)other;
}

/* Where the mask comes in: before it was cast, moved, repeated, turned round or multiplied by its fill, as far as
 * no row of it has a partner. */
static uint32_t mask_origin(const struct fused_search *x, int side, uint32_t mask)
{
    const struct dump *d = x->m->side[side];
    uint32_t first = mask;
    for (int i = 0; i < STEPS && is_one_sided(x, side, mask); i++) {
        first = mask;
        uint32_t made = row_is_computed(d, mask) ? mask : x->flow[side].held[mask], from = NONE;
        if (made == NONE || !row_is_computed(d, made))
            break;
        uint32_t call = d->rows.v[made].call;
        enum family f = (enum family)d->calls.v[call].family;
        if (f != FAMILY_VIEW && f != FAMILY_CAST && f != FAMILY_COPY && f != FAMILY_ADD && f != FAMILY_MUL)
            break;
        EACH_EARLY_ROW(d, call, r)
            if (from == NONE && is_tensor(d, r, IO_INPUT) && dump_row_numel(d, r) > 1)
                from = r;
        if (from == NONE || dump_row_numel(d, from) > dump_row_numel(d, made))
            break;
        mask = from;
    }
    return first;
}

/* Whether results that are paired and deviate come from scores of which another share is masked. */
static bool masks_differ(const struct fused_search *x, const struct masked_share *a, int side, uint32_t output,
                         const struct masked_share *b, uint32_t other)
{
    uint32_t line = x->m->pairing->line_of[side][output];
    const struct line *l = line == NONE ? NULL : &x->m->pairing->lines.v[line];
    return l && l->pair != NONE && l->row[!side] == other && line_is_bad(&x->j->line[line]) && a->known && b->known &&
           a->masks <= 1 && b->masks <= 1 && (a->least > b->most || b->least > a->most);
}

static void give_mask(const struct fused_search *x, const struct masked_share share[2])
{
    int side = share[TARGET].mask != NONE ? TARGET : GOLDEN;
    if (share[side].mask != NONE)
        give_alone(x, side, mask_origin(x, side, share[side].mask), RULE_FUSED_MASK, NAN);
}

/* Gives the verdict to the first number of a scale: the factor that is missing is spread evenly over all numbers. */
static void give_written_scale(const struct fused_search *x, const struct written_out *w, double scale)
{
    double each = pow(scale / w->scale, 1.0 / w->numbers);
    double number = number_of(x->m->side[w->side], w->number);
    give_alone(x, w->side, origin_of(x, w->side, w->number), RULE_FUSED_SCALE,
               w->divides ? number / each : number * each);
}

/* Whether the scales differ and the results differ too. */
static bool scales_differ(const struct fused_search *x, const struct written_out *w, double scale, uint32_t output)
{
    const struct dump *d = x->m->side[w->side], *other = x->m->side[!w->side];
    return dump_row_numel(d, w->output) == dump_row_numel(other, output) && w->scale > 0 && scale > 0 &&
           fabs(w->scale / scale - 1) > rule_limit(RULE_LIMIT_FACTOR_LEAST) &&
           operand_distance(x, w->side, w->output, output) > drift_of(x, w->side, w->output, output);
}

static void prepare_side(struct fused_search *x, int side)
{
    if (!x->looked[side])
        collect_products(x, side);
    if (x->products[side].n && !x->readers[side].first)
        readers_build(&x->readers[side], x->m->side[side], &x->flow[side]);
}

static void compare_with_fused(struct fused_search *x, int side, uint32_t call)
{
    struct fused_call f;
    struct written_out w;
    if (!fused_call(x->m->side[side], call, &f))
        return;
    prepare_side(x, !side);
    if (!x->products[!side].n || !written_out(x, !side, &f, &w))
        return;
    if (masks_differ(x, &f.masked, side, f.output, &w.masked, w.output))
        give_mask(x, side == TARGET ? (struct masked_share[]){f.masked, w.masked}
                                    : (struct masked_share[]){w.masked, f.masked});
    if (!w.numbers || !scales_differ(x, &w, f.scale, f.output))
        return;
    /* in the target's row, unless it is the fused call's default */
    if (side == TARGET && f.argument != NONE)
        give_alone(x, side, f.argument, RULE_FUSED_SCALE, w.scale);
    else
        give_written_scale(x, &w, f.scale);
}

/* Compares the scales of two paired products of queries and keys, whose numbers may stand in front of the product on
 * one side and behind it on the other. */
static void compare_written(struct fused_search *x, const struct scores_product *t)
{
    uint32_t out = result_of(x->m->side[TARGET], t->call);
    uint32_t line = out == NONE ? NONE : x->m->pairing->line_of[TARGET][out];
    const struct line *l = line == NONE ? NULL : &x->m->pairing->lines.v[line];
    if (!l || l->pair == NONE)
        return;
    uint32_t call = x->m->side[GOLDEN]->rows.v[l->row[GOLDEN]].call;
    struct written_out w[2] = {{.side = TARGET, .scale = 1, .number = NONE, .masked = {.known = true, .mask = NONE}},
                               {.side = GOLDEN, .scale = 1, .number = NONE, .masked = {.known = true, .mask = NONE}}};
    for (int i = 0; i < 2; i++) {
        uint32_t g = call_input(x->m->side[GOLDEN], call, i);
        if (g == NONE || !come_from_one(x, w, t->input[i], g))
            return;
    }
    int before[2] = {w[TARGET].numbers, w[GOLDEN].numbers};
    if (!leads_to_values(x, &w[TARGET], t->call) || !leads_to_values(x, &w[GOLDEN], call))
        return;
    if (masks_differ(x, &w[TARGET].masked, TARGET, w[TARGET].output, &w[GOLDEN].masked, w[GOLDEN].output))
        give_mask(x, (struct masked_share[]){w[TARGET].masked, w[GOLDEN].masked});
    /* numbers at one place have rows in between that are paired and tell */
    if (before[TARGET] == before[GOLDEN] || !w[TARGET].numbers ||
        !scales_differ(x, &w[TARGET], w[GOLDEN].scale, w[GOLDEN].output))
        return;
    give_written_scale(x, &w[TARGET], w[GOLDEN].scale);
}

void fused_scales_find(struct judgement *j, const struct measure *m, const struct dataflow flow[2],
                       const struct thresholds *tol)
{
    struct fused_search x = {.j = j, .m = m, .flow = flow, .tol = tol};
    for (int s = 0; s < 2; s++)
        for (uint32_t call = 0; call < m->side[s]->calls.n; call++)
            compare_with_fused(&x, s, call);
    for (int s = 0; s < 2; s++)
        prepare_side(&x, s);
    for (size_t i = 0; i < x.products[TARGET].n && x.products[GOLDEN].n; i++)
        compare_written(&x, &x.products[TARGET].v[i]);
    for (int s = 0; s < 2; s++) {
        readers_release(&x.readers[s]);
        vec_release(&x.products[s]);
    }
}
