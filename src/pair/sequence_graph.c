/* Differences in what graph dumps record: gradients of weights and around products, losses written out as operators. */
#include "pair/sequence_parts.h"

#include <math.h>

#include "dump/family.h"
#include "dump/role.h"

uint64_t sequence_value(const struct dump *d, uint32_t row)
{
    const struct row *r = &d->rows.v[row];
    double v[3] = {r->stat[STAT_MAX], r->stat[STAT_MIN], (double)dump_row_numel(d, row)};
    return (r->has & HAS_MAX) && (r->has & HAS_MIN) && v[0] != v[1] ? hash_bytes(v, sizeof v, 5) : 0;
}

struct value_reader {
    uint32_t item, next;
};

/* For each value the backward products that read it, as lists. */
struct readers {
    struct nmap first;
    VEC(struct value_reader) list;
};

static void index_readers(const struct dump *d, const align_item_list *l, struct readers *out)
{
    for (uint32_t i = 0; i < l->n; i++)
        for (int k = 0; k < l->v[i].inputs && l->v[i].family == FAMILY_LINEAR; k++) {
            uint64_t v = sequence_value(d, l->v[i].in_row[k]);
            struct value_reader x = {i, v ? nmap_get(&out->first, v) : NONE};
            if (!v)
                continue;
            vec_push(&out->list, x);
            nmap_set(&out->first, v, (uint32_t)out->list.n - 1);
        }
}

/* How many of the calls read each value. */
static void index_uses(const struct dump *d, const align_item_list *l, struct nmap *out)
{
    for (uint32_t i = 0; i < l->n; i++)
        for (int k = 0; k < l->v[i].inputs; k++) {
            uint64_t v = sequence_value(d, l->v[i].in_row[k]);
            uint32_t n = v ? nmap_get(out, v) : MAP_NONE;
            if (v)
                nmap_set(out, v, n == MAP_NONE ? 1 : n + 1);
        }
}

/* The backward product that computes a weight's gradient: its result has the weight's size, and its inputs are the
 * forward product's input and an input of the product that reads the weight. NONE if there is none. */
static uint32_t find_gradient(const struct dump *d, const align_item_list *back, const struct readers *r,
                              const struct align_item *f)
{
    uint64_t x = f->inputs > 1 ? sequence_value(d, f->in_row[0]) : 0, weight = x ? sequence_value(d, f->in_row[1]) : 0;
    uint64_t size = f->inputs > 1 ? dump_row_numel(d, f->in_row[1]) : 0;
    for (uint32_t i = weight ? nmap_get(&r->first, weight) : MAP_NONE; i != MAP_NONE; i = r->list.v[i].next) {
        const struct align_item *dx = &back->v[r->list.v[i].item];
        for (int k = 0; k < dx->inputs; k++) {
            uint64_t dy = sequence_value(d, dx->in_row[k]);
            for (uint32_t n = dy && dy != weight ? nmap_get(&r->first, dy) : MAP_NONE; n != MAP_NONE;
                 n = r->list.v[n].next) {
                const struct align_item *dw = &back->v[r->list.v[n].item];
                for (int q = 0; q < dw->inputs; q++)
                    if (dw->numel == size && sequence_value(d, dw->in_row[q]) == x)
                        return r->list.v[n].item;
            }
        }
    }
    return NONE;
}

/* Pairs gradients whose value exactly one backward operator outputs. */
static void gradients_by_value(struct sequence *w, int s)
{
    const struct dump *d = w->d[s], *o = w->d[!s];
    struct nmap cell = {0};
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t r = 0; r < (pass ? o : d)->rows.n; r++) {
            const struct dump *side = pass ? o : d;
            const struct row *x = &side->rows.v[r];
            const struct call *c = &side->calls.v[x->call];
            if (!sequence_free(w, pass ? !s : s, r) || x->kind != ROW_TENSOR ||
                !(x->has & HAS_NORM) || !(x->stat[STAT_NORM] > 0) || !isfinite(x->stat[STAT_NORM]) ||
                dump_row_numel(side, r) <= 1)
                continue;
            uint64_t numel = dump_row_numel(side, r);
            int64_t at = llround(log(x->stat[STAT_NORM]) * 500);
            if (!pass) {
                uint64_t key[2] = {numel, (uint64_t)at};
                uint64_t k = hash_bytes(key, sizeof key, 9);
                if (x->io == IO_OUTPUT && c->phase == PHASE_BACKWARD && c->kind == CALL_OPERATOR &&
                    w->from[s][r] == NONE)
                    nmap_set(&cell, k, nmap_get(&cell, k) == MAP_NONE ? r : NONE - 1);
                continue;
            }
            uint32_t found = NONE;
            for (int64_t n = at - 1; n <= at + 1 && x->io == IO_GRADIENT; n++) {
                uint64_t key[2] = {numel, (uint64_t)n};
                uint32_t hit = nmap_get(&cell, hash_bytes(key, sizeof key, 9));
                if (hit == MAP_NONE)
                    continue;
                struct fingerprint a = hit < d->rows.n ? fingerprint_of(d, hit) : (struct fingerprint){.has = 0},
                                       b = fingerprint_of(o, r);
                bool like = hit < d->rows.n && fingerprint_compare(&a, &b) == LIKE_SAME && w->row_pair[s][hit] == NONE;
                found = !like ? found : found == NONE ? hit : NONE - 1;
            }
            if (found < d->rows.n)
                sequence_emit(w, s ? r : found, s ? found : r, WHY_FINGERPRINT, 0.85f);
        }
    nmap_release(&cell);
}

#define LOSSES_MOST 64 /* each is searched in all calls */

static bool is_loss_scalar(const struct align_item *x)
{
    return x->numel == 1 && x->match == NONE && role_is_loss(x->role);
}

/* The last scalar of a loss written out as operators that may be this loss of the other side: by its value, or any. */
static uint32_t scalar_of_loss(const struct sequence *w, int s, const align_item_list *ops,
                               const struct align_item *loss, bool by_value)
{
    for (size_t i = ops->n; i-- > 0;)
        if (is_loss_scalar(&ops->v[i]) && sequence_free(w, s, ops->v[i].out) &&
            (!by_value || fingerprint_compare(&ops->v[i].value, &loss->value) > LIKE_UNKNOWN))
            return (uint32_t)i;
    return NONE;
}

/* Pairs losses written out as operators with the other side's loss calls by their values. If there is one loss alone,
 * the last scalar is its result, whatever it holds. */
static void pair_losses(struct sequence *w, int s)
{
    const align_item_list *ops = &w->items[PHASE_FORWARD][ITEMS_CALLS][s],
                          *other = &w->items[PHASE_FORWARD][ITEMS_CALLS][!s];
    size_t losses = 0;
    for (size_t i = 0; i < other->n; i++)
        losses += other->v[i].family == FAMILY_LOSS && other->v[i].numel == 1;
    for (size_t i = other->n; i-- > 0 && losses <= LOSSES_MOST;) {
        const struct align_item *x = &other->v[i];
        if (x->family != FAMILY_LOSS || x->match != NONE || x->numel != 1 || !sequence_free(w, !s, x->out))
            continue;
        uint32_t like = scalar_of_loss(w, s, ops, x, true);
        uint32_t found = like == NONE && losses == 1 ? scalar_of_loss(w, s, ops, x, false) : like;
        if (found == NONE)
            continue;
        uint32_t here = ops->v[found].out, there = x->out;
        sequence_emit(w, s ? there : here, s ? here : there, like != NONE ? WHY_FINGERPRINT : WHY_PLACE,
                      like != NONE ? 0.9f : 0.6f);
    }
}

/* Graph dumps have no record of a parameter's gradient: an operator of the backward pass computes it. */
void sequence_graph_gradients(struct sequence *w, const struct nmap gradients[2])
{
    for (int s = 0; s < 2; s++) {
        const align_item_list *f = &w->items[PHASE_FORWARD][ITEMS_CALLS][s],
                              *back = &w->items[PHASE_BACKWARD][ITEMS_CALLS][s];
        struct readers r = {.first = {0}};
        struct nmap uses[2] = {{0}, {0}};
        if (!f->n || w->d[s]->calls.v[f->v[0].call].kind != CALL_OPERATOR)
            continue;
        gradients_by_value(w, s);
        index_readers(w->d[s], back, &r);
        for (int side = 0; side < 2; side++)
            index_uses(w->d[side], &w->items[PHASE_FORWARD][ITEMS_CALLS][side], &uses[side]);
        for (size_t i = 0; i < f->n; i++) {
            if (f->v[i].match == NONE || f->v[i].family != FAMILY_LINEAR || f->v[i].inputs < 2)
                continue;
            const struct align_item *b = &w->items[PHASE_FORWARD][ITEMS_CALLS][!s].v[f->v[i].match];
            uint64_t weight = sequence_value(w->d[s], f->v[i].in_row[1]),
                     theirs = b->inputs < 2 ? 0 : sequence_value(w->d[!s], b->in_row[1]);
            /* the gradient of a shared weight is the sum over its users; a cast for one of them hides that it is one */
            if (nmap_get(&uses[s], weight) != 1 || (theirs && nmap_get(&uses[!s], theirs) != 1))
                continue;
            uint32_t other = b->call;
            uint32_t grad = sequence_gradient_of(w, !s, other, &gradients[!s]);
            uint32_t dw = grad == NONE ? NONE : find_gradient(w->d[s], back, &r, &f->v[i]);
            uint32_t there = grad == NONE ? NONE : sequence_nth_row(w, !s, grad, IO_GRADIENT, 0);
            if (dw == NONE || there == NONE || back->v[dw].match != NONE)
                continue;
            uint32_t here = back->v[dw].out;
            if (sequence_free(w, s, here) && sequence_free(w, !s, there) &&
                dump_row_numel(w->d[s], here) == dump_row_numel(w->d[!s], there))
                sequence_emit(w, s ? there : here, s ? here : there, WHY_FLOW, 0.75f);
        }
        for (int side = 0; side < 2; side++)
            nmap_release(&uses[side]);
        nmap_release(&r.first);
        vec_release(&r.list);
        pair_losses(w, s);
    }
}

/* ---- gradients around a product ----
 *
 * A backward product that reads a forward product's second operand gets the gradient of its result and outputs that
 * of its first operand, whatever the values: this pairs gradients that are wrong on one side only. */

/* The only item that reads the value; NONE if there are several or none. */
static uint32_t lone_reader(const struct readers *r, uint64_t value)
{
    uint32_t found = NONE;
    for (uint32_t i = value ? nmap_get(&r->first, value) : MAP_NONE; i != MAP_NONE; i = r->list.v[i].next) {
        if (found != NONE && found != r->list.v[i].item)
            return NONE;
        found = r->list.v[i].item;
    }
    return found;
}

/* The row that output a gradient; NONE if it is not known. A part padded with zeros has the extremes of the sum that it
 * goes into, and another norm. */
static uint32_t made_by(const struct sequence *w, int s, uint32_t row)
{
    uint32_t from = w->from[s][row];
    if (from == NONE)
        return NONE;
    struct fingerprint a = fingerprint_of(w->d[s], row), b = fingerprint_of(w->d[s], from);
    return fingerprint_compare(&a, &b) == LIKE_NOT ? NONE : from;
}

/* Pairs the rows of one gradient, and the rows that output it. */
static void pair_gradient(struct sequence *w, int s, uint32_t here, uint32_t there)
{
    for (int from = 0; from < 2 && here != NONE && there != NONE; from++) {
        bool paired = w->row_pair[s][here] != NONE || w->row_pair[!s][there] != NONE;
        bool taken = w->taken[s][here] || w->taken[!s][there];
        if (!paired && !taken && dump_row_numel(w->d[s], here) == dump_row_numel(w->d[!s], there))
            sequence_emit(w, s ? there : here, s ? here : there, WHY_FLOW, 0.7f);
        here = made_by(w, s, here);
        there = made_by(w, !s, there);
    }
}

/* The only tensor of this size among a backward call's inputs, or NONE. */
static uint32_t lone_input(const struct dump *d, uint32_t call, uint64_t numel)
{
    uint32_t found = NONE;
    if (call != NONE)
        EACH_EARLY_ROW(d, call, r) {
            if (d->rows.v[r].io != IO_INPUT || d->rows.v[r].kind != ROW_TENSOR || dump_row_numel(d, r) != numel)
                continue;
            if (found != NONE)
                return NONE;
            found = r;
        }
    return found;
}

/* The producer of this input of a forward call, if nothing else reads its result: the result's gradient then comes
 * from this row only. NONE otherwise. */
static uint32_t sole_source(const struct sequence *w, int s, uint32_t row)
{
    const struct dump *d = w->d[s];
    uint64_t value = sequence_value(d, row);
    uint32_t first = w->from[s][row], last = NONE;
    if (!value || first == NONE)
        return NONE;
    for (uint32_t r = first; r < d->rows.n; r++) {
        const struct call *c = &d->calls.v[d->rows.v[r].call];
        if (c->kind == CALL_MODULE || c->phase != PHASE_FORWARD || sequence_value(d, r) != value)
            continue;
        if (d->rows.v[r].io == IO_OUTPUT && r < row)
            last = d->rows.v[r].call;
        else if (d->rows.v[r].io == IO_INPUT && r != row && (r > row || !family_hands_on((enum family)c->family)))
            return NONE;
    }
    return last;
}

/* Whether two products have the same second operand: a weight; or for a computed one, also the same first operand.
 * (If one side scales an operand, its gradients are scaled too.) */
static bool same_operands(const struct sequence *w, int s, const struct align_item *a, const struct align_item *b)
{
    bool computed = w->from[s][a->in_row[1]] != NONE;
    return fingerprint_compare(&a->in[1], &b->in[1]) >= LIKE_NEAR &&
           (!computed || fingerprint_compare(&a->in[0], &b->in[0]) >= LIKE_NEAR);
}

void sequence_product_gradients(struct sequence *w, int s)
{
    const align_item_list *f = &w->items[PHASE_FORWARD][ITEMS_CALLS][s],
                          *back = &w->items[PHASE_BACKWARD][ITEMS_CALLS][s];
    const align_item_list *other = &w->items[PHASE_FORWARD][ITEMS_CALLS][!s];
    struct readers r = {.first = {0}};
    index_readers(w->d[s], back, &r);
    for (size_t i = 0; i < f->n; i++) {
        const struct align_item *a = &f->v[i], *b = a->match == NONE ? NULL : &other->v[a->match];
        bool products = b && a->family == FAMILY_LINEAR && b->family == FAMILY_LINEAR && a->inputs > 1 && b->inputs > 1;
        if (!products || a->numel != b->numel || !same_operands(w, s, a, b))
            continue;
        uint64_t operand = sequence_value(w->d[s], a->in_row[1]);
        uint32_t product = lone_reader(&r, operand), source = sole_source(w, !s, b->in_row[0]);
        /* a product that adds a term may be a multiple: its result's gradient is not the bare product's */
        bool bare = !align_item_adds_term(w->d[s], a->call) && !align_item_adds_term(w->d[!s], b->call);
        for (int k = 0; product != NONE && bare && k < back->v[product].inputs; k++)
            if (sequence_value(w->d[s], back->v[product].in_row[k]) != operand)
                pair_gradient(w, s, back->v[product].in_row[k],
                              lone_input(w->d[!s], sequence_twin(w, !s, b->call), b->numel));
        if (product != NONE && source != NONE)
            pair_gradient(w, s, back->v[product].out,
                          lone_input(w->d[!s], sequence_twin(w, !s, source), dump_row_numel(w->d[!s], b->in_row[0])));
    }
    nmap_release(&r.first);
    vec_release(&r.list);
}
