/* Pairs one call with its parts: fused products, and whole modules whose contents the other side recorded. */
#include "pair/sequence_parts.h"

#include <math.h>
#include <stdlib.h>

#include "dump/family.h"
#include "dump/role.h"

#define FUSED_REACH 48 /* items around its position in which a fused call's parts are searched */
#define FUSED_NEAR 0.03f/* share of a norm that like figures differ by, at most (align_item.h) */
#define FUSED_MOST 256  /* the most products of like inputs that are examined */
#define MEET_REACH 96  /* items after its position in which the last part of a whole is searched */
#define MEAN_NEAR 0.05 /* share by which means of one value differ, at most */
#define PARTS 8        /* the most parts of one fused call */

/* Whether the figures of the parts combine to those of the whole. */
static enum likeness parts_make(const struct fingerprint *part, int n, const struct fingerprint *whole)
{
    struct fingerprint all = {.max = -INFINITY, .min = INFINITY, .size = whole->size, .has = 7,
                              .coarse = whole->coarse};
    double squares = 0;
    for (int i = 0; i < n; i++) {
        all.has = all.has & part[i].has;
        all.max = fmaxf(all.max, part[i].max);
        all.min = fminf(all.min, part[i].min);
        squares += (double)part[i].norm * (double)part[i].norm;
    }
    all.norm = (float)sqrt(squares);
    return fingerprint_compare(&all, whole);
}

static bool same_input(const struct align_item *a, const struct align_item *b)
{
    if (!a->inputs || !b->inputs || a->in[0].size != b->in[0].size)
        return false;
    enum likeness l = fingerprint_compare(&a->in[0], &b->in[0]);
    return l == LIKE_SAME || (l == LIKE_UNKNOWN && a->layer == b->layer);
}

static bool is_free_product(const struct align_item *x)
{
    return x->match == NONE && x->group == NONE && x->family == FAMILY_LINEAR;
}

/* Whether an unpaired product may be a part of `wide`. */
static bool may_be_part(const struct align_item *x, const struct align_item *wide)
{
    return is_free_product(x) && x->numel < wide->numel && x->inputs && x->in[0].size == wide->in[0].size &&
           !role_conflict(x->role, wide->role) && (x->layer < 0 || wide->layer < 0 || x->layer == wide->layer);
}

/* The narrow unpaired products from `first` on that share its input and together have the size of `wide`. */
static int parts_from(const struct align_item *wide, const align_item_list *l, size_t first, size_t to,
                      uint32_t part[PARTS])
{
    uint64_t sum = 0;
    int n = 0;
    for (size_t i = first; i < to && n < PARTS && sum < wide->numel; i++)
        if (is_free_product(&l->v[i]) && (i == first || same_input(&l->v[first], &l->v[i])) &&
            !role_conflict(l->v[i].role, wide->role)) {
            part[n++] = (uint32_t)i;
            sum += l->v[i].numel;
        }
    return n >= 2 && sum == wide->numel ? n : 0;
}

static bool parts_prove(const struct align_item *wide, const align_item_list *l, const uint32_t part[PARTS], int n)
{
    struct fingerprint value[PARTS];
    for (int k = 0; k < n; k++)
        value[k] = l->v[part[k]].value;
    return fingerprint_compare(&wide->in[0], &l->v[part[0]].in[0]) > LIKE_UNKNOWN ||
           parts_make(value, n, &wide->value) > LIKE_UNKNOWN;
}

/* An unpaired product, in the order of its input's size and norm. */
struct product_place {
    uint32_t size, at;
    float norm;
};

typedef VEC(struct product_place) product_places;

static int by_input(const void *a, const void *b)
{
    const struct product_place *x = a, *y = b;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    if (x->norm < y->norm || x->norm > y->norm)
        return x->norm < y->norm ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static void find_products(const align_item_list *l, product_places *out)
{
    for (uint32_t i = 0; i < l->n; i++) {
        const struct align_item *x = &l->v[i];
        if (is_free_product(x) && x->inputs && isfinite(x->in[0].norm))
            vec_push(out, ((struct product_place){x->in[0].size, i, x->in[0].norm}));
    }
    vec_sort(out, by_input);
}

/* The parts of `wide` anywhere, its input's figures being those of theirs. */
static int find_proven_parts(const struct align_item *wide, const align_item_list *l, const product_places *products,
                             uint32_t part[PARTS])
{
    struct product_place least = {wide->in[0].size, 0, wide->in[0].norm * (1 - FUSED_NEAR)};
    size_t begin = 0;
    if (!isfinite(least.norm))
        return 0;
    lower_bound(begin, products->n, by_input(&products->v[begin], &least) < 0);
    for (size_t i = begin; i < products->n && i < begin + FUSED_MOST; i++) {
        const struct product_place *p = &products->v[i];
        size_t end = p->at + FUSED_REACH < l->n ? p->at + FUSED_REACH : l->n;
        int n;
        if (p->size != least.size || p->norm > wide->in[0].norm * (1 + FUSED_NEAR))
            break;
        if (may_be_part(&l->v[p->at], wide) &&
            fingerprint_compare(&wide->in[0], &l->v[p->at].in[0]) > LIKE_UNKNOWN &&
            (n = parts_from(wide, l, p->at, end, part)))
            return n;
    }
    return 0;
}

/* The parts of `wide` around `at`. Parts that the figures prove may be anywhere, because a graph's kernels run in
 * another order than the calls of its source; products NULL: need not be proven. */
static int find_parts(const struct align_item *wide, const align_item_list *l, size_t at, uint32_t part[PARTS],
                      const product_places *products)
{
    size_t from = at > FUSED_REACH / 2 ? at - FUSED_REACH / 2 : 0,
           to = at + FUSED_REACH < l->n ? at + FUSED_REACH : l->n;
    int n;
    for (size_t first = from; first < to; first++)
        if (may_be_part(&l->v[first], wide) && (n = parts_from(wide, l, first, to, part)) &&
            (!products || parts_prove(wide, l, part, n)))
            return n;
    return products ? find_proven_parts(wide, l, products, part) : 0;
}

void sequence_fuse(struct sequence *w, align_item_list *wide, align_item_list *narrow, int s, bool proven)
{
    product_places products = {0};
    size_t at = 0;
    if (proven)
        find_products(narrow, &products);
    for (uint32_t i = 0; i < wide->n; i++) {
        struct align_item *x = &wide->v[i];
        uint32_t part[PARTS];
        struct fingerprint value[PARTS];
        if (x->match != NONE)
            at = x->match;
        if (!is_free_product(x) || !x->inputs)
            continue;
        int n = find_parts(x, narrow, at, part, proven ? &products : NULL);
        if (!n)
            continue;
        enum likeness in = fingerprint_compare(&x->in[0], &narrow->v[part[0]].in[0]);
        for (int k = 0; k < n; k++)
            value[k] = narrow->v[part[k]].value;
        enum likeness l = parts_make(value, n, &x->value);
        x->group = w->groups++;
        x->confidence = l > LIKE_UNKNOWN ? 0.9f : in > LIKE_UNKNOWN ? 0.8f : 0.6f;
        x->why = WHY_FUSED;
        for (int k = 0; k < n; k++) {
            struct align_item *p = &narrow->v[part[k]];
            p->group = x->group;
            p->confidence = x->confidence;
            p->why = WHY_FUSED;
            w->call_pair[!s][p->call] = x->call;
        }
        w->call_pair[s][x->call] = narrow->v[part[0]].call;
    }
    vec_release(&products);
}

/* Whether the user has paired parts of this row, so that the others may follow. */
static bool holds_parts(const struct sequence *w, int s, uint32_t wide)
{
    uint64_t n = dump_row_numel(w->d[s], wide);
    for (size_t i = 0; w->taken[s][wide] && i < w->ruled->pairs.n; i++) {
        const struct decided_pair *p = &w->ruled->pairs.v[i];
        if ((s ? p->g : p->t) == wide)
            return dump_row_numel(w->d[!s], s ? p->t : p->g) < n;
    }
    return false;
}

/* Pairs one row of a fused call with the rows of its parts. */
static void pair_parts(struct sequence *w, int s, uint32_t wide, const uint32_t *part, int n, bool sum,
                       const struct align_item *x)
{
    uint64_t all = 0, whole = dump_row_numel(w->d[s], wide);
    bool begun = holds_parts(w, s, wide);
    if ((w->taken[s][wide] && !begun) || w->row_pair[s][wide] != NONE)
        return;
    for (int i = 0; i < n; i++) {
        if (part[i] == NONE || (w->taken[!s][part[i]] && !begun) || w->row_pair[!s][part[i]] != NONE)
            return;
        all += dump_row_numel(w->d[!s], part[i]);
        if (!sum && dump_row_numel(w->d[!s], part[i]) != whole)
            return;
    }
    if (sum && all != whole)
        return;
    for (int i = 0; i < n; i++)
        if (!w->taken[!s][part[i]])
            sequence_emit(w, s ? part[i] : wide, s ? wide : part[i], WHY_FUSED, x->confidence);
}

static void pair_group_rows(struct sequence *w, int s, uint32_t wide, const uint32_t *call, int n, enum row_io io,
                            int index,
                            bool sum, const struct align_item *x)
{
    uint32_t part[PARTS], row = wide == NONE ? NONE : sequence_nth_row(w, s, wide, io, index);
    for (int i = 0; i < n; i++)
        part[i] = call[i] == NONE ? NONE : sequence_nth_row(w, !s, call[i], io, index);
    if (row != NONE)
        pair_parts(w, s, row, part, n, sum, x);
}

/* Pairs an operand of a fused product with the same one of its parts (in_row: whatever is added comes last). */
static void pair_operands(struct sequence *w, int s, const struct align_item *x, const struct align_item *const *item,
                          int n, int index, bool sum)
{
    uint32_t part[PARTS];
    for (int i = 0; i < n; i++)
        part[i] = index < item[i]->inputs ? item[i]->in_row[index] : NONE;
    if (index < x->inputs)
        pair_parts(w, s, x->in_row[index], part, n, sum, x);
}

/* Pairs the biases, wherever each side adds them. */
static void pair_biases(struct sequence *w, int s, const struct align_item *x, const struct align_item *const *item,
                        int n)
{
    uint32_t part[PARTS], whole = sequence_bias_row(w, s, x);
    for (int i = 0; i < n; i++)
        part[i] = sequence_bias_row(w, !s, item[i]);
    if (whole != NONE)
        pair_parts(w, s, whole, part, n, true, x);
}

void sequence_pair_groups(struct sequence *w, const align_item_list *wide, const align_item_list *narrow, int s,
                          const struct nmap gradients[2])
{
    for (size_t i = 0; i < wide->n; i++) {
        const struct align_item *x = &wide->v[i];
        const struct align_item *item[PARTS];
        uint32_t part[PARTS], twin[PARTS], grad[PARTS];
        int n = 0;
        if (x->group == NONE || !x->inputs)
            continue;
        /* starts at its first part, in order */
        uint32_t first = w->call_pair[s][x->call] == NONE ? NONE : w->item_of[!s][w->call_pair[s][x->call]];
        for (size_t k = first; k < narrow->n && k < (size_t)first + 2 * FUSED_REACH && n < PARTS; k++)
            if (narrow->v[k].group == x->group) {
                item[n] = &narrow->v[k];
                part[n++] = narrow->v[k].call;
            }
        if (n < 2)
            continue;
        for (int k = 0; k < n; k++) {
            twin[k] = sequence_twin(w, !s, part[k]);
            grad[k] = sequence_gradient_of(w, !s, part[k], &gradients[!s]);
        }
        pair_group_rows(w, s, x->call, part, n, IO_OUTPUT, 0, true, x);
        pair_operands(w, s, x, item, n, 0, false);
        pair_operands(w, s, x, item, n, 1, true);
        pair_biases(w, s, x, item, n);
        pair_group_rows(w, s, x->call, part, n, IO_PARAMETER, 0, true, x);
        pair_group_rows(w, s, sequence_twin(w, s, x->call), twin, n, IO_INPUT, 0, true, x);
        for (int k = 0; k < 2 && w->d[s]->calls.v[x->call].kind == CALL_MODULE; k++) /* of the weight and of the bias */
            pair_group_rows(w, s, sequence_gradient_of(w, s, x->call, &gradients[s]), grad, n, IO_GRADIENT, k, true, x);
    }
}

static bool changes_its_input(const struct align_item *x)
{
    for (int i = 0; i < x->inputs; i++)
        if (fingerprint_compare(&x->value, &x->in[i]) > LIKE_UNKNOWN)
            return false;
    return true;
}

/* Whether the call that made a row's value is paired: the value is compared there. */
static bool compared_before(const struct sequence *w, int s, uint32_t row)
{
    uint32_t made = w->from[s][row];
    return made != NONE && w->row_pair[s][made] != NONE;
}

/* Whether means contradict that two results with equal extremes and norms are one value (those of a rotated half). */
static bool means_differ(const struct sequence *w, uint32_t t, uint32_t g)
{
    const struct row *a = &w->d[0]->rows.v[t], *b = &w->d[1]->rows.v[g];
    double n = (double)dump_row_numel(w->d[1], g);
    if (!(a->has & b->has & HAS_MEAN) || !(b->has & HAS_NORM) || !(n > 1))
        return false;
    double scatter = b->stat[STAT_NORM] / n; /* of a mean of n values of random sign */
    return fabs(a->stat[STAT_MEAN] - b->stat[STAT_MEAN]) > MEAN_NEAR * (scatter + fabs(b->stat[STAT_MEAN]));
}

/* For a fused norm or attention, or a module of an L0 dump, whose contents the other side recorded: its result equals
 * the result of the last part. Only equal figures near its position show which part that is. */
void sequence_meet(struct sequence *w, const align_item_list *t, const align_item_list *g)
{
    uint8_t *met = mem_zalloc(g->n + 1);
    size_t at = 0;
    for (size_t i = 0; i < t->n; i++) {
        const struct align_item *a = &t->v[i];
        uint32_t found = NONE;
        if (a->match != NONE && t->v[i].match < g->n && g->v[a->match].match == i)
            at = a->match;
        if (a->match != NONE || a->group != NONE || a->numel <= 1 || !changes_its_input(a) ||
            compared_before(w, TARGET, a->out))
            continue;
        for (size_t k = at; k < g->n && k < at + MEET_REACH; k++) {
            const struct align_item *b = &g->v[k];
            bool whole = family_is_compute(a->family) || family_is_compute(b->family) || a->family == FAMILY_MODULE ||
                         b->family == FAMILY_MODULE;
            if (b->match != NONE || b->group != NONE || met[k] || !whole || a->numel != b->numel ||
                !changes_its_input(b) || compared_before(w, GOLDEN, b->out) || means_differ(w, a->out, b->out) ||
                (a->layer >= 0 && b->layer >= 0 && a->layer != b->layer) ||
                fingerprint_compare(&a->value, &b->value) != LIKE_SAME)
                continue;
            found = (uint32_t)k;
            break;
        }
        if (found == NONE || w->row_pair[0][a->out] != NONE || w->row_pair[1][g->v[found].out] != NONE ||
            w->taken[0][a->out] || w->taken[1][g->v[found].out])
            continue;
        met[found] = 1;
        at = found;
        sequence_emit(w, a->out, g->v[found].out, WHY_WHOLE, 0.85f);
    }
    free(met);
}
