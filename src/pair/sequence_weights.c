/* Finds the calls of both sides that use the same weight. Both runs start with the same weights, so a weight used by
 * one call per side identifies the call whatever happened before. */
#include "pair/sequence_parts.h"

#include <math.h>
#include <stdlib.h>

#include "dump/family.h"
#include "pair/call_arguments.h"

#define ROUNDED 1e-3f      /* relative difference of extremes that a rounding to 16 bits makes */
#define ROUNDED_NORM 1e-4f /* and of norms, in which it cancels */

/* A weight of a side: an input not produced by a recorded call, or by a cast alone, of a call whose family has
 * weights. */
struct weight_use {
    float max, min, norm;
    uint64_t numel;
    uint32_t item;
};
typedef VEC(struct weight_use) weight_list;

static bool has_weight(uint8_t family)
{
    return family == FAMILY_LINEAR || family == FAMILY_CONV || family == FAMILY_EMBEDDING || family == FAMILY_NORM ||
           family == FAMILY_MUL;
}

static int by_extremes(const void *a, const void *b)
{
    const struct weight_use *x = a, *y = b;
    if (x->numel != y->numel)
        return x->numel < y->numel ? -1 : 1;
    return x->max != y->max ? (x->max < y->max ? -1 : 1) : (x->item > y->item) - (x->item < y->item);
}

/* Whether no call made this value, other than a cast of one that none made. */
static bool is_stored(const struct sequence *w, int s, uint32_t row)
{
    const struct dump *d = w->d[s];
    uint32_t from = w->from[s][row], call = from == NONE ? NONE : d->rows.v[from].call;
    uint32_t cast = call != NONE && d->calls.v[call].family == FAMILY_CAST ? call_input(d, call, 0) : NONE;
    return from == NONE || (cast != NONE && w->from[s][cast] == NONE);
}

/* Returns whether any of them has 16-bit floats. */
static bool list_weights(const struct sequence *w, int s, const align_item_list *items, weight_list *out)
{
    bool coarse = false;
    for (uint32_t i = 0; i < items->n; i++) {
        const struct align_item *it = &items->v[i];
        if (!has_weight(it->family))
            continue;
        for (int k = 0; k < it->inputs; k++) {
            const struct fingerprint *f = &it->in[k];
            uint64_t numel = dump_row_numel(w->d[s], it->in_row[k]);
            struct weight_use u = {f->max, f->min, f->has & 4 ? f->norm : NAN, numel, i};
            if ((f->has & 3) == 3 && f->max != f->min && is_stored(w, s, it->in_row[k]) && numel >= 8) {
                vec_push(out, u);
                coarse = coarse || f->coarse;
            }
        }
    }
    vec_sort(out, by_extremes);
    return coarse;
}

static bool within_relative(float a, float b, float tol)
{
    return fabsf(a - b) <= tol * fmaxf(fabsf(a), fabsf(b));
}

static bool same_weight(const struct weight_use *a, const struct weight_use *b, float tol)
{
    return a->numel == b->numel && within_relative(a->max, b->max, tol) && within_relative(a->min, b->min, tol) &&
           (tol < ROUNDED || within_relative(a->norm, b->norm, ROUNDED_NORM));
}

/* The only item of l that uses this weight; NONE if there are none or several. */
static uint32_t lone_user(const weight_list *l, const struct weight_use *u, float tol)
{
    const struct weight_use *m = l->v;
    size_t i;
    uint32_t found = NONE;
    lower_bound(i, l->n, m[i].numel < u->numel ||
                             (m[i].numel == u->numel && m[i].max < u->max && !within_relative(m[i].max, u->max, tol)));
    for (; i < l->n && m[i].numel == u->numel && (m[i].max <= u->max || within_relative(m[i].max, u->max, tol)); i++) {
        if (!same_weight(&l->v[i], u, tol) || l->v[i].item == found)
            continue;
        if (found != NONE)
            return NONE;
        found = l->v[i].item;
    }
    return found;
}

/* The relative difference up to which two extremes are equal: for recordings with few digits, the printed resolution.
 */
static float weight_tolerance(const struct sequence *w)
{
    int digits = w->d[0]->digits < w->d[1]->digits ? w->d[0]->digits : w->d[1]->digits;
    return digits > 0 && digits < 9 ? 2 * powf(10, 1 - (float)digits) : 1e-6f;
}

void sequence_find_weights(struct sequence *w, const align_item_list *t, const align_item_list *g)
{
    const align_item_list *items[2] = {t, g};
    weight_list l[2] = {{0}, {0}};
    const float tol[] = {weight_tolerance(w), ROUNDED};
    bool coarse[2] = {false, false};
    for (int s = 0; s < 2; s++) {
        w->weight_twin[s] = mem_nones(items[s]->n);
        coarse[s] = list_weights(w, s, items[s], &l[s]);
    }
    /* one side alone has rounded weights */
    for (int k = 0; k < (coarse[TARGET] == coarse[GOLDEN] ? 1 : 2); k++)
        for (size_t i = 0; i < l[TARGET].n; i++) {
            const struct weight_use *u = &l[TARGET].v[i];
            uint32_t other = w->weight_twin[TARGET][u->item] == NONE ? lone_user(&l[GOLDEN], u, tol[k]) : NONE;
            if (other == NONE || w->weight_twin[GOLDEN][other] != NONE || lone_user(&l[TARGET], u, tol[k]) != u->item)
                continue;
            w->weight_twin[TARGET][u->item] = other;
            w->weight_twin[GOLDEN][other] = u->item;
        }
    for (int s = 0; s < 2; s++)
        vec_release(&l[s]);
}

/* ---- products of other rows ---- */

/* Weights of the products that have no partner. */
static void list_lone_products(const struct sequence *w, int s, weight_list *out)
{
    const align_item_list *l = &w->items[PHASE_FORWARD][ITEMS_CALLS][s];
    for (uint32_t i = 0; i < l->n; i++) {
        const struct align_item *x = &l->v[i];
        if (x->family != FAMILY_LINEAR || x->match != NONE || x->set || x->group != NONE || x->inputs < 2 ||
            w->from[s][x->in_row[1]] != NONE || !sequence_free(w, s, x->in_row[1]))
            continue;
        const struct fingerprint *f = &x->in[1];
        struct weight_use u = {f->max, f->min, f->norm, dump_row_numel(w->d[s], x->in_row[1]), i};
        if (f->has == 7 && f->max != f->min)
            vec_push(out, u);
    }
    vec_sort(out, by_extremes);
}

static void pair_own_rows(struct sequence *w, const struct align_item *a, const struct align_item *b)
{
    uint32_t bias[2] = {sequence_bias_row(w, TARGET, a), sequence_bias_row(w, GOLDEN, b)};
    sequence_emit(w, a->in_row[1], b->in_row[1], WHY_WEIGHT, 0.9f);
    if (bias[TARGET] != NONE && bias[GOLDEN] != NONE && sequence_free(w, TARGET, bias[TARGET]) &&
        sequence_free(w, GOLDEN, bias[GOLDEN]))
        sequence_emit(w, bias[TARGET], bias[GOLDEN], WHY_WEIGHT, 0.9f);
}

/* The same of a product of as many rows, which stands elsewhere on the other side than its
 * neighbours: what it reads and gives. false: some of that has a partner, or is no result of both. */
static bool pair_operand_and_result(struct sequence *w, const struct align_item *a, const struct align_item *b)
{
    const uint32_t row[2][2] = {{a->in_row[0], b->in_row[0]}, {a->out, b->out}};
    if (dumps_of_one_framework(w->d[TARGET], w->d[GOLDEN]) || /* which calls products in one order */
        (sequence_bias_row(w, TARGET, a) == NONE) != (sequence_bias_row(w, GOLDEN, b) == NONE))
        return false; /* one side adds it in a call of its own */
    for (int i = 0; i < 2; i++)
        if (!sequence_free(w, TARGET, row[i][TARGET]) || !sequence_free(w, GOLDEN, row[i][GOLDEN]) ||
            dump_row_numel(w->d[TARGET], row[i][TARGET]) != dump_row_numel(w->d[GOLDEN], row[i][GOLDEN]))
            return false;
    for (int i = 0; i < 2; i++)
        sequence_emit(w, row[i][TARGET], row[i][GOLDEN], WHY_WEIGHT, 0.9f);
    return true;
}

void sequence_pair_weights(struct sequence *w)
{
    const align_item_list *items = w->items[PHASE_FORWARD][ITEMS_CALLS];
    weight_list l[2] = {{0}, {0}};
    for (int s = 0; s < 2; s++)
        list_lone_products(w, s, &l[s]);
    for (size_t i = 0; i < l[TARGET].n; i++) {
        const struct weight_use *u = &l[TARGET].v[i];
        uint32_t other = lone_user(&l[GOLDEN], u, ROUNDED);
        if (other == NONE || lone_user(&l[TARGET], u, ROUNDED) != u->item)
            continue;
        const struct align_item *a = &items[TARGET].v[u->item], *b = &items[GOLDEN].v[other];
        if (decided_pairs_deny(w->ruled, a->call, b->call))
            continue;
        if (a->numel != b->numel || pair_operand_and_result(w, a, b))
            pair_own_rows(w, a, b);
    }
    for (int s = 0; s < 2; s++)
        vec_release(&l[s]);
}
