/* Asks some pairs of each operand whether the rows of its first axis are those of the other side in the order of a
 * divided axis; then every pair of the operands that say so, the rows beside them, and the parts of what they make. */
#include "pair/token_rows.h"

#include <math.h>
#include <stdlib.h>

#include "pair/align_item.h"
#include "pair/tensor_sample.h"

#define AGREES 0.1  /* relative error up to which elements are in the same order */
#define CLOSER 8    /* how much less it is than as stored, which alike values (probabilities) may not show otherwise */
#define LONGEST 4096 /* tokens of which divisors are tried */
#define ASKED 16    /* pairs of an operand: experts' products may have the order where a router's has not */
#define FOUND (ASKED + 1)

struct token_ordering {
    struct pairing *p;
    const struct dump *d[2];
    uint32_t *from[2];      /* align_items_producers */
    struct nmap kinds;      /* operand → how many of its pairs have no such order; FOUND */
    struct nmap call_view;  /* target call → index of the view of one of its rows */
    struct nmap any_view;   /* number of tokens → index of the view of one pair */
};

/* Axes longer than one; false if there are none, or more than can be viewed. */
static bool long_axes(const struct shape *s, int64_t *out, int *n)
{
    *n = 0;
    for (int i = 0; s && i < s->ndim && *n < TENSOR_DIMS; i++)
        if (s->dim[i] > 1)
            out[(*n)++] = s->dim[i];
    return *n >= 1;
}

/* Whether a row holds what its side computed, or positions: the rows of a weight are no tokens. */
static bool is_computed(const struct token_ordering *x, int s, uint32_t row)
{
    const struct row *r = &x->d[s]->rows.v[row];
    return r->kind == ROW_TENSOR &&
           (r->io == IO_OUTPUT || (r->io == IO_INPUT && (x->from[s][row] != NONE || !dtype_is_float(r->dtype))));
}

/* The length of the first axis of a pair's rows, where both sides have the same axes; 0 otherwise. */
static int64_t tokens_of(const struct token_ordering *x, const struct line *l)
{
    int64_t a[TENSOR_DIMS], b[TENSOR_DIMS];
    int n, m;
    bool may = l->pair != NONE && x->p->pairs.v[l->pair].view == NONE;
    for (int s = 0; s < 2 && may; s++)
        may = is_computed(x, s, l->row[s]) && dump_row_readable(x->d[s], l->row[s]);
    if (!may || !long_axes(dump_row_shape(x->d[TARGET], l->row[TARGET]), a, &n) ||
        !long_axes(dump_row_shape(x->d[GOLDEN], l->row[GOLDEN]), b, &m) || n != m ||
        memcmp(a, b, (size_t)n * sizeof *a) != 0 || a[0] < 4 || a[0] > LONGEST)
        return 0;
    return a[0];
}

static struct view divided_view(int64_t outer, int64_t inner)
{
    return (struct view){.side = GOLDEN,
                         .count = 2,
                         .step = {{.op = VIEW_RESHAPE, .n = 3, .v = {outer, inner, -1}},
                                  {.op = VIEW_PERMUTE, .n = 3, .v = {1, 0, 2}}}};
}

/* The error of the golden elements through a view, where those as stored do not agree; INFINITY otherwise. */
static double error_through(struct tensor_sample *s, const struct tensor *golden, const struct view *v)
{
    struct tensor seen = *golden;
    struct err quiet;
    double error;
    return view_apply(v, &seen, &quiet) || tensor_sample_error(s, &seen, &error, &quiet) ? INFINITY : error;
}

/* Whether the pair's elements agree in the order of a divided axis and not as stored: of `only`, or of the best. */
static bool ask_token_order(const struct token_ordering *x, const struct line *l, int64_t tokens,
                            const struct view *only, struct view *found)
{
    struct tensor t, g;
    struct tensor_sample s;
    struct err quiet;
    double stored, least = AGREES;
    bool told = false;
    if (dump_tensor(x->d[TARGET], l->row[TARGET], &t, &quiet))
        return false;
    if (dump_tensor(x->d[GOLDEN], l->row[GOLDEN], &g, &quiet) == 0) {
        if (t.numel == g.numel && tensor_sample_take(&s, &t, &quiet) == 0) {
            bool apart = tensor_sample_error(&s, &g, &stored, &quiet) == 0;
            least = apart ? fmin(least, stored / CLOSER) : 0;
            for (int64_t outer = 2; outer < tokens && apart; outer++) {
                struct view v = only ? *only : divided_view(outer, tokens / outer);
                double error = tokens % outer ? INFINITY : error_through(&s, &g, &v);
                if (error < least) {
                    least = error;
                    *found = v;
                    told = true;
                }
                if (only)
                    break;
            }
            tensor_sample_release(&s);
        }
        tensor_close(&g);
    }
    tensor_close(&t);
    return told;
}

static bool figures_agree(const struct token_ordering *x, const struct line *l)
{
    struct fingerprint a = fingerprint_of(x->d[TARGET], l->row[TARGET]),
                       b = fingerprint_of(x->d[GOLDEN], l->row[GOLDEN]);
    return dtype_is_float(x->d[TARGET]->rows.v[l->row[TARGET]].dtype) && fingerprint_compare(&a, &b) == LIKE_SAME;
}

/* One operand of one operator. */
static uint64_t operand_key(const struct token_ordering *x, const struct line *l, int64_t tokens)
{
    struct buf b = {0};
    buf_fmt(&b, "%lld", (long long)tokens);
    for (int s = 0; s < 2; s++) {
        const struct row *r = &x->d[s]->rows.v[l->row[s]];
        buf_char(&b, '|');
        buf_str(&b, align_item_operator(x->d[s], r->call));
        buf_fmt(&b, "|%d|%s", x->d[s]->calls.v[r->call].phase, x->d[s]->slots.v[r->slot]);
    }
    uint64_t k = hash_bytes(b.p, b.n, 37);
    buf_release(&b);
    return k;
}

static uint32_t give_view(struct token_ordering *x, const struct line *l, const struct view *v)
{
    uint32_t at = (uint32_t)x->p->views.n;
    vec_push(&x->p->views, *v);
    x->p->pairs.v[l->pair].view = at;
    return at;
}

static void give_token_view(struct token_ordering *x, const struct line *l, const struct view *v)
{
    uint32_t at = give_view(x, l, v);
    nmap_set(&x->call_view, x->d[TARGET]->rows.v[l->row[TARGET]].call, at);
    nmap_set(&x->any_view, (uint64_t)(v->step[0].v[0] * v->step[0].v[1]), at);
}

/* The view of a part whose rows have the order as well: the fused tensor's rows are exchanged before it is cut. false:
 * the part is not cut along a later axis. */
static bool part_in_order(const struct view *cut, const struct view *order, struct view *out)
{
    const struct view_step *s = &cut->step[0];
    if (cut->count != 1 || (s->op != VIEW_SPLIT && s->op != VIEW_SLICE) || !s->v[0])
        return false;
    *out = *order;
    out->side = cut->side;
    if (cut->side != order->side) {
        out->step[0].v[0] = order->step[0].v[1];
        out->step[0].v[1] = order->step[0].v[0];
    }
    out->step[out->count] = *s;
    if (s->v[0] > 0)
        out->step[out->count].v[0]++;
    out->count++;
    return true;
}

/* The error of a pair's elements through a view of either side. */
static double error_of_pair(const struct token_ordering *x, const struct line *l, const struct view *v)
{
    struct tensor t, g;
    struct tensor_sample s;
    struct err quiet;
    double error = INFINITY;
    if (dump_tensor(x->d[TARGET], l->row[TARGET], &t, &quiet))
        return error;
    if (dump_tensor(x->d[GOLDEN], l->row[GOLDEN], &g, &quiet) == 0) {
        if (view_apply(v, v->side == TARGET ? &t : &g, &quiet) == 0 && t.numel == g.numel &&
            tensor_sample_take(&s, &t, &quiet) == 0) {
            if (tensor_sample_error(&s, &g, &error, &quiet))
                error = INFINITY;
            tensor_sample_release(&s);
        }
        tensor_close(&g);
    }
    tensor_close(&t);
    return error;
}

/* A part of a fused product that reads rows in the order, or of its gradient. */
static void follow_part(struct token_ordering *x, const struct line *l)
{
    const struct row *t = &x->d[TARGET]->rows.v[l->row[TARGET]];
    bool backward = x->d[TARGET]->calls.v[t->call].phase == PHASE_BACKWARD && t->io == IO_INPUT;
    const struct shape *shape = backward ? dump_row_shape(x->d[TARGET], l->row[TARGET]) : NULL;
    uint32_t at = shape && shape->ndim ? nmap_get(&x->any_view, (uint64_t)shape->dim[0])
                                       : nmap_get(&x->call_view, t->call);
    const struct pair *pair = &x->p->pairs.v[l->pair];
    struct view both;
    if (at == MAP_NONE || pair->view == NONE || pair->group == NONE || (t->io != IO_OUTPUT && !backward) ||
        !dump_row_readable(x->d[TARGET], l->row[TARGET]) || !dump_row_readable(x->d[GOLDEN], l->row[GOLDEN]))
        return;
    struct view cut = x->p->views.v[pair->view];
    if (part_in_order(&cut, &x->p->views.v[at], &both)) {
        double error = error_of_pair(x, l, &both);
        if (error < AGREES && error < error_of_pair(x, l, &cut) / CLOSER)
            give_view(x, l, &both);
    }
}

/* Rows of calls of which another row has the order: positions of experts, masks, scores with other fills; parts of what
 * is made of such rows. */
static void follow_calls(struct token_ordering *x)
{
    for (size_t i = 0; i < x->p->lines.n; i++) {
        const struct line *l = &x->p->lines.v[i];
        if (l->pair != NONE)
            follow_part(x, l);
        int64_t tokens = l->row[TARGET] == NONE || l->row[GOLDEN] == NONE ? 0 : tokens_of(x, l);
        uint32_t at = tokens ? nmap_get(&x->call_view, x->d[TARGET]->rows.v[l->row[TARGET]].call) : MAP_NONE;
        struct view found, only;
        if (at == MAP_NONE)
            continue;
        only = x->p->views.v[at];
        if (only.step[0].v[0] * only.step[0].v[1] == tokens && ask_token_order(x, l, tokens, &only, &found))
            give_token_view(x, l, &found);
    }
}

void token_rows_find(struct pairing *p, const struct dump *target, const struct dump *golden)
{
    struct token_ordering x = {.p = p, .d = {target, golden}};
    if (dumps_of_one_framework(target, golden))
        return;
    for (int s = 0; s < 2; s++)
        x.from[s] = align_items_producers(x.d[s]);
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < p->lines.n; i++) {
            const struct line *l = &p->lines.v[i];
            int64_t tokens = l->row[TARGET] == NONE || l->row[GOLDEN] == NONE ? 0 : tokens_of(&x, l);
            struct view v;
            if (!tokens || !figures_agree(&x, l))
                continue;
            uint64_t key = operand_key(&x, l, tokens);
            uint32_t known = nmap_get(&x.kinds, key);
            uint32_t asked = known == MAP_NONE ? 0 : known;
            if (!pass && asked < ASKED)
                nmap_set(&x.kinds, key, ask_token_order(&x, l, tokens, NULL, &v) ? FOUND : asked + 1);
            else if (pass && asked == FOUND && ask_token_order(&x, l, tokens, NULL, &v))
                give_token_view(&x, l, &v);
        }
    follow_calls(&x);
    nmap_release(&x.kinds);
    nmap_release(&x.call_view);
    nmap_release(&x.any_view);
    free(x.from[0]);
    free(x.from[1]);
}
