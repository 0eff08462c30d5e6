/* Pairs the whole calls of both sides. */
#include "ranks/whole_call_parts.h"

#include <stdlib.h>

void whole_calls_common(const char *const *a, size_t n, const char *const *b, size_t m, uint32_t *partner)
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

typedef VEC(uint32_t) call_list;

static void pair_whole_calls(struct whole_calls *t, struct whole_calls *g, uint32_t a, uint32_t b)
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
    whole_calls_common(a, x->n, b, y->n, partner);
    for (size_t i = 0; i < x->n; i++)
        if (partner[i] != NONE)
            pair_whole_calls(t, g, x->v[i], y->v[partner[i]]);
    free(a);
    free(b);
    free(partner);
}

/* Lists the calls of each group in order: those aligned by name. */
static call_list *group_lists(const struct whole_calls *w, struct map *names, size_t *n)
{
    call_list *lists = NULL;
    size_t room = 0;
    for (size_t i = 0; i < w->order.n; i++) {
        const struct whole_call *x = &w->calls.v[w->order.v[i]];
        if (x->kind == CALL_MODULE || x->gradient || x->twin != NONE)
            continue;
        uint32_t at = map_add(names, str_of(x->meets), (uint32_t)names->n);
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

/* Modules and gradients are paired by name. */
static void line_up_modules(struct whole_calls *t, struct whole_calls *g)
{
    struct map names = {0};
    for (int s = 1; s >= 0; s--) {
        const struct whole_calls *w = s ? g : t;
        for (uint32_t i = 0; i < w->calls.n; i++) {
            const struct whole_call *x = &w->calls.v[i];
            if (x->partner != NONE || (x->kind != CALL_MODULE && !x->gradient))
                continue;
            uint32_t other = s ? map_add(&names, str_of(x->meets), i) : map_get(&names, str_of(x->meets));
            if (!s && other != MAP_NONE && g->calls.v[other].partner == NONE)
                pair_whole_calls(t, g, i, other);
        }
    }
    map_release(&names);
}

/* Backward calls are paired like their forward calls. */
static void line_up_backward(struct whole_calls *t, struct whole_calls *g)
{
    size_t n = g->calls.n;
    /* backward calls of each forward one */
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
        pair_whole_calls(t, g, i, first[twin]);
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
    line_up_modules(t, g);
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
