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
static long weight_order_rank(const struct arrangement *a, const struct weight_id *id, size_t came)
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

static void put_place_id(place_ids *out, struct map *seen, const struct weight_id *id, uint64_t elements)
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
static bool arrange_weights(const struct arrangement *a, const struct norm_value *v, size_t n, struct arena *mem,
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
            put_place_id(out, &seen, &x, v[i].elements);
        } else if (a->form == FORM_SPLIT && parts) {
            for (int k = 0; k < parts; k++) {
                struct weight_id x = weight_with_role(id, str_of(part[k]), mem);
                put_place_id(out, &seen, &x, 0);
            }
        } else {
            put_place_id(out, &seen, id, v[i].elements);
        }
    }
    bool known = true;
    for (size_t i = 0; i < out->n && known; i++) {
        out->v[i].rank = weight_order_rank(a, &out->v[i].id, i);
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
static double norm_ratio_scatter(const struct norms *n)
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

static void name_values_by_order(struct norm_side *s, const place_ids *p)
{
    for (size_t i = 0; i < p->n; i++) {
        s->values.v[i].id = p->v[i].id;
        s->values.v[i].named = true;
    }
}

static void unname_values(struct norm_side *s)
{
    for (size_t i = 0; i < s->values.n; i++)
        s->values.v[i].named = false;
}

static bool is_side_nameless(const struct norm_side *s)
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
        if (!arrange_weights(&arrangements[i], v, count, &n->arena, &ids) || !counts_agree(&ids, side))
            continue;
        fitting++;
        name_values_by_order(side, &ids);
        norms_pair(n);
        double d = norm_ratio_scatter(n);
        if (!best || d < least) {
            best = &arrangements[i];
            least = d;
        }
        unname_values(side);
    }
    if (best && (least <= APART || isinf(least))) {
        arrange_weights(best, v, count, &n->arena, &ids);
        name_values_by_order(side, &ids);
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

/* ---- neither side has names ---- */

/* A value's place in a list that is sorted by size, where both sides print sizes, and then by norm. */
struct sorted_norm {
    uint64_t elements;
    double norm, half; /* half a unit of its last digit */
    uint32_t at;
};
typedef VEC(struct sorted_norm) sorted_norms;

static int by_elements_and_norm(const void *x, const void *y)
{
    const struct sorted_norm *a = x, *b = y;
    if (a->elements != b->elements)
        return a->elements < b->elements ? -1 : 1;
    if (a->norm != b->norm)
        return a->norm < b->norm ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

static bool all_sized(const struct norm_side *s)
{
    for (size_t i = 0; i < s->values.n; i++)
        if (!s->values.v[i].elements)
            return false;
    return true;
}

/* False if a value is not a number: nothing can be found by it. */
static bool sort_norms(const struct norm_side *s, bool sized, sorted_norms *out)
{
    for (uint32_t i = 0; i < s->values.n; i++) {
        double v = norm_of_value(s, i);
        if (!(v >= 0) || isinf(v))
            return false;
        struct sorted_norm x = {sized ? s->values.v[i].elements : 0, v, norm_half_digit(s, i), i};
        vec_push(out, x);
    }
    vec_sort(out, by_elements_and_norm);
    return true;
}

#define SAME 1e-3 /* two norms of one weight differ by less, and those of two weights seldom */
#define NEAR 0.05 /* the same where both sides round; only half of a list need be so near in the order printed */

static bool equal_norms(const struct sorted_norm *a, const struct sorted_norm *b, double by)
{
    return a->elements == b->elements && fabs(a->norm - b->norm) <= by * fmax(a->norm, b->norm) + a->half + b->half;
}

/* Pairs of the order printed that are equal but for a factor that most have. */
static size_t hits_in_order(const struct norms *n, double by)
{
    const struct norm_side *t = &n->side[0], *g = &n->side[1];
    VEC(double) r = {0};
    size_t hits = 0;
    for (uint32_t i = 0; i < t->values.n; i++)
        if (norm_of_value(t, i) > 0 && norm_of_value(g, i) > 0)
            vec_push(&r, norm_of_value(t, i) / norm_of_value(g, i));
    double factor = r.n ? median_of(r.v, r.n) : 1;
    for (uint32_t i = 0; i < t->values.n; i++) {
        struct sorted_norm a = {0, norm_of_value(t, i), norm_half_digit(t, i), i},
                           b = {0, norm_of_value(g, i) * factor, norm_half_digit(g, i) * factor, i};
        hits += equal_norms(&a, &b, by);
    }
    vec_release(&r);
    return hits;
}

/* For each target value the golden one of its size and norm, or MAP_NONE. Returns the number found, or 0 if fewer
 * than half of them have only one such value: then they show nothing. */
static size_t hits_by_value(const sorted_norms l[2], uint32_t *to)
{
    size_t hits = 0, lone = 0, i = 0, k = 0;
    memset(to, 0xff, l[0].n * sizeof *to);
    while (i < l[0].n && k < l[1].n) {
        const struct sorted_norm *a = &l[0].v[i], *b = &l[1].v[k];
        if (!equal_norms(a, b, SAME)) {
            bool first = a->elements != b->elements ? a->elements < b->elements : a->norm < b->norm;
            i += first;
            k += !first;
            continue;
        }
        lone += !(k && equal_norms(a, b - 1, SAME)) && !(k + 1 < l[1].n && equal_norms(a, b + 1, SAME));
        to[a->at] = b->at;
        hits++;
        i++;
        k++;
    }
    return 2 * lone >= hits ? hits : 0;
}

/* What has no equal is paired with the other side's rest, by size: it differs, whatever belongs to it. */
static void pair_rest(const sorted_norms l[2], uint32_t *to)
{
    bool *taken = mem_zalloc(l[1].n + 1);
    for (size_t i = 0; i < l[0].n; i++)
        if (to[i] != MAP_NONE)
            taken[to[i]] = true;
    for (size_t i = 0, k = 0; i < l[0].n; i++) {
        if (to[l[0].v[i].at] != MAP_NONE)
            continue;
        while (k < l[1].n && taken[l[1].v[k].at])
            k++;
        if (k < l[1].n)
            to[l[0].v[i].at] = l[1].v[k++].at;
    }
    free(taken);
}

static void name_by_number(struct norms *n, int s, uint32_t i, uint32_t number)
{
    struct norm_value *v = &n->side[s].values.v[i];
    v->id = (struct weight_id){.layer = -1, .key = str_of(arena_fmt(&n->arena, "#%u", number))};
    v->named = true;
}

/* Whether sizes that both sides print are the same, in order (1) or as a set of them (0); -1: neither. */
static int printed_sizes_agree(const struct norms *n, const sorted_norms l[2])
{
    const struct norm_side *t = &n->side[0], *g = &n->side[1];
    bool order = true, set = true;
    for (size_t i = 0; i < t->values.n; i++) {
        order = order && t->values.v[i].elements == g->values.v[i].elements;
        set = set && l[0].v[i].elements == l[1].v[i].elements;
    }
    return order ? 1 : set ? 0 : -1;
}

/* Nothing gives names. The order printed is that of one model where both sides print sizes that agree in it, or where
 * most values do; else values that are the other side's in another order say which is which, else nothing. */
static void without_names(struct norms *n)
{
    struct norm_side *t = &n->side[0], *g = &n->side[1];
    bool sized = all_sized(t) && all_sized(g);
    size_t count = t->values.n;
    sorted_norms l[2] = {{0}, {0}};
    uint32_t *to = mem_zalloc((count + 1) * sizeof *to);
    bool numbers = count == g->values.n && sort_norms(t, sized, &l[0]) && sort_norms(g, sized, &l[1]);
    int sizes = numbers && sized ? printed_sizes_agree(n, l) : 0;
    size_t near = numbers ? hits_in_order(n, NEAR) : 0, same = numbers ? hits_in_order(n, SAME) : 0,
           found = numbers ? hits_by_value(l, to) : 0;
    bool by_value = numbers && sizes == 0 && count >= 4 && 10 * found >= 9 * count && 2 * same < count;
    bool in_order = numbers && sizes >= 0 && !by_value && (sizes == 1 || 2 * near >= count);
    if (in_order || by_value) {
        if (by_value)
            pair_rest(l, to);
        for (uint32_t i = 0; i < count; i++) {
            name_by_number(n, 0, i, i);
            name_by_number(n, 1, by_value ? to[i] : i, i);
        }
        norms_warn(n, "%s", by_value ? _("the values of both sides have no names, and their orders differ: each is "
                                         "paired with its equal")
                                     : _("the values of both sides have no names: they are paired one by one in the "
                                         "order printed"));
    } else if (count != g->values.n || sizes < 0) {
        norms_warn(n, _("the values of both sides have no names, and their counts or sizes do not match (%zu and %zu "
                        "values); --weights CHECKPOINT provides names and sizes"), count, g->values.n);
    } else {
        norms_warn(n, "%s", _("the values of both sides have no names, and neither the order printed nor the values "
                              "show which belong together; --weights CHECKPOINT provides names and sizes"));
    }
    for (int s = 0; s < 2; s++)
        vec_release(&l[s]);
    free(to);
}

void names_by_order(struct norms *n)
{
    bool without[2] = {is_side_nameless(&n->side[0]), is_side_nameless(&n->side[1])};
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
        without_names(n);
}
