/* Attention recomputed from the queries, keys and values around it: another scale, mask or rotation on one side,
 * whether the inner calls were recorded or not (only modules, fused kernels). */
#include <math.h>
#include <stdlib.h>

#include "base/msg.h"
#include "base/num.h"
#include "diagnose/attention_fit.h"
#include "diagnose/call_tensors.h"
#include "diagnose/diagnosis_case.h"
#include "dump/family.h"
#include "dump/role.h"

#define EXACT_ATTENTION 3e-5 /* relative error of recomputed float32 attention */
#define UP_MOST         4 /* enclosing modules searched for queries, keys and values */
#define WITHIN_MOST     400 /* the most calls in such a module */
#define HEADS_MOST      128
#define LATENT_MOST     16 /* modules of a latent attention */

enum { OF_Q, OF_K, OF_V, OF_QKV, OF_COUNT };

/* One side's attention: rows, their elements, and possible layouts. */
struct attention_side {
    uint32_t row[OF_COUNT], table[2], mask[ATTENTION_MASKS];
    struct element_sample x[OF_COUNT], o, tables[2], given[ATTENTION_MASKS];
    struct attention_data d;
    struct attention_way way;
};

static void attention_release(struct attention_side *a)
{
    element_sample_release(&a->o);
    for (int i = 0; i < OF_COUNT; i++)
        element_sample_release(&a->x[i]);
    for (int i = 0; i < 2; i++)
        element_sample_release(&a->tables[i]);
    for (int i = 0; i < ATTENTION_MASKS; i++)
        element_sample_release(&a->given[i]);
}

static int of_role(const struct dump *d, uint32_t call)
{
    static const char *const names[OF_COUNT] = {"q", "k", "v", "qkv"};
    if (d->calls.v[call].scope == NONE)
        return -1;
    const char *role = role_name(role_find(str_of(d->scopes.v[d->calls.v[call].scope])));
    for (int i = 0; i < OF_COUNT; i++)
        if (strcmp(role, names[i]) == 0)
            return i;
    return -1;
}

/* Finds queries, keys and values: outputs of the modules with these roles directly inside `module`, before the call
 * `until`. */
static bool find_projections(const struct dump *d, uint32_t module, uint32_t until, struct attention_side *a)
{
    for (int i = 0; i < OF_COUNT; i++)
        a->row[i] = NONE;
    for (uint32_t c = until + 1; c-- > 0 && until - c < WITHIN_MOST;) {
        const struct call *x = &d->calls.v[c];
        if (x->parent != module || x->kind != CALL_MODULE || x->phase != PHASE_FORWARD)
            continue;
        int role = of_role(d, c);
        if (role >= 0 && a->row[role] == NONE)
            a->row[role] = dump_first_tensor(d, c, IO_OUTPUT);
    }
    return (a->row[OF_Q] != NONE && a->row[OF_K] != NONE && a->row[OF_V] != NONE) || a->row[OF_QKV] != NONE;
}

/* Finds the module's other inputs: masks and biases for the scores, cosines and sines. */
static void find_given(const struct dump *d, uint32_t module, struct attention_side *a)
{
    int masks = 0, tables = 0;
    a->table[0] = a->table[1] = a->mask[0] = a->mask[1] = NONE;
    EACH_EARLY_ROW(d, module, r) {
        struct str slot = str_of(d->slots.v[d->rows.v[r].slot]);
        if (d->rows.v[r].io != IO_INPUT || d->rows.v[r].kind != ROW_TENSOR)
            continue;
        const struct shape *s = dump_row_shape(d, r);
        bool score = s && s->ndim == 4, unit = s && s->ndim >= 2 && s->ndim <= 3 &&
                                               dtype_is_float(d->rows.v[r].dtype) && d->rows.v[r].has & HAS_MAX &&
                                               fabs(d->rows.v[r].stat[STAT_MAX]) <= 1.00001 &&
                                               fabs(d->rows.v[r].stat[STAT_MIN]) <= 1.00001;
        if (score && masks < ATTENTION_MASKS)
            a->mask[masks++] = r;
        else if (unit && tables < 2 && !str_is(slot, "input.0") && !str_ihas(slot, "hidden"))
            a->table[tables++] = r;
    }
}

static bool read_parts(const struct dump *d, struct attention_side *a)
{
    for (int i = 0; i < OF_COUNT; i++)
        if (a->row[i] != NONE && !tensor_values(d, a->row[i], &a->x[i]))
            return false;
    for (int i = 0; i < 2; i++)
        if (a->table[i] == NONE || !tensor_values(d, a->table[i], &a->tables[i]))
            break;
    for (int i = 0; i < ATTENTION_MASKS; i++)
        if (a->mask[i] != NONE && tensor_values(d, a->mask[i], &a->given[i]) && !dtype_is_float(a->given[i].dtype[0]))
            for (size_t k = 0; k < a->given[i].n; k++)
                a->given[i].v[0][k] = a->given[i].v[0][k] != 0 ? 0 : -INFINITY; /* true: visible */
    return true;
}

static int64_t last_axis(const struct dump *d, uint32_t row)
{
    const struct shape *s = row == NONE ? NULL : dump_row_shape(d, row);
    return s && s->ndim >= 3 ? s->dim[s->ndim - 1] : 0; /* 4: an axis of one head before the tokens */
}

/* Latent attention: keys and values of all heads are one product of a latent, whose own product also gives the one
 * rotated key of all heads. Widths tell the modules apart: with `turned` rotated elements, a product of `latent`
 * elements and another one that gives `latent` + `turned`; queries, keys, values and result then agree on the heads. */
static int64_t find_latent(const struct dump *d, uint32_t module, uint32_t until, int64_t turned, int64_t width,
                           struct attention_side *a)
{
    uint32_t child[LATENT_MOST];
    int n = 0;
    for (uint32_t c = until; c-- > 0 && until - c < WITHIN_MOST && n < LATENT_MOST;) {
        const struct call *x = &d->calls.v[c];
        if (x->parent == module && x->kind == CALL_MODULE && x->phase == PHASE_FORWARD)
            child[n++] = c;
    }
    for (int up = 0; up < n; up++)
        for (int down = up + 1; down < n; down++)
            for (int q = 0; q < n; q++) {
                uint32_t row[] = {dump_first_tensor(d, child[q], IO_OUTPUT),
                                  dump_first_tensor(d, child[down], IO_OUTPUT),
                                  dump_first_tensor(d, child[up], IO_OUTPUT)};
                int64_t latent = last_axis(d, dump_first_tensor(d, child[up], IO_INPUT)),
                        both = last_axis(d, row[OF_V]), queries = last_axis(d, row[OF_Q]),
                        heads = (queries - both + width) / turned;
                if (q == up || q == down || !latent || !both || last_axis(d, row[OF_K]) != latent + turned ||
                    heads < 1 || heads * turned != queries - both + width || queries % heads || width % heads ||
                    queries / heads <= turned)
                    continue;
                memcpy(a->row, row, sizeof row);
                return heads;
            }
    return 0;
}

/* Lays queries, keys and values of every head out, the rotated elements first; `pairs`: they lie as pairs and are
 * rotated as halves. */
static bool spread_latent(struct attention_side *a, int64_t heads, int64_t turned, bool pairs)
{
    struct element_sample *q = &a->x[OF_Q], *k = &a->x[OF_K], *v = &a->x[OF_V];
    int64_t tokens = q->shape[0] * q->shape[1], width[2] = {k->shape[k->ndim - 1], v->shape[v->ndim - 1]},
            size = q->shape[2] / heads, plain = size - turned, latent = width[0] - turned, one = width[1] / heads,
            value = one - plain;
    if (q->ndim != 3 || value < 1 || (int64_t)k->n != tokens * width[0] || (int64_t)v->n != tokens * width[1])
        return false;
    double *out[3];
    for (int i = 0; i < 3; i++)
        out[i] = mem_alloc((size_t)(tokens * heads * (i == OF_V ? value : size) + 1) * sizeof(double));
    for (int64_t t = 0; t < tokens * heads; t++) {
        const double *from[2] = {q->v[0] + t * size, v->v[0] + t * one};
        const double *whirl[2] = {from[0] + plain, k->v[0] + t / heads * width[0] + latent};
        const double *rest[2] = {from[0], from[1]};
        for (int i = 0; i < 2; i++) {
            for (int64_t e = 0; e < turned; e++)
                out[i][t * size + e] = whirl[i][pairs ? e % (turned / 2) * 2 + e / (turned / 2) : e];
            memcpy(out[i] + t * size + turned, rest[i], (size_t)plain * sizeof(double));
        }
        memcpy(out[OF_V] + t * value, from[1] + plain, (size_t)value * sizeof(double));
    }
    for (int i = 0; i < 3; i++) {
        free(a->x[i].v[0]);
        a->x[i].v[0] = out[i];
        a->x[i].ndim = 3;
        memcpy(a->x[i].shape, q->shape, 2 * sizeof *q->shape);
        a->x[i].shape[2] = heads * (i == OF_V ? value : size);
        a->x[i].n = (size_t)(tokens * a->x[i].shape[2]);
    }
    return true;
}

/* Masks whose sizes fit these heads. */
static void lay_masks(struct attention_side *a)
{
    struct attention_data *d = &a->d;
    for (int i = 0; i < ATTENTION_MASKS; i++) {
        const struct element_sample *s = &a->given[i];
        d->mask[i] = NULL;
        if (!s->n || s->ndim != 4 || s->shape[3] != d->keys)
            continue;
        const int64_t most[3] = {d->batch, d->heads, d->queries};
        bool fits = true;
        for (int k = 0; k < 3; k++) {
            d->mask_shape[i][k] = s->shape[k];
            fits = fits && (s->shape[k] == 1 || s->shape[k] == most[k]);
        }
        d->mask[i] = fits ? s->v[0] : NULL;
    }
}

static void lay_tables(struct attention_side *a)
{
    struct attention_data *d = &a->d;
    const struct element_sample *c = &a->tables[0], *s = &a->tables[1];
    d->cosines = d->sines = NULL;
    if (!c->n || !s->n || c->ndim != s->ndim || c->n != s->n || d->queries != d->keys)
        return;
    d->turned = c->shape[c->ndim - 1];
    d->table_batch = c->ndim == 3 ? c->shape[0] : 1;
    if (c->shape[c->ndim - 2] != d->keys || d->turned > d->size || d->turned % 2 ||
        (d->table_batch != 1 && d->table_batch != d->batch))
        return;
    d->cosines = c->v[0];
    d->sines = s->v[0];
}

/* Interprets the data with `heads` query heads; `woven`: q, k and v of each head are adjacent in a fused tensor. */
static bool lay_heads(struct attention_side *a, int64_t heads, bool woven)
{
    struct attention_data *d = &a->d;
    bool fused = a->row[OF_QKV] != NONE && a->row[OF_Q] == NONE;
    const struct element_sample *q = fused ? &a->x[OF_QKV] : &a->x[OF_Q], *k = fused ? q : &a->x[OF_K],
                          *v = fused ? q : &a->x[OF_V];
    if (q->ndim != 3 || k->ndim != 3 || v->ndim != 3 || k->shape[0] != q->shape[0] || v->shape[0] != q->shape[0] ||
        k->shape[1] != v->shape[1] || (woven && !fused))
        return false;
    int64_t width = fused ? q->shape[2] / 3 : q->shape[2], k_width = fused ? width : k->shape[2],
            v_width = fused ? width : v->shape[2];
    if (width % heads || (fused && q->shape[2] % 3) || k_width % (width / heads))
        return false;
    *d = (struct attention_data){.batch = q->shape[0],
                                 .queries = q->shape[1],
                                 .keys = k->shape[1],
                                 .heads = heads,
                                 .size = width / heads,
                                 .o = a->o.v[0]};
    d->kv_heads = k_width / d->size;
    if (!d->kv_heads || heads % d->kv_heads || v_width % d->kv_heads)
        return false;
    d->v_size = v_width / d->kv_heads;
    d->q = q->v[0];
    d->k = fused ? q->v[0] + (woven ? d->size : width) : k->v[0];
    d->v = fused ? q->v[0] + (woven ? 2 * d->size : 2 * width) : v->v[0];
    d->q_step = q->shape[2];
    d->k_step = k->shape[2];
    d->v_step = v->shape[2];
    d->q_head = d->k_head = woven ? 3 * d->size : d->size;
    d->v_head = woven ? 3 * d->size : d->v_size;
    if ((int64_t)a->o.n != d->batch * d->queries * heads * d->v_size)
        return false;
    lay_masks(a);
    lay_tables(a);
    return true;
}

/* The number of heads given by a table or mask, otherwise 0. */
static int64_t told_heads(const struct attention_side *a)
{
    for (int i = 0; i < ATTENTION_MASKS; i++)
        if (a->given[i].ndim == 4 && a->given[i].shape[1] > 1)
            return a->given[i].shape[1];
    return 0;
}

static double most_left(const struct attention_side *a, const struct diagnosis_case *p)
{
    double rel = p->f && isfinite(p->f->rel_l2) ? p->f->rel_l2 : 1;
    return fmin(0.1 * rel, fmax(EXACT_ATTENTION, dtype_table[a->o.dtype[0]].epsilon));
}

/* Tries that number of heads, or all that fit (0). */
static bool fit_heads(struct attention_side *a, int64_t wanted, const struct diagnosis_case *p)
{
    int64_t told = wanted ? wanted : told_heads(a);
    for (int woven = 0; woven < 2; woven++)
        for (int64_t heads = told ? told : 1; heads <= (told ? told : HEADS_MOST); heads++)
            if (lay_heads(a, heads, woven) && (told || a->d.size >= 2) &&
                attention_fit(&a->d, most_left(a, p), &a->way))
                return true;
    return false;
}

/* For a fused kernel: queries, keys and values are its first inputs, with heads before tokens. */
static bool lay_kernel(const struct dump *d, uint32_t call, struct attention_side *a)
{
    uint32_t mask = call_tensor(d, call, "attn_mask 3");
    for (int i = 0; i < 3; i++)
        if (!tensor_values(d, call_input(d, call, i), &a->x[i]) || a->x[i].ndim != 4)
            return false;
    const int64_t *q = a->x[OF_Q].shape, *k = a->x[OF_K].shape, *v = a->x[OF_V].shape;
    if (k[1] != v[1] || k[2] != v[2] || q[0] != k[0] || q[3] != k[3] || !k[1] || q[1] % k[1] ||
        (int64_t)a->o.n != q[0] * q[1] * q[2] * v[3])
        return false;
    a->d = (struct attention_data){
        .batch = q[0], .queries = q[2], .keys = k[2], .heads = q[1], .kv_heads = k[1], .size = q[3], .v_size = v[3]};
    if (mask != NONE && tensor_values(d, mask, &a->given[0]) && !dtype_is_float(a->given[0].dtype[0]))
        for (size_t i = 0; i < a->given[0].n; i++)
            a->given[0].v[0][i] = a->given[0].v[0][i] != 0 ? 0 : -INFINITY;
    return true;
}

/* [batch, heads, tokens, size] → [batch, tokens, heads, size], in place. */
static void tokens_first(struct element_sample *s)
{
    const int64_t *n = s->shape;
    double *v = mem_alloc((s->n + 1) * sizeof(double));
    for (int64_t b = 0; b < n[0]; b++)
        for (int64_t h = 0; h < n[1]; h++)
            for (int64_t t = 0; t < n[2]; t++)
                memcpy(v + ((b * n[2] + t) * n[1] + h) * n[3], s->v[0] + ((b * n[1] + h) * n[2] + t) * n[3],
                       (size_t)n[3] * sizeof *v);
    free(s->v[0]);
    s->v[0] = v;
}

static bool fit_kernel(struct attention_side *a, const struct dump *d, uint32_t output, const struct diagnosis_case *p)
{
    uint32_t call = d->rows.v[output].call;
    if (d->calls.v[call].kind == CALL_MODULE || !lay_kernel(d, call, a))
        return false;
    for (int i = 0; i < 3; i++)
        tokens_first(&a->x[i]);
    if (a->o.ndim == 4 && a->o.shape[1] == a->d.heads && a->o.shape[2] == a->d.queries)
        tokens_first(&a->o);
    a->d.q = a->x[OF_Q].v[0];
    a->d.k = a->x[OF_K].v[0];
    a->d.v = a->x[OF_V].v[0];
    a->d.o = a->o.v[0];
    a->d.q_head = a->d.k_head = a->d.size;
    a->d.v_head = a->d.v_size;
    a->d.q_step = a->d.heads * a->d.size;
    a->d.k_step = a->d.kv_heads * a->d.size;
    a->d.v_step = a->d.kv_heads * a->d.v_size;
    lay_masks(a);
    return attention_fit(&a->d, most_left(a, p), &a->way);
}

static bool fit_latent(struct attention_side *a, const struct diagnosis_case *p, int side, uint32_t row,
                       uint32_t module)
{
    const struct dump *d = p->side[side];
    for (int pairs = 0; pairs < 2; pairs++) {
        memset(a, 0, sizeof *a);
        find_given(d, module, a);
        const struct shape *table = a->table[1] == NONE ? NULL : dump_row_shape(d, a->table[0]);
        int64_t turned = table ? table->dim[table->ndim - 1] : 0;
        int64_t heads = turned < 2 || turned % 2
                            ? 0
                            : find_latent(d, module, d->rows.v[row].call, turned, last_axis(d, row), a);
        a->row[OF_QKV] = NONE;
        if (heads && read_parts(d, a) && tensor_values(d, row, &a->o) && spread_latent(a, heads, turned, pairs) &&
            lay_heads(a, heads, false) && a->d.cosines && attention_fit(&a->d, most_left(a, p), &a->way))
            return true;
        attention_release(a);
        if (!heads)
            break;
    }
    return false;
}

/* Explains the row's value as attention of the projections in one of the enclosing modules. */
static bool fit_modules(struct attention_side *a, const struct diagnosis_case *p, int side, uint32_t row, int64_t heads)
{
    const struct dump *d = p->side[side];
    uint32_t call = d->rows.v[row].call, up = call;
    for (int i = 0; up != NONE && i < UP_MOST; i++, up = d->calls.v[up].parent) {
        memset(a, 0, sizeof *a);
        if (d->calls.v[up].kind != CALL_MODULE)
            continue;
        if (!find_projections(d, up, call, a)) {
            if (fit_latent(a, p, side, row, up))
                return true;
            continue;
        }
        find_given(d, up, a);
        if (read_parts(d, a) && tensor_values(d, row, &a->o) && fit_heads(a, heads, p))
            return true;
        attention_release(a);
        return false;
    }
    return false;
}

/* Tries the modules around the row or around its producer, then the fused kernel that produced it. */
static bool fit_side(struct attention_side *a, const struct diagnosis_case *p, int side, uint32_t row, int64_t heads)
{
    const struct dump *d = p->side[side];
    if (fit_modules(a, p, side, row, heads))
        return true;
    uint32_t output = value_output(d, &p->flow[side], row);
    for (int i = 0; output != NONE && i < MAKERS_MOST; i++, output = value_output_before(d, &p->flow[side], output)) {
        if (output != row && d->calls.v[d->rows.v[output].call].kind == CALL_MODULE &&
            fit_modules(a, p, side, output, heads))
            return true;
        if (d->calls.v[d->rows.v[output].call].family != FAMILY_ATTENTION ||
            d->calls.v[d->rows.v[output].call].kind == CALL_MODULE)
            continue;
        memset(a, 0, sizeof *a);
        if (tensor_values(d, output, &a->o) && fit_kernel(a, d, output, p))
            return true;
        attention_release(a);
        return false;
    }
    return false;
}

/* ---- sentences ---- */

static void mask_text(const struct attention_way *w, struct buf *out)
{
    if (w->ahead == CAUSAL_NONE && !w->masks)
        buf_cstr(out, _("no mask"));
    else if (w->window)
        buf_fmt(out, _("a causal mask with a window of %d tokens"), w->window);
    else if (w->ahead == 0)
        buf_cstr(out, w->masks ? _("the causal mask and the mask passed to the call") : _("the causal mask"));
    else if (w->ahead != CAUSAL_NONE)
        buf_fmt(out, _("a causal mask that leaves %d later tokens visible"), w->ahead);
    else
        buf_cstr(out, _("the mask passed to the call"));
}

static void say_scale(struct diagnosis_case *p, const struct attention_side a[2])
{
    struct buf b = {0};
    char n[2][NUM_MAX];
    diagnosis_factor_text(a[TARGET].way.scale / a[GOLDEN].way.scale, 2e-3, &b);
    case_found(p, DIAGNOSIS_SCALE, BOTH_SIDES, 0.98,
               _("attention recomputed from its queries, keys and values: the scores are multiplied by %s on the "
                 "target and by %s on the golden side; factor %s"),
               num_cell(n[0], a[TARGET].way.scale, 4), num_cell(n[1], a[GOLDEN].way.scale, 4), b.p);
    buf_release(&b);
}

/* Counts positions visible to one side's queries only. */
static void count_seen(const struct attention_side a[2], size_t only[2])
{
    const struct attention_data *t = &a[TARGET].d, *g = &a[GOLDEN].d;
    only[0] = only[1] = 0;
    if (t->batch != g->batch || t->queries != g->queries || t->keys != g->keys)
        return;
    for (int64_t b = 0; b < t->batch; b++)
        for (int64_t q = 0; q < t->queries; q++)
            for (int64_t k = 0; k < t->keys; k++) {
                bool seen[2] = {attention_sees(t, &a[TARGET].way, b, q, k), attention_sees(g, &a[GOLDEN].way, b, q, k)};
                only[TARGET] += seen[TARGET] && !seen[GOLDEN];
                only[GOLDEN] += seen[GOLDEN] && !seen[TARGET];
            }
}

static void say_mask(struct diagnosis_case *p, const struct attention_side a[2], const size_t only[2])
{
    struct buf b[2] = {{0}, {0}};
    for (int s = 0; s < 2; s++)
        mask_text(&a[s].way, &b[s]);
    case_found(p, DIAGNOSIS_MASK, BOTH_SIDES, 0.98,
               _("attention recomputed from its queries, keys and values: the target applies %s, the golden side %s; "
                 "%zu positions are visible only on the target, %zu only on the golden side"),
               b[TARGET].p, b[GOLDEN].p, only[TARGET], only[GOLDEN]);
    buf_release(&b[0]);
    buf_release(&b[1]);
}

/* Whether computing the target's attention in the golden side's way gives a different result. */
static bool way_shows(const struct attention_side *a, struct attention_way w)
{
    attention_left(&a->d, &w);
    return w.left2 > a->way.left2 / LEFT_OVER;
}

static void compare_ways(struct diagnosis_case *p, const struct attention_side a[2])
{
    const struct attention_way *t = &a[TARGET].way, *g = &a[GOLDEN].way;
    struct attention_way w = *t;
    size_t only[2];
    w.scale = g->scale;
    if (fabs(t->scale / g->scale - 1) > 1e-3 && way_shows(&a[TARGET], w))
        say_scale(p, a);
    count_seen(a, only);
    if (only[TARGET] + only[GOLDEN])
        say_mask(p, a, only);
    if (t->rope != g->rope && t->rope && g->rope)
        case_found(p, DIAGNOSIS_ROPE, BOTH_SIDES, 0.98,
                   t->rope == ROTATE_NEIGHBOURS ? _("attention recomputed: the target rotates adjacent elements (2i, "
                                                    "2i+1) of queries and keys, the golden side rotates halves")
                                                  : _("attention recomputed: the golden side rotates adjacent elements "
                                                      "(2i, 2i+1) of queries and keys, the target rotates halves"));
    if (t->low != g->low && (!t->low || !g->low))
        case_found(p, DIAGNOSIS_ROUNDED, t->low ? TARGET : GOLDEN, 0.97,
                   _("attention recomputed: the softmax of the %s is computed in %s"),
                   diagnosis_side_word(t->low ? TARGET : GOLDEN),
                   (t->low ? t->low : g->low) == LOW_BF16 ? "bfloat16" : "float16");
}

void detect_attention(struct diagnosis_case *p)
{
    struct attention_side a[2];
    if (p->side[TARGET]->calls.v[p->call].phase != PHASE_FORWARD || !dtype_is_float(p->r[TARGET]->dtype) ||
        !fit_side(&a[GOLDEN], p, GOLDEN, p->row[GOLDEN], 0))
        return;
    if (fit_side(&a[TARGET], p, TARGET, p->row[TARGET], a[GOLDEN].d.heads)) {
        compare_ways(p, a);
        attention_release(&a[TARGET]);
    }
    attention_release(&a[GOLDEN]);
}
