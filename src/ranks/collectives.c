/* Matches the members of collective calls: the nth call of the same group on each of its ranks; for transfers, the
 * nth send from one rank to another with the nth receive. */
#include "ranks/collective_parts.h"

#include <math.h>
#include <stdlib.h>

#include "base/msg.h"
#include "ranks/part_values.h"

const char *collective_verdict_name(enum collective_verdict v)
{
    static const char *const names[] = {"match", "drift", "deviate", "missing", "extra", "unread"};
    return names[v];
}

/* Names of the same collective in the frameworks. */
static const struct {
    const char *part, *name;
} library_names[] = {
    {"all_reduce", "all_reduce"}, {"allreduce", "all_reduce"}, {"reduce_scatter_tensor", "reduce_scatter_tensor"},
    {"reduce_scatter", "reduce_scatter_tensor"}, {"reducescatter", "reduce_scatter_tensor"},
    {"all_gather_into_tensor", "all_gather_into_tensor"}, {"all_gather", "all_gather_into_tensor"}, {"allgather", "all_gather_into_tensor"},
    {"all_to_all", "all_to_all_single"}, {"alltoall", "all_to_all_single"}, {"broadcast", "broadcast"}, {"irecv", "recv"}, {"isend", "send"},
    {"recv", "recv"}, {"receive", "recv"}, {"send", "send"},
};

static const char *library_name(const struct dump *d, uint32_t c)
{
    struct str name = dump_call_name(d, c);
    for (size_t i = 0; i < ARRAY_LEN(library_names); i++)
        if (str_ihas(name, library_names[i].part))
            return library_names[i].name;
    return NULL;
}

static const struct call_group *recorded_call_group(const struct dump *d, uint32_t c)
{
    size_t at;
    lower_bound(at, d->groups.n, d->groups.v[at].call < c);
    return at < d->groups.n && d->groups.v[at].call == c ? &d->groups.v[at] : NULL;
}

static void parse_ranks(const char *text, rank_list *out)
{
    for (const char *s = text; *s; ) {
        char *end;
        long v = strtol(s, &end, 10);
        if (end != s)
            vec_push(out, (int)v);
        s = end == s ? s + 1 : end;
    }
}

/* Ranks that differ from this one only in these dimensions. */
static void layout_group(const struct layout *l, int rank, unsigned cuts, rank_list *out)
{
    struct rank_place own = layout_place(l, rank);
    for (int r = 0; r < layout_ranks(l); r++) {
        struct rank_place p = layout_place(l, r);
        bool same = true;
        for (int c = 0; c < CUT_RANKS; c++)
            same &= cuts >> c & 1 || p.at[c] == own.at[c];
        if (same)
            vec_push(out, r);
    }
}

static const char *group_cut_name(const struct layout *l, const rank_list *group, const char *name)
{
    unsigned differ = 0;
    for (size_t i = 1; i < group->n; i++) {
        struct rank_place a = layout_place(l, group->v[0]), b = layout_place(l, group->v[i]);
        for (int c = 0; c < CUT_RANKS; c++)
            differ |= (unsigned)(a.at[c] != b.at[c]) << c;
    }
    bool experts = l->size[CUT_EP] > 1 && strcmp(name, "all_to_all_single") == 0;
    switch (differ) {
    case 1u << CUT_TP: return "tp";
    case 1u << CUT_CP: return "cp";
    case 1u << CUT_DP: return experts ? "ep" : "dp";
    case 1u << CUT_DP | 1u << CUT_CP: return "dp";
    case 1u << CUT_PP: return "pp";
    default: return (int)group->n == layout_ranks(l) ? "world" : NULL;
    }
}

static const char *reduction_operation(const struct dump *d, uint32_t c, const char *name)
{
    if (strcmp(name, "all_reduce") != 0 && strcmp(name, "reduce_scatter_tensor") != 0)
        return NULL;
    EACH_EARLY_ROW(d, c, r) {
        struct str text = str_of(d->rows.v[r].text);
        if (d->rows.v[r].io != IO_INPUT || !text.n || d->rows.v[r].kind == ROW_TENSOR)
            continue;
        if (str_ihas(text, "max"))
            return "max";
        if (str_ihas(text, "min"))
            return "min";
        if (str_ihas(text, "avg") || str_ihas(text, "mean"))
            return "avg";
    }
    return "sum";
}

/* ---- members ---- */

static void set_place(struct collective *c, struct finding_collectives *x, const struct part_call *p)
{
    const struct dump *d = rank_dump_of(x->w, p->rank);
    uint32_t whole = x->w->of[p->rank][p->call], parent = d->calls.v[p->call].parent,
             row = call_first_tensor(d, p->call, IO_OUTPUT);
    c->order = x->w->calls.v[whole].order;
    c->at = parent == NONE ? NULL : arena_cstr(&x->l->arena, dump_call_name(d, parent));
    c->dtype = row == NONE ? DTYPE_UNKNOWN : (enum dtype)d->rows.v[row].dtype;
}

/* Adds a member by group and number: the nth collective of that group on its rank. */
static void add_collective_member(struct finding_collectives *x, struct map *known, struct map *counts, uint32_t rank,
                                  uint32_t call)
{
    const struct dump *d = rank_dump_of(x->w, rank);
    const char *name = library_name(d, call);
    if (!name || strcmp(name, "send") == 0 || strcmp(name, "recv") == 0)
        return;
    const struct call_group *g = recorded_call_group(d, call);
    rank_list group = {0};
    if (g) {
        parse_ranks(g->ranks, &group);
    } else {
        const struct layout *l = x->w->layout;
        bool tail = x->w->places[rank].call[call].region == IN_TAIL;
        /* if neither tensors nor sequence are sharded, only replicas have something to exchange */
        unsigned cuts = tail                                                             ? 1u << CUT_DP | 1u << CUT_CP
                        : l->size[CUT_TP] > 1                                            ? 1u << CUT_TP
                        : l->size[CUT_CP] > 1 && strcmp(name, "all_to_all_single") != 0 ? 1u << CUT_CP
                                                                                         : 1u << CUT_DP;
        layout_group(l, x->w->set->ranks.v[rank]->rank, cuts, &group);
    }
    struct buf key = {0};
    for (size_t i = 0; i < group.n; i++)
        buf_fmt(&key, "%d ", group.v[i]);
    struct str counted = str_of(arena_fmt(&x->l->arena, "%u: %s", rank, key.p ? key.p : ""));
    uint32_t times = map_get(counts, counted), now = times == MAP_NONE ? 0 : times + 1;
    map_set(counts, counted, now);
    buf_fmt(&key, "#%u", now);
    uint32_t at = map_get(known, buf_view(&key));
    struct part_call p = {rank, x->w->places[rank].call[call].micro, call};
    if (at == MAP_NONE) {
        struct collective c = {.side = x->side,
                               .step = x->step,
                               .name = name,
                               .op = reduction_operation(d, call, name),
                               .group = group,
                               .group_source = g ? "dump" : "layout",
                               .equal = true,
                               .gradient = NONE};
        c.kind = group_cut_name(x->w->layout, &group, name);
        set_place(&c, x, &p);
        at = (uint32_t)x->l->v.n;
        vec_push(&x->l->v, c);
        map_add(known, arena_str(&x->l->arena, buf_view(&key)), at);
    } else {
        vec_release(&group);
    }
    vec_push(&x->l->v.v[at].calls, p);
    buf_release(&key);
}

/* Members in the order of the group. */
static void sort_members(const struct whole_calls *w, struct collective *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->group.n; i++)
        for (size_t k = n; k < c->calls.n; k++)
            if (w->set->ranks.v[c->calls.v[k].rank]->rank == c->group.v[i]) {
                struct part_call swap = c->calls.v[n];
                c->calls.v[n++] = c->calls.v[k];
                c->calls.v[k] = swap;
                break;
            }
}

/* ---- transfers ---- */

/* The receiving calls of each rank, in order. */
struct receiving {
    uint32_t call;
    int from;
};
typedef VEC(struct receiving) receive_list;

static void list_receives(const struct dump *d, receive_list *out)
{
    for (uint32_t c = 0; c < d->calls.n; c++) {
        const char *name = call_is_collective(d, c) ? library_name(d, c) : NULL;
        struct receiving x = {c, 0};
        if (!name || strcmp(name, "recv") != 0)
            continue;
        x.from = call_other_end(d, c);
        vec_push(out, x);
    }
}

/* The nth receive from that rank. */
static uint32_t nth_receive(const receive_list *l, int from, uint32_t n)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->v[i].from == from && n-- == 0)
            return l->v[i].call;
    return NONE;
}

/* Whether what was received is what was sent. */
static void judge_transfer(struct collective *c, const struct dump *d, uint32_t in, const struct dump *q, uint32_t out,
                           int from, int to)
{
    struct part_source sent, got;
    if (!part_source_open(&sent, d, in) || !part_source_open(&got, q, out))
        return;
    c->residual = sent.n == got.n ? part_sources_distance(&got, 0, &sent, 0, sent.n) : INFINITY;
    if (isnan(c->residual))
        return;
    c->verdict = COLLECTIVE_MATCH;
    c->precision = c->dtype;
    if (c->residual > 0) {
        collective_say(c, "send-receive", _("the data received by rank %d differs from the data sent by rank %d "
                                            "by %.2g"), to, from, c->residual);
        vec_push(&c->ranks, to);
    }
}

static void add_transfer(struct finding_collectives *x, const receive_list *receives, uint32_t rank, uint32_t call,
                         uint32_t n)
{
    const struct dump *d = rank_dump_of(x->w, rank);
    int from = x->w->set->ranks.v[rank]->rank, to = call_other_end(d, call);
    uint32_t other = rank_set_find(x->w->set, to),
             received = other == NONE ? NONE : nth_receive(&receives[other], from, n);
    struct collective c = {.side = x->side,
                           .step = x->step,
                           .name = "send/recv",
                           .group_source = "dump",
                           .equal = true,
                           .gradient = NONE,
                           .verdict = COLLECTIVE_UNREAD,
                           .residual = NAN,
                           .bound = 0};
    struct part_call p = {rank, x->w->places[rank].call[call].micro, call};
    vec_push(&c.group, from);
    vec_push(&c.group, to);
    c.kind = group_cut_name(x->w->layout, &c.group, c.name);
    set_place(&c, x, &p);
    vec_push(&c.calls, p);
    uint32_t in = call_first_tensor(d, call, IO_INPUT);
    if (received != NONE) {
        const struct dump *q = rank_dump_of(x->w, other);
        struct part_call r = {other, x->w->places[other].call[received].micro, received};
        vec_push(&c.calls, r);
        set_place(&c, x, &r);
        judge_transfer(&c, d, in, q, call_first_tensor(q, received, IO_OUTPUT), from, to);
    }
    vec_push(&x->l->v, c);
}

static void find_transfers(struct finding_collectives *x)
{
    size_t ranks = x->w->set->ranks.n;
    receive_list *receives = mem_zalloc((ranks + 1) * sizeof *receives);
    for (uint32_t r = 0; r < ranks; r++)
        list_receives(rank_dump_of(x->w, r), &receives[r]);
    for (uint32_t r = 0; r < x->w->set->ranks.n; r++) {
        const struct dump *d = rank_dump_of(x->w, r);
        struct nmap sent = {0};
        for (uint32_t c = 0; c < d->calls.n; c++) {
            const char *name = call_is_collective(d, c) ? library_name(d, c) : NULL;
            if (!name || strcmp(name, "send") != 0)
                continue;
            uint64_t to = (uint64_t)((int64_t)call_other_end(d, c) + 1);
            uint32_t n = nmap_get(&sent, to);
            n = n == MAP_NONE ? 0 : n;
            add_transfer(x, receives, r, c, n);
            nmap_set(&sent, to, n + 1);
        }
        nmap_release(&sent);
    }
    for (size_t r = 0; r < ranks; r++)
        vec_release(&receives[r]);
    free(receives);
}

int collectives_by_order(const void *a, const void *b)
{
    const struct collective *x = a, *y = b;
    return x->order != y->order ? (x->order > y->order) - (x->order < y->order)
           : x->group.n && y->group.n ? (x->group.v[0] > y->group.v[0]) - (x->group.v[0] < y->group.v[0]) : 0;
}

void collectives_find(struct collective_list *l, const struct whole_calls *w, int side, int step)
{
    struct finding_collectives x = {.l = l, .w = w, .side = side, .step = step};
    struct map known = {0}, counts = {0};
    if (w->set->ranks.n < 2)
        return;
    for (uint32_t r = 0; r < w->set->ranks.n; r++)
        for (uint32_t c = 0; c < rank_dump_of(w, r)->calls.n; c++)
            if (call_is_collective(rank_dump_of(w, r), c))
                add_collective_member(&x, &known, &counts, r, c);
    map_release(&known);
    map_release(&counts);
    for (size_t i = 0; i < l->v.n; i++) {
        sort_members(w, &l->v.v[i]);
        collective_judge(w, &l->v.v[i], collective_call(x.w, &l->v.v[i])->region == IN_TAIL);
    }
    find_transfers(&x);
    collectives_beside(&x);
    vec_sort(&l->v, collectives_by_order);
}

void collective_list_release(struct collective_list *l)
{
    for (size_t i = 0; i < l->v.n; i++) {
        vec_release(&l->v.v[i].group);
        vec_release(&l->v.v[i].calls);
        vec_release(&l->v.v[i].ranks);
    }
    vec_release(&l->v);
    arena_release(&l->arena);
}
