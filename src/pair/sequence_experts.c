/* Pairs experts that one side keeps in one weight [experts, …] and multiplies at once with experts that the other side
 * calls one after the other: weights always, rows where both sides keep an expert's tokens in one order. */
#include "pair/sequence_parts.h"

#include <math.h>
#include <stdlib.h>

#include "dump/family.h"
#include "pair/tensor_sample.h"

#define MOST_EXPERTS 1024
#define MOST_ASKED 4096 /* pairs of weights whose elements are read to tell which expert is which */
#define AGREES 0.1 /* relative error up to which elements are the same value */

/* What a product does in an expert, from where its result goes. */
enum expert_role { EXPERT_GATE, EXPERT_UP, EXPERT_DOWN, EXPERT_ROLES };

/* A product with a weight of its own: of all experts, or of one. */
struct expert_product {
    const struct align_item *item;
    uint32_t x, weight, out; /* rows */
    uint64_t value;          /* of x, 0: unknown */
    int64_t experts, a, b;   /* axes of the weight; experts 0: of one expert */
    uint8_t role;
    uint64_t stack; /* the same for stacked weights of one shape and role */
};
typedef VEC(struct expert_product) product_list;

/* The calls of one expert, or of all of them at once; NULL: not found. */
struct expert_calls {
    const struct expert_product *product[EXPERT_ROLES];
};

/* ---- products ---- */

static bool is_weight(const struct sequence *w, int s, uint32_t row, int64_t axis[3], int *n)
{
    const struct row *r = &w->d[s]->rows.v[row];
    const struct shape *shape = dump_row_shape(w->d[s], row);
    *n = 0;
    if (r->kind != ROW_TENSOR || !dtype_is_float(r->dtype) || (r->io != IO_INPUT && r->io != IO_PARAMETER) ||
        w->from[s][row] != NONE || !shape)
        return false;
    for (int i = 0; i < shape->ndim; i++)
        if (shape->dim[i] > 1) {
            if (*n == 3)
                return false;
            axis[(*n)++] = shape->dim[i];
        }
    return *n >= 2;
}

/* Values that activations read. */
static void find_activated(const struct sequence *w, int s, struct nmap *out)
{
    const struct dump *d = w->d[s];
    for (uint32_t r = 0; r < d->rows.n; r++) {
        const struct call *c = &d->calls.v[d->rows.v[r].call];
        uint64_t value = d->rows.v[r].io == IO_INPUT && c->phase == PHASE_FORWARD && c->family == FAMILY_ACTIVATION
                             ? sequence_value(d, r)
                             : 0;
        if (value)
            nmap_set(out, value, 1);
    }
}

/* The weight of a product: its second operand, or a module's parameter. */
static uint32_t weight_row(const struct sequence *w, int s, const struct align_item *it)
{
    if (w->d[s]->calls.v[it->call].kind == CALL_MODULE)
        return sequence_nth_row(w, s, it->call, IO_PARAMETER, 0);
    return it->inputs < 2 ? NONE : it->in_row[1];
}

static void list_products(const struct sequence *w, int s, product_list *out)
{
    const align_item_list *calls = &w->items[PHASE_FORWARD][ITEMS_CALLS][s];
    const align_item_list *l = calls->n ? calls : &w->items[PHASE_FORWARD][ITEMS_MODULES][s];
    struct nmap activated = {0}, gates = {0};
    find_activated(w, s, &activated);
    for (uint32_t i = 0; i < l->n; i++) {
        const struct align_item *it = &l->v[i];
        uint32_t weight = it->family == FAMILY_LINEAR && it->inputs ? weight_row(w, s, it) : NONE;
        int64_t axis[3];
        int n;
        if (weight == NONE || it->out == NONE || it->group != NONE || !sequence_free(w, s, weight) ||
            !is_weight(w, s, weight, axis, &n))
            continue;
        uint64_t made = sequence_value(w->d[s], it->out);
        bool stacked = n == 3;
        if (stacked && axis[0] > MOST_EXPERTS)
            continue;
        struct expert_product p = {.item = it,
                                   .x = it->in_row[0],
                                   .weight = weight,
                                   .out = it->out,
                                   .value = sequence_value(w->d[s], it->in_row[0]),
                                   .experts = stacked ? axis[0] : 0,
                                   .a = axis[stacked],
                                   .b = axis[1 + stacked],
                                   .role = made && nmap_get(&activated, made) != MAP_NONE ? EXPERT_GATE : EXPERT_DOWN};
        vec_push(out, p);
    }
    for (size_t i = 0; i < out->n; i++)
        if (out->v[i].role == EXPERT_GATE && out->v[i].value)
            nmap_set(&gates, out->v[i].value, 1);
    for (size_t i = 0; i < out->n; i++)
        if (out->v[i].role == EXPERT_DOWN && out->v[i].value && nmap_get(&gates, out->v[i].value) != MAP_NONE)
            out->v[i].role = EXPERT_UP;
    for (size_t i = 0; i < out->n; i++) {
        const int64_t kind[] = {out->v[i].experts, out->v[i].a, out->v[i].b, out->v[i].role};
        out->v[i].stack = hash_bytes(kind, sizeof kind, 41);
    }
    nmap_release(&gates);
    nmap_release(&activated);
}

static bool same_sizes(const struct expert_product *all, const struct expert_product *one)
{
    return one->experts == 0 && one->role == all->role &&
           ((one->a == all->a && one->b == all->b) || (one->a == all->b && one->b == all->a));
}

/* ---- which expert ---- */

/* The last number in the path of the module a call was made in: "layers.0.mlp.experts.3.w1" has 3. -1: none. */
static int64_t number_of(const struct dump *d, uint32_t call)
{
    uint32_t in = d->calls.v[call].parent, scope = in == NONE ? NONE : d->calls.v[in].scope;
    struct str rest = scope == NONE ? (struct str){0} : str_of(d->scopes.v[scope]), word;
    unsigned long long n;
    int64_t found = -1;
    for (bool again = rest.n != 0; again;) {
        struct str left;
        again = str_split(rest, '.', &word, &left);
        rest = left;
        if (str_u64(word, &n) && n < MOST_EXPERTS)
            found = (int64_t)n;
    }
    return found;
}

/* Rows of a tensor that holds those of all experts. */
struct expert_rows {
    int64_t blocks, rows; /* it is laid out [blocks, rows, …] */
    int64_t block, from, count;
};

static struct view rows_view(int s, const struct expert_rows *r)
{
    struct view v = {.side = (uint8_t)s, .count = 2};
    v.step[0] = (struct view_step){.op = VIEW_RESHAPE, .n = 3, .v = {r->blocks, r->rows, -1}};
    v.step[1] = (struct view_step){.op = VIEW_SLICE, .n = 3, .v = {0, r->block, r->block + 1}};
    if (r->count != r->rows)
        v.step[v.count++] = (struct view_step){.op = VIEW_SLICE, .n = 3, .v = {1, r->from, r->from + r->count}};
    return v;
}

/* Expert e's part of the weight of all of them. */
static struct view weight_view(int s, const struct expert_product *all, int64_t e, bool transposed)
{
    struct view v = rows_view(s, &(struct expert_rows){all->experts, all->a, e, 0, all->a});
    if (transposed)
        v.step[v.count++] = (struct view_step){.op = VIEW_TRANSPOSE};
    return v;
}

/* The error of the elements of `one` against a view of `all`; INFINITY where it cannot be read. */
static double error_of(const struct sequence *w, int s, uint32_t all, uint32_t one, const struct view *v)
{
    struct tensor t[2];
    struct tensor_sample sample;
    struct err quiet;
    double error = INFINITY;
    if (!dump_row_readable(w->d[s], all) || !dump_row_readable(w->d[!s], one) ||
        dump_tensor(w->d[s], all, &t[0], &quiet))
        return error;
    if (dump_tensor(w->d[!s], one, &t[1], &quiet) == 0) {
        struct tensor seen = t[0];
        if (view_apply(v, &seen, &quiet) == 0 && seen.numel == t[1].numel &&
            tensor_sample_take(&sample, &t[1], &quiet) == 0) {
            if (tensor_sample_error(&sample, &seen, &error, &quiet))
                error = INFINITY;
            tensor_sample_release(&sample);
        }
        tensor_close(&t[1]);
    }
    tensor_close(&t[0]);
    return error;
}

/* ---- experts called one after the other ---- */

/* The products of one layer's experts that stand for a stacked one, and the expert of each. */
struct expert_parts {
    const struct expert_product *all;
    const struct expert_product *part[MOST_EXPERTS];
    int64_t expert[MOST_EXPERTS]; /* -1: not known */
    size_t n;
    bool transposed;
};

/* The other side's products that may be parts: of its layer, or, without layers, those at its place in the order. */
static void find_parts(const struct sequence *w, int s, const struct expert_product *all, const product_list stacks[2],
                       struct expert_parts *out)
{
    size_t total = 0, alike = 0, place = 0;
    bool layers = all->item->layer >= 0;
    for (size_t i = 0; i < stacks[!s].n; i++)
        if (same_sizes(all, &stacks[!s].v[i])) {
            total++;
            layers = layers && stacks[!s].v[i].item->layer >= 0;
        }
    for (size_t i = 0; i < stacks[s].n; i++) {
        const struct expert_product *p = &stacks[s].v[i];
        if (p->stack == all->stack) {
            place += p->item->call < all->item->call;
            alike++;
        }
    }
    out->all = all;
    out->n = 0;
    if (!layers && total != alike * (size_t)all->experts)
        return;
    size_t at = 0, from = place * (size_t)all->experts;
    for (size_t i = 0; i < stacks[!s].n; i++) {
        const struct expert_product *p = &stacks[!s].v[i];
        if (!same_sizes(all, p))
            continue;
        bool mine = layers ? p->item->layer == all->item->layer : at >= from && at < from + (size_t)all->experts;
        at++;
        if (!mine)
            continue;
        if (out->n == (size_t)all->experts || !sequence_free(w, !s, p->weight)) { /* another structure */
            out->n = 0;
            return;
        }
        out->part[out->n++] = p;
    }
}

/* Whether the experts of all parts are known and different. */
static bool each_once(const struct expert_parts *p)
{
    uint8_t seen[MOST_EXPERTS] = {0};
    for (size_t i = 0; i < p->n; i++) {
        if (p->expert[i] < 0 || p->expert[i] >= p->all->experts || seen[p->expert[i]])
            return false;
        seen[p->expert[i]] = 1;
    }
    return true;
}

/* Which expert's weight each part holds, by its elements; -1 where none agrees. */
static void ask_values(const struct sequence *w, int s, struct expert_parts *p)
{
    for (size_t i = 0; i < p->n; i++) {
        double least = AGREES;
        p->expert[i] = -1;
        for (int64_t e = 0; e < p->all->experts; e++) {
            struct view v = weight_view(s, p->all, e, p->transposed);
            double error = error_of(w, s, p->all->weight, p->part[i]->weight, &v);
            if (error < least) {
                least = error;
                p->expert[i] = e;
            }
        }
    }
}

/* Whether a square weight lies transposed: the way in which more experts agree. */
static bool lies_transposed(const struct sequence *w, int s, const struct expert_parts *p)
{
    if (p->all->a != p->all->b)
        return p->part[0]->a != p->all->a;
    int straight = 0, turned = 0;
    for (size_t i = 0; i < p->n && p->n == (size_t)p->all->experts; i++) {
        struct view v[2] = {weight_view(s, p->all, (int64_t)i, false), weight_view(s, p->all, (int64_t)i, true)};
        straight += error_of(w, s, p->all->weight, p->part[i]->weight, &v[0]) < AGREES;
        turned += error_of(w, s, p->all->weight, p->part[i]->weight, &v[1]) < AGREES;
    }
    return turned > straight;
}

/* Numbers the parts in the order of their calls. False if most of their weights show that it is another one, or some
 * experts were not called. */
static bool number_in_order(const struct sequence *w, int s, struct expert_parts *p)
{
    size_t agree = 0;
    for (size_t i = 0; i < p->n; i++) {
        struct view v = weight_view(s, p->all, (int64_t)i, p->transposed);
        p->expert[i] = (int64_t)i;
        agree += error_of(w, s, p->all->weight, p->part[i]->weight, &v) < AGREES;
    }
    return p->n == (size_t)p->all->experts && agree * 2 >= p->n;
}

/* Names of modules number the experts; else the order of the calls, as far as their weights do not show another one. */
static bool number_parts(const struct sequence *w, int s, struct expert_parts *p)
{
    for (size_t i = 0; i < p->n; i++)
        p->expert[i] = number_of(w->d[!s], p->part[i]->item->call);
    if (each_once(p) || number_in_order(w, s, p))
        return true;
    if (p->n * (size_t)p->all->experts <= MOST_ASKED) {
        ask_values(w, s, p);
        if (each_once(p))
            return true;
    }
    for (size_t i = 0; i < p->n; i++)
        p->expert[i] = (int64_t)i;
    return p->n == (size_t)p->all->experts;
}

static void emit_part(struct sequence *w, int s, uint32_t all, uint32_t one, const struct view *v)
{
    size_t before = w->out->n;
    sequence_emit(w, s ? one : all, s ? all : one, WHY_FUSED, 0.9f);
    if (w->out->n == before)
        return;
    w->out->v[before].view = (uint32_t)w->views->n;
    vec_push(w->views, *v);
}

static void pair_weights(struct sequence *w, int s, const struct expert_parts *p)
{
    for (size_t i = 0; i < p->n; i++) {
        struct view v = weight_view(s, p->all, p->expert[i], p->transposed);
        emit_part(w, s, p->all->weight, p->part[i]->weight, &v);
    }
}

/* ---- rows inside experts ---- */

/* Where each part's rows lie among those of all experts: padded to one length, or one expert after the other. */
static bool place_rows(const struct sequence *w, int s, const struct expert_parts *p, struct expert_rows *out)
{
    int64_t width = dump_row_last_axis(w->d[s], p->all->x), sum = 0;
    if (!width)
        return false;
    int64_t rows = (int64_t)dump_row_numel(w->d[s], p->all->x) / width;
    for (size_t i = 0; i < p->n; i++) {
        if (dump_row_last_axis(w->d[!s], p->part[i]->x) != width)
            return false;
        out[i].count = (int64_t)dump_row_numel(w->d[!s], p->part[i]->x) / width;
        sum += out[i].count;
    }
    const struct shape *x = dump_row_shape(w->d[s], p->all->x);
    bool padded = false;
    for (int i = 0; i + 2 < x->ndim; i++)
        padded = padded || x->dim[i] == p->all->experts;
    if (!padded && rows != sum)
        return false;
    for (size_t i = 0; i < p->n; i++) {
        int64_t from = 0;
        for (size_t k = 0; k < p->n && !padded; k++)
            from += p->expert[k] < p->expert[i] ? out[k].count : 0;
        out[i].blocks = padded ? p->all->experts : 1;
        out[i].rows = rows / out[i].blocks;
        out[i].block = padded ? p->expert[i] : 0;
        out[i].from = from;
        if (!out[i].count || out[i].count > out[i].rows)
            return false;
    }
    return true;
}

/* Pairs two rows where their sizes are those of the experts' rows. */
static void pair_rows(struct sequence *w, int s, const struct expert_rows *r, uint32_t all, uint32_t one)
{
    if (all == NONE || one == NONE || w->taken[s][all] || !sequence_free(w, !s, one) ||
        !dump_row_readable(w->d[s], all) || !dump_row_readable(w->d[!s], one))
        return;
    uint64_t whole = dump_row_numel(w->d[s], all), part = dump_row_numel(w->d[!s], one);
    uint64_t rows = (uint64_t)(r->blocks * r->rows), count = (uint64_t)r->count;
    if (whole % rows || part % count || whole / rows != part / count)
        return;
    struct view v = rows_view(s, r);
    emit_part(w, s, all, one, &v);
}

/* The product of gate and up, rows of one side; NONE where it is not that. */
struct gated_product {
    uint32_t out;            /* what goes into down */
    uint32_t activated, up;  /* its operands */
};

static struct gated_product gated_product_of(const struct sequence *w, int s, const struct expert_calls *c)
{
    const struct dump *d = w->d[s];
    struct gated_product p = {w->from[s][c->product[EXPERT_DOWN]->x], NONE, NONE};
    if (p.out == NONE || d->calls.v[d->rows.v[p.out].call].family != FAMILY_MUL || !c->product[EXPERT_UP])
        return p;
    EACH_ROW(d, d->rows.v[p.out].call, r)
        if (d->rows.v[r].io == IO_INPUT && d->rows.v[r].kind == ROW_TENSOR) {
            bool up = w->from[s][r] == c->product[EXPERT_UP]->out;
            if (!up)
                p.activated = r;
            else if (p.up == NONE)
                p.up = r;
        }
    if (p.up == NONE)
        p.activated = NONE;
    return p;
}

static void pair_inside(struct sequence *w, int s, const struct expert_rows *r, const struct expert_calls c[2])
{
    for (int role = 0; role < EXPERT_ROLES; role++)
        if (c[s].product[role] && c[!s].product[role]) {
            pair_rows(w, s, r, c[s].product[role]->x, c[!s].product[role]->x);
            pair_rows(w, s, r, c[s].product[role]->out, c[!s].product[role]->out);
        }
    if (!c[s].product[EXPERT_DOWN] || !c[!s].product[EXPERT_DOWN])
        return;
    const struct gated_product all = gated_product_of(w, s, &c[s]), one = gated_product_of(w, !s, &c[!s]);
    pair_rows(w, s, r, all.out, one.out);
    if (all.activated == NONE || one.activated == NONE)
        return;
    pair_rows(w, s, r, all.activated, one.activated);
    pair_rows(w, s, r, all.up, one.up);
    if (w->from[s][all.activated] != NONE && w->from[!s][one.activated] != NONE)
        pair_rows(w, s, r, w->from[s][all.activated], w->from[!s][one.activated]);
}

/* The parts of one layer, by role; `all` NULL: none. */
struct expert_layer {
    struct expert_parts of[EXPERT_ROLES];
    struct expert_rows rows[MOST_EXPERTS];
};

static const struct expert_product *part_of(const struct expert_parts *p, int64_t expert)
{
    for (size_t i = 0; p->all && i < p->n; i++)
        if (p->expert[i] == expert)
            return p->part[i];
    return NULL;
}

static void pair_layer(struct sequence *w, int s, struct expert_layer *l)
{
    const struct expert_parts *p = l->of[EXPERT_GATE].all ? &l->of[EXPERT_GATE] : &l->of[EXPERT_DOWN];
    if (!p->all || !place_rows(w, s, p, l->rows))
        return;
    for (size_t i = 0; i < p->n; i++) {
        struct expert_calls c[2] = {{{NULL}}, {{NULL}}};
        struct view v = rows_view(s, &l->rows[i]);
        if (error_of(w, s, p->all->x, p->part[i]->x, &v) > AGREES) /* the tokens are in another order */
            continue;
        for (int role = 0; role < EXPERT_ROLES; role++) {
            c[s].product[role] = l->of[role].all;
            c[!s].product[role] = part_of(&l->of[role], p->expert[i]);
        }
        pair_inside(w, s, &l->rows[i], c);
    }
}

/* ---- gate and up in one weight of all experts ---- */

/* The half of expert e's part of the weight in which gate or up lies; `last`: the last axis holds both. */
static struct view half_view(int s, const struct expert_product *all, int64_t e, bool last, bool second, bool turned)
{
    int64_t half = (last ? all->b : all->a) / 2;
    struct view v = rows_view(s, &(struct expert_rows){all->experts, all->a, e, 0, all->a});
    v.step[v.count++] = (struct view_step){.op = VIEW_SLICE, .n = 3, .v = {last ? 2 : 1, second * half,
                                                                          (second + 1) * half}};
    if (turned)
        v.step[v.count++] = (struct view_step){.op = VIEW_TRANSPOSE};
    return v;
}

/* The parts with their experts by name, or in order if all are there. */
static bool find_halves(const struct sequence *w, int s, const struct expert_product *half,
                        const product_list stacks[2], struct expert_parts *out)
{
    find_parts(w, s, half, stacks, out);
    for (size_t i = 0; i < out->n; i++)
        out->expert[i] = number_of(w->d[!s], out->part[i]->item->call);
    if (out->n && !each_once(out))
        for (size_t i = 0; i < out->n; i++)
            out->expert[i] = out->n == (size_t)half->experts ? (int64_t)i : -1;
    return out->n && each_once(out);
}

/* How many experts' gates and ups agree through their views, up first or gate first. */
static int halves_agree(const struct sequence *w, int s, const struct expert_product *all, bool last, bool up_first,
                        const struct expert_parts of[2])
{
    int agree = 0;
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < of[k].n; i++) {
            struct view v = half_view(s, all, of[k].expert[i], last, (k == 1) != up_first, of[k].transposed);
            agree += error_of(w, s, all->weight, of[k].part[i]->weight, &v) < AGREES;
        }
    return agree;
}

/* Pairs a weight that holds gate and up of all experts with those of experts called one after the other. Tensors show
 * how the halves lie; without them gate is the first. */
static void pair_halves(struct sequence *w, int s, const struct expert_product *all, const product_list stacks[2],
                        struct expert_parts of[2])
{
    for (int last = 0; last < 2; last++) {
        struct expert_product half[2] = {*all, *all};
        bool found = (last ? all->b : all->a) % 2 == 0;
        for (int k = 0; k < 2 && found; k++) {
            *(last ? &half[k].b : &half[k].a) /= 2;
            half[k].role = k ? EXPERT_UP : EXPERT_GATE;
            found = find_halves(w, s, &half[k], stacks, &of[k]);
            of[k].transposed = found && of[k].part[0]->a != half[k].a;
        }
        if (!found || of[0].n != of[1].n)
            continue;
        int forward = halves_agree(w, s, all, last, false, of), back = halves_agree(w, s, all, last, true, of);
        if (dump_row_readable(w->d[s], all->weight) && (size_t)(forward > back ? forward : back) < of[0].n)
            continue; /* they lie in another way */
        for (int k = 0; k < 2; k++)
            for (size_t i = 0; i < of[k].n; i++) {
                struct view v =
                    half_view(s, all, of[k].expert[i], last, (k == 1) != (back > forward), of[k].transposed);
                emit_part(w, s, all->weight, of[k].part[i]->weight, &v);
            }
        return;
    }
}

/* ---- experts that both sides keep in one weight ---- */

/* Whether a row is a parameter that nothing is paired with and holds `matrices` of each expert, as large as the given
 * one. */
static bool may_hold_experts(const struct sequence *w, int s, uint32_t row, const struct expert_product *all,
                             int64_t matrices)
{
    int64_t axis[3];
    int n;
    return w->d[s]->rows.v[row].io == IO_PARAMETER && is_weight(w, s, row, axis, &n) && n == 3 &&
           axis[0] == all->experts && axis[1] * axis[2] == matrices * all->a * all->b && sequence_free(w, s, row);
}

/* The parameter of a module that holds `matrices` of each expert: the one with the figures of the given weight, in
 * whatever layer (a graph may name two layers alike), else that of its layer; NONE: none, or several. */
static uint32_t holder_of_experts(const struct sequence *w, int s, const struct expert_product *all, int64_t matrices)
{
    const align_item_list *l = &w->items[PHASE_FORWARD][ITEMS_MODULES][s];
    struct fingerprint wanted = fingerprint_of(w->d[!s], all->weight);
    uint32_t found[2] = {NONE, NONE}, times[2] = {0, 0}; /* of the layer, with the figures */
    for (size_t i = 0; i < l->n; i++)
        EACH_ROW(w->d[s], l->v[i].call, r) {
            if (!may_hold_experts(w, s, r, all, matrices))
                continue;
            struct fingerprint value = fingerprint_of(w->d[s], r);
            bool of[2] = {l->v[i].layer == all->item->layer, fingerprint_compare(&value, &wanted) == LIKE_SAME};
            for (int k = 0; k < 2; k++)
                if (of[k]) {
                    found[k] = r;
                    times[k]++;
                }
        }
    return times[1] == 1 ? found[1] : times[0] == 1 ? found[0] : NONE;
}

/* Pairs stacked weights with the parameters of a module that were not recorded with its products: gate and up are
 * parts of one (fused_parts.h), down is alone. */
static void pair_holders(struct sequence *w, int s, const struct expert_product *const of[EXPERT_ROLES])
{
    const struct expert_product *gate = of[EXPERT_GATE], *up = of[EXPERT_UP], *down = of[EXPERT_DOWN];
    bool layer = down && down->item->layer >= 0;
    uint32_t one = layer && sequence_free(w, s, down->weight) ? holder_of_experts(w, !s, down, 1) : NONE,
             two = layer && gate && up && sequence_free(w, s, gate->weight) && sequence_free(w, s, up->weight)
                       ? holder_of_experts(w, !s, gate, 2)
                       : NONE;
    if (one != NONE)
        sequence_emit(w, s ? one : down->weight, s ? down->weight : one, WHY_PLACE, 0.9f);
    for (int i = 0; i < 2 && two != NONE; i++) {
        uint32_t part = (i ? up : gate)->weight;
        sequence_emit(w, s ? two : part, s ? part : two, WHY_FUSED, 0.9f);
    }
}

/* Whether two stacked products are of one layer's experts. */
static bool same_experts(const struct expert_product *a, const struct expert_product *b)
{
    bool sizes = a->experts == b->experts && ((a->a == b->a && a->b == b->b) || (a->a == b->b && a->b == b->a));
    return sizes && a->role != b->role && a->item->layer == b->item->layer;
}

void sequence_pair_experts(struct sequence *w)
{
    product_list products[2] = {{0}, {0}};
    struct expert_layer *l = mem_alloc(sizeof *l);
    for (int s = 0; s < 2; s++)
        list_products(w, s, &products[s]);
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < products[s].n; i++) {
            const struct expert_product *first = &products[s].v[i];
            if (!first->experts || !sequence_free(w, s, first->weight))
                continue;
            const struct expert_product *stacked[EXPERT_ROLES] = {NULL};
            for (int role = 0; role < EXPERT_ROLES; role++)
                l->of[role].all = NULL;
            for (size_t k = i; k < products[s].n; k++) {
                const struct expert_product *all = &products[s].v[k];
                struct expert_parts *p = &l->of[all->role];
                if (!all->experts || stacked[all->role] || (k != i && !same_experts(first, all)))
                    continue;
                stacked[all->role] = all;
                find_parts(w, s, all, products, p);
                p->transposed = p->n && lies_transposed(w, s, p);
                if (!p->n || !number_parts(w, s, p))
                    p->all = NULL;
            }
            for (int role = 0; role < EXPERT_ROLES; role++)
                if (l->of[role].all)
                    pair_weights(w, s, &l->of[role]);
            pair_layer(w, s, l);
            pair_holders(w, s, stacked);
        }
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < products[s].n; i++)
            if (products[s].v[i].experts && sequence_free(w, s, products[s].v[i].weight))
                pair_halves(w, s, &products[s].v[i], products, l->of);
    for (int s = 0; s < 2; s++)
        vec_release(&products[s]);
    free(l);
}
