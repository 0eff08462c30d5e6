/* Assigns names to values printed without. The frameworks list gradients in a few known orders. The weights of a
 * checkpoint, or of the side that has names, are put into each of these orders, and the one whose count and element
 * counts agree and whose values correlate best names the list. Only the order is chosen, never a pairing of single
 * values, so an outlier stays visible. */
#include <math.h>
#include <stdlib.h>

#include "base/median.h"
#include "base/msg.h"
#include "norms/norms.h"

enum form { FORM_AS_IS, FORM_FUSED, FORM_SPLIT };

static const struct arrangement {
    const char *title;
    const char *roles; /* order of names within a layer; NULL: that of the reference */
    enum form form;
    bool grouped;      /* decayed weights first, then biases and norms, as optimizers group them */
} arrangements[] = {
    {N_("order of the weights in the file"), NULL, FORM_AS_IS, false},
    {N_("order of the weights in the file, decayed weights first"), NULL, FORM_AS_IS, true},
    {N_("order of Megatron, decayed weights "
        "first"), "o input_norm qkv q_norm k_norm post_norm gate_up down", FORM_FUSED, true},
    {N_("order of Megatron"), "o input_norm qkv q_norm k_norm post_norm gate_up down", FORM_FUSED, false},
    {N_("order of Megatron without Transformer "
        "Engine"), "input_norm o qkv q_norm k_norm post_norm gate_up down", FORM_FUSED, false},
    {N_("order of MindFormers"), "input_norm q k v o post_norm gate down up", FORM_SPLIT, false},
    {N_("order of MindFormers, decayed weights first"), "input_norm q k v o post_norm gate down up", FORM_SPLIT, true},
    {N_("order of MindFormers with fused weights"), "input_norm qkv o post_norm gate_up down", FORM_FUSED, false},
    {N_("order of Hugging Face"), "q k v o q_norm k_norm gate up down input_norm post_norm", FORM_SPLIT, false},
};

/* A place of the list being named. */
struct place_id {
    struct weight_id id;
    uint64_t elements;
    long rank; /* where its arrangement puts it */
    size_t came;
};
typedef VEC(struct place_id) place_ids;

static long role_rank(const char *roles, struct str role)
{
    struct str rest = str_of(roles), word;
    for (long i = 0; rest.n; i++) {
        word = str_next(&rest, ' ');
        if (str_eq(word, role))
            return i;
    }
    return -1;
}

/* Biases and norms; they have one axis. */
static bool decay_free(const struct weight_id *id)
{
    return str_ends(id->role, "norm") || str_is(id->param, "bias");
}

/* The group of a weight: embedding, layers, final norm, output layer; -1 if the order does not contain it. */
static long rank_of(const struct arrangement *a, const struct weight_id *id, size_t came)
{
    static const char *const ends[] = {"embed", "position", "final_norm", "lm_head"};
    long in_layer, at = (long)came;
    if (a->roles) {
        if (id->layer >= 0) {
            in_layer = role_rank(a->roles, id->role);
            if (in_layer < 0 || id->layer > 100000)
                return -1;
            at = 10 + 100 * (long)id->layer + 2 * in_layer + str_is(id->param, "bias");
        } else {
            size_t i = 0;
            while (i < ARRAY_LEN(ends) && !str_is(id->role, ends[i]))
                i++;
            if (i == ARRAY_LEN(ends))
                return -1;
            at = i < 2 ? (long)i : 100000000 + (long)i;
        }
    }
    return at + (a->grouped && decay_free(id) ? 1000000000 : 0);
}

static int by_rank(const void *x, const void *y)
{
    const struct place_id *a = x, *b = y;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return a->came < b->came ? -1 : a->came > b->came;
}

/* "q" → "qkv", "gate" → "gate_up": the fused weight that contains this part; NULL if there is none. */
static const char *fused_role(struct str role)
{
    return str_is(role, "q") || str_is(role, "k") || str_is(role, "v") ? "qkv" : str_is(role, "gate") ||
           str_is(role, "up") ? "gate_up" : NULL;
}

static void put(place_ids *out, struct map *seen, const struct weight_id *id, uint64_t elements)
{
    uint32_t at = map_add(seen, id->key, (uint32_t)out->n);
    struct place_id p = {.id = *id, .elements = elements, .came = out->n};
    if (at == out->n)
        vec_push(out, p);
    else if (out->v[at].elements && elements)
        out->v[at].elements += elements; /* parts of what is fused */
    else
        out->v[at].elements = 0;
}

/* The reference's weights in this order; false if it does not contain one of them. */
static bool arrange(const struct arrangement *a, const struct norm_value *v, size_t n, struct arena *mem,
                    place_ids *out)
{
    struct map seen = {0};
    const char *part[3];
    vec_clear(out);
    for (size_t i = 0; i < n; i++) {
        const struct weight_id *id = &v[i].id;
        int parts = weight_parts(id, part);
        const char *into = a->form == FORM_FUSED ? fused_role(id->role) : NULL;
        if (id->training)
            continue;
        if (into) {
            struct weight_id x = weight_with_role(id, str_of(into), mem);
            put(out, &seen, &x, v[i].elements);
        } else if (a->form == FORM_SPLIT && parts) {
            for (int k = 0; k < parts; k++) {
                struct weight_id x = weight_with_role(id, str_of(part[k]), mem);
                put(out, &seen, &x, 0);
            }
        } else {
            put(out, &seen, id, v[i].elements);
        }
    }
    bool known = true;
    for (size_t i = 0; i < out->n && known; i++) {
        out->v[i].rank = rank_of(a, &out->v[i].id, i);
        known = out->v[i].rank >= 0;
    }
    if (known && out->n)
        vec_sort(out, by_rank);
    map_release(&seen);
    return known;
}

static bool counts_agree(const place_ids *p, const struct norm_side *s)
{
    if (p->n != s->values.n)
        return false;
    for (size_t i = 0; i < p->n; i++)
        if (p->v[i].elements && s->values.v[i].elements && p->v[i].elements != s->values.v[i].elements)
            return false;
    return true;
}

/* The scatter of the pairs' ratios: the median distance of their logarithms from their median. */
static double scatter(const struct norms *n)
{
    VEC(double) r = {0};
    for (size_t i = 0; i < n->pairs.n; i++) {
        const struct norm_pair *p = &n->pairs.v[i];
        if (p->norm[0] > 0 && p->norm[1] > 0 && isfinite(p->norm[0]) && isfinite(p->norm[1]))
            vec_push(&r, log(p->norm[0] / p->norm[1]));
    }
    double out = INFINITY;
    if (r.n) {
        double middle = median_of(r.v, r.n);
        for (size_t i = 0; i < r.n; i++)
            r.v[i] = fabs(r.v[i] - middle);
        out = median_of(r.v, r.n);
    }
    vec_release(&r);
    return out;
}

static void give(struct norm_side *s, const place_ids *p)
{
    for (size_t i = 0; i < p->n; i++) {
        s->values.v[i].id = p->v[i].id;
        s->values.v[i].named = true;
    }
}

static void take_back(struct norm_side *s)
{
    for (size_t i = 0; i < s->values.n; i++)
        s->values.v[i].named = false;
}

static bool nameless(const struct norm_side *s)
{
    for (size_t i = 0; i < s->values.n; i++)
        if (s->values.v[i].named)
            return false;
    return s->values.n;
}

#define APART 1.1 /* ratios with a larger scatter (a factor of three) show no common order */

/* Names side s by the reference (n values of v). */
static void name_side(struct norms *n, int s, const struct norm_value *v, size_t count)
{
    struct norm_side *side = &n->side[s];
    const struct arrangement *best = NULL;
    place_ids ids = {0};
    double least = INFINITY;
    size_t fitting = 0;
    for (size_t i = 0; i < ARRAY_LEN(arrangements); i++) {
        if (!arrange(&arrangements[i], v, count, &n->arena, &ids) || !counts_agree(&ids, side))
            continue;
        fitting++;
        give(side, &ids);
        norms_pair(n);
        double d = scatter(n);
        if (!best || d < least) {
            best = &arrangements[i];
            least = d;
        }
        take_back(side);
    }
    if (best && (least <= APART || isinf(least))) {
        arrange(best, v, count, &n->arena, &ids);
        give(side, &ids);
        side->order = best->title;
    }
    const char *who = s ? _("golden") : _("target");
    if (side->order && fitting == 1)
        norms_warn(n,
                   _("%s: the %zu values have no names; assumed: %s (the only known order with that count)"), who,
                   side->values.n, _(side->order));
    else if (side->order)
        norms_warn(n, _("%s: the %zu values have no names; assumed: %s (the best match of %zu known orders with that "
                        "count)"), who,
                   side->values.n, _(side->order), fitting);
    else
        norms_warn(n, _("%s: the %zu values have no names and match no known order of the %zu weights; --weights "
                        "CHECKPOINT provides names and sizes"), who,
                   side->values.n, count);
    vec_release(&ids);
}

/* Neither side has names, and nothing gives any: pairs by position. */
static void by_place(struct norms *n)
{
    struct norm_side *t = &n->side[0], *g = &n->side[1];
    bool same = t->values.n == g->values.n;
    for (size_t i = 0; same && i < t->values.n; i++)
        same = !t->values.v[i].elements || !g->values.v[i].elements ||
               t->values.v[i].elements == g->values.v[i].elements;
    if (!same) {
        norms_warn(n, _("the values of both sides have no names, and their counts or sizes do not match (%zu and %zu "
                        "values); --weights CHECKPOINT provides names and sizes"),
                   t->values.n, g->values.n);
        return;
    }
    norms_warn(n, _("the values of both sides have no names: they are paired one by one in the order printed"));
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < t->values.n; i++) {
            struct norm_value *v = &n->side[s].values.v[i];
            v->id = (struct weight_id){.layer = -1, .key = str_of(arena_fmt(&n->arena, "#%zu", i))};
            v->named = true;
        }
}

void names_by_order(struct norms *n)
{
    bool without[2] = {nameless(&n->side[0]), nameless(&n->side[1])};
    bool both = without[0] && without[1];
    for (int s = 0; s < 2; s++) {
        const struct norm_side *other = &n->side[!s];
        if (!without[s])
            continue;
        if (n->reference.n)
            name_side(n, s, n->reference.v, n->reference.n);
        else if (!both)
            name_side(n, s, other->values.v, other->values.n);
    }
    if (both && !n->reference.n)
        by_place(n);
}
