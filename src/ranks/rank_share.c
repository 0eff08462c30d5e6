/* Shows from some ranks that both sides of a job are cut alike, and where their stages are. */
#include "ranks/rank_share.h"

#include <stdio.h>

#include "base/msg.h"
#include "ranks/call_place.h"
#include "ranks/part_values.h"

/* Two layouts have the same cut up to some stride; the rank of that number has another place in them, or the one behind
 * as many of the smaller cut has. Strides divide the number of ranks. */
void rank_share_witnesses(int ranks, rank_list *out)
{
    rank_list_add(out, 0);
    for (int d = 1; d < ranks; d++)
        if (ranks % d == 0)
            rank_list_add(out, d);
    rank_list_add(out, ranks - 1);
}

static bool dumps_have_same_rows(const struct dump *a, const struct dump *b)
{
    if (a->rows.n != b->rows.n)
        return false;
    for (uint32_t r = 0; r < a->rows.n; r++) {
        const struct shape *x = dump_row_shape(a, r), *y = dump_row_shape(b, r);
        bool shaped = x && y ? shape_same(x, y) : !x == !y;
        if (!shaped || a->rows.v[r].call != b->rows.v[r].call || a->rows.v[r].io != b->rows.v[r].io)
            return false;
    }
    return true;
}

static bool same_calls(const struct dump *a, const struct dump *b)
{
    if (a->calls.n != b->calls.n || a->groups.n != b->groups.n)
        return false;
    for (uint32_t c = 0; c < a->calls.n; c++)
        if (!str_eq(dump_call_name(a, c), dump_call_name(b, c)))
            return false;
    for (size_t g = 0; g < a->groups.n; g++)
        if (a->groups.v[g].call != b->groups.v[g].call || strcmp(a->groups.v[g].ranks, b->groups.v[g].ranks) != 0)
            return false;
    return true;
}

/* Of its matrices, most: those that modules hold, or that calls are given as weights. */
static bool same_matrices(const struct dump *a, const struct dump *b)
{
    size_t all = 0, same = 0;
    for (uint32_t r = 0; r < a->rows.n; r++) {
        const struct row *x = &a->rows.v[r], *y = &b->rows.v[r];
        const struct shape *s = dump_row_shape(a, r);
        bool held = x->io == IO_PARAMETER || (x->io == IO_INPUT && x->needs_gradient);
        if (!held || x->kind != ROW_TENSOR || !s || s->ndim != 2)
            continue;
        all++;
        same += part_same_figures(x, y);
    }
    return same * 2 >= all;
}

static bool has_problems(const struct dump *d)
{
    return d->problems.n > 0;
}

bool rank_share_alike(const struct rank_set set[2])
{
    if (set[0].ranks.n != set[1].ranks.n)
        return false;
    for (size_t i = 0; i < set[0].ranks.n; i++) {
        const struct dump *a = &set[0].ranks.v[i]->dump, *b = &set[1].ranks.v[i]->dump;
        if (set[0].ranks.v[i]->rank != set[1].ranks.v[i]->rank || has_problems(a) || has_problems(b) ||
            !same_calls(a, b) || !dumps_have_same_rows(a, b) || !same_matrices(a, b))
            return false;
    }
    return true;
}

static bool is_send_call(const struct dump *d, uint32_t c)
{
    return call_is_collective(d, c) && str_ihas(dump_call_name(d, c), "send");
}

int rank_share_next_stage(const struct rank_set *set, int at)
{
    uint32_t index = rank_set_find(set, at);
    const struct dump *d = index == NONE ? NULL : &set->ranks.v[index]->dump;
    struct call_places p;
    int next = -1;
    if (!d)
        return -1;
    call_places_find(&p, d);
    for (uint32_t c = 0; c < d->calls.n && next < 0; c++)
        if (is_send_call(d, c) && p.call[c].region == IN_FORWARD)
            next = call_other_end(d, c);
    call_places_release(&p);
    return next;
}

static bool same_names(const struct dump *a, const struct dump *b)
{
    if (a->calls.n != b->calls.n)
        return false;
    for (uint32_t c = 0; c < a->calls.n; c++)
        if (!str_eq(dump_call_name(a, c), dump_call_name(b, c)))
            return false;
    return true;
}

/* Experts have numbers of their own on each rank. */
static bool has_experts(const struct dump *d)
{
    for (uint32_t c = 0; c < d->calls.n; c++)
        if (str_ihas(dump_call_name(d, c), "expert"))
            return true;
    return false;
}

bool rank_share_layout(struct layout *l, const struct rank_set *set, int ranks, int stride, int stages)
{
    struct call_places p;
    if (stride < 1 || stages < 1 || ranks % (stride * stages))
        return false;
    layout_init(l);
    l->size[CUT_TP] = stride;
    l->size[CUT_PP] = stages;
    l->size[CUT_DP] = ranks / (stride * stages);
    l->order[1] = CUT_PP;
    l->order[2] = CUT_CP;
    l->order[3] = CUT_DP;
    for (size_t i = 0; i < set->ranks.n; i++) {
        const struct dump *d = &set->ranks.v[i]->dump;
        struct rank_place at = layout_place(l, set->ranks.v[i]->rank);
        uint32_t first = rank_set_find(set, at.at[CUT_PP] * stride); /* the lowest of its stage */
        if (first == NONE || !same_names(d, &set->ranks.v[first]->dump) || has_experts(d))
            return false;
    }
    call_places_find(&p, &set->ranks.v[0]->dump);
    l->size[CUT_MICRO] = (int)p.micros;
    l->vpp = p.chunks;
    call_places_release(&p);
    l->open = 1u << CUT_TP | 1u << CUT_CP | 1u << CUT_DP;
    snprintf(l->why, sizeof l->why, "%s", _("read in part: share 0 determines the layout"));
    return true;
}
