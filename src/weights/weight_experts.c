/* Splits stacked experts by name: each slice has the key of a single expert's weight and is paired by it, or by the
 * keys of gate and up if these are one tensor. */
#include "weights/weight_experts.h"

#include <string.h>

#include "base/msg.h"

#define EXPERTS_MAX 65536

/* A weight, or one expert of a stacked one. */
struct piece {
    struct weight_id id;
    uint32_t weight;
    int32_t expert; /* 0: all of it; else 1 + its number */
    bool taken;
};

struct pieces {
    VEC(struct piece) list;
    struct map at; /* key → index of list */
};

struct expert_search {
    struct weight_compare *c;
    struct pieces side[2];
};

static const struct weight *compared_weight(const struct weight_compare *c, int s, uint32_t i)
{
    return &c->side[s].list.v[i];
}

/* A matrix or a bias an expert, all in one. */
static bool is_stack(struct weight_compare *c, int s, uint32_t i, struct weight_id *out)
{
    const struct weight *w = compared_weight(c, s, i);
    if (w->ndim < 2 || w->ndim > 3 || w->shape[0] < 1 || w->shape[0] > EXPERTS_MAX ||
        !weight_of_all_experts(w->name, &c->arena, out))
        return false;
    return w->ndim == (str_is(out->param, "bias") ? 2 : 3);
}

static void add_piece(struct pieces *p, struct weight_id id, uint32_t weight, int32_t expert)
{
    struct piece x = {.id = id, .weight = weight, .expert = expert};
    map_add(&p->at, id.key, (uint32_t)p->list.n);
    vec_push(&p->list, x);
}

static void collect_expert_pieces(struct expert_search *x, int s, const bool *done)
{
    struct weight_compare *c = x->c;
    for (uint32_t i = 0; i < c->side[s].list.n; i++) {
        struct weight_id all;
        if (done[i] || c->id[s][i].training || compared_weight(c, s, i)->text)
            continue;
        if (!is_stack(c, s, i, &all)) {
            add_piece(&x->side[s], c->id[s][i], i, 0);
            continue;
        }
        for (int e = 0; e < compared_weight(c, s, i)->shape[0]; e++)
            add_piece(&x->side[s], weight_of_expert(&all, e, &c->arena), i, e + 1);
    }
}

static struct piece *free_piece(struct expert_search *x, int s, struct str key)
{
    uint32_t at = map_get(&x->side[s].at, key);
    return at == MAP_NONE || x->side[s].list.v[at].taken ? NULL : &x->side[s].list.v[at];
}

/* Rows and columns of one side of a pair; a stack may store its matrices transposed. */
static bool matrix_of(const struct weight_compare *c, const struct weight_pair *p, int s, bool turned, int64_t out[2])
{
    const struct weight *w = compared_weight(c, s, p->weight[s]);
    const int64_t *shape = w->shape + (p->expert[s] ? 1 : 0);
    if (w->ndim - (p->expert[s] ? 1 : 0) != 2)
        return false;
    out[0] = shape[turned ? 1 : 0] / (p->part[s] ? 2 : 1);
    out[1] = shape[turned ? 0 : 1];
    return true;
}

static bool expert_matrices_fit(const struct weight_compare *c, const struct weight_pair *p, int turned)
{
    int64_t t[2], g[2];
    return matrix_of(c, p, 0, turned == 0, t) && matrix_of(c, p, 1, turned == 1, g) && t[0] == g[0] && t[1] == g[1];
}

static void pair_pieces(struct expert_search *x, struct piece *of[2], const uint8_t part[2])
{
    struct weight_compare *c = x->c;
    struct weight_pair p = {.origin = PAIR_BY_RULE};
    for (int s = 0; s < 2; s++) {
        p.weight[s] = of[s]->weight;
        p.expert[s] = of[s]->expert;
        p.part[s] = part[s];
        of[s]->taken = true;
        c->id[s][p.weight[s]] = of[s]->id;
    }
    bool fit = expert_matrices_fit(c, &p, -1), in_out[2];
    for (int s = 0; s < 2; s++)
        in_out[s] = of[s]->id.storage == STORED_IN_OUT;
    for (int s = 0; s < 2; s++)
        if (p.expert[s] && expert_matrices_fit(c, &p, s) && (!fit || (in_out[s] && !in_out[!s]))) {
            p.turned[s] = true;
            break;
        }
    vec_push(&c->pairs, p);
}

static void pair_experts_by_key(struct expert_search *x)
{
    for (size_t i = 0; i < x->side[0].list.n; i++) {
        struct piece *t = &x->side[0].list.v[i], *g = t->taken ? NULL : free_piece(x, 1, t->id.key);
        if (g && (t->expert || g->expert))
            pair_pieces(x, (struct piece *[]){t, g}, (const uint8_t[]){0, 0});
    }
}

static void pair_fused_experts(struct expert_search *x, int s, struct piece *fused)
{
    const char *part[3];
    int n = weight_parts(&fused->id, part);
    struct piece *other[3];
    bool sliced = fused->expert, all = n > 0;
    for (int k = 0; k < n; k++) {
        other[k] = free_piece(x, !s, weight_part_key(&fused->id, part[k], &x->c->arena));
        all = all && other[k];
        sliced = sliced || (other[k] && other[k]->expert);
    }
    for (int k = 0; k < n && all && sliced; k++) {
        struct piece *of[2];
        uint8_t cut[2] = {0, 0};
        of[s] = fused;
        of[!s] = other[k];
        cut[s] = (uint8_t)(k + 1);
        pair_pieces(x, of, cut);
    }
}

/* Which experts of a stack are paired: all: done; none: left to other rules; some: the rest is reported. */
static void settle_expert_stacks(struct expert_search *x, int s, bool *done)
{
    struct weight_compare *c = x->c;
    const struct piece *v = x->side[s].list.v;
    size_t n = x->side[s].list.n;
    for (size_t i = 0, end; i < n; i = end) {
        uint32_t w = v[i].weight, first = 0;
        size_t paired = 0;
        for (end = i; end < n && v[end].weight == w; end++) {
            paired += v[end].taken;
            if (!v[end].taken && !first)
                first = (uint32_t)v[end].expert;
        }
        if (!paired)
            continue;
        done[w] = true;
        if (paired == end - i)
            continue;
        vec_push(&c->warnings, arena_fmt(&c->arena, _("%.*s: %zu of its %zu experts are not paired, the first is %u"),
                                         STR_ARG(compared_weight(c, s, w)->name), end - i - paired, end - i,
                                         first - 1));
        vec_push(&c->only[s], w);
    }
}

/* The sizes of a stack stored as one matrix, {experts, in, out}. */
static bool stack_sizes(struct weight_compare *c, int s, const struct map *keys, uint32_t i, int64_t shape[3])
{
    const struct weight *w = compared_weight(c, s, i);
    struct weight_id all;
    if (w->ndim != 2 || w->axes != 2 || w->pieces != 1 || w->stride[1] != 1 || w->stride[0] != w->dim[1] ||
        !weight_of_all_experts(w->name, &c->arena, &all) || !all.known || all.storage != STORED_IN_OUT)
        return false;
    uint32_t router = map_get(keys, weight_with_role(&all, STR("router"), &c->arena).key);
    if (router == MAP_NONE || compared_weight(c, s, router)->ndim != 2)
        return false;
    int64_t experts = compared_weight(c, s, router)->shape[0], hidden = compared_weight(c, s, router)->shape[1];
    if (experts < 1 || hidden < 1 || w->shape[0] < 1 || w->numel % (uint64_t)experts ||
        w->numel / (uint64_t)experts % (uint64_t)hidden)
        return false;
    int64_t other = (int64_t)(w->numel / (uint64_t)experts / (uint64_t)hidden);
    bool columns = all.cut == CUT_COLUMNS; /* its inputs are the inner ones */
    shape[0] = experts;
    shape[1] = columns ? other : hidden;
    shape[2] = columns ? hidden : other;
    return w->shape[0] == experts * shape[1] || w->shape[0] == shape[1];
}

void experts_split_axes(struct weight_compare *c, int s, const struct map *keys)
{
    for (uint32_t i = 0; i < c->side[s].list.n; i++) {
        int64_t shape[3];
        if (!stack_sizes(c, s, keys, i, shape))
            continue;
        struct weight *w = &c->side[s].list.v[i];
        int64_t *own = arena_alloc(&c->arena, 2 * sizeof shape);
        memcpy(own, shape, sizeof shape);
        own[3] = shape[1] * shape[2];
        own[4] = shape[2];
        own[5] = 1;
        w->ndim = w->axes = 3;
        w->shape = w->dim = own;
        w->stride = own + 3;
    }
}

bool experts_turned(struct weight_compare *c, uint32_t target, uint32_t golden)
{
    const struct weight *t = compared_weight(c, 0, target), *g = compared_weight(c, 1, golden);
    struct weight_id all;
    return t->ndim == 3 && g->ndim == 3 && t->shape[1] != g->shape[1] && t->shape[1] == g->shape[2] &&
           t->shape[2] == g->shape[1] && is_stack(c, 0, target, &all) && is_stack(c, 1, golden, &all);
}

void weights_by_expert(struct weight_compare *c, bool *done[2])
{
    struct expert_search x = {.c = c};
    for (size_t i = 0; i < c->pairs.n; i++) {
        struct weight_pair *p = &c->pairs.v[i];
        struct weight_id all[2];
        p->stacks = !p->part[0] && !p->part[1] && is_stack(c, 0, p->weight[0], &all[0]) &&
                    is_stack(c, 1, p->weight[1], &all[1]);
        for (int s = 0; s < 2 && p->stacks; s++) /* the name of a stack does not show the role of one expert's weight */
            c->id[s][p->weight[s]].fusion = all[s].fusion;
    }
    for (int s = 0; s < 2; s++)
        collect_expert_pieces(&x, s, done[s]);
    pair_experts_by_key(&x);
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < x.side[s].list.n; i++)
            if (!x.side[s].list.v[i].taken)
                pair_fused_experts(&x, s, &x.side[s].list.v[i]);
    for (int s = 0; s < 2; s++) {
        settle_expert_stacks(&x, s, done[s]);
        vec_release(&x.side[s].list);
        map_release(&x.side[s].at);
    }
}
