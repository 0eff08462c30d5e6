/* Joins a product with the addition of its bias, or with its scaling and the addition of any term (baddbmm), if the
 * other side has one call for both: they count as one call whose result is the sum's, and the sum has no partner. */
#include "pair/sequence_parts.h"

#include <stdlib.h>

#include "dump/family.h"

struct adder {
    uint32_t product, sum; /* indices of items */
    uint32_t scale;        /* of the multiplication by a number between them, or NONE */
};

/* Whether a row has one axis of this length and no other longer than 1. */
static bool is_vector(const struct dump *d, uint32_t row, int64_t length)
{
    const struct shape *s = dump_row_shape(d, row);
    int axes = 0;
    for (int i = 0; s && i < s->ndim; i++)
        axes += s->dim[i] != 1;
    return s && s->ndim > 0 && axes <= 1 && s->numel == (uint64_t)length;
}

/* The length of a possible bias: the result's last axis, for a convolution the second. 0: it cannot have one. */
static int64_t bias_length(const struct dump *d, const struct align_item *x)
{
    const struct shape *s = dump_row_shape(d, x->out);
    if (!s || s->ndim < 2)
        return 0;
    return x->family == FAMILY_LINEAR ? s->dim[s->ndim - 1] : x->family == FAMILY_CONV ? s->dim[1] : 0;
}

/* The row of the call that is a bias of this length and not produced by another call; NONE if there is none. The weight
 * of a layer with one input has that length, too, but not in its last axis; the values of a single sample have it
 * there, but behind another axis. */
static uint32_t bias_of(const struct sequence *w, int s, uint32_t call, int64_t length)
{
    const struct dump *d = w->d[s];
    uint32_t found = NONE;
    int best = 0;
    EACH_EARLY_ROW(d, call, r) {
        const struct row *x = &d->rows.v[r];
        if ((x->io != IO_INPUT && x->io != IO_PARAMETER) || x->kind != ROW_TENSOR || w->from[s][r] != NONE ||
            length <= 0 || !is_vector(d, r, length))
            continue;
        const struct shape *own = dump_row_shape(d, r);
        int like = own->dim[own->ndim - 1] != length ? 1 : own->ndim > 1 ? 2 : 3;
        found = like > best ? r : found;
        best = like > best ? like : best;
    }
    return found;
}

typedef VEC(struct adder) adder_list;

static bool has_inputs(const struct dump *d, uint32_t call)
{
    EACH_EARLY_ROW(d, call, r)
        if (d->rows.v[r].io == IO_INPUT)
            return true;
    return false;
}

#define SEVERAL (NONE - 1)

/* Per scope: the product that its module computes, if that is all but sums, casts and views; else NONE or SEVERAL. */
static uint32_t *lone_products(const struct dump *d, const align_item_list *l)
{
    uint32_t *out = mem_alloc((d->scopes.n + 1) * sizeof *out);
    memset(out, 0xff, (d->scopes.n + 1) * sizeof *out);
    for (uint32_t i = 0; i < l->n; i++) {
        const struct align_item *x = &l->v[i];
        uint32_t scope = d->calls.v[x->call].scope;
        if (scope == NONE || x->family == FAMILY_ADD || x->family == FAMILY_VIEW || x->family == FAMILY_COPY ||
            x->family == FAMILY_CAST)
            continue;
        out[scope] = out[scope] == NONE && bias_length(d, x) > 0 && !x->set ? i : SEVERAL;
    }
    return out;
}

/* For a sum in a recording of outputs alone: the product before it in its module, if the module computes nothing else;
 * NONE. */
static uint32_t product_in_module(const struct dump *d, const align_item_list *l, const uint32_t *lone, uint32_t sum)
{
    const struct align_item *x = &l->v[sum];
    uint32_t scope = d->calls.v[x->call].scope, product = scope == NONE ? NONE : lone[scope];
    if (product == NONE || product == SEVERAL || product > sum || has_inputs(d, x->call))
        return NONE;
    return l->v[product].numel == x->numel ? product : NONE;
}

/* Whether both rows hold one number throughout, the same. */
static bool same_number(const struct dump *d, uint32_t a, uint32_t b)
{
    const struct row *x = &d->rows.v[a], *y = &d->rows.v[b];
    return x->has & y->has & HAS_MAX && x->has & y->has & HAS_MIN && x->stat[STAT_MAX] == x->stat[STAT_MIN] &&
           y->stat[STAT_MAX] == x->stat[STAT_MAX] && y->stat[STAT_MIN] == x->stat[STAT_MAX];
}

/* The row that an operand of the sum at an index comes from, or NONE. One number throughout shows no origin: it is the
 * result of the call before, if that is nothing else. */
static uint32_t term_maker(const struct sequence *w, int s, const align_item_list *l, uint32_t sum, uint32_t operand)
{
    uint32_t from = w->from[s][operand], before = sum ? l->v[sum - 1].out : NONE;
    return from == NONE && before != NONE && same_number(w->d[s], operand, before) ? before : from;
}

/* Finds sums of a product's result and a vector without a recorded producer. */
static void find_adders(const struct sequence *w, int s, const align_item_list *l, adder_list *out)
{
    const struct dump *d = w->d[s];
    uint32_t *item_of = mem_alloc((d->rows.n + 1) * sizeof *item_of); /* per row: the product whose result it is */
    uint32_t *lone = lone_products(d, l);
    memset(item_of, 0xff, (d->rows.n + 1) * sizeof *item_of);
    for (uint32_t i = 0; i < l->n; i++)
        if (bias_length(d, &l->v[i]) > 0)
            item_of[l->v[i].out] = i;
    for (uint32_t i = 0; i < l->n; i++) {
        const struct align_item *x = &l->v[i];
        if (x->family != FAMILY_ADD || x->set)
            continue;
        uint32_t last = product_in_module(d, l, lone, i);
        if (last != NONE && item_of[l->v[last].out] != NONE) {
            struct adder a = {last, i, NONE};
            vec_push(out, a);
            item_of[l->v[last].out] = NONE;
        }
        for (int k = 0; k < x->inputs; k++) {
            uint32_t from = term_maker(w, s, l, i, x->in_row[k]), product = from == NONE ? NONE : item_of[from];
            if (product == NONE || l->v[product].set || l->v[product].numel != x->numel ||
                bias_of(w, s, x->call, bias_length(d, &l->v[product])) == NONE)
                continue;
            struct adder a = {product, i, NONE};
            vec_push(out, a);
            item_of[from] = NONE; /* one bias per product */
            break;
        }
    }
    free(item_of);
    free(lone);
}

/* Whether products of this side include their bias. */
static bool takes_bias(const struct sequence *w, int s, const struct align_item *x)
{
    int64_t length = bias_length(w->d[s], x);
    int operands = length == 1 ? 1 : 2; /* items leave single numbers out of their inputs */
    return length > 0 && x->inputs > operands && bias_of(w, s, x->call, length) != NONE;
}

/* Whether a product adds a term of any shape to its result, which may be a multiple. */
static bool takes_term(const struct sequence *w, int s, const struct align_item *x)
{
    return x->family == FAMILY_LINEAR && x->inputs == ITEM_INPUTS && !x->set &&
           align_item_adds_term(w->d[s], x->call) && !takes_bias(w, s, x);
}

/* The product that an operand of a sum or of a scaling comes from; NONE. *from: the row that holds it. */
static uint32_t operand_product(const struct sequence *w, int s, const align_item_list *l, const struct align_item *x,
                                const uint32_t *product_of, uint32_t *from)
{
    for (int k = 0; k < x->inputs && !x->set; k++) {
        *from = w->from[s][x->in_row[k]];
        uint32_t product = *from == NONE ? NONE : product_of[*from];
        if (product != NONE && l->v[product].numel == x->numel)
            return product;
    }
    return NONE;
}

/* Finds sums of anything with a product's result or a multiple of it by a single number. Products, scalings and sums
 * one after the other: the items of a graph are not in the order of its data. */
static void find_terms(const struct sequence *w, int s, const align_item_list *l, adder_list *out)
{
    const struct dump *d = w->d[s];
    uint32_t *product_of = mem_alloc((d->rows.n + 1) * sizeof *product_of); /* per row: the product it comes from */
    uint32_t *scale_of = mem_alloc((d->rows.n + 1) * sizeof *scale_of);     /* per row: what multiplied it */
    uint32_t from, product;
    memset(product_of, 0xff, (d->rows.n + 1) * sizeof *product_of);
    memset(scale_of, 0xff, (d->rows.n + 1) * sizeof *scale_of);
    for (uint32_t i = 0; i < l->n; i++)
        if (l->v[i].family == FAMILY_LINEAR && !l->v[i].set)
            product_of[l->v[i].out] = i;
    for (uint32_t i = 0; i < l->n; i++) {
        const struct align_item *x = &l->v[i];
        if (x->family == FAMILY_MUL && x->inputs == 1 &&
            (product = operand_product(w, s, l, x, product_of, &from)) != NONE && scale_of[from] == NONE) {
            product_of[x->out] = product;
            scale_of[x->out] = i;
        }
    }
    for (uint32_t i = 0; i < l->n; i++) {
        const struct align_item *x = &l->v[i];
        if (x->family != FAMILY_ADD || x->inputs != 2 ||
            (product = operand_product(w, s, l, x, product_of, &from)) == NONE)
            continue;
        struct adder a = {product, i, scale_of[from]};
        vec_push(out, a);
        product_of[from] = NONE;
    }
    free(product_of);
    free(scale_of);
}

static void join_bias(struct sequence *w, int s, align_item_list *l, const struct adder *a)
{
    if (a->scale != NONE)
        l->v[a->scale].set = SET_PART;
    struct align_item *product = &l->v[a->product], *sum = &l->v[a->sum];
    w->adder[s][product->call] = sum->call;
    product->out = sum->out;
    product->value = sum->value;
    sum->set = SET_PART;
}

/* The number of sums whose result has this size. */
static size_t sums_of(const align_item_list *l, const adder_list *found, uint64_t numel)
{
    size_t n = 0;
    for (size_t i = 0; i < found->n; i++)
        n += l->v[found->v[i].sum].numel == numel;
    return n;
}

/* Whether a sum has the result, or adds the term, of a product of the other side: one whose beta is 0 adds none. */
static bool is_term_of(const struct align_item *sum, const struct align_item *product)
{
    bool same = fingerprint_compare(&sum->value, &product->value) == LIKE_SAME;
    for (int k = 0; k < sum->inputs; k++)
        same = same || fingerprint_compare(&sum->in[k], &product->in[ITEM_INPUTS - 1]) == LIKE_SAME;
    return same;
}

/* Joins where the other side has as many products with a term of this size as this one has sums, and some sum is that
 * of such a product. */
static void join_terms(struct sequence *w, int s, align_item_list *own, const align_item_list *other)
{
    adder_list found = {0};
    struct nmap takers = {0}, proven = {0}; /* size → number of products; size → 1 */
    for (uint32_t i = 0; i < other->n; i++)
        if (takes_term(w, !s, &other->v[i])) {
            uint32_t n = nmap_get(&takers, other->v[i].numel);
            nmap_set(&takers, other->v[i].numel, n == MAP_NONE ? 1 : n + 1);
        }
    if (takers.n)
        find_terms(w, s, own, &found);
    for (size_t i = 0; i < found.n; i++) {
        const struct align_item *sum = &own->v[found.v[i].sum];
        for (uint32_t k = 0; k < other->n && nmap_get(&proven, sum->numel) == MAP_NONE; k++)
            if (other->v[k].numel == sum->numel && takes_term(w, !s, &other->v[k]) && is_term_of(sum, &other->v[k]))
                nmap_set(&proven, sum->numel, 1);
    }
    for (size_t i = 0; i < found.n; i++) {
        uint64_t numel = own->v[found.v[i].sum].numel;
        if (nmap_get(&proven, numel) != MAP_NONE && nmap_get(&takers, numel) == sums_of(own, &found, numel))
            join_bias(w, s, own, &found.v[i]);
    }
    nmap_release(&takers);
    nmap_release(&proven);
    vec_release(&found);
}

void sequence_join_bias(struct sequence *w, align_item_list *t, align_item_list *g)
{
    align_item_list *items[2] = {t, g};
    for (int s = 0; s < 2; s++)
        join_terms(w, s, items[s], items[!s]);
    adder_list found[2] = {{0}, {0}};
    for (int s = 0; s < 2; s++)
        find_adders(w, s, items[s], &found[s]);
    for (int s = 0; s < 2; s++) {
        const align_item_list *other = items[!s];
        size_t within = 0, votes = 0;
        for (uint32_t i = 0; i < other->n; i++)
            within += takes_bias(w, !s, &other->v[i]);
        if (!within)
            continue;
        for (size_t i = 0; i < found[s].n; i++) {
            uint32_t twin = w->weight_twin[s][found[s].v[i].product];
            votes += twin != NONE && takes_bias(w, !s, &other->v[twin]);
        }
        for (size_t i = 0; i < found[s].n; i++) {
            uint32_t twin = w->weight_twin[s][found[s].v[i].product];
            /* the call with the same weight decides; otherwise the other products, or, without any such weight, the
             * other side */
            bool yes = twin != NONE ? takes_bias(w, !s, &other->v[twin]) : votes || within > found[!s].n;
            if (yes)
                join_bias(w, s, items[s], &found[s].v[i]);
        }
    }
    for (int s = 0; s < 2; s++)
        vec_release(&found[s]);
}

uint32_t sequence_bias_row(const struct sequence *w, int s, const struct align_item *product)
{
    uint32_t sum = w->adder[s][product->call];
    return bias_of(w, s, sum == NONE ? product->call : sum, bias_length(w->d[s], product));
}

/* The bias rows of joined calls. */
void sequence_pair_bias(struct sequence *w, const struct align_item *a, const struct align_item *b)
{
    const struct align_item *x[2] = {a, b};
    for (int s = 0; s < 2; s++) {
        uint32_t sum = w->adder[s][x[s]->call];
        if (sum == NONE)
            continue;
        int64_t length = bias_length(w->d[s], x[s]);
        uint32_t here = bias_of(w, s, sum, length), there = bias_of(w, !s, x[!s]->call, length);
        if (here != NONE && there != NONE && w->row_pair[s][here] == NONE && w->row_pair[!s][there] == NONE &&
            !w->taken[s][here] &&
            !w->taken[!s][there])
            sequence_emit(w, s ? there : here, s ? here : there, WHY_SLOT, a->confidence < 0.8f ? a->confidence : 0.8f);
    }
}
