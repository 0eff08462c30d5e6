/* Compares values first, because both sides begin with the same weights, and then compares the result with the names:
 * the prefix that most weights of a module agree on and the order of the files show exchanged weights. */
#include "weights/weight_likeness.h"

#include <math.h>
#include <stdlib.h>

#include "base/msg.h"
#include "weights/weight_layout.h"

#define SAMPLE 32           /* elements examined */
#define BUCKET 2048         /* weights of one shape among which equal values are looked for */
#define CELLS (4u << 20)    /* of the table that aligns two lists of modules */
#define TWICE_MAX 64        /* warnings about weights held twice */

struct tensor_sample {
    int n; /* 0: its elements were not read */
    bool constant;
    double v[SAMPLE];
};

struct likeness {
    struct weight_compare *c;
    bool **done;
    struct tensor_sample *sample[2];
    uint32_t *guess; /* target weight → golden one of equal values, or MAP_NONE */
};

/* ---- one weight ---- */

static const struct weight *likeness_weight(const struct likeness *x, int s, uint32_t i)
{
    return &x->c->side[s].list.v[i];
}

static bool is_left(const struct likeness *x, int s, uint32_t i)
{
    return !x->done[s][i] && !x->c->id[s][i].training && !likeness_weight(x, s, i)->text;
}

static bool same_shape_without_ones(const struct weight *a, const struct weight *b)
{
    int i = 0, k = 0;
    for (;; i++, k++) {
        while (i < a->ndim && a->shape[i] == 1)
            i++;
        while (k < b->ndim && b->shape[k] == 1)
            k++;
        if (i == a->ndim || k == b->ndim)
            return i == a->ndim && k == b->ndim;
        if (a->shape[i] != b->shape[k])
            return false;
    }
}

static uint64_t shape_key(const struct weight *w)
{
    uint64_t h = 7;
    for (int i = 0; i < w->ndim; i++)
        if (w->shape[i] != 1)
            h = hash_bytes(&w->shape[i], sizeof w->shape[i], h);
    return h;
}

static void take_sample(struct likeness *x, int s, uint32_t i)
{
    struct tensor_sample *out = &x->sample[s][i];
    struct weight_layout a;
    struct tensor_walk w;
    struct err quiet;
    if (likeness_weight(x, s, i)->problem || weight_layout_whole(&x->c->side[s], i, &a, &quiet))
        return;
    uint64_t n = a.t.numel < SAMPLE ? a.t.numel : SAMPLE;
    tensor_walk_init(&w, &a.t);
    for (uint64_t k = 0; k < n; k++) {
        uint64_t at = n > 1 ? (uint64_t)((double)(a.t.numel - 1) * (double)k / (double)(n - 1)) : 0;
        if (tensor_walk_value(&w, at, &out->v[k], &quiet))
            break;
        out->n = (int)k + 1;
    }
    tensor_walk_release(&w);
    tensor_close(&a.t);
    out->constant = true;
    for (int k = 1; k < out->n; k++)
        out->constant = out->constant && out->v[k] == out->v[0];
}

static bool same_sample(const struct likeness *x, int s, uint32_t i, int o, uint32_t k)
{
    const struct tensor_sample *a = &x->sample[s][i], *b = &x->sample[o][k];
    double eps = dtype_table[dtype_coarser(likeness_weight(x, s, i)->dtype, likeness_weight(x, o, k)->dtype)].epsilon;
    if (!a->n || a->n != b->n || a->constant || b->constant ||
        !same_shape_without_ones(likeness_weight(x, s, i), likeness_weight(x, o, k)))
        return false;
    for (int q = 0; q < a->n; q++)
        if (!(fabs(a->v[q] - b->v[q]) <= eps * fmax(fabs(a->v[q]), fabs(b->v[q]))))
            return false;
    return true;
}

static void add_likeness_pair(struct likeness *x, uint32_t t, uint32_t g, enum weight_origin origin)
{
    struct weight_pair p = {.weight = {t, g}, .origin = (uint8_t)origin};
    vec_push(&x->c->pairs, p);
    x->done[0][t] = x->done[1][g] = true;
}

/* ---- equal values ---- */

typedef VEC(uint32_t) number_list;

/* Weights of one side by shape: a list each. */
struct shelf {
    struct nmap of; /* shape_key → list */
    VEC(number_list) list;
};

static void shelve_by_shape(const struct likeness *x, int s, struct shelf *out)
{
    for (uint32_t i = 0; i < x->c->side[s].list.n; i++) {
        if (!is_left(x, s, i))
            continue;
        uint64_t key = shape_key(likeness_weight(x, s, i));
        uint32_t at = nmap_get(&out->of, key);
        if (at == MAP_NONE) {
            number_list fresh = {0};
            at = (uint32_t)out->list.n;
            vec_push(&out->list, fresh);
            nmap_set(&out->of, key, at);
        }
        vec_push(&out->list.v[at], i);
    }
}

static void shelf_release(struct shelf *x)
{
    for (size_t i = 0; i < x->list.n; i++)
        vec_release(&x->list.v[i]);
    vec_release(&x->list);
    nmap_release(&x->of);
}

/* The only weight of the list with these values, or MAP_NONE. */
static uint32_t lone_equal(const struct likeness *x, int s, uint32_t i, const number_list *l, int o)
{
    uint32_t found = MAP_NONE;
    for (size_t k = 0; k < l->n; k++)
        if (same_sample(x, s, i, o, l->v[k])) {
            if (found != MAP_NONE)
                return MAP_NONE;
            found = l->v[k];
        }
    return found;
}

static void guess_by_values(struct likeness *x)
{
    struct shelf shelf[2] = {{.of = {0}}, {.of = {0}}};
    for (int s = 0; s < 2; s++)
        shelve_by_shape(x, s, &shelf[s]);
    for (size_t a = 0; a < shelf[0].list.n; a++) {
        const number_list *l = &shelf[0].list.v[a];
        uint32_t b = nmap_get(&shelf[1].of, shape_key(likeness_weight(x, 0, l->v[0])));
        if (b == MAP_NONE || l->n > BUCKET || shelf[1].list.v[b].n > BUCKET)
            continue;
        for (size_t k = 0; k < l->n; k++)
            take_sample(x, 0, l->v[k]);
        for (size_t k = 0; k < shelf[1].list.v[b].n; k++)
            take_sample(x, 1, shelf[1].list.v[b].v[k]);
        for (size_t k = 0; k < l->n; k++) {
            uint32_t g = lone_equal(x, 0, l->v[k], &shelf[1].list.v[b], 1);
            if (g != MAP_NONE && lone_equal(x, 1, g, l, 0) == l->v[k])
                x->guess[l->v[k]] = g;
        }
    }
    for (int s = 0; s < 2; s++)
        shelf_release(&shelf[s]);
}

/* ---- names that values teach ---- */

/* Two module names without the components at their ends that are the same. */
static void strip_common(struct str *t, struct str *g)
{
    for (;;) {
        ptrdiff_t a = str_rfind(*t, '.'), b = str_rfind(*g, '.');
        struct str x = str_cut(*t, (size_t)(a + 1)), y = str_cut(*g, (size_t)(b + 1));
        if (a < 0 || b < 0 || !str_eq(x, y))
            return;
        t->n = (size_t)a;
        g->n = (size_t)b;
    }
}

struct vote {
    struct str from, to;
    uint32_t count;
};

/* Prefixes of side s and the other side's prefixes they correspond to, with the number of weights that show it. */
struct ballot {
    struct map pair; /* "from\nto" → vote */
    struct map best; /* from → vote */
    VEC(struct vote) votes;
};

static void cast_name_vote(struct likeness *x, struct ballot *b, struct str from, struct str to)
{
    struct str key = str_of(arena_fmt(&x->c->arena, "%.*s\n%.*s", STR_ARG(from), STR_ARG(to)));
    uint32_t v = map_get(&b->pair, key);
    if (v == MAP_NONE) {
        struct vote fresh = {str_n(key.p, from.n), str_cut(key, from.n + 1), 0};
        v = (uint32_t)b->votes.n;
        vec_push(&b->votes, fresh);
        map_add(&b->pair, key, v);
    }
    b->votes.v[v].count++;
    uint32_t leads = map_add(&b->best, b->votes.v[v].from, v);
    if (b->votes.v[v].count > b->votes.v[leads].count)
        map_set(&b->best, b->votes.v[v].from, v);
}

static bool name_leads_to(const struct ballot *b, struct str from, struct str to)
{
    uint32_t v = map_get(&b->best, from);
    return v != MAP_NONE && str_eq(b->votes.v[v].to, to);
}

static void prefixes_of(const struct likeness *x, uint32_t t, uint32_t g, struct str out[2])
{
    out[0] = weight_module(likeness_weight(x, 0, t)->name);
    out[1] = weight_module(likeness_weight(x, 1, g)->name);
    strip_common(&out[0], &out[1]);
}

static void count_votes(struct likeness *x, struct ballot ballot[2])
{
    struct str name[2];
    for (size_t i = 0; i < x->c->pairs.n; i++) {
        const struct weight_pair *p = &x->c->pairs.v[i];
        if (p->part[0] || p->part[1])
            continue;
        prefixes_of(x, p->weight[0], p->weight[1], name);
        for (int s = 0; s < 2; s++)
            cast_name_vote(x, &ballot[s], name[s], name[!s]);
    }
    for (uint32_t t = 0; t < x->c->side[0].list.n; t++) {
        if (x->guess[t] == MAP_NONE)
            continue;
        prefixes_of(x, t, x->guess[t], name);
        for (int s = 0; s < 2; s++)
            cast_name_vote(x, &ballot[s], name[s], name[!s]);
    }
}

static void ballot_release(struct ballot *b)
{
    map_release(&b->pair);
    map_release(&b->best);
    vec_release(&b->votes);
}

/* Drops a guess that most neighbouring weights contradict: the two weights hold each other's values. */
static void drop_contradicted(struct likeness *x, const struct ballot ballot[2])
{
    for (uint32_t t = 0; t < x->c->side[0].list.n; t++) {
        struct str name[2];
        if (x->guess[t] == MAP_NONE)
            continue;
        prefixes_of(x, t, x->guess[t], name);
        if (!name_leads_to(&ballot[0], name[0], name[1]) || !name_leads_to(&ballot[1], name[1], name[0]))
            x->guess[t] = MAP_NONE;
    }
}

/* ---- modules ---- */

/* Per weight: where its module begins. */
static uint32_t *module_places(const struct weights *w)
{
    struct map first = {0};
    uint32_t *place = mem_alloc((w->list.n + 1) * sizeof *place);
    for (uint32_t i = 0; i < w->list.n; i++)
        place[i] = map_add(&first, weight_module(w->list.v[i].name), i);
    map_release(&first);
    return place;
}

/* Per module of side s, at its first weight: the other side's module that holds the values of its largest guessed
 * weight. */
static uint32_t *modules_by_values(const struct likeness *x, int s, uint32_t *const place[2])
{
    size_t n = x->c->side[s].list.n;
    uint32_t *to = mem_nones(n + 1);
    uint64_t *most = mem_zalloc((n + 1) * sizeof *most);
    for (uint32_t t = 0; t < x->c->side[0].list.n; t++) {
        if (x->guess[t] == MAP_NONE)
            continue;
        uint32_t at[2] = {place[0][t], place[1][x->guess[t]]};
        uint64_t size = 1;
        const struct weight *w = likeness_weight(x, 0, t);
        for (int i = 0; i < w->ndim; i++)
            size *= (uint64_t)w->shape[i];
        if (size > most[at[s]]) {
            most[at[s]] = size;
            to[at[s]] = at[!s];
        }
    }
    free(most);
    return to;
}

/* The weight of a golden module of the same kind and shape as t, or MAP_NONE. */
static uint32_t same_of_module(const struct likeness *x, uint32_t t, const uint32_t *place, uint32_t module)
{
    for (uint32_t g = module; g < x->c->side[1].list.n; g++)
        if (place[g] == module && is_left(x, 1, g) && str_eq(x->c->id[0][t].param, x->c->id[1][g].param) &&
            same_shape_without_ones(likeness_weight(x, 0, t), likeness_weight(x, 1, g)))
            return g;
    return MAP_NONE;
}

/* A module's weights belong together: a bias with the values of another module's, whose modules' matrices are equal, is
 * exchanged. It is paired with the bias of its module's partner. */
static void keep_modules(struct likeness *x, uint32_t *const place[2])
{
    uint32_t n = (uint32_t)x->c->side[0].list.n, *to[2], *own = mem_nones(n + 1);
    struct nmap held = {0}; /* golden weights that guesses keep */
    for (int s = 0; s < 2; s++)
        to[s] = modules_by_values(x, s, place);
    for (uint32_t t = 0; t < n; t++) {
        if (x->guess[t] == MAP_NONE)
            continue;
        uint32_t a = place[0][t], b = place[1][x->guess[t]], partner = to[0][a];
        if (partner != b && to[1][partner] == a && to[1][b] != a)
            own[t] = same_of_module(x, t, place[1], partner);
        if (own[t] == MAP_NONE)
            nmap_set(&held, x->guess[t], t);
    }
    for (uint32_t t = 0; t < n; t++)
        if (own[t] != MAP_NONE)
            x->guess[t] = nmap_get(&held, own[t]) == MAP_NONE ? own[t] : MAP_NONE;
    for (int s = 0; s < 2; s++)
        free(to[s]);
    nmap_release(&held);
    free(own);
}

/* ---- the order of the files ---- */

struct guessed {
    uint32_t t, g;
    uint32_t at[2]; /* places of their modules */
    bool in_order;
};
typedef VEC(struct guessed) guessed_list;

static int by_guessed_place(const void *a, const void *b)
{
    const struct guessed *x = a, *y = b;
    if (x->at[0] != y->at[0])
        return x->at[0] < y->at[0] ? -1 : 1;
    return x->at[1] != y->at[1] ? (x->at[1] < y->at[1] ? -1 : 1) : (x->t > y->t) - (x->t < y->t);
}

/* Marks the longest chain that both sides have in one order. */
static void mark_order(guessed_list *l)
{
    uint32_t *end = mem_alloc((l->n + 1) * sizeof *end), *before = mem_alloc((l->n + 1) * sizeof *before);
    size_t n = 0;
    for (uint32_t i = 0; i < l->n; i++) {
        size_t at;
        lower_bound(at, n, l->v[end[at]].at[1] <= l->v[i].at[1]);
        before[i] = at ? end[at - 1] : MAP_NONE;
        end[at] = i;
        n = at == n ? n + 1 : n;
    }
    for (uint32_t i = n ? end[n - 1] : MAP_NONE; i != MAP_NONE; i = before[i])
        l->v[i].in_order = true;
    free(end);
    free(before);
}

/* Whether this golden position fits between the neighbours in order of guess i, without k. */
static bool fits_between_neighbours(const guessed_list *l, size_t i, size_t k, uint32_t place)
{
    for (size_t a = i; a-- > 0;)
        if (a != k && l->v[a].in_order) {
            if (l->v[a].at[1] > place)
                return false;
            break;
        }
    for (size_t b = i + 1; b < l->n; b++)
        if (b != k && l->v[b].in_order)
            return l->v[b].at[1] >= place;
    return true;
}

/* Whether the weights of a file lie in the order of their names: then the order says nothing of the model. Writers of
 * safetensors sort by type first. */
static bool sorted_by_name(const struct weights *w)
{
    size_t descents = 0, types = 0;
    for (size_t i = 1; i < w->list.n; i++) {
        descents += str_cmp(w->list.v[i - 1].name, w->list.v[i].name) > 0;
        types += w->list.v[i - 1].dtype != w->list.v[i].dtype;
    }
    return descents <= types;
}

/* What weights a module has: a hash of their kinds and shapes, per weight of the module. */
static uint64_t *module_kinds(const struct likeness *x, int s, const uint32_t *place)
{
    size_t n = x->c->side[s].list.n;
    uint64_t *kind = mem_zalloc((n + 1) * sizeof *kind);
    for (uint32_t i = 0; i < n; i++) {
        struct str param = x->c->id[s][i].param;
        if (!x->c->id[s][i].training && !likeness_weight(x, s, i)->text)
            kind[place[i]] += hash_bytes(param.p, param.n, shape_key(likeness_weight(x, s, i)));
    }
    for (uint32_t i = 0; i < n; i++)
        kind[i] = kind[place[i]];
    return kind;
}

/* Two weights of one shape, in modules of one kind, that are crossed, and in order once exchanged, hold each other's
 * values: they are paired by position. */
static void uncross_guessed_pairs(struct likeness *x, uint32_t *const place[2], guessed_list *l)
{
    uint64_t *kind = module_kinds(x, 0, place[0]);
    for (size_t i = 0; i < l->n; i++) {
        if (l->v[i].in_order)
            continue;
        for (size_t k = 0; k < l->n; k++) {
            struct guessed *a = &l->v[i], *b = &l->v[k];
            if (k == i || kind[a->t] != kind[b->t] ||
                !same_shape_without_ones(likeness_weight(x, 0, a->t), likeness_weight(x, 0, b->t)) ||
                (a->at[0] < b->at[0]) == (a->at[1] < b->at[1]) || !fits_between_neighbours(l, i, k, b->at[1]) ||
                !fits_between_neighbours(l, k, i, a->at[1]))
                continue;
            uint32_t g = a->g, held = a->at[1];
            a->g = b->g;
            a->at[1] = b->at[1];
            b->g = g;
            b->at[1] = held;
            a->in_order = b->in_order = true;
            break;
        }
    }
    free(kind);
}

static void pair_guesses(struct likeness *x, uint32_t *const place[2])
{
    guessed_list l = {0};
    for (uint32_t t = 0; t < x->c->side[0].list.n; t++)
        if (x->guess[t] != MAP_NONE) {
            struct guessed g = {t, x->guess[t], {place[0][t], place[1][x->guess[t]]}, false};
            vec_push(&l, g);
        }
    vec_sort(&l, by_guessed_place);
    mark_order(&l);
    if (!sorted_by_name(&x->c->side[0]) && !sorted_by_name(&x->c->side[1]))
        uncross_guessed_pairs(x, place, &l);
    for (size_t i = 0; i < l.n; i++)
        add_likeness_pair(x, l.v[i].t, l.v[i].g, PAIR_BY_VALUE);
    vec_release(&l);
}

/* ---- names learned ---- */

static struct str member_key(struct likeness *x, struct str module, struct str param)
{
    return str_of(arena_fmt(&x->c->arena, "%.*s/%.*s", STR_ARG(module), STR_ARG(param)));
}

static bool begins_with_number(struct str path)
{
    path = str_cut(path, path.n && path.p[0] == '.');
    return path.n && path.p[0] >= '0' && path.p[0] <= '9';
}

/* Prefixes whose members the sides number otherwise: values showed "net.3" to be "layers.2". */
static void find_renumbered(const struct ballot *b, struct map *out)
{
    for (size_t i = 0; i < b->votes.n; i++) {
        struct str from = b->votes.v[i].from, module = weight_module(from);
        if (module.n && begins_with_number(str_cut(from, module.n)) && name_leads_to(b, from, b->votes.v[i].to))
            map_add(out, module, 0);
    }
}

/* The golden weight that corresponds to this one by the longest known prefix, or MAP_NONE. */
static uint32_t named_partner(struct likeness *x, const struct ballot *b, const struct map *renumbered,
                              const struct map *members, uint32_t t)
{
    struct str module = weight_module(likeness_weight(x, 0, t)->name);
    for (struct str prefix = module; prefix.n; prefix = weight_module(prefix)) {
        uint32_t v = map_get(&b->best, prefix);
        if (v == MAP_NONE)
            continue;
        struct str rest = str_cut(module, prefix.n), to = b->votes.v[v].to;
        if (begins_with_number(rest) && map_get(renumbered, prefix) != MAP_NONE)
            return MAP_NONE;
        struct str other = str_of(arena_fmt(&x->c->arena, "%.*s%.*s", STR_ARG(to), STR_ARG(rest)));
        return map_get(members, member_key(x, other, x->c->id[0][t].param));
    }
    return MAP_NONE;
}

static void pair_by_names(struct likeness *x, const struct ballot *b)
{
    struct map members = {0}, renumbered = {0};
    find_renumbered(b, &renumbered);
    for (uint32_t g = 0; g < x->c->side[1].list.n; g++)
        if (is_left(x, 1, g))
            map_add(&members, member_key(x, weight_module(likeness_weight(x, 1, g)->name), x->c->id[1][g].param), g);
    for (uint32_t t = 0; t < x->c->side[0].list.n; t++) {
        uint32_t g = is_left(x, 0, t) ? named_partner(x, b, &renumbered, &members, t) : MAP_NONE;
        if (g != MAP_NONE && !x->done[1][g] &&
            same_shape_without_ones(likeness_weight(x, 0, t), likeness_weight(x, 1, g)))
            add_likeness_pair(x, t, g, PAIR_BY_RULE);
    }
    map_release(&renumbered);
    map_release(&members);
}

/* ---- modules in order ---- */

struct module {
    struct str name;
    uint32_t first;   /* its first weight */
    uint64_t key;     /* hash of the kinds and shapes of its unpaired weights; 0: there are none */
    uint32_t partner; /* the module of the other side, by existing pairs; or MAP_NONE */
};
typedef VEC(struct module) module_list;

static int as_people_count(const void *a, const void *b)
{
    return name_cmp(((const struct module *)a)->name.p, ((const struct module *)b)->name.p);
}

static void list_modules(const struct likeness *x, int s, const uint32_t *place, module_list *out, uint32_t *module_at)
{
    for (uint32_t i = 0; i < x->c->side[s].list.n; i++) {
        if (place[i] == i) {
            struct str name = arena_str(&x->c->arena, weight_module(likeness_weight(x, s, i)->name));
            struct module fresh = {.name = name, .first = i, .partner = MAP_NONE};
            vec_push(out, fresh);
        }
    }
    if (sorted_by_name(&x->c->side[s])) /* the numbers in the names are the only order there is */
        vec_sort(out, as_people_count);
    for (uint32_t m = 0; m < out->n; m++)
        module_at[out->v[m].first] = m;
    for (uint32_t i = 0; i < x->c->side[s].list.n; i++) {
        struct str param = x->c->id[s][i].param;
        if (is_left(x, s, i))
            out->v[module_at[place[i]]].key += hash_bytes(param.p, param.n, shape_key(likeness_weight(x, s, i)));
    }
}

/* 0: they cannot be one. */
static int module_score(const module_list l[2], uint32_t a, uint32_t b)
{
    const struct module *x = &l[0].v[a], *y = &l[1].v[b];
    if (x->partner != MAP_NONE || y->partner != MAP_NONE)
        return x->partner == b ? 4 : 0;
    struct str p = x->name, q = y->name;
    p = str_cut(p, (size_t)(str_rfind(p, '.') + 1));
    q = str_cut(q, (size_t)(str_rfind(q, '.') + 1));
    return x->key && x->key == y->key ? 2 + str_eq(p, q) : 0;
}

/* The best common order: `to` of each target module the golden one, or MAP_NONE. */
static void align_module_lists(const module_list l[2], uint32_t *to)
{
    size_t n = l[0].n, m = l[1].n;
    uint8_t *step = mem_zalloc((n + 1) * (m + 1));
    int *row[2];
    for (int i = 0; i < 2; i++)
        row[i] = mem_zalloc((m + 1) * sizeof **row);
    for (uint32_t i = 1; i <= n; i++)
        for (uint32_t k = 1; k <= m; k++) {
            int *now = row[i & 1], *above = row[~i & 1], s = module_score(l, i - 1, k - 1);
            bool skip = above[k] >= now[k - 1];
            now[k] = skip ? above[k] : now[k - 1];
            step[i * (m + 1) + k] = skip ? 0 : 1;
            if (s && above[k - 1] + s > now[k]) {
                now[k] = above[k - 1] + s;
                step[i * (m + 1) + k] = 2;
            }
        }
    for (size_t i = n, k = m; i && k;) {
        uint8_t s = step[i * (m + 1) + k];
        if (s == 2)
            to[i - 1] = (uint32_t)k - 1;
        i -= s != 1;
        k -= s != 0;
    }
    for (int i = 0; i < 2; i++)
        free(row[i]);
    free(step);
}

/* The number of unpaired modules of this key on each side. */
static bool as_many(const module_list l[2], uint64_t key)
{
    size_t n[2] = {0, 0};
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < l[s].n; i++)
            n[s] += l[s].v[i].partner == MAP_NONE && l[s].v[i].key == key;
    return n[0] == n[1];
}

static void pair_members(struct likeness *x, uint32_t *const place[2], uint32_t *const module_at[2], uint32_t a,
                         uint32_t b)
{
    for (uint32_t t = 0; t < x->c->side[0].list.n; t++)
        for (uint32_t g = 0; module_at[0][place[0][t]] == a && is_left(x, 0, t) && g < x->c->side[1].list.n; g++)
            if (module_at[1][place[1][g]] == b && is_left(x, 1, g) &&
                str_eq(x->c->id[0][t].param, x->c->id[1][g].param) &&
                same_shape_without_ones(likeness_weight(x, 0, t), likeness_weight(x, 1, g)))
                add_likeness_pair(x, t, g, PAIR_BY_ORDER);
}

/* Pairs weights that names do not, if kinds, shapes and the order of the files leave one possibility. */
static void pair_by_order(struct likeness *x, uint32_t *const place[2])
{
    module_list l[2] = {{0}, {0}};
    uint32_t *module_at[2];
    for (int s = 0; s < 2; s++) {
        module_at[s] = mem_zalloc((x->c->side[s].list.n + 1) * sizeof *module_at[s]);
        list_modules(x, s, place[s], &l[s], module_at[s]);
    }
    for (size_t i = 0; i < x->c->pairs.n; i++) {
        const struct weight_pair *p = &x->c->pairs.v[i];
        uint32_t a = module_at[0][place[0][p->weight[0]]], b = module_at[1][place[1][p->weight[1]]];
        if (l[0].v[a].partner == MAP_NONE && l[1].v[b].partner == MAP_NONE) {
            l[0].v[a].partner = b;
            l[1].v[b].partner = a;
        }
    }
    if (l[0].n && l[1].n && l[0].n <= CELLS / l[1].n) {
        uint32_t *to = mem_nones(l[0].n);
        align_module_lists(l, to);
        for (uint32_t a = 0; a < l[0].n; a++)
            if (to[a] != MAP_NONE && l[0].v[a].partner == MAP_NONE && as_many(l, l[0].v[a].key))
                pair_members(x, place, module_at, a, to[a]);
        free(to);
    }
    for (int s = 0; s < 2; s++) {
        free(module_at[s]);
        vec_release(&l[s]);
    }
}

/* ---- what is left ---- */

static bool shapes_are_crossed(const struct weight *a, const struct weight *b)
{
    return a->ndim == 2 && b->ndim == 2 && a->shape[0] == b->shape[1] && a->shape[1] == b->shape[0];
}

/* A matrix that one side stores (in, out) has another shape, but belongs to the module of the bias beside it. */
static void pair_crossed_matrices(struct likeness *x, uint32_t *const place[2])
{
    uint32_t *to[2];
    for (int s = 0; s < 2; s++)
        to[s] = mem_nones(x->c->side[s].list.n + 1);
    for (size_t i = 0; i < x->c->pairs.n; i++) {
        const struct weight_pair *p = &x->c->pairs.v[i];
        uint32_t at[2] = {place[0][p->weight[0]], place[1][p->weight[1]]};
        if (!weight_pair_is_whole(p))
            continue;
        for (int s = 0; s < 2; s++)
            to[s][at[s]] = to[s][at[s]] == MAP_NONE ? at[!s] : to[s][at[s]];
    }
    for (uint32_t t = 0; t < x->c->side[0].list.n; t++) {
        uint32_t module = to[0][place[0][t]];
        if (!is_left(x, 0, t) || module == MAP_NONE || to[1][module] != place[0][t])
            continue;
        for (uint32_t g = module; g < x->c->side[1].list.n; g++)
            if (place[1][g] == module && is_left(x, 1, g) && str_eq(x->c->id[0][t].param, x->c->id[1][g].param) &&
                shapes_are_crossed(likeness_weight(x, 0, t), likeness_weight(x, 1, g))) {
                add_likeness_pair(x, t, g, PAIR_BY_RULE);
                break;
            }
    }
    for (int s = 0; s < 2; s++)
        free(to[s]);
}

/* Weights of equal values that alone of their side are left with their shape: there is none they could be exchanged
 * with, so names need not agree. */
static void pair_lone_equals(struct likeness *x)
{
    struct shelf shelf[2] = {{.of = {0}}, {.of = {0}}};
    for (int s = 0; s < 2; s++)
        shelve_by_shape(x, s, &shelf[s]);
    for (size_t a = 0; a < shelf[0].list.n; a++) {
        uint32_t t = shelf[0].list.v[a].v[0], b = nmap_get(&shelf[1].of, shape_key(likeness_weight(x, 0, t)));
        if (b == MAP_NONE || shelf[0].list.v[a].n != 1 || shelf[1].list.v[b].n != 1)
            continue;
        uint32_t g = shelf[1].list.v[b].v[0];
        take_sample(x, 0, t);
        take_sample(x, 1, g);
        if (same_sample(x, 0, t, 1, g))
            add_likeness_pair(x, t, g, PAIR_BY_VALUE);
    }
    for (int s = 0; s < 2; s++)
        shelf_release(&shelf[s]);
}

/* ---- what one side holds twice ---- */

/* The same stretch of the same file, or elements that are equal to the bit. */
static bool is_twin(struct likeness *x, int s, uint32_t i, uint32_t k)
{
    const struct weight *a = likeness_weight(x, s, i), *b = likeness_weight(x, s, k);
    struct tensor t, g;
    struct figures f;
    struct err quiet;
    if (!same_shape_without_ones(a, b) || !same_sample(x, s, i, s, k) || weights_tensor(&x->c->side[s], i, &t, &quiet))
        return false;
    bool same = false;
    if (weights_tensor(&x->c->side[s], k, &g, &quiet) == 0) {
        same = figures_two(kern_select(NULL), &t, &g, &f, NULL, &quiet) == 0 && f.two && f.max_abs == 0;
        tensor_close(&g);
    }
    tensor_close(&t);
    return same;
}

static void set_twins_aside(struct likeness *x, int s)
{
    struct weight_compare *c = x->c;
    int told = 0;
    for (uint32_t i = 0; i < c->side[s].list.n; i++) {
        if (!is_left(x, s, i))
            continue;
        for (uint32_t k = 0; k < c->side[s].list.n; k++) {
            if (k == i || !x->done[s][k] ||
                !same_shape_without_ones(likeness_weight(x, s, i), likeness_weight(x, s, k)))
                continue;
            if (!x->sample[s][i].n)
                take_sample(x, s, i);
            if (!x->sample[s][k].n)
                take_sample(x, s, k);
            if (!is_twin(x, s, i, k))
                continue;
            if (told++ < TWICE_MAX)
                vec_push(&c->warnings,
                         arena_fmt(&c->arena, _("%.*s has the same values as %.*s (tied): listed separately"),
                                   STR_ARG(likeness_weight(x, s, i)->name), STR_ARG(likeness_weight(x, s, k)->name)));
            vec_push(&c->aside[s], i);
            x->done[s][i] = true;
            break;
        }
    }
}

void weights_by_likeness(struct weight_compare *c, bool *done[2])
{
    struct likeness x = {.c = c, .done = done, .guess = mem_alloc((c->side[0].list.n + 1) * sizeof(uint32_t))};
    struct ballot ballot[2] = {{.pair = {0}}, {.pair = {0}}};
    uint32_t *place[2];
    memset(x.guess, 0xff, (c->side[0].list.n + 1) * sizeof *x.guess);
    for (int s = 0; s < 2; s++) {
        x.sample[s] = mem_zalloc((c->side[s].list.n + 1) * sizeof **x.sample);
        place[s] = module_places(&c->side[s]);
    }
    guess_by_values(&x);
    count_votes(&x, ballot);
    drop_contradicted(&x, ballot);
    keep_modules(&x, place);
    pair_guesses(&x, place);
    pair_by_names(&x, &ballot[0]);
    pair_by_order(&x, place);
    pair_crossed_matrices(&x, place);
    pair_lone_equals(&x);
    for (int s = 0; s < 2; s++) {
        set_twins_aside(&x, s);
        ballot_release(&ballot[s]);
        free(x.sample[s]);
        free(place[s]);
    }
    free(x.guess);
}
