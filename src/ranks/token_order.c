/* Finds the order of rows of tokens that were sent to experts on other ranks. */
#include "ranks/join_trial.h"

#include <math.h>
#include <stdlib.h>

#include "ranks/part_values.h"

#define TOKENS_MOST 4096 /* the most rows of a set that are compared */

/* For each row of b the equal row of a, within limit of its size; false if there is none for some row. */
static bool match_tokens(double limit, const double *a, const double *b, uint64_t rows, uint64_t width,
                         uint32_t *order)
{
    bool *used = mem_zalloc((size_t)rows + 1), all = rows > 1 && rows <= TOKENS_MOST;
    for (uint64_t i = 0; i < rows && all; i++) {
        uint64_t best = rows;
        double nearest = INFINITY, size = 0;
        for (uint64_t k = 0; k < width; k++)
            size += b[i * width + k] * b[i * width + k];
        for (uint64_t j = 0; j < rows; j++) {
            double off = 0;
            for (uint64_t k = 0; k < width && off < nearest; k++)
                off += (a[j * width + k] - b[i * width + k]) * (a[j * width + k] - b[i * width + k]);
            if (!used[j] && off < nearest) {
                nearest = off;
                best = j;
            }
        }
        all = best < rows && sqrt(nearest) <= limit * sqrt(size);
        if (all) {
            used[best] = true;
            order[i] = (uint32_t)best;
        }
    }
    free(used);
    return all;
}

static double *whole_row_values(const struct whole_rows *r, const struct whole_row *x, uint64_t *n)
{
    struct held h = {0};
    double *v = row_hold(&h, r, x) ? row_values(r, x, &h, n) : NULL;
    parts_let_go(&h);
    return v;
}

/* The expert's path: "decoder.layers.1.mlp.local_experts.2". */
static struct str expert_path(const struct whole_rows *r, const struct whole_row *x)
{
    struct str group = str_cut(str_of(r->calls->calls.v[x->call].group), 2);
    ptrdiff_t at = str_search(group, "expert");
    size_t from, to;
    int number;
    if (at < 0 || !path_number(str_cut(group, (size_t)at), &from, &to, &number))
        return (struct str){0};
    return str_n(group.p, (size_t)at + to);
}

static bool is_zigzag(const struct whole_row *x)
{
    for (int s = 0; s < x->steps; s++)
        if (x->step[s].axis == 0 && x->step[s].how == JOIN_ZIGZAG)
            return true;
    return false;
}

/* Parts in the order of ranks, whatever cut fitted best: an order is of the rows of this view. */
static void in_rank_order(struct whole_row *x)
{
    for (int s = 0; s < x->steps; s++)
        if (x->step[s].axis == 0 && x->step[s].how != JOIN_VOCAB)
            x->step[s].how = JOIN_TOKENS;
}

static void use_order(struct deciding *d, struct whole_row *a, struct whole_row *b, const uint32_t *order, uint64_t n)
{
    a->order = arena_alloc(&d->side[0]->arena, (size_t)n * sizeof *order);
    memcpy(a->order, order, (size_t)n * sizeof *order);
    in_rank_order(a);
    in_rank_order(b);
}

/* A module that contains experts. */
struct mixture {
    uint32_t experts; /* place of the first call of an expert in the order of execution */
};
typedef VEC(struct mixture) mixture_list;

/* The orders that were found: of a mixture's tokens, so many rows. */
struct found_order {
    uint32_t mixture, rows;
    const uint32_t *order;
};
typedef VEC(struct found_order) found_orders;

struct found_orders_of {
    const found_orders *all;
    uint32_t mixture;
    bool given; /* a row that the mixture gives after its experts */
};

static void list_mixtures(struct deciding *d, struct map *out, mixture_list *list)
{
    for (size_t i = 0; i < d->side[0]->calls->calls.n; i++) {
        const struct whole_call *c = &d->side[0]->calls->calls.v[i];
        struct str group = str_cut(str_of(c->group), 2), path = group;
        ptrdiff_t at = str_search(group, "expert");
        while (at > 0 && path.p[at] != '.')
            at--;
        if (at <= 0 || group.p[at] != '.' || c->region != IN_FORWARD)
            continue;
        path.n = (size_t)at;
        uint32_t k = map_add(out, path, (uint32_t)list->n);
        if (k == list->n) {
            struct mixture x = {c->order};
            vec_push(list, x);
        }
        if (c->order < list->v[k].experts)
            list->v[k].experts = c->order;
    }
}

/* Whether the rows of a, in this order, are those of b. */
static bool in_that_order(double limit, const double *a, const double *b, uint64_t rows, uint64_t width,
                          const uint32_t *order)
{
    double off = 0, size = 0;
    for (uint64_t i = 0; i < rows; i++)
        for (uint64_t k = 0; k < width; k++) {
            double x = a[order[i] * width + k], y = b[i * width + k];
            off += (x - y) * (x - y);
            size += y * y;
        }
    return sqrt(off) <= limit * sqrt(size);
}

/* Writes the order of a's rows to `order`; false: they are other rows. What a mixture gives after its experts is in an
 * order that was there before: tokens put back in a wrong one are no set. */
static bool find_token_order(const struct found_orders_of *f, double limit, const double *a, const double *b,
                             uint64_t rows, uint64_t width, uint32_t *order)
{
    if (!f->given)
        return match_tokens(limit, a, b, rows, width, order);
    for (size_t i = 0; i < f->all->n; i++)
        if (f->all->v[i].mixture == f->mixture && f->all->v[i].rows == rows &&
            in_that_order(limit, a, b, rows, width, f->all->v[i].order)) {
            memcpy(order, f->all->v[i].order, (size_t)rows * sizeof *order);
            return true;
        }
    return false;
}

struct order_search {
    struct deciding *d;
    struct map experts; /* path → index in orders */
    VEC(const uint32_t *) orders;
    struct map mixtures;
    mixture_list mixture;
    found_orders found;
};

static bool may_be_token_rows(const struct deciding *d, const struct whole_row *a, const struct whole_row *b)
{
    bool sums = whole_row_is_sum(a) || whole_row_is_sum(b) || a->io == IO_PARAMETER ||
                d->side[0]->calls->calls.v[a->call].gradient;
    return !sums && a->ndim >= 1 && b->ndim == a->ndim && a->shape[0] == b->shape[0] && a->shape[0] >= 2 &&
           dtype_is_float((enum dtype)a->dtype);
}

/* Keeps an order for the rows after it: those of the mixture, and those of the expert. */
static void keep_token_order(struct order_search *s, const struct found_orders_of *of, struct str expert,
                             bool forward, const uint32_t *order, uint64_t rows)
{
    uint32_t *keep = arena_alloc(&s->d->arena, ((size_t)rows + 1) * sizeof *keep);
    keep[0] = (uint32_t)rows;
    memcpy(keep + 1, order, (size_t)rows * sizeof *keep);
    if (of->mixture != MAP_NONE && forward && !of->given) {
        struct found_order one = {of->mixture, (uint32_t)rows, keep + 1};
        vec_push(&s->found, one);
    }
    if (expert.n && forward) {
        map_add(&s->experts, arena_str(&s->d->arena, expert), (uint32_t)s->orders.n);
        vec_push(&s->orders, (const uint32_t *)keep);
    }
}

/* Searches the order of a pair of rows whose values differ, or of an expert's first rows, and uses it. */
static void search_token_order(struct order_search *s, const struct trial *t, const struct found_orders_of *of,
                               struct str expert)
{
    struct deciding *d = s->d;
    struct whole_row *a = &d->side[0]->rows.v[t->row[0]], *b = &d->side[1]->rows.v[t->row[1]];
    uint64_t n[2] = {0, 0}, rows = (uint64_t)a->shape[0];
    double *x = whole_row_values(d->side[0], a, &n[0]), *y = whole_row_values(d->side[1], b, &n[1]);
    uint32_t *order = mem_alloc(((size_t)rows + 1) * sizeof *order);
    bool wrong = x && y && n[0] == n[1] && part_distance_finite(x, y, n[0]) > 1e-3, wanted = wrong || expert.n;
    struct join_step was[2][JOIN_STEPS];
    memcpy(was[0], a->step, sizeof was[0]);
    memcpy(was[1], b->step, sizeof was[1]);
    if (wanted && (is_zigzag(a) || is_zigzag(b))) {
        in_rank_order(a);
        in_rank_order(b);
        free(x);
        free(y);
        x = whole_row_values(d->side[0], a, &n[0]);
        y = whole_row_values(d->side[1], b, &n[1]);
    }
    if (wanted && x && y && n[0] == n[1] && n[0] / rows > 1 &&
        find_token_order(of, trial_limit(d, t), x, y, rows, n[0] / rows, order)) {
        use_order(d, a, b, order, rows);
        keep_token_order(s, of, expert, d->side[0]->calls->calls.v[a->call].region == IN_FORWARD, order, rows);
    } else {
        memcpy(a->step, was[0], sizeof was[0]);
        memcpy(b->step, was[1], sizeof was[1]);
    }
    free(order);
    free(x);
    free(y);
}

/* Rows whose first axis is tokens in sending order are compared as a set; an expert's rows follow the order of its
 * input. */
void token_orders_find(struct deciding *d)
{
    struct order_search s = {.d = d};
    bool spread = d->side[0]->calls->layout->size[CUT_EP] != d->side[1]->calls->layout->size[CUT_EP];
    list_mixtures(d, &s.mixtures, &s.mixture);
    for (size_t i = 0; i < d->trials.n; i++) {
        const struct trial *t = &d->trials.v[i];
        struct whole_row *a = &d->side[0]->rows.v[t->row[0]], *b = &d->side[1]->rows.v[t->row[1]];
        if (!may_be_token_rows(d, a, b))
            continue;
        const struct whole_call *call = &d->side[0]->calls->calls.v[a->call];
        struct found_orders_of of = {.all = &s.found,
                                     .mixture = map_get(&s.mixtures, str_cut(str_of(call->group), 2))};
        if (!spread && of.mixture == MAP_NONE)
            continue;
        of.given = of.mixture != MAP_NONE && call->region == IN_FORWARD && a->io == IO_OUTPUT &&
                   call->order > s.mixture.v[of.mixture].experts;
        struct str expert = expert_path(d->side[0], a);
        uint32_t known = expert.n ? map_get(&s.experts, expert) : MAP_NONE;
        if (known == MAP_NONE)
            search_token_order(&s, t, &of, expert);
        else if (s.orders.v[known][0] == (uint32_t)a->shape[0])
            use_order(d, a, b, s.orders.v[known] + 1, (uint64_t)a->shape[0]);
    }
    map_release(&s.experts);
    map_release(&s.mixtures);
    vec_release(&s.mixture);
    vec_release(&s.found);
    vec_release(&s.orders);
}
