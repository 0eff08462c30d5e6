/* Which matrices are stored (in, out): names that say so (data/weights.tsv), the axis that has the size of the module's
 * bias, the other side's shape; a square matrix is stored as its module's namesakes in the same checkpoint. */
#include "weights/weight_storage.h"

#include <stdlib.h>

#include "base/map.h"

struct votes {
    uint32_t of[3]; /* of each enum weight_storage */
};

struct storage {
    struct weight_compare *c;
    uint8_t *stored[2];          /* of each weight, enum weight_storage */
    struct map class_of[2];      /* last word of the module → votes */
    VEC(struct votes) votes[2];
};

static const struct weight *stored_weight(const struct storage *x, int s, uint32_t i)
{
    return &x->c->side[s].list.v[i];
}

static bool is_matrix(const struct storage *x, int s, uint32_t i)
{
    return stored_weight(x, s, i)->ndim == 2 && str_is(x->c->id[s][i].param, "weight");
}

static struct str module_class_name(struct str name)
{
    struct str module = weight_module(name);
    return str_cut(module, (size_t)(str_rfind(module, '.') + 1));
}

/* From the axis that the bias is added along. */
static enum weight_storage by_bias(const struct storage *x, int s, uint32_t i)
{
    const struct weight *w = stored_weight(x, s, i);
    struct str bias = str_of(arena_fmt(&x->c->arena, "%.*s.bias", STR_ARG(weight_module(w->name))));
    uint32_t b = weights_find(&x->c->side[s], bias);
    if (b == MAP_NONE || stored_weight(x, s, b)->ndim != 1 || w->shape[0] == w->shape[1])
        return STORED_UNKNOWN;
    int64_t n = stored_weight(x, s, b)->shape[0];
    return n == w->shape[0] ? STORED_OUT_IN : n == w->shape[1] ? STORED_IN_OUT : STORED_UNKNOWN;
}

static void vote_for_storage(struct storage *x, int s, uint32_t i, enum weight_storage how)
{
    uint32_t at = map_add(&x->class_of[s], module_class_name(stored_weight(x, s, i)->name), (uint32_t)x->votes[s].n);
    if (at == x->votes[s].n) {
        struct votes none = {{0}};
        vec_push(&x->votes[s], none);
    }
    x->votes[s].v[at].of[how]++;
}

/* What the namesakes agree on. A name that the table has may be of either kind, and one of them is enough; for one
 * that nobody knows a single matrix could as well have been transposed by mistake. */
static enum weight_storage storage_by_class(const struct storage *x, int s, uint32_t i)
{
    uint32_t at = map_get(&x->class_of[s], module_class_name(stored_weight(x, s, i)->name));
    if (at == MAP_NONE)
        return STORED_UNKNOWN;
    const struct votes *v = &x->votes[s].v[at];
    if (v->of[STORED_OUT_IN] && v->of[STORED_IN_OUT])
        return STORED_UNKNOWN;
    if (v->of[STORED_IN_OUT] > (x->c->id[s][i].known ? 0 : 1))
        return STORED_IN_OUT;
    return v->of[STORED_OUT_IN] ? STORED_OUT_IN : STORED_UNKNOWN;
}

/* Votes of matrices whose partner's storage is known and whose shapes tell the two apart. */
static void vote_by_partners(struct storage *x)
{
    for (size_t k = 0; k < x->c->pairs.n; k++) {
        const struct weight_pair *p = &x->c->pairs.v[k];
        if (!weight_pair_is_whole(p) || p->stacks ||
            !is_matrix(x, 0, p->weight[0]) || !is_matrix(x, 1, p->weight[1]))
            continue;
        const struct weight *w[2] = {stored_weight(x, 0, p->weight[0]), stored_weight(x, 1, p->weight[1])};
        bool same = w[0]->shape[0] == w[1]->shape[0] && w[0]->shape[1] == w[1]->shape[1];
        bool crossed = w[0]->shape[0] == w[1]->shape[1] && w[0]->shape[1] == w[1]->shape[0];
        if (same == crossed)
            continue;
        for (int s = 0; s < 2; s++) {
            enum weight_storage other = (enum weight_storage)x->stored[!s][p->weight[!s]];
            if (other == STORED_UNKNOWN || x->stored[s][p->weight[s]] != STORED_UNKNOWN ||
                !x->c->id[s][p->weight[s]].known)
                continue;
            vote_for_storage(x, s, p->weight[s], same == (other == STORED_IN_OUT) ? STORED_IN_OUT : STORED_OUT_IN);
        }
    }
}

/* A weight whose name says how it is stored is so; of the others their class decides. */
static void settle_unknown(struct storage *x)
{
    for (int s = 0; s < 2; s++)
        for (uint32_t i = 0; i < x->c->side[s].list.n; i++)
            if (is_matrix(x, s, i) && x->stored[s][i] == STORED_UNKNOWN)
                x->stored[s][i] = (uint8_t)storage_by_class(x, s, i);
}

static void transpose_stored_pair(struct storage *x, struct weight_pair *p)
{
    bool in_out[2];
    if (p->transpose || p->stacks || p->expert[0] || p->expert[1])
        return;
    for (int s = 0; s < 2; s++)
        in_out[s] = is_matrix(x, s, p->weight[s]) && x->stored[s][p->weight[s]] == STORED_IN_OUT;
    bool cut = p->part[0] || p->part[1];
    for (int s = 0; s < 2; s++)
        p->turned[s] = in_out[s] && (cut || !in_out[!s]);
}

void weight_storage_decide(struct weight_compare *c)
{
    struct storage x = {.c = c};
    for (int s = 0; s < 2; s++) {
        size_t n = c->side[s].list.n;
        x.stored[s] = mem_zalloc(n ? n : 1);
        for (uint32_t i = 0; i < n; i++) {
            enum weight_storage own = is_matrix(&x, s, i) ? by_bias(&x, s, i) : STORED_UNKNOWN;
            x.stored[s][i] = c->id[s][i].storage;
            if (own != STORED_UNKNOWN)
                vote_for_storage(&x, s, i, own);
        }
    }
    settle_unknown(&x);
    vote_by_partners(&x);
    settle_unknown(&x);
    for (size_t k = 0; k < c->pairs.n; k++)
        transpose_stored_pair(&x, &c->pairs.v[k]);
    for (int s = 0; s < 2; s++) {
        free(x.stored[s]);
        map_release(&x.class_of[s]);
        vec_release(&x.votes[s]);
    }
}
