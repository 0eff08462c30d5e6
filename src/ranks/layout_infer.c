/* Infers a layout from the recordings. Transfers give the pipeline; ranks of a stage with equal matrices are
 * replicas, the others are tensor-parallel; replicas that gather from each other inside the forward pass, or have
 * other positions of the same batch, are context-parallel. */
#include "ranks/layout.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/msg.h"
#include "ranks/call_place.h"
#include "ranks/part_values.h"

struct weight {
    struct str name; /* module path and slot */
    const struct dump *d;
    uint32_t row;
};
typedef VEC(struct weight) weight_list;

struct rank_facts {
    const struct dump *d;
    struct call_places places;
    weight_list weights;
    struct map weight_names;
    int stage;         /* pipeline stage */
    uint32_t weight_class; /* number shared by ranks with equal matrices */
    uint32_t gathering;    /* the first rank of the group it gathers from in the forward pass, or NONE */
    uint32_t positions;    /* the first of its replicas with the same table of positions, or NONE: not looked at */
    struct arena arena;
};

struct inference {
    const struct rank_set *set;
    struct map unread; /* calls with an unreadable row on some rank: their weights are not used */
    struct rank_facts *rank;
    size_t n;
    struct layout *l;
    bool groups; /* recorded groups were used */
    bool transfers, gathers, positions, apart; /* the evidence used for stages, context and data parallelism */
    bool unordered;                            /* no order of dimensions fits */
};

/* Shards of different division have different shapes. */
static bool same_weight_figures(const struct row *a, const struct row *b)
{
    return a->shape != NONE && b->shape != NONE && part_same_figures(a, b);
}

static void add_rank_weight(struct rank_facts *x, struct str name, uint32_t row)
{
    struct weight w = {name, x->d, row};
    if (map_get(&x->weight_names, name) != MAP_NONE)
        return;
    map_add(&x->weight_names, name, (uint32_t)x->weights.n);
    vec_push(&x->weights, w);
}

/* Whether a row is the second input of a product or look-up and a matrix that needs gradients. */
static bool weight_of_call(const struct rank_facts *x, uint32_t call, uint32_t r)
{
    const struct row *row = &x->d->rows.v[r];
    const struct shape *s = dump_row_shape(x->d, r);
    struct str name = dump_call_name(x->d, call);
    return row->io == IO_INPUT && row->kind == ROW_TENSOR && row->needs_gradient && s && s->ndim == 2 &&
           str_ends(str_of(x->d->slots.v[row->slot]), ".1") &&
           (str_ihas(name, "linear") || str_ihas(name, "embedding"));
}

static void find_unread(struct inference *x)
{
    for (size_t r = 0; r < x->n; r++) {
        const struct dump *d = &x->set->ranks.v[r]->dump;
        for (size_t i = 0; i < d->problems.n; i++) {
            const struct problem *p = &d->problems.v[i];
            if (p->row == NONE || p->recorded)
                continue;
            struct str name = dump_call_name(d, d->rows.v[p->row].call);
            if (map_get(&x->unread, name) == MAP_NONE)
                map_add(&x->unread, name, 0);
        }
    }
}

/* Collects the weights held by modules; if none were recorded, those used by calls. */
static void gather_weights(struct rank_facts *x, const struct map *unread)
{
    for (uint32_t c = 0; c < x->d->calls.n; c++) {
        const struct call *k = &x->d->calls.v[c];
        if (k->kind != CALL_MODULE || k->phase != PHASE_FORWARD || map_get(unread, dump_call_name(x->d, c)) != MAP_NONE)
            continue;
        EACH_EARLY_ROW(x->d, c, r) {
            const struct row *row = &x->d->rows.v[r];
            if (row->io == IO_PARAMETER && row->kind == ROW_TENSOR)
                add_rank_weight(x, str_of(arena_fmt(&x->arena, "%u %s %s", x->places.call[c].chunk,
                                                    x->places.call[c].path, x->d->slots.v[row->slot])), r);
        }
    }
    for (uint32_t c = 0; c < x->d->calls.n && !x->places.modules; c++) {
        if (x->d->calls.v[c].phase != PHASE_FORWARD || map_get(unread, dump_call_name(x->d, c)) != MAP_NONE)
            continue;
        EACH_EARLY_ROW(x->d, c, r)
            if (weight_of_call(x, c, r))
                add_rank_weight(x, dump_call_name(x->d, c), r);
    }
}

/* The share of common matrices (without experts) with equal figures; -1: none in common. */
static double weights_alike(const struct rank_facts *a, const struct rank_facts *b)
{
    int both = 0, alike = 0;
    for (size_t i = 0; i < a->weights.n; i++) {
        const struct weight *w = &a->weights.v[i];
        const struct shape *s = dump_row_shape(w->d, w->row);
        if (!s || s->ndim < 2 || str_ihas(w->name, "expert"))
            continue;
        uint32_t at = map_get(&b->weight_names, w->name);
        if (at == MAP_NONE)
            continue;
        both++;
        alike += same_weight_figures(&w->d->rows.v[w->row], &b->d->rows.v[b->weights.v[at].row]);
    }
    return both ? (double)alike / both : -1;
}

static bool is_transfer(const struct dump *d, uint32_t c, bool send)
{
    struct str name = dump_call_name(d, c);
    if (!call_is_collective(d, c))
        return false;
    return send ? str_ihas(name, "send") : str_ihas(name, "recv") || str_ihas(name, "receive");
}

/* The rank to which this one first sends in the forward pass: the next stage; NONE: none. */
static uint32_t next_stage(const struct inference *x, size_t r)
{
    const struct rank_facts *f = &x->rank[r];
    for (uint32_t c = 0; c < f->d->calls.n; c++)
        if (is_transfer(f->d, c, true) && f->places.call[c].region == IN_FORWARD)
            return rank_set_find(x->set, call_other_end(f->d, c));
    return NONE;
}

/* Whether its first virtual stage begins with a receive. */
static bool receives_first(const struct rank_facts *f)
{
    for (uint32_t c = 0; c < f->d->calls.n; c++) {
        if (is_transfer(f->d, c, false))
            return true;
        if (f->d->calls.v[c].kind != CALL_MODULE || f->d->calls.v[c].parent == NONE)
            if (f->places.call[c].path[0] && !call_is_collective(f->d, c))
                return false;
    }
    return false;
}

static bool has_weight_names(const struct rank_facts *a, const struct rank_facts *b)
{
    size_t same = 0;
    for (size_t i = 0; i < a->weights.n; i++)
        same += map_get(&b->weight_names, a->weights.v[i].name) != MAP_NONE;
    return a->weights.n == b->weights.n && same == a->weights.n;
}

/* Follows chains of transfers, each starting at a rank that receives nothing at first. */
static int find_pipeline_stages(struct inference *x)
{
    int stages = 1;
    for (size_t r = 0; r < x->n; r++)
        x->rank[r].stage = -1;
    for (size_t r = 0; r < x->n; r++) {
        if (receives_first(&x->rank[r]) || x->rank[r].stage >= 0)
            continue;
        uint32_t at = (uint32_t)r;
        for (int s = 0; at != NONE && x->rank[at].stage < 0; s++) {
            x->rank[at].stage = s;
            stages = s + 1 > stages ? s + 1 : stages;
            at = next_stage(x, at);
        }
    }
    for (size_t r = 0; r < x->n; r++) /* no transfers recorded: by the layers held */
        for (size_t k = 0; x->rank[r].stage < 0 && k < x->n; k++)
            if (k != r && x->rank[k].stage >= 0 && has_weight_names(&x->rank[r], &x->rank[k]))
                x->rank[r].stage = x->rank[k].stage;
    for (size_t r = 0; r < x->n; r++)
        if (x->rank[r].stage < 0)
            x->rank[r].stage = 0;
    x->transfers = stages > 1;
    if (stages == 1) { /* no transfer was recorded */
        for (size_t r = 1; r < x->n; r++)
            for (size_t k = 0; k <= r; k++)
                if (k == r || (x->rank[r].weights.n && has_weight_names(&x->rank[r], &x->rank[k]))) {
                    x->rank[r].stage = k == r && x->rank[r].weights.n ? stages++ : x->rank[k].stage;
                    break;
                }
    }
    return stages;
}

/* Gives ranks of a stage with equal matrices the same number. */
static int find_weight_classes(struct inference *x)
{
    int most = 1;
    for (size_t r = 0; r < x->n; r++) {
        uint32_t classes = 0;
        bool found = false;
        for (size_t k = 0; k < r && !found; k++) {
            if (x->rank[k].stage != x->rank[r].stage)
                continue;
            if (x->rank[k].weight_class + 1 > classes)
                classes = x->rank[k].weight_class + 1;
            double alike = weights_alike(&x->rank[k], &x->rank[r]);
            if (alike < 0 || alike > 0.5) {
                x->rank[r].weight_class = x->rank[k].weight_class;
                found = true;
            }
        }
        if (!found)
            x->rank[r].weight_class = classes;
        if ((int)x->rank[r].weight_class + 1 > most)
            most = (int)x->rank[r].weight_class + 1;
    }
    return most;
}

static bool are_replicas(const struct inference *x, size_t a, size_t b)
{
    return x->rank[a].stage == x->rank[b].stage && x->rank[a].weight_class == x->rank[b].weight_class;
}

/* Parses "[0,1]" into ranks; returns their number. */
static size_t group_ranks(const char *text, int *out, size_t most)
{
    size_t n = 0;
    for (const char *s = text; *s && n < most; ) {
        char *end;
        long v = strtol(s, &end, 10);
        if (end == s) {
            s++;
            continue;
        }
        out[n++] = (int)v;
        s = end;
    }
    return n;
}

#define GROUP_MOST 4096

/* Whether a call moves flat tensors alone: parts of weights that are sharded over replicas (FSDP, ZeRO). */
static bool moves_flat(const struct dump *d, uint32_t call)
{
    bool flat = false;
    EACH_EARLY_ROW(d, call, r) {
        const struct shape *s = dump_row_shape(d, r);
        if (d->rows.v[r].kind != ROW_TENSOR || !s || s->numel <= 1)
            continue;
        if (s->ndim != 1)
            return false;
        flat = true;
    }
    return flat;
}

/* The size of the group in which replicas gather from each other in the forward pass: context parallelism. All-to-all
 * is excluded because it moves tokens to experts, and so are weights. */
static int largest_recorded_group(struct inference *x, bool experts)
{
    static _Thread_local int ranks[GROUP_MOST];
    int size = 1;
    for (size_t r = 0; r < x->n; r++) {
        const struct dump *d = x->rank[r].d;
        if (x->rank[r].gathering != NONE && !experts)
            continue;
        for (size_t i = 0; i < d->groups.n; i++) {
            uint32_t c = d->groups.v[i].call;
            struct str name = dump_call_name(d, c);
            if (x->rank[r].places.call[c].region != IN_FORWARD || !str_ihas(name, experts ? "to_all" : "gather") ||
                (!experts && moves_flat(d, c)))
                continue;
            size_t n = group_ranks(d->groups.v[i].ranks, ranks, GROUP_MOST);
            bool all = n > 1;
            for (size_t k = 0; k < n && all; k++) {
                uint32_t at = rank_set_find(x->set, ranks[k]);
                all = at != NONE && are_replicas(x, r, at);
            }
            if (!all)
                continue;
            x->groups = true;
            if (experts)
                return (int)n;
            size = size > 1 ? size : (int)n;
            for (size_t k = 0; k < n && (int)n == size; k++)
                x->rank[rank_set_find(x->set, ranks[k])].gathering = rank_set_find(x->set, ranks[0]);
            break;
        }
    }
    return size;
}

/* Whether non-integer inputs of the outermost module differ: tables of positions and masks, equal for every batch.
 * *compared: one was found. */
static bool other_positions(const struct rank_facts *a, const struct rank_facts *b, bool *compared)
{
    for (uint32_t c = 0; c < a->d->calls.n; c++) {
        const struct call *k = &a->d->calls.v[c];
        if (k->kind != CALL_MODULE || k->phase != PHASE_FORWARD || k->parent != NONE)
            continue;
        uint32_t other = map_get(&b->d->call_names, dump_call_name(a->d, c));
        EACH_EARLY_ROW(a->d, c, r) {
            const struct row *row = &a->d->rows.v[r];
            uint32_t slot = other == MAP_NONE ? MAP_NONE : map_get(&b->d->slot_names, str_of(a->d->slots.v[row->slot]));
            uint32_t at = slot == MAP_NONE ? NONE : dump_slot_row(b->d, other, slot);
            if (row->io != IO_INPUT || row->kind != ROW_TENSOR || !dtype_is_float((enum dtype)row->dtype) ||
                row->needs_gradient || at == NONE)
                continue;
            *compared = true;
            if (!same_weight_figures(row, &b->d->rows.v[at]))
                return true;
        }
        return false;
    }
    return false;
}

/* The largest number of different position tables among replicas. */
static int replicas_with_other_positions(struct inference *x)
{
    int most = 1;
    VEC(size_t) distinct = {0}; /* one rank per table, over all replicas */
    for (size_t r = 0; r < x->n; r++) {
        int n = 0;
        bool fresh = x->rank[r].stage == 0;
        for (size_t i = 0; i < distinct.n && fresh; i++)
            if (are_replicas(x, distinct.v[i], r)) {
                fresh = other_positions(&x->rank[distinct.v[i]], &x->rank[r], &x->positions);
                x->rank[r].positions = fresh ? NONE : (uint32_t)distinct.v[i];
                n++;
            }
        if (!fresh)
            continue;
        x->rank[r].positions = x->rank[r].stage == 0 ? (uint32_t)r : NONE;
        vec_push(&distinct, r);
        most = n + 1 > most ? n + 1 : most;
    }
    vec_release(&distinct);
    return most;
}

/* Whether collectives were recorded but none in the forward pass between replicas: each has a batch of its own. */
static bool exchange_nothing(const struct inference *x)
{
    bool recorded = false;
    for (size_t r = 0; r < x->n; r++) {
        const struct dump *d = x->rank[r].d;
        for (uint32_t c = 0; c < d->calls.n; c++) {
            int ranks[2];
            size_t n = 0, group = 0;
            if (!call_is_collective(d, c) || is_transfer(d, c, true) || is_transfer(d, c, false))
                continue;
            recorded = true;
            if (x->rank[r].places.call[c].region != IN_FORWARD)
                continue;
            while (group < d->groups.n && d->groups.v[group].call != c)
                group++;
            if (group < d->groups.n)
                n = group_ranks(d->groups.v[group].ranks, ranks, 2);
            uint32_t a = n == 2 ? rank_set_find(x->set, ranks[0]) : NONE;
            uint32_t b = n == 2 ? rank_set_find(x->set, ranks[1]) : NONE;
            if (a == NONE || b == NONE || are_replicas(x, a, b))
                return false;
        }
    }
    return recorded;
}

/* Whether ranks with different weights gather or scatter the sequence inside the forward pass. */
static bool sequence_parallel(const struct inference *x)
{
    for (size_t r = 0; r < x->n; r++) {
        const struct dump *d = x->rank[r].d;
        for (size_t i = 0; i < d->groups.n; i++) {
            uint32_t c = d->groups.v[i].call;
            int ranks[2];
            struct str name = dump_call_name(d, c);
            if (x->rank[r].places.call[c].region != IN_FORWARD ||
                (!str_ihas(name, "reduce_scatter") && !str_ihas(name, "reducescatter")) ||
                group_ranks(d->groups.v[i].ranks, ranks, 2) < 2)
                continue;
            uint32_t a = rank_set_find(x->set, ranks[0]), b = rank_set_find(x->set, ranks[1]);
            if (a != NONE && b != NONE && x->rank[a].stage == x->rank[b].stage && !are_replicas(x, a, b))
                return true;
        }
    }
    return false;
}

/* Whether two ways divide the members of each group alike: two have the same a exactly if they have the same b. */
struct alike {
    struct nmap b_of, a_of; /* of a group's a, b */
    bool broken;
};

static void add_alike(struct alike *x, uint32_t group, uint32_t subgroup, uint32_t a, uint32_t b)
{
    const uint32_t of_a[] = {group, subgroup, a}, of_b[] = {group, subgroup, b};
    uint64_t key_a = hash_bytes(of_a, sizeof of_a, 1), key_b = hash_bytes(of_b, sizeof of_b, 1);
    uint32_t had_b = nmap_get(&x->b_of, key_a), had_a = nmap_get(&x->a_of, key_b);
    x->broken = x->broken || (had_b != MAP_NONE && had_b != b) || (had_a != MAP_NONE && had_a != a);
    if (had_b == MAP_NONE)
        nmap_add(&x->b_of, key_a, b);
    if (had_a == MAP_NONE)
        nmap_add(&x->a_of, key_b, a);
}

/* Whether stages, weights, and what replicas gather or their positions, agree with this order of dimensions. */
static bool order_fits(const struct inference *x)
{
    struct alike stages = {0}, weights = {0}, copies = {0};
    bool compared = x->l->size[CUT_CP] > 1 && x->l->size[CUT_DP] > 1;
    for (size_t r = 0; r < x->n && !stages.broken && !weights.broken && !copies.broken; r++) {
        const struct rank_place p = layout_place(x->l, x->set->ranks.v[r]->rank);
        const struct rank_facts *f = &x->rank[r];
        uint32_t copy = x->gathers ? f->gathering : f->positions;
        add_alike(&stages, 0, 0, (uint32_t)p.at[CUT_PP], (uint32_t)f->stage);
        add_alike(&weights, (uint32_t)p.at[CUT_PP], 0, (uint32_t)p.at[CUT_TP], f->weight_class);
        if (compared && copy != NONE)
            add_alike(&copies, (uint32_t)f->stage, f->weight_class, (uint32_t)p.at[x->gathers ? CUT_DP : CUT_CP], copy);
    }
    struct alike *all[] = {&stages, &weights, &copies};
    bool fits = true;
    for (size_t i = 0; i < ARRAY_LEN(all); i++) {
        fits = fits && !all[i]->broken;
        nmap_release(&all[i]->b_of);
        nmap_release(&all[i]->a_of);
    }
    return fits;
}

static void find_cut_order(struct inference *x)
{
    static const enum cut orders[][CUT_RANKS] = { /* those in use first, then the others */
        {CUT_TP, CUT_CP, CUT_DP, CUT_PP}, {CUT_TP, CUT_CP, CUT_PP, CUT_DP}, {CUT_TP, CUT_PP, CUT_CP, CUT_DP}, {CUT_CP, CUT_TP, CUT_DP, CUT_PP},
        {CUT_DP, CUT_TP, CUT_CP, CUT_PP}, {CUT_PP, CUT_TP, CUT_CP, CUT_DP}, {CUT_DP, CUT_CP, CUT_TP, CUT_PP}, {CUT_PP, CUT_CP, CUT_DP, CUT_TP},
        {CUT_TP, CUT_DP, CUT_CP, CUT_PP}, {CUT_TP, CUT_DP, CUT_PP, CUT_CP}, {CUT_TP, CUT_PP, CUT_DP, CUT_CP}, {CUT_CP, CUT_TP, CUT_PP, CUT_DP},
        {CUT_CP, CUT_DP, CUT_TP, CUT_PP}, {CUT_CP, CUT_DP, CUT_PP, CUT_TP}, {CUT_CP, CUT_PP, CUT_TP, CUT_DP}, {CUT_CP, CUT_PP, CUT_DP, CUT_TP},
        {CUT_DP, CUT_TP, CUT_PP, CUT_CP}, {CUT_DP, CUT_CP, CUT_PP, CUT_TP}, {CUT_DP, CUT_PP, CUT_TP, CUT_CP}, {CUT_DP, CUT_PP, CUT_CP, CUT_TP},
        {CUT_PP, CUT_TP, CUT_DP, CUT_CP}, {CUT_PP, CUT_CP, CUT_TP, CUT_DP}, {CUT_PP, CUT_DP, CUT_TP, CUT_CP}, {CUT_PP, CUT_DP, CUT_CP, CUT_TP},
    };
    if (x->l->given_order)
        return;
    for (size_t i = 0; i < ARRAY_LEN(orders); i++) {
        memcpy(x->l->order, orders[i], sizeof orders[i]);
        if (order_fits(x))
            return;
    }
    memcpy(x->l->order, orders[0], sizeof orders[0]);
    x->unordered = true;
}

static void set_cut_size(struct layout *l, enum cut c, int n)
{
    if (!l->given[c])
        l->size[c] = n < 1 ? 1 : n;
}

static void divide_ranks(struct inference *x)
{
    struct layout *l = x->l;
    set_cut_size(l, CUT_PP, find_pipeline_stages(x));
    set_cut_size(l, CUT_TP, find_weight_classes(x));
    int left = (int)x->n / (l->size[CUT_PP] * l->size[CUT_TP]), cp = largest_recorded_group(x, false);
    x->gathers = cp > 1;
    if (cp == 1 && left > 1 && !x->groups) {
        cp = replicas_with_other_positions(x);
        x->apart = !x->positions && exchange_nothing(x);
        if (!x->positions && !x->apart && !l->given[CUT_CP] && !l->given[CUT_DP])
            l->open |= 1u << CUT_CP | 1u << CUT_DP;
    }
    if (left < 1 || left % cp)
        cp = 1;
    set_cut_size(l, CUT_CP, cp);
    left = (int)x->n / (l->size[CUT_PP] * l->size[CUT_TP] * l->size[CUT_CP]);
    set_cut_size(l, CUT_DP, left);
    set_cut_size(l, CUT_EP, l->size[CUT_DP] > 1 ? largest_recorded_group(x, true) : 1);
    if (!l->given_sp)
        l->sp = l->size[CUT_TP] > 1 && sequence_parallel(x);
}

static void count_model(struct inference *x)
{
    struct layout *l = x->l;
    const struct rank_facts *f = &x->rank[0];
    uint32_t layers = 0;
    set_cut_size(l, CUT_MICRO, (int)f->places.micros);
    if (!l->given_vpp)
        l->vpp = f->places.chunks;
    struct nmap stages = {0};
    for (size_t r = 0; r < x->n; r++) {
        uint64_t stage = (uint64_t)x->rank[r].stage;
        bool first = nmap_get(&stages, stage) == MAP_NONE;
        if (first)
            nmap_add(&stages, stage, 0);
        for (uint32_t k = 0; first && k < x->rank[r].places.chunks; k++)
            layers += x->rank[r].places.layers[k];
    }
    nmap_release(&stages);
    l->layers = (int)layers;
}

static void add_layout_reason(struct layout *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void add_layout_reason(struct layout *l, const char *fmt, ...)
{
    char piece[160];
    size_t n = strlen(l->why);
    va_list ap;
    va_start(ap, fmt);
    int length = vsnprintf(piece, sizeof piece, fmt, ap);
    va_end(ap);
    if (length > 0 && (size_t)length < sizeof piece && n + (size_t)length + 3 < sizeof l->why) /* only complete pieces
                                                                                                */
        snprintf(l->why + n, sizeof l->why - n, "%s%s", n ? "; " : "", piece);
}

/* Writes the evidence for each dimension, and what is undecided. */
static void add_layout_reasons(const struct inference *x)
{
    struct layout *l = x->l;
    char order[32];
    layout_order_text(l, order);
    if (l->size[CUT_PP] > 1 && !l->given[CUT_PP])
        add_layout_reason(l,
                          x->transfers ? _("%d pipeline stages: inferred from sends and receives")
                                       : _("%d pipeline stages: inferred from the layers of each rank"),
                          l->size[CUT_PP]);
    if (l->size[CUT_TP] > 1 && !l->given[CUT_TP])
        add_layout_reason(l, _("tp %d: the ranks of a stage have different weight matrices"), l->size[CUT_TP]);
    if (l->size[CUT_CP] > 1 && !l->given[CUT_CP])
        add_layout_reason(l,
                          x->gathers ? _("cp %d: replicas gather from each other in the forward pass")
                                     : _("cp %d: replicas process different positions"),
                          l->size[CUT_CP]);
    if (l->open >> CUT_DP & 1)
        add_layout_reason(l, _("%d replicas: data or context parallel cannot be determined from the recordings"),
                          l->size[CUT_DP] * l->size[CUT_CP]);
    else if (l->size[CUT_DP] > 1 && !l->given[CUT_DP])
        add_layout_reason(l,
                          x->apart ? _("dp %d: replicas do not communicate in the forward pass")
                                   : _("dp %d: replicas with different batches"),
                          l->size[CUT_DP]);
    if (x->unordered)
        add_layout_reason(l, _("the rank numbers match no known order of the parallel dimensions; assumed: %s"), order);
}

void layout_infer(struct layout *l, const struct rank_set *s)
{
    struct inference x = {.set = s, .n = s->ranks.n, .l = l};
    if (!x.n)
        return;
    x.rank = mem_zalloc(x.n * sizeof *x.rank);
    find_unread(&x);
    for (size_t r = 0; r < x.n; r++) {
        x.rank[r].d = &s->ranks.v[r]->dump;
        x.rank[r].gathering = x.rank[r].positions = NONE;
        call_places_find(&x.rank[r].places, x.rank[r].d);
        gather_weights(&x.rank[r], &x.unread);
    }
    l->weights = true;
    for (size_t r = 0; r < x.n; r++)
        l->weights &= x.rank[r].weights.n > 0;
    divide_ranks(&x);
    find_cut_order(&x);
    count_model(&x);
    add_layout_reasons(&x);
    if (l->source == LAYOUT_NONE)
        l->source = x.n == 1 ? LAYOUT_INFERRED : x.groups ? LAYOUT_DUMP : LAYOUT_INFERRED;
    for (size_t r = 0; r < x.n; r++) {
        call_places_release(&x.rank[r].places);
        vec_release(&x.rank[r].weights);
        map_release(&x.rank[r].weight_names);
        arena_release(&x.rank[r].arena);
    }
    map_release(&x.unread);
    free(x.rank);
}
