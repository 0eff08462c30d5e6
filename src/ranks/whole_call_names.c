/* Gives the calls of a rank their keys, so that corresponding calls of all ranks are joined. */
#include "ranks/whole_call_parts.h"

#include <stdlib.h>

#include "dump/module_path.h"

/* State while one rank's calls are named. */
struct naming {
    struct whole_calls *w;
    const struct dump *d;
    const struct call_places *p;
    uint32_t rank; /* index */
    struct rank_place at;
    uint32_t *layer_from; /* per stage of this rank: number of layers in earlier stages */
    struct map times;     /* key without its number → how often it has occurred */
    struct map experts;   /* path of a list of experts → number of experts on this rank */
    struct arena arena;
};

static uint32_t chunk_of_job(const struct naming *n, uint32_t local)
{
    return local * (uint32_t)n->w->layout->size[CUT_PP] + (uint32_t)n->at.at[CUT_PP];
}

/* Counts the experts a rank holds in each list of modules, by the highest number. */
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
            map_add(&n->experts, list, (uint32_t)number + 1); /* the path is owned by places */
        else if ((uint32_t)number + 1 > known)
            map_set(&n->experts, list, (uint32_t)number + 1);
    }
}

/* The module's path with the model's layer and expert numbers. any: without layer numbers ("like"). */
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

/* The texts that identify a call. */
struct call_texts {
    struct buf path, key, group, meets, like, bare;
};

/* The whole call with that key, created if needed; this rank's call becomes a part of it. */
static uint32_t join_call(struct naming *n, uint32_t c, const struct call_texts *t)
{
    struct whole_calls *w = n->w;
    const struct call *k = &n->d->calls.v[c];
    uint32_t at = map_get(&w->keys, buf_view(&t->key));
    if (at == MAP_NONE) {
        struct whole_call x = {
            .key = arena_cstr(&w->arena, buf_view(&t->key)),
            .group = arena_cstr(&w->arena, buf_view(&t->group)),
            .meets = arena_cstr(&w->arena, buf_view(&t->meets)),
            .bare = arena_cstr(&w->arena, buf_view(&t->bare)),
            .like = arena_cstr(&w->arena, buf_view(&t->like)),
            .region = n->p->call[c].region,
            .kind = k->kind,
            .phase = k->phase,
            .gradient = k->gradient,
            .next = NONE,
            .twin = NONE,
            .parent = NONE,
            .partner = NONE,
            .chunk = (uint16_t)chunk_of_job(n, n->p->call[c].chunk),
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

/* How often that key has occurred in its micro-batch and virtual stage. */
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

static void texts_begin(const struct naming *n, uint32_t c, struct call_texts *t)
{
    const struct call_place *x = &n->p->call[c];
    *t = (struct call_texts){.path = {0}};
    whole_path(n, x, false, &t->path);
    call_bare_name(n->d, c, &t->bare);
    buf_fmt(&t->group, "%c %s", region_letter[x->region], t->path.n ? t->path.p : "");
    struct buf plain = {0};
    module_path_plain(buf_view(&t->path), &plain);
    buf_fmt(&t->meets, "%c %s", region_letter[x->region], plain.n ? plain.p : "");
    buf_release(&plain);
}

/* `like` is the text shared with other layers. times: earlier calls of its name. */
static void texts_like(const struct naming *n, uint32_t c, struct call_texts *t, uint32_t times)
{
    const struct call_place *x = &n->p->call[c];
    whole_path(n, x, true, &t->path);
    buf_fmt(&t->like, "%c %s %s %u", region_letter[x->region], t->path.n ? t->path.p : "", t->bare.p, times);
}

/* The call joins the whole call of its key. */
static uint32_t texts_join(struct naming *n, uint32_t c, struct call_texts *t)
{
    struct buf *all[] = {&t->path, &t->key, &t->group, &t->meets, &t->like, &t->bare};
    uint32_t at = join_call(n, c, t);
    for (size_t i = 0; i < ARRAY_LEN(all); i++)
        buf_release(all[i]);
    return at;
}

/* Names a call by its own name: modules, gradients, and backward calls by their forward twins. False: another kind. */
static bool name_by_itself(struct naming *n, uint32_t c, bool backward)
{
    const struct call *k = &n->d->calls.v[c];
    const struct call_place *x = &n->p->call[c];
    uint32_t twin = k->phase == PHASE_BACKWARD && k->kind != CALL_MODULE && !k->gradient && k->twin != NONE
                        ? n->w->of[n->rank][k->twin]
                        : NONE;
    if ((twin != NONE) != backward || (k->kind != CALL_MODULE && twin == NONE))
        return false;
    struct call_texts t;
    texts_begin(n, c, &t);
    if (twin == NONE)
        buf_fmt(&t.key, "M %s %s", t.path.n ? t.path.p : "", t.bare.p);
    else
        buf_fmt(&t.key, "back of %s", n->w->calls.v[twin].key);
    uint32_t now = k->gradient ? 0 : count_call(n, buf_view(&t.key), x);
    buf_fmt(&t.key, " %u", now);
    buf_fmt(&t.meets, " %s %u", t.bare.p, now);
    if (twin == NONE)
        texts_like(n, c, &t, now);
    else
        buf_fmt(&t.like, "back of %s", n->w->calls.v[twin].like);
    uint32_t at = texts_join(n, c, &t);
    if (k->phase == PHASE_BACKWARD && k->twin != NONE && n->w->of[n->rank][k->twin] != NONE)
        n->w->calls.v[at].twin = n->w->of[n->rank][k->twin];
    return true;
}

/* Other calls are named by their module and their position among its calls. Ranks and micro-batches of a stage make
 * the same calls except some that only one makes (a padded shard), so their common calls are aligned. */
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

/* times: earlier calls of its name there. */
static void append_name(struct naming *n, struct made_in *m, uint32_t c, size_t at, uint32_t times)
{
    const struct call_place *x = &n->p->call[c];
    struct call_texts t;
    texts_begin(n, c, &t);
    buf_fmt(&t.key, "%c%u %s %s %zu", region_letter[x->region],
            x->region == IN_TAIL ? (uint32_t)n->at.at[CUT_PP] : chunk_of_job(n, x->chunk), t.path.n ? t.path.p : "",
            t.bare.p, n->w->calls.n);
    texts_like(n, c, &t, times);
    uint32_t call = texts_join(n, c, &t);
    vec_push(&m->calls, call);
    memmove(m->calls.v + at + 1, m->calls.v + at, (m->calls.n - 1 - at) * sizeof *m->calls.v);
    m->calls.v[at] = call;
}

/* Counts how often each name occurs in a list up to a position that only advances. */
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
    whole_calls_common(a, count, b, had, partner);
    size_t at = 0; /* where the next missing one is inserted */
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

/* This rank's calls in each module and micro-batch, in order. */
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
                x->region == IN_TAIL ? (uint32_t)n->at.at[CUT_PP] : chunk_of_job(n, x->chunk), path.n ? path.p : "");
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

static void name_rank_calls(struct naming *n)
{
    for (uint32_t c = 0; c < n->d->calls.n; c++)
        name_by_itself(n, c, false);
    name_by_place(n);
    for (uint32_t c = 0; c < n->d->calls.n; c++)
        if (n->w->of[n->rank][c] == NONE)
            name_by_itself(n, c, true);
}

void whole_calls_name(struct whole_calls *w, uint32_t rank, const uint32_t *layers, uint32_t chunks)
{
    const struct dump *d = &w->set->ranks.v[rank]->dump;
    struct naming x = {.w = w,
                       .d = d,
                       .p = &w->places[rank],
                       .rank = rank,
                       .at = layout_place(w->layout, w->set->ranks.v[rank]->rank)};
    x.layer_from = mem_zalloc(((size_t)x.p->chunks + 1) * sizeof *x.layer_from);
    for (uint32_t k = 0; k < x.p->chunks; k++)
        for (uint32_t before = 0; before < chunk_of_job(&x, k) && before < chunks; before++)
            x.layer_from[k] += layers[before];
    w->of[rank] = mem_alloc((d->calls.n + 1) * sizeof *w->of[rank]);
    for (size_t c = 0; c < d->calls.n; c++)
        w->of[rank][c] = NONE;
    count_experts(&x);
    name_rank_calls(&x);
    free(x.layer_from);
    map_release(&x.times);
    map_release(&x.experts);
    arena_release(&x.arena);
}
