/* Puts the calls of all ranks and micro-batches together. */
#include "ranks/whole_calls.h"

#include <stdlib.h>

/* What is needed to name one rank's calls. */
struct naming {
    struct whole_calls *w;
    const struct dump *d;
    const struct call_places *p;
    uint32_t rank; /* index */
    struct rank_place at;
    uint32_t *layer_from; /* of each of its chunks: layers of the stages before */
    struct map times;     /* key without its number → how often it was met */
    struct map experts;   /* path of a list of experts → how many of it the rank holds */
    struct arena arena;
};

static uint32_t chunk_of(const struct naming *n, uint32_t local)
{
    return local * (uint32_t)n->w->layout->size[CUT_PP] + (uint32_t)n->at.at[CUT_PP];
}

/* Layers of every stage, from one rank of it. */
static void count_layers(const struct whole_calls *w, uint32_t *layers, uint32_t chunks)
{
    for (size_t r = 0; r < w->set->ranks.n; r++) {
        struct rank_place at = layout_place(w->layout, w->set->ranks.v[r]->rank);
        for (uint32_t k = 0; k < w->places[r].chunks; k++) {
            uint32_t chunk = k * (uint32_t)w->layout->size[CUT_PP] + (uint32_t)at.at[CUT_PP];
            if (chunk < chunks && w->places[r].layers[k] > layers[chunk])
                layers[chunk] = w->places[r].layers[k];
        }
    }
}

/* How many experts a rank holds of each list of modules: by the highest number seen. */
static void count_experts(struct naming *n)
{
    for (uint32_t c = 0; c < n->p->n && n->w->layout->size[CUT_EP] > 1; c++) {
        const struct call_place *x = &n->p->call[c];
        struct str path = str_of(x->path), rest;
        size_t from, to, done = 0;
        int number;
        if (x->layer >= 0 && path_number(path, &from, &to, &number))
            done = to;
        rest = str_cut(path, done);
        if (!path_number(rest, &from, &to, &number) || !str_ihas(str_n(rest.p, from), "expert"))
            continue;
        struct str list = str_n(path.p, done + from);
        uint32_t known = map_get(&n->experts, list);
        if (known == MAP_NONE)
            map_add(&n->experts, list, (uint32_t)number + 1); /* the path is the places' */
        else if ((uint32_t)number + 1 > known)
            map_set(&n->experts, list, (uint32_t)number + 1);
    }
}

/* The module's path with the model's numbers of layer and expert. Any: numbers of layers are left out ("like"). */
static void whole_path(const struct naming *n, const struct call_place *x, bool any, struct buf *out)
{
    struct str path = str_of(x->path);
    size_t from, to, done = 0;
    int number;
    buf_clear(out);
    if (x->layer >= 0 && path_number(path, &from, &to, &number)) {
        buf_add(out, path.p, from);
        if (any)
            buf_char(out, '*');
        else
            buf_count(out, (unsigned long long)number + n->layer_from[x->chunk]);
        done = to;
    }
    struct str rest = str_cut(path, done);
    int ep = n->w->layout->size[CUT_EP];
    struct str head = rest;
    if (ep > 1 && path_number(rest, &from, &to, &number)) {
        head = str_n(rest.p, from);
        if (str_ihas(head, "expert")) {
            uint32_t each = map_get(&n->experts, str_n(path.p, done + from));
            buf_str(out, head);
            buf_count(out, (unsigned long long)number +
                               (unsigned long long)each * (unsigned long long)(n->at.at[CUT_DP] % ep));
            rest = str_cut(rest, to);
        }
    }
    buf_str(out, rest);
}

static const char region_letter[CALL_REGIONS] = {'F', 'B', 'T'};

/* The whole call of that key, made where it is not there yet; this rank's call becomes a part of it. */
static uint32_t join_call(struct naming *n, uint32_t c, struct str key, struct str group, struct str like,
                          struct str bare)
{
    struct whole_calls *w = n->w;
    const struct call *k = &n->d->calls.v[c];
    uint32_t at = map_get(&w->keys, key);
    if (at == MAP_NONE) {
        struct whole_call x = {
            .key = arena_cstr(&w->arena, key),
            .group = arena_cstr(&w->arena, group),
            .bare = arena_cstr(&w->arena, bare),
            .like = arena_cstr(&w->arena, like),
            .region = n->p->call[c].region,
            .kind = k->kind,
            .phase = k->phase,
            .gradient = k->gradient,
            .next = NONE,
            .twin = NONE,
            .parent = NONE,
            .partner = NONE,
            .chunk = (uint16_t)chunk_of(n, n->p->call[c].chunk),
        };
        at = (uint32_t)w->calls.n;
        vec_push(&w->calls, x);
        map_add(&w->keys, str_of(x.key), at);
    }
    struct part_call part = {n->rank, n->p->call[c].micro, c};
    vec_push(&w->calls.v[at].parts, part);
    w->of[n->rank][c] = at;
    return at;
}

/* The how manieth call of that key in its micro-batch and virtual stage. */
static uint32_t count_call(struct naming *n, struct str key, const struct call_place *at)
{
    struct str counted = str_of(arena_fmt(&n->arena, "%u %u %.*s", at->micro, at->chunk, STR_ARG(key)));
    uint32_t times = map_get(&n->times, counted), now = times == MAP_NONE ? 0 : times + 1;
    if (times == MAP_NONE)
        map_add(&n->times, counted, 0);
    else
        map_set(&n->times, counted, now);
    return now;
}

/* By its own name: modules, gradients, and backward calls after their forward twins. False: not one of these. */
static bool name_by_itself(struct naming *n, uint32_t c, bool backward)
{
    const struct call *k = &n->d->calls.v[c];
    const struct call_place *x = &n->p->call[c];
    uint32_t twin = k->phase == PHASE_BACKWARD && k->kind != CALL_MODULE && !k->gradient && k->twin != NONE
                        ? n->w->of[n->rank][k->twin]
                        : NONE;
    if ((twin != NONE) != backward || (k->kind != CALL_MODULE && twin == NONE))
        return false;
    struct buf path = {0}, key = {0}, group = {0}, like = {0}, bare = {0};
    whole_path(n, x, false, &path);
    call_bare_name(n->d, c, &bare);
    buf_fmt(&group, "%c %s", region_letter[x->region], path.n ? path.p : "");
    if (twin == NONE)
        buf_fmt(&key, "M %s %s", path.n ? path.p : "", bare.p);
    else
        buf_fmt(&key, "back of %s", n->w->calls.v[twin].key);
    uint32_t now = k->gradient ? 0 : count_call(n, buf_view(&key), x);
    buf_fmt(&key, " %u", now);
    whole_path(n, x, true, &path);
    if (twin == NONE)
        buf_fmt(&like, "%c %s %s %u", region_letter[x->region], path.n ? path.p : "", bare.p, now);
    else
        buf_fmt(&like, "back of %s", n->w->calls.v[twin].like);
    uint32_t at = join_call(n, c, buf_view(&key), buf_view(&group), buf_view(&like), buf_view(&bare));
    if (k->phase == PHASE_BACKWARD && k->twin != NONE && n->w->of[n->rank][k->twin] != NONE)
        n->w->calls.v[at].twin = n->w->of[n->rank][k->twin];
    buf_release(&path);
    buf_release(&key);
    buf_release(&group);
    buf_release(&like);
    buf_release(&bare);
    return true;
}

/* The other calls are named by the module they are made in and their place among its calls. Ranks and micro-batches of
 * a stage make the same calls but for some that only one of them makes (a shard that is filled up): what they have in
 * common is lined up. */
static struct made_in *made_in(struct naming *n, struct str key)
{
    struct whole_calls *w = n->w;
    uint32_t at = map_get(&w->made_in_names, key);
    if (at == MAP_NONE) {
        struct made_in fresh = {{0}};
        at = (uint32_t)w->made_in.n;
        map_add(&w->made_in_names, arena_str(&w->arena, key), at);
        vec_push(&w->made_in, fresh);
    }
    return &w->made_in.v[at];
}

/* times: calls of its name before it there. */
static void append_name(struct naming *n, struct made_in *m, uint32_t c, size_t at, uint32_t times)
{
    const struct call_place *x = &n->p->call[c];
    struct buf path = {0}, key = {0}, group = {0}, like = {0}, bare = {0};
    whole_path(n, x, false, &path);
    call_bare_name(n->d, c, &bare);
    buf_fmt(&group, "%c %s", region_letter[x->region], path.n ? path.p : "");
    buf_fmt(&key, "%c%u %s %s %zu", region_letter[x->region],
            x->region == IN_TAIL ? (uint32_t)n->at.at[CUT_PP] : chunk_of(n, x->chunk), path.n ? path.p : "", bare.p,
            n->w->calls.n);
    whole_path(n, x, true, &path);
    buf_fmt(&like, "%c %s %s %u", region_letter[x->region], path.n ? path.p : "", bare.p, times);
    uint32_t call = join_call(n, c, buf_view(&key), buf_view(&group), buf_view(&like), buf_view(&bare));
    vec_push(&m->calls, call);
    memmove(m->calls.v + at + 1, m->calls.v + at, (m->calls.n - 1 - at) * sizeof *m->calls.v);
    m->calls.v[at] = call;
    buf_release(&path);
    buf_release(&key);
    buf_release(&group);
    buf_release(&like);
    buf_release(&bare);
}

/* Longest common subsequence of two lists of names: of each of a the partner in b, or NONE. */
static void common_names(const char *const *a, size_t n, const char *const *b, size_t m, uint32_t *partner)
{
    size_t same = 0;
    for (size_t i = 0; i < n; i++)
        partner[i] = NONE;
    while (same < n && same < m && strcmp(a[same], b[same]) == 0) {
        partner[same] = (uint32_t)same;
        same++;
    }
    while (n > same && m > same && strcmp(a[n - 1], b[m - 1]) == 0)
        partner[--n] = (uint32_t)--m;
    if (same == n || same == m || (n - same) * (m - same) > 40u * 1000 * 1000)
        return;
    a += same;
    b += same;
    partner += same;
    n -= same;
    m -= same;
    uint32_t *best = mem_zalloc((n + 1) * (m + 1) * sizeof *best);
#define BEST(i, k) best[(i) * (m + 1) + (k)]
    for (size_t i = n; i-- > 0; )
        for (size_t k = m; k-- > 0; ) {
            uint32_t skip = BEST(i + 1, k) > BEST(i, k + 1) ? BEST(i + 1, k) : BEST(i, k + 1);
            uint32_t take = strcmp(a[i], b[k]) == 0 ? BEST(i + 1, k + 1) + 1 : 0;
            BEST(i, k) = take > skip ? take : skip;
        }
    for (size_t i = 0, k = 0; i < n && k < m; ) {
        if (strcmp(a[i], b[k]) == 0 && BEST(i, k) == BEST(i + 1, k + 1) + 1 && BEST(i, k) > BEST(i + 1, k)) {
            partner[i++] = (uint32_t)(same + k);
            k++;
        } else if (BEST(i + 1, k) >= BEST(i, k + 1)) {
            i++;
        } else {
            k++;
        }
    }
#undef BEST
    free(best);
}

/* How often each name stands in a list up to a place that only moves on. */
struct counted_names {
    struct map times;
    size_t upto;
};

static uint32_t times_before(struct counted_names *c, const struct whole_calls *w, const struct made_in *m, size_t at,
                             const char *name)
{
    for (; c->upto < at; c->upto++) {
        struct str bare = str_of(w->calls.v[m->calls.v[c->upto]].bare);
        uint32_t n = map_get(&c->times, bare);
        if (n == MAP_NONE)
            map_add(&c->times, bare, 1);
        else
            map_set(&c->times, bare, n + 1);
    }
    uint32_t n = map_get(&c->times, str_of(name));
    return n == MAP_NONE ? 0 : n;
}

static void line_up_mine(struct naming *n, struct made_in *m, const uint32_t *mine, size_t count)
{
    const char **a = mem_alloc((count + 1) * sizeof *a), **b = mem_alloc((m->calls.n + 1) * sizeof *b);
    uint32_t *partner = mem_alloc((count + 1) * sizeof *partner);
    uint32_t *known = mem_alloc((m->calls.n + 1) * sizeof *known);
    size_t had = m->calls.n, added = 0;
    struct buf bare = {0};
    struct arena names = {0};
    struct counted_names counted = {.upto = 0};
    if (had)
        memcpy(known, m->calls.v, had * sizeof *known);
    for (size_t i = 0; i < count; i++) {
        call_bare_name(n->d, mine[i], &bare);
        a[i] = arena_cstr(&names, buf_view(&bare));
    }
    for (size_t i = 0; i < had; i++)
        b[i] = n->w->calls.v[known[i]].bare;
    common_names(a, count, b, had, partner);
    size_t at = 0; /* where the next one that is not there belongs */
    for (size_t i = 0; i < count; i++) {
        if (partner[i] == NONE) {
            uint32_t times = times_before(&counted, n->w, m, at, a[i]);
            append_name(n, m, mine[i], at++, times);
            added++;
            continue;
        }
        struct part_call part = {n->rank, n->p->call[mine[i]].micro, mine[i]};
        vec_push(&n->w->calls.v[known[partner[i]]].parts, part);
        n->w->of[n->rank][mine[i]] = known[partner[i]];
        at = partner[i] + added + 1;
    }
    free(a);
    free(b);
    free(partner);
    free(known);
    buf_release(&bare);
    map_release(&counted.times);
    arena_release(&names);
}

/* This rank's calls of each module and micro-batch, in their order. */
struct own_list {
    size_t made_in;
    VEC(uint32_t) calls;
};

static void name_by_place(struct naming *n)
{
    VEC(struct own_list) lists = {0};
    struct map names = {0};
    struct buf key = {0}, path = {0};
    for (uint32_t c = 0; c < n->d->calls.n; c++) {
        const struct call_place *x = &n->p->call[c];
        const struct call *k = &n->d->calls.v[c];
        bool twin = k->phase == PHASE_BACKWARD && k->twin != NONE;
        if (n->w->of[n->rank][c] != NONE || twin)
            continue;
        whole_path(n, x, false, &path);
        buf_clear(&key);
        buf_fmt(&key, "%c%u %s", region_letter[x->region],
                x->region == IN_TAIL ? (uint32_t)n->at.at[CUT_PP] : chunk_of(n, x->chunk), path.n ? path.p : "");
        size_t in = (size_t)(made_in(n, buf_view(&key)) - n->w->made_in.v);
        buf_fmt(&key, " %u", x->micro);
        uint32_t at = map_get(&names, buf_view(&key));
        if (at == MAP_NONE) {
            struct own_list fresh = {.made_in = in};
            at = (uint32_t)lists.n;
            map_add(&names, arena_str(&n->arena, buf_view(&key)), at);
            vec_push(&lists, fresh);
        }
        vec_push(&lists.v[at].calls, c);
    }
    for (size_t i = 0; i < lists.n; i++) {
        line_up_mine(n, &n->w->made_in.v[lists.v[i].made_in], lists.v[i].calls.v, lists.v[i].calls.n);
        vec_release(&lists.v[i].calls);
    }
    vec_release(&lists);
    map_release(&names);
    buf_release(&key);
    buf_release(&path);
}

static void name_calls(struct naming *n)
{
    for (uint32_t c = 0; c < n->d->calls.n; c++)
        name_by_itself(n, c, false);
    name_by_place(n);
    for (uint32_t c = 0; c < n->d->calls.n; c++)
        if (n->w->of[n->rank][c] == NONE)
            name_by_itself(n, c, true);
}

/* ---- order ---- */

struct ordering {
    struct whole_calls *w;
    uint32_t first, last;
    bool *placed;
};

static void insert_after(struct ordering *o, uint32_t at, uint32_t call)
{
    struct whole_call *x = &o->w->calls.v[call];
    uint32_t *from = at == NONE ? &o->first : &o->w->calls.v[at].next;
    x->next = *from;
    *from = call;
    if (o->last == at)
        o->last = call;
    o->placed[call] = true;
}

static void take_out(struct ordering *o, uint32_t call)
{
    uint32_t before = NONE, at = o->first;
    while (at != NONE && at != call) {
        before = at;
        at = o->w->calls.v[at].next;
    }
    if (at == NONE)
        return;
    *(before == NONE ? &o->first : &o->w->calls.v[before].next) = o->w->calls.v[call].next;
    if (o->last == call)
        o->last = before;
}

/* One rank's calls of a region, virtual stage and micro-batch; those that are there already lead on from where they
 * are, but a module that began on an earlier stage ends here. */
static void order_stretch(struct ordering *o, uint32_t r, enum call_region region, uint32_t chunk, uint32_t micro,
                          uint16_t whole_chunk)
{
    const struct call_places *p = &o->w->places[r];
    uint32_t at = o->last;
    for (uint32_t c = 0; c < p->n; c++) {
        const struct call_place *x = &p->call[c];
        uint32_t call = o->w->of[r][c];
        struct whole_call *k = &o->w->calls.v[call];
        if (x->region != region || (region != IN_TAIL && (x->chunk != chunk || (x->micro != micro && !k->gradient))))
            continue;
        if (!o->placed[call]) {
            insert_after(o, at, call);
            k->chunk = whole_chunk;
        } else if (k->chunk != whole_chunk && region == IN_FORWARD) {
            take_out(o, call);
            insert_after(o, at == call ? o->last : at, call);
            k->chunk = whole_chunk;
        } else if (k->chunk != whole_chunk) {
            continue;
        }
        at = call;
    }
}

static void order_chunk(struct ordering *o, enum call_region region, uint32_t chunk)
{
    const struct whole_calls *w = o->w;
    int pp = w->layout->size[CUT_PP];
    for (size_t r = 0; r < w->set->ranks.n; r++) {
        struct rank_place at = layout_place(w->layout, w->set->ranks.v[r]->rank);
        if (at.at[CUT_PP] != (int)chunk % pp)
            continue;
        for (uint32_t i = 0; i < w->places[r].micros; i++) {
            uint32_t micro = region == IN_BACKWARD ? w->places[r].micros - 1 - i : i;
            order_stretch(o, (uint32_t)r, region, chunk / (uint32_t)pp, micro, (uint16_t)chunk);
        }
    }
}

static void set_order(struct whole_calls *w, uint32_t chunks)
{
    struct ordering o = {.w = w, .first = NONE, .last = NONE, .placed = mem_zalloc(w->calls.n + 1)};
    for (uint32_t k = 0; k < chunks; k++)
        order_chunk(&o, IN_FORWARD, k);
    for (uint32_t k = chunks; k-- > 0; )
        order_chunk(&o, IN_BACKWARD, k);
    for (size_t r = 0; r < w->set->ranks.n; r++)
        order_stretch(&o, (uint32_t)r, IN_TAIL, 0, 0, 0);
    for (uint32_t c = o.first; c != NONE; c = w->calls.v[c].next) {
        w->calls.v[c].order = (uint32_t)w->order.n;
        vec_push(&w->order, c);
    }
    free(o.placed);
}

static void number_alike(struct whole_calls *w)
{
    for (uint32_t i = (uint32_t)w->calls.n; i-- > 0; ) {
        struct whole_call *x = &w->calls.v[i];
        x->alike = map_get(&w->likes, str_of(x->like));
        if (x->alike == MAP_NONE) {
            x->alike = (uint32_t)w->first_alike.n;
            map_add(&w->likes, str_of(x->like), x->alike);
            vec_push(&w->first_alike, NONE);
        }
        x->next_alike = w->first_alike.v[x->alike];
        w->first_alike.v[x->alike] = i;
    }
}

static int by_place(const void *a, const void *b)
{
    const struct part_call *x = a, *y = b;
    return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank)
                              : (x->micro > y->micro) - (x->micro < y->micro);
}

static void set_parents(struct whole_calls *w)
{
    for (size_t i = 0; i < w->calls.n; i++) {
        struct whole_call *x = &w->calls.v[i];
        vec_sort(&x->parts, by_place);
        const struct part_call *p = &x->parts.v[0];
        uint32_t parent = w->set->ranks.v[p->rank]->dump.calls.v[p->call].parent;
        if (parent != NONE)
            x->parent = w->of[p->rank][parent];
    }
}

void whole_calls_build(struct whole_calls *w, const struct rank_set *set, const struct layout *layout)
{
    *w = (struct whole_calls){.set = set, .layout = layout};
    size_t n = set->ranks.n;
    uint32_t chunks = (uint32_t)layout->size[CUT_PP];
    w->places = mem_zalloc((n + 1) * sizeof *w->places);
    w->of = mem_zalloc((n + 1) * sizeof *w->of);
    for (size_t r = 0; r < n; r++) {
        call_places_find(&w->places[r], &set->ranks.v[r]->dump);
        if (w->places[r].chunks * (uint32_t)layout->size[CUT_PP] > chunks)
            chunks = w->places[r].chunks * (uint32_t)layout->size[CUT_PP];
    }
    uint32_t *layers = mem_zalloc((chunks + 1) * sizeof *layers);
    count_layers(w, layers, chunks);
    for (size_t r = 0; r < n; r++) {
        const struct dump *d = &set->ranks.v[r]->dump;
        struct naming x = {
            .w = w, .d = d, .p = &w->places[r], .rank = (uint32_t)r, .at = layout_place(layout, set->ranks.v[r]->rank)};
        x.layer_from = mem_zalloc(((size_t)x.p->chunks + 1) * sizeof *x.layer_from);
        for (uint32_t k = 0; k < x.p->chunks; k++)
            for (uint32_t before = 0; before < chunk_of(&x, k) && before < chunks; before++)
                x.layer_from[k] += layers[before];
        w->of[r] = mem_alloc((d->calls.n + 1) * sizeof *w->of[r]);
        for (size_t c = 0; c < d->calls.n; c++)
            w->of[r][c] = NONE;
        count_experts(&x);
        name_calls(&x);
        free(x.layer_from);
        map_release(&x.times);
        map_release(&x.experts);
        arena_release(&x.arena);
    }
    set_order(w, chunks);
    set_parents(w);
    number_alike(w);
    free(layers);
}

void whole_calls_release(struct whole_calls *w)
{
    for (size_t i = 0; w->set && i < w->set->ranks.n; i++) {
        call_places_release(&w->places[i]);
        free(w->of[i]);
    }
    for (size_t i = 0; i < w->calls.n; i++)
        vec_release(&w->calls.v[i].parts);
    free(w->places);
    free(w->of);
    vec_release(&w->calls);
    vec_release(&w->order);
    for (size_t i = 0; i < w->made_in.n; i++)
        vec_release(&w->made_in.v[i].calls);
    vec_release(&w->made_in);
    map_release(&w->made_in_names);
    map_release(&w->keys);
    map_release(&w->likes);
    vec_release(&w->first_alike);
    arena_release(&w->arena);
    *w = (struct whole_calls){0};
}

/* ---- lining up ---- */

typedef VEC(uint32_t) call_list;

static void pair(struct whole_calls *t, struct whole_calls *g, uint32_t a, uint32_t b)
{
    t->calls.v[a].partner = b;
    g->calls.v[b].partner = a;
}

static void line_up_group(struct whole_calls *t, struct whole_calls *g, const call_list *x, const call_list *y)
{
    const char **a = mem_alloc((x->n + 1) * sizeof *a), **b = mem_alloc((y->n + 1) * sizeof *b);
    uint32_t *partner = mem_alloc((x->n + 1) * sizeof *partner);
    for (size_t i = 0; i < x->n; i++)
        a[i] = t->calls.v[x->v[i]].bare;
    for (size_t i = 0; i < y->n; i++)
        b[i] = g->calls.v[y->v[i]].bare;
    common_names(a, x->n, b, y->n, partner);
    for (size_t i = 0; i < x->n; i++)
        if (partner[i] != NONE)
            pair(t, g, x->v[i], y->v[partner[i]]);
    free(a);
    free(b);
    free(partner);
}

/* Lists of the calls of each group, in order: those that are lined up by name. */
static call_list *group_lists(const struct whole_calls *w, struct map *names, size_t *n)
{
    call_list *lists = NULL;
    size_t room = 0;
    for (size_t i = 0; i < w->order.n; i++) {
        const struct whole_call *x = &w->calls.v[w->order.v[i]];
        if (x->kind == CALL_MODULE || x->gradient || x->twin != NONE)
            continue;
        uint32_t at = map_add(names, str_of(x->group), (uint32_t)names->n);
        if (at >= room) {
            lists = mem_resize_array(lists, 2 * room + 64, sizeof *lists);
            memset(lists + room, 0, (room + 64) * sizeof *lists);
            room = 2 * room + 64;
        }
        vec_push(&lists[at], w->order.v[i]);
    }
    *n = names->n;
    return lists;
}

/* Backward calls follow their forward ones. */
static void line_up_backward(struct whole_calls *t, struct whole_calls *g)
{
    size_t n = g->calls.n;
    /* backward calls of a forward one */
    uint32_t *first = mem_alloc((n + 1) * sizeof *first), *next = mem_alloc((n + 1) * sizeof *next);
    for (size_t i = 0; i < n; i++)
        first[i] = NONE;
    for (uint32_t k = (uint32_t)n; k-- > 0; ) {
        uint32_t twin = g->calls.v[k].twin;
        next[k] = NONE;
        if (twin == NONE || g->calls.v[k].partner != NONE)
            continue;
        next[k] = first[twin];
        first[twin] = k;
    }
    for (uint32_t i = 0; i < t->calls.n; i++) {
        struct whole_call *x = &t->calls.v[i];
        uint32_t twin = x->partner == NONE && x->twin != NONE ? t->calls.v[x->twin].partner : NONE;
        if (twin == NONE || first[twin] == NONE)
            continue;
        pair(t, g, i, first[twin]);
        first[twin] = next[first[twin]];
    }
    free(first);
    free(next);
}

void whole_calls_line_up(struct whole_calls *t, struct whole_calls *g)
{
    struct map names[2] = {{0}, {0}};
    size_t n[2];
    call_list *a = group_lists(t, &names[0], &n[0]), *b = group_lists(g, &names[1], &n[1]);
    for (size_t i = 0; i < names[0].cap; i++) {
        const struct map_slot *s = &names[0].slots[i];
        if (!s->p)
            continue;
        uint32_t other = map_get(&names[1], str_n(s->p, s->n));
        if (other != MAP_NONE)
            line_up_group(t, g, &a[s->value], &b[other]);
    }
    for (uint32_t i = 0; i < t->calls.n; i++) { /* modules and gradients by their names */
        struct whole_call *x = &t->calls.v[i];
        if (x->partner != NONE || (x->kind != CALL_MODULE && !x->gradient))
            continue;
        uint32_t other = map_get(&g->keys, str_of(x->key));
        if (other != MAP_NONE && g->calls.v[other].partner == NONE)
            pair(t, g, i, other);
    }
    line_up_backward(t, g);
    for (size_t i = 0; i < n[0]; i++)
        vec_release(&a[i]);
    for (size_t i = 0; i < n[1]; i++)
        vec_release(&b[i]);
    free(a);
    free(b);
    map_release(&names[0]);
    map_release(&names[1]);
}
