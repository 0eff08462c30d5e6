/* Compares collectives with the same calls of other layers and of the other side: missing ones, ones in a coarser
 * type or over another group; gradients that are not reduced. */
#include "ranks/collective_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/msg.h"
#include "ranks/part_values.h"

/* ---- other layers ---- */

/* Counts of collectives with one name, type and kind among the same calls of all layers. */
struct tally {
    const char *name, *kind;
    enum dtype dtype;
    size_t n, in_order;
    uint32_t last; /* the last of them */
    uint32_t next; /* of the same calls, or NONE */
};

struct tallies {
    uint32_t *first; /* by whole_call.alike */
    VEC(struct tally) v;
};

static bool same_kind(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static void count_alike(const struct finding_collectives *x, struct tallies *t)
{
    size_t names = x->w->first_alike.n;
    *t = (struct tallies){.first = mem_alloc((names + 1) * sizeof *t->first)};
    for (size_t i = 0; i < names; i++)
        t->first[i] = NONE;
    for (uint32_t i = 0; i < x->l->v.n; i++) {
        const struct collective *c = &x->l->v.v[i];
        if (!c->calls.n)
            continue;
        uint32_t alike = collective_call(x->w, c)->alike, at = t->first[alike];
        while (at != NONE && (strcmp(t->v.v[at].name, c->name) != 0 || t->v.v[at].dtype != c->dtype ||
                              !same_kind(t->v.v[at].kind, c->kind)))
            at = t->v.v[at].next;
        if (at == NONE) {
            struct tally fresh = {.name = c->name, .kind = c->kind, .dtype = c->dtype, .next = t->first[alike]};
            at = t->first[alike] = (uint32_t)t->v.n;
            vec_push(&t->v, fresh);
        }
        t->v.v[at].n++;
        t->v.v[at].in_order += !c->reordered;
        t->v.v[at].last = i;
    }
}

/* If the same call in other layers reduces in a finer type or over another kind of group, the odd one out is wrong;
 * with equal numbers, the coarser one. */
static void beside_siblings(struct finding_collectives *x)
{
    struct tallies t;
    count_alike(x, &t);
    for (size_t i = 0; i < x->l->v.n; i++) {
        struct collective *c = &x->l->v.v[i];
        size_t same = 0, finer = 0, other_kind = 0, own_kind = 0, in_order = 0;
        uint32_t last = 0;
        const char *kind = NULL;
        if (!c->calls.n || c->verdict == COLLECTIVE_DEVIATE || strcmp(c->name, "send/recv") == 0)
            continue;
        const struct whole_call *w = collective_call(x->w, c);
        for (uint32_t k = w->region == IN_TAIL ? NONE : t.first[w->alike]; k != NONE; k = t.v.v[k].next) {
            const struct tally *o = &t.v.v[k];
            if (strcmp(o->name, c->name) != 0)
                continue;
            bool alike = same_kind(o->kind, c->kind);
            same += o->dtype == c->dtype ? o->n : 0;
            in_order += o->in_order;
            if (dtype_is_float(o->dtype) && dtype_is_float(c->dtype) &&
                dtype_table[o->dtype].size > dtype_table[c->dtype].size)
                finer += o->n;
            *(alike ? &own_kind : &other_kind) += o->n;
            if (!alike && o->last >= last) {
                kind = o->kind;
                last = o->last;
            }
        }
        if (finer >= same && finer)
            collective_say(c, "low-precision-reduction",
                           _("reduced in %s; the same call of other layers is reduced in a more precise type"),
                           dtype_table[c->dtype].name);
        else if (other_kind > own_kind || (other_kind && other_kind == own_kind && kind && strcmp(kind, "tp") == 0))
            collective_say(c, "wrong-group",
                           _("reduced over the %s group; the same call of other layers over the %s group"),
                           c->kind ? c->kind : "?", kind ? kind : "?");
        else if (c->reordered && in_order)
            collective_say(c, "wrong-order", "%s",
                           _("the gathered data is used in a different order than in other layers"));
        if (c->diagnosis && collective_is_bad(c) && !c->ranks.n)
            for (size_t k = 0; k < c->group.n; k++)
                vec_push(&c->ranks, c->group.v[k]);
    }
    free(t.first);
    vec_release(&t.v);
}

static bool outputs_differ(const struct whole_calls *w, const struct whole_call *c)
{
    for (size_t i = 1; i < c->parts.n; i++) {
        const struct part_call *a = &c->parts.v[0], *b = &c->parts.v[i];
        uint32_t x = call_first_tensor(rank_dump_of(w, a->rank), a->call, IO_OUTPUT),
                 y = call_first_tensor(rank_dump_of(w, b->rank), b->call, IO_OUTPUT);
        if (a->micro == b->micro && x != NONE && y != NONE &&
            !part_same_figures(&rank_dump_of(w, a->rank)->rows.v[x], &rank_dump_of(w, b->rank)->rows.v[y]))
            return true;
    }
    return false;
}

/* The dimensions in which the ranks of a group differ: bits 1 << cut. */
static unsigned cuts_of_group(const struct layout *l, const rank_list *group)
{
    unsigned cuts = 0;
    for (size_t i = 1; i < group->n; i++) {
        struct rank_place a = layout_place(l, group->v[0]), b = layout_place(l, group->v[i]);
        for (int c = 0; c < CUT_RANKS; c++)
            cuts |= a.at[c] != b.at[c] ? 1u << c : 0;
    }
    return cuts;
}

static bool differ_only_in(const struct layout *l, unsigned cuts, int a, int b)
{
    struct rank_place x = layout_place(l, a), y = layout_place(l, b);
    for (int c = 0; c < CUT_RANKS; c++)
        if (x.at[c] != y.at[c] && !(cuts >> c & 1))
            return false;
    return true;
}

/* The ranks of a call with which one of its ranks would reduce. */
static void group_of_part(const struct whole_calls *w, const struct whole_call *at, unsigned cuts, int rank,
                          rank_list *out)
{
    for (size_t i = 0; i < at->parts.n; i++) {
        int other = w->set->ranks.v[at->parts.v[i].rank]->rank;
        if (differ_only_in(w->layout, cuts, rank, other))
            rank_list_add(out, other);
    }
}

/* Adds a missing collective for each group that should have made it, modelled on `of` in another layer, possibly of
 * another stage. */
static void add_missing(struct finding_collectives *x, const struct collective *of, const struct whole_call *at,
                        const char *id, const char *evidence)
{
    const struct collective like = *of; /* a copy, because the list grows */
    unsigned cuts = cuts_of_group(x->w->layout, &like.group);
    rank_list done = {0};
    for (size_t i = 0; i < at->parts.n; i++) {
        const struct part_call *p = &at->parts.v[i];
        int rank = x->w->set->ranks.v[p->rank]->rank;
        struct collective c = {.side = x->side,
                               .step = x->step,
                               .name = like.name,
                               .op = like.op,
                               .kind = like.kind,
                               .group_source = "layout",
                               .dtype = like.dtype,
                               .residual = NAN,
                               .bound = NAN,
                               .order = at->order,
                               .gradient = NONE,
                               .verdict = COLLECTIVE_MISSING,
                               .diagnosis = id};
        if (rank_list_has(&done, rank))
            continue;
        group_of_part(x->w, at, cuts, rank, &c.group);
        for (size_t k = 0; k < c.group.n; k++) {
            rank_list_add(&c.ranks, c.group.v[k]);
            rank_list_add(&done, c.group.v[k]);
        }
        c.at = arena_cstr(&x->l->arena, dump_call_name(rank_dump_of(x->w, p->rank), p->call));
        snprintf(c.evidence, sizeof c.evidence, "%s", evidence);
        vec_push(&x->l->v, c);
    }
    vec_release(&done);
}

/* A module without the collective that it makes in other layers, whose results are summands. */
static void find_missing_collectives(struct finding_collectives *x)
{
    size_t n = x->w->calls.n;
    /* per module: the last collective in it, or NONE */
    uint32_t *inside = mem_alloc((n + 1) * sizeof *inside);
    for (size_t i = 0; i < n; i++)
        inside[i] = NONE;
    for (uint32_t i = 0; i < x->l->v.n; i++) {
        const struct collective *c = &x->l->v.v[i];
        uint32_t module = c->calls.n && c->at ? collective_call(x->w, c)->parent : NONE;
        if (module != NONE)
            inside[module] = i;
    }
    for (uint32_t m = 0; m < n; m++) {
        const struct whole_call *own = &x->w->calls.v[m];
        uint32_t other = NONE;
        if (own->kind != CALL_MODULE || own->gradient || inside[m] != NONE)
            continue;
        for (uint32_t k = x->w->first_alike.v[own->alike]; k != NONE && other == NONE; k = x->w->calls.v[k].next_alike)
            if (inside[k] != NONE && (outputs_differ(x->w, own) || outputs_differ(x->w, &x->w->calls.v[k])))
                other = inside[k];
        if (other != NONE)
            add_missing(
                x, &x->l->v.v[other], own, "missing-allreduce",
                _("no reduction in this layer; the same module of other layers has one: the outputs are partial sums"));
    }
    free(inside);
}

/* ---- gradients ---- */

/* Reductions after the backward pass of each rank, in list order. */
struct tail_reduction {
    uint32_t collective, in, out; /* in, out: rows of the rank */
};
typedef VEC(struct tail_reduction) tail_list;

static tail_list *list_tails(const struct finding_collectives *x)
{
    tail_list *of = mem_zalloc((x->w->set->ranks.n + 1) * sizeof *of);
    for (uint32_t i = 0; i < x->l->v.n; i++) {
        const struct collective *c = &x->l->v.v[i];
        for (size_t k = 0; c->op && k < c->calls.n && collective_call(x->w, c)->region == IN_TAIL; k++) {
            const struct part_call *p = &c->calls.v[k];
            const struct dump *d = rank_dump_of(x->w, p->rank);
            struct tail_reduction t = {i, call_first_tensor(d, p->call, IO_INPUT),
                                       call_first_tensor(d, p->call, IO_OUTPUT)};
            if (t.in != NONE && t.out != NONE && dump_row_numel(d, t.in))
                vec_push(&of[p->rank], t);
        }
    }
    return of;
}

/* The number of ranks by which a gradient's norm differs as a factor or quotient; 1 if it is none. */
static double multiple_of(const struct layout *l, double factor, double within)
{
    double dp = l->size[CUT_DP], cp = l->size[CUT_CP], tp = l->size[CUT_TP];
    const double counts[] = {dp * cp, dp, cp, tp};
    for (size_t i = 0; i < ARRAY_LEN(counts); i++)
        if (counts[i] > 1 && (fabs(factor / counts[i] - 1) < within || fabs(factor * counts[i] - 1) < within))
            return counts[i];
    return 1;
}

/* The reduction that a gradient goes into on its rank: same shape and norm, possibly divided by a number of ranks;
 * NONE: none. */
static uint32_t find_gradient_reduction(const struct finding_collectives *x, const tail_list *tails, uint32_t rank,
                                        const struct row *grad, const char *kind)
{
    const struct row *now = grad;
    const struct dump *d = rank_dump_of(x->w, rank);
    for (size_t i = 0; i < tails[rank].n; i++) {
        const struct tail_reduction *t = &tails[rank].v[i];
        const struct row *in = &d->rows.v[t->in];
        if (in->shape != now->shape)
            continue;
        double norm = in->stat[STAT_NORM], own = now->stat[STAT_NORM];
        if (fabs(norm - own) > 1e-6 * own && (norm > own || multiple_of(x->w->layout, norm / own, 1e-6) == 1))
            continue;
        const char *of = x->l->v.v[t->collective].kind;
        if (of && strcmp(of, kind) == 0)
            return t->collective;
        now = &d->rows.v[t->out];
    }
    return NONE;
}

static uint32_t gradient_row(const struct whole_calls *w, const struct whole_call *c, uint32_t rank)
{
    uint32_t best = NONE, micro = 0;
    for (size_t i = 0; i < c->parts.n; i++)
        if (c->parts.v[i].rank == rank && (best == NONE || c->parts.v[i].micro >= micro)) {
            const struct dump *d = rank_dump_of(w, rank);
            uint32_t first = d->calls.v[c->parts.v[i].call].first_row;
            if (first != NONE && d->rows.v[first].kind == ROW_TENSOR) {
                best = first;
                micro = c->parts.v[i].micro;
            }
        }
    return best;
}

/* For every weight's gradient, its reduction over one kind of group. */
struct gradients {
    uint32_t *met;  /* per whole call: the collective, or NONE */
    bool *differs;  /* whether it differs between ranks */
    size_t all, reduced;
};

static void follow_gradients(struct finding_collectives *x, const char *kind, struct gradients *g)
{
    size_t n = x->w->calls.n;
    tail_list *tails = list_tails(x);
    *g = (struct gradients){.met = mem_alloc((n + 1) * sizeof *g->met), .differs = mem_zalloc(n + 1)};
    for (uint32_t i = 0; i < n; i++) {
        const struct whole_call *c = &x->w->calls.v[i];
        const struct part_call *p = &c->parts.v[0];
        uint32_t row = c->gradient ? gradient_row(x->w, c, p->rank) : NONE;
        g->met[i] =
            row == NONE ? NONE : find_gradient_reduction(x, tails, p->rank, &rank_dump_of(x->w, p->rank)->rows.v[row],
                                                         kind);
        for (size_t k = 1; row != NONE && k < c->parts.n; k++) {
            uint32_t other = gradient_row(x->w, c, c->parts.v[k].rank);
            g->differs[i] |=
                other != NONE && !part_same_figures(&rank_dump_of(x->w, p->rank)->rows.v[row],
                                                    &rank_dump_of(x->w, c->parts.v[k].rank)->rows.v[other]);
        }
        g->all += g->differs[i];
        g->reduced += g->met[i] != NONE;
        if (g->met[i] != NONE && !x->l->v.v[g->met[i]].at) {
            x->l->v.v[g->met[i]].gradient = i;
            x->l->v.v[g->met[i]].at = arena_cstr(&x->l->arena, dump_call_name(rank_dump_of(x->w, p->rank), p->call));
        }
    }
    for (size_t r = 0; r < x->w->set->ranks.n; r++)
        vec_release(&tails[r]);
    free(tails);
}

/* The weight of a rank's gradient, as recorded in the module's forward call; NULL: not recorded. */
static const struct row *weight_of_gradient(const struct dump *d, uint32_t gradient)
{
    struct str name = dump_call_name(d, d->rows.v[gradient].call);
    ptrdiff_t at = str_search(name, ".parameters_grad");
    struct buf forward = {0};
    if (at < 0)
        return NULL;
    buf_fmt(&forward, "%.*s.forward.0", (int)at, name.p);
    uint32_t call = dump_find_call(d, buf_view(&forward), NONE);
    buf_release(&forward);
    const struct row *found = NULL;
    for (uint32_t r = call == NONE ? NONE : d->calls.v[call].first_row; r != NONE && !found; r = d->rows.v[r].next)
        if (d->rows.v[r].io == IO_PARAMETER && d->rows.v[r].shape == d->rows.v[gradient].shape)
            found = &d->rows.v[r];
    return found;
}

static bool far_apart(const struct row *a, const struct row *b)
{
    for (int i = 0; i < STAT_COUNT; i++)
        if ((a->has & b->has) >> i & 1 && i != STAT_MEAN &&
            fabs(a->stat[i] - b->stat[i]) > 1e-2 * fmax(fabs(a->stat[i]), fabs(b->stat[i])))
            return true;
    return false;
}

/* Whether tensor-parallel ranks hold this weight completely but compute different gradients. */
static bool is_whole_with_other_gradients(const struct finding_collectives *x, const struct whole_call *c)
{
    const struct part_call *p = &c->parts.v[0];
    const struct dump *d = rank_dump_of(x->w, p->rank);
    uint32_t row = gradient_row(x->w, c, p->rank);
    const struct row *weight = row == NONE ? NULL : weight_of_gradient(d, row);
    bool whole = weight && weight->has & HAS_NORM, other = false;
    for (size_t i = 1; i < c->parts.n && whole; i++) {
        const struct dump *q = rank_dump_of(x->w, c->parts.v[i].rank);
        if (!differ_only_in(x->w->layout, 1u << CUT_TP, x->w->set->ranks.v[p->rank]->rank,
                            x->w->set->ranks.v[c->parts.v[i].rank]->rank))
            continue;
        uint32_t theirs = gradient_row(x->w, c, c->parts.v[i].rank);
        const struct row *held = theirs == NONE ? NULL : weight_of_gradient(q, theirs);
        whole = held && part_same_figures(weight, held);
        other |= whole && far_apart(&d->rows.v[row], &q->rows.v[theirs]);
    }
    return whole && other;
}

static bool same_group(const rank_list *a, const rank_list *b)
{
    return a->n == b->n && a->n && memcmp(a->v, b->v, a->n * sizeof *a->v) == 0;
}

/* Finds results of a reduction that go into another one over the same ranks, which multiplies them. */
static void find_doubled(struct finding_collectives *x)
{
    tail_list *tails = list_tails(x);
    for (uint32_t r = 0; r < x->w->set->ranks.n; r++) {
        const struct dump *d = rank_dump_of(x->w, r);
        for (size_t i = 1; i < tails[r].n; i++) {
            const struct tail_reduction *t = &tails[r].v[i], *before = NULL;
            struct collective *c = &x->l->v.v[t->collective];
            const struct row *in = &d->rows.v[t->in];
            for (size_t k = 0; k < i && !before; k++) {
                const struct row *out = &d->rows.v[tails[r].v[k].out];
                if (out->shape == in->shape && in->has & HAS_NORM && in->stat[STAT_NORM] > 0 &&
                    in->stat[STAT_MAX] != in->stat[STAT_MIN] && part_same_figures(out, in) &&
                    same_group(&c->group, &x->l->v.v[tails[r].v[k].collective].group))
                    before = &tails[r].v[k];
            }
            if (!before || strcmp(c->op, "sum") != 0 || collective_is_bad(c))
                continue;
            c->gradient = x->l->v.v[before->collective].gradient;
            c->at = x->l->v.v[before->collective].at;
            collective_say(c, "doubled-allreduce", _("the gradient was summed over the same %zu ranks just before"),
                           c->group.n);
            for (size_t k = 0; k < c->group.n; k++)
                rank_list_add(&c->ranks, c->group.v[k]);
        }
    }
    for (size_t r = 0; r < x->w->set->ranks.n; r++)
        vec_release(&tails[r]);
    free(tails);
}

/* Finds gradients computed separately by ranks that share the weight and not reduced, although those of other layers,
 * or most others, are. */
static void find_unreduced(struct finding_collectives *x, const char *kind)
{
    struct gradients g;
    follow_gradients(x, kind, &g);
    uint32_t any = NONE;
    for (uint32_t k = 0; k < x->w->calls.n; k++)
        any = g.met[k] != NONE ? g.met[k] : any;
    for (uint32_t i = 0; i < x->w->calls.n; i++) {
        uint32_t like = NONE;
        if (g.met[i] != NONE || !g.differs[i])
            continue;
        for (uint32_t k = x->w->first_alike.v[x->w->calls.v[i].alike]; k != NONE; k = x->w->calls.v[k].next_alike)
            like = g.met[k] != NONE ? g.met[k] : like;
        bool replicas = strcmp(kind, "dp") == 0 || strcmp(kind, "cp") == 0;
        bool most = replicas && g.reduced * 2 > g.all && !str_ihas(str_of(x->w->calls.v[i].key), "expert");
        most |= strcmp(kind, "tp") == 0 && any != NONE && is_whole_with_other_gradients(x, &x->w->calls.v[i]);
        if (like != NONE || (most && any != NONE))
            add_missing(x, &x->l->v.v[like != NONE ? like : any], &x->w->calls.v[i], "unreduced-gradient",
                        _("the gradient differs between the ranks that share the weight: it is not reduced over them"));
    }
    free(g.met);
    free(g.differs);
}

void collectives_beside(struct finding_collectives *x)
{
    const struct layout *l = x->w->layout;
    beside_siblings(x);
    find_missing_collectives(x);
    if (l->size[CUT_DP] * l->size[CUT_CP] > 1)
        find_unreduced(x, "dp");
    if (l->size[CUT_CP] > 1 && l->size[CUT_DP] == 1)
        find_unreduced(x, "cp");
    if (l->size[CUT_TP] > 1)
        find_unreduced(x, "tp");
    if (l->size[CUT_PP] > 1) /* for weights held by two stages */
        find_unreduced(x, "pp");
    find_doubled(x);
}

/* ---- the other side ---- */

/* Per whole call with a gradient: its last reduction, or NONE. The caller frees the result. */
static uint32_t *last_reductions(const struct collective_list *l, const struct whole_calls *w)
{
    uint32_t *of = mem_alloc((w->calls.n + 1) * sizeof *of);
    for (size_t i = 0; i < w->calls.n; i++)
        of[i] = NONE;
    for (uint32_t i = 0; i < l->v.n; i++)
        if (l->v.v[i].gradient != NONE && l->v.v[i].calls.n)
            of[l->v.v[i].gradient] = i;
    return of;
}

/* The final norm of a weight's gradient: after its last reduction, or its own; NAN if not recorded. */
static double final_norm(const struct collective_list *l, const struct whole_calls *w, const uint32_t *last,
                         uint32_t gradient, uint64_t *numel)
{
    const struct part_call *p = &w->calls.v[gradient].parts.v[0];
    const struct dump *d = rank_dump_of(w, p->rank);
    uint32_t row = gradient_row(w, &w->calls.v[gradient], p->rank);
    if (last[gradient] != NONE) {
        p = &l->v.v[last[gradient]].calls.v[0];
        d = rank_dump_of(w, p->rank);
        row = call_first_tensor(d, p->call, IO_OUTPUT);
    }
    if (row == NONE || !(d->rows.v[row].has & HAS_NORM))
        return NAN;
    *numel = dump_row_numel(d, row);
    return d->rows.v[row].stat[STAT_NORM];
}

/* Finds gradients that the other side, with the same layout, reduces and this one does not. */
static void find_unreduced_beside(struct collective_list *l, const struct whole_calls *w, const uint32_t *own,
                                  const struct collective_list *other, const uint32_t *theirs)
{
    struct finding_collectives x = {.l = l, .w = w, .step = w->set->step};
    for (uint32_t i = 0; i < w->calls.n; i++) {
        const struct whole_call *c = &w->calls.v[i];
        const struct collective *like = c->partner == NONE || theirs[c->partner] == NONE
                                        ? NULL : &other->v.v[theirs[c->partner]];
        bool known = !c->gradient || own[i] != NONE;
        for (size_t k = 0; k < l->v.n && !known; k++)
            known = l->v.v[k].verdict == COLLECTIVE_MISSING && l->v.v[k].order == c->order;
        if (like && !known)
            add_missing(&x, like, c, "unreduced-gradient",
                        _("the other side adds this gradient up over the ranks that share the weight; here it meets "
                          "no reduction"));
    }
}

void collectives_compare(struct collective_list *l, const struct whole_calls *w, const struct collective_list *other,
                         const struct whole_calls *of)
{
    uint32_t *own = last_reductions(l, w), *theirs = last_reductions(other, of);
    for (size_t i = 0; i < l->v.n; i++) {
        struct collective *c = &l->v.v[i];
        uint32_t partner = c->gradient == NONE || collective_is_bad(c) ? NONE : w->calls.v[c->gradient].partner;
        uint64_t n = 0, m = 0;
        double a = partner == NONE ? NAN : final_norm(l, w, own, c->gradient, &n);
        double b = partner == NONE ? NAN : final_norm(other, of, theirs, partner, &m);
        if (!(b > 0) || n != m)
            continue;
        double ranks = multiple_of(w->layout, a / b, 1e-3);
        bool sum = ranks > 1 && a > b, mean = ranks > 1 && a < b;
        if (sum)
            collective_say(c, "summed",
                           _("the gradient is %.4g times that of the other side: summed over %g ranks instead of "
                             "averaged"), a / b,
                           ranks);
        else if (mean)
            collective_say(c, "averaged",
                           _("the gradient is %.4g times that of the other side: averaged twice over %g ranks"), a / b,
                           ranks);
        for (size_t k = 0; (sum || mean) && k < c->group.n; k++)
            vec_push(&c->ranks, c->group.v[k]);
    }
    if (layout_same(w->layout, of->layout)) {
        find_unreduced_beside(l, w, own, other, theirs);
        vec_sort(&l->v, collectives_by_order);
    }
    free(own);
    free(theirs);
}

