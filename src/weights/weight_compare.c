/* Compares two checkpoints pair by pair: opens both sides, tries the layouts that a pair's names allow, infers the
 * number of heads where it is unknown, and looks for exchanged weights. */
#include "weights/weight_compare.h"

#include <stdlib.h>

#include "base/json_read.h"
#include "base/json_tree.h"
#include "base/msg.h"
#include "weights/weight_explain.h"
#include "weights/weight_pairs.h"
#include "weights/weight_storage.h"

#define EXCHANGED_MAX 512 /* differing pairs among which exchanged weights are looked for */

/* ---- opening ---- */

static int json_int(const cJSON *o, const char *key)
{
    const cJSON *v = json_member(o, key);
    return cJSON_IsNumber(v) && v->valuedouble >= 1 && v->valuedouble < 1e6 ? (int)v->valuedouble : 0;
}

/* Hugging Face's config.json beside the weights. */
static void read_model_config(struct weights *w)
{
    struct buf path = {0};
    struct err quiet;
    struct str dir = path_is_dir(w->path) ? str_of(w->path) : path_parent(str_of(w->path));
    path_join(&path, dir.n ? arena_cstr(&w->arena, dir) : ".", "config.json");
    cJSON *root = path_is_file(path.p) ? json_load(path.p, 4 << 20, &quiet) : NULL;
    if (root) {
        struct weight_arch *a = &w->arch;
        a->heads = a->heads ? a->heads : json_int(root, "num_attention_heads");
        if (!a->kv_heads)
            a->kv_heads = json_int(root, "num_key_value_heads");
        if (!a->kv_heads)
            a->kv_heads = a->heads;
    }
    cJSON_Delete(root);
    buf_release(&path);
}

static void choose_heads(struct weight_compare *c)
{
    const struct weight_arch *t = &c->side[0].arch, *g = &c->side[1].arch;
    const struct weight_options *o = &c->opt;
    c->heads = o->heads ? o->heads : t->heads ? t->heads : g->heads;
    c->kv_heads = o->kv_heads ? o->kv_heads : o->heads ? o->heads : t->heads ? t->kv_heads : g->kv_heads;
    if (!o->heads && t->heads && g->heads && (t->heads != g->heads || t->kv_heads != g->kv_heads))
        vec_push(&c->warnings, arena_fmt(&c->arena, _("the head counts differ: %d (key-value heads: %d) and %d (%d)"),
                                         t->heads, t->kv_heads, g->heads, g->kv_heads));
    for (int s = 0; s < 2; s++)
        c->blocks[s] = o->tp > 1 && strcmp(c->side[s].format, "megatron") != 0 ? o->tp : 1;
}

int weight_compare_open(struct weight_compare *c, const char *target, const char *golden,
                        const struct weight_options *opt, struct err *e)
{
    const char *const path[2] = {target, golden};
    *c = (struct weight_compare){.opt = *opt};
    for (int s = 0; s < 2; s++) {
        if (weights_open(&c->side[s], path[s], e))
            return -1;
        read_model_config(&c->side[s]);
        for (size_t i = 0; i < c->side[s].problems.n && i < 100; i++)
            vec_push(&c->unread, c->side[s].problems.v[i].text);
    }
    choose_heads(c);
    for (int s = 0; s < 2; s++)
        if (c->side[s].arch.tp > 1 && strcmp(c->side[s].format, "megatron") != 0)
            vec_push(&c->warnings, arena_fmt(&c->arena, _("%s is one of %d tensor-parallel ranks by its saved "
                                                          "arguments; give the folder of all ranks to join them"),
                                             c->side[s].path, c->side[s].arch.tp));
    if (weight_pairs_plan(c, e))
        return -1;
    weight_storage_decide(c);
    const struct weight_pair *example = NULL;
    for (size_t i = 0; i < c->pairs.n; i++) {
        enum dtype t = c->side[0].list.v[c->pairs.v[i].weight[0]].dtype,
                   g = c->side[1].list.v[c->pairs.v[i].weight[1]].dtype;
        if (t != g && t && g) {
            c->dtype_diff++;
            example = &c->pairs.v[i];
        }
    }
    if (example)
        vec_push(&c->warnings, arena_fmt(&c->arena, _("%zu pairs differ in element type, e.g. %s and %s: differences "
                                                      "within the rounding of the less precise type are tolerated"),
                                         c->dtype_diff, dtype_table[c->side[0].list.v[example->weight[0]].dtype].name,
                                         dtype_table[c->side[1].list.v[example->weight[1]].dtype].name));
    return 0;
}

void weight_compare_release(struct weight_compare *c)
{
    for (int s = 0; s < 2; s++) {
        weights_release(&c->side[s]);
        free(c->id[s]);
        vec_release(&c->only[s]);
        vec_release(&c->aside[s]);
    }
    vec_release(&c->pairs);
    vec_release(&c->replicas);
    vec_release(&c->unread);
    vec_release(&c->warnings);
    arena_release(&c->arena);
    *c = (struct weight_compare){0};
}

const char *weight_verdict_name(enum weight_verdict v)
{
    static const char *const names[] = {"pending", "equal", "differs", "shape", "unread"};
    return names[v];
}

const char *weight_part_name(const struct weight_compare *c, const struct weight_pair *p, int side)
{
    const char *part[3];
    int n = weight_parts(&c->id[side][p->weight[side]], part);
    return p->part[side] && p->part[side] <= n ? part[p->part[side] - 1] : "";
}

struct str weight_module(struct str name)
{
    ptrdiff_t dot = str_rfind(name, '.');
    return str_n(name.p, dot < 0 ? 0 : (size_t)dot);
}

static enum weight_order order_of(const struct weight_compare *c, const struct weight_pair *p, int s)
{
    const struct weight_id *id = &c->id[s][p->weight[s]];
    return id->fusion == FUSED_QKV && id->order != ORDER_STACKED
               ? (id->order == ORDER_ANY ? ORDER_STACKED : ORDER_GROUPED)
               : ORDER_STACKED;
}

static void settle_weight_attempt(struct weights_running *x, struct weight_pair *p, const struct weight_attempt *y,
                                  const enum weight_order order[2])
{
    for (int s = 0; s < 2; s++) {
        p->ndim[s] = y->a[s].ndim;
        memcpy(p->shape[s], y->a[s].shape, sizeof p->shape[s]);
    }
    if (!y->compared) {
        weight_explain_shape(x, p, y->a);
        return;
    }
    p->fig = y->o.fig;
    p->read = true;
    p->view = weight_view_text(x, p, y, order);
    p->padded = y->relation == SHAPE_PADDED;
    if (y->relation == SHAPE_TRANSPOSED) {
        /* a view that is only proposed: whoever loads these weights must transpose them as well */
        weight_explain_shape(x, p, y->a);
        if (y->o.equal)
            p->why = weight_say(x, _("%s; the values are equal when one side is transposed (\"transpose\": true in a "
                                     "--map accepts it)"), p->why);
        else
            p->read = false;
        p->view = NULL;
    } else if (y->o.equal) {
        p->verdict = WEIGHT_EQUAL;
    } else {
        p->verdict = WEIGHT_DIFFERS;
        weight_explain_values(x, p, y->a, &y->o);
        if (p->stacks && y->relation == SHAPE_SAME)
            weight_explain_experts(x, p, y->a);
        if (p->origin == PAIR_TIED)
            p->why = weight_say(x, "%s", _("one side has no output layer, and the values of its embedding differ"));
    }
}

/* Tries the order of the names, then, for fused weights whose name leaves it open, the other order. */
static void compare_weight_pair(struct weights_running *x, struct weight_pair *p)
{
    const struct weight_compare *c = x->c;
    enum weight_order order[2] = {order_of(c, p, 0), order_of(c, p, 1)};
    int64_t size[2][3] = {{0}, {0}};
    struct weight_attempt y, other;
    struct err e = {0};
    for (int s = 0; s < 2; s++)
        if (p->part[s] && !weight_part_sizes(c, p, s, size[s])) {
            p->verdict = WEIGHT_UNREAD;
            p->why = weight_say(x, "%s", _("unknown head layout: set --heads (and --kv-heads)"));
            return;
        }
    int rc = weight_attempt_open(x, p, order, size, &y, &e);
    if (rc) {
        p->verdict = e.code == ERR_CANCEL ? WEIGHT_PENDING : WEIGHT_UNREAD;
        p->why = weight_say(x, "%s", e.text);
        return;
    }
    for (int s = 0; s < 2 && !(y.compared && y.o.equal); s++) {
        const struct weight_id *id = &c->id[s][p->weight[s]];
        if (!p->part[s])
            continue;
        enum weight_order swapped[2] = {order[0], order[1]};
        swapped[s] = order[s] == ORDER_GROUPED ? ORDER_STACKED : ORDER_GROUPED;
        if (weight_attempt_open(x, p, swapped, size, &other, &e))
            continue;
        if (other.compared && other.o.equal && id->order == ORDER_ANY) {
            weight_attempt_close(&y);
            y = other;
            order[s] = swapped[s];
        } else {
            if (other.compared && other.o.equal) {
                settle_weight_attempt(x, p, &y, order);
                p->why = weight_say(x, _("equal if the rows of %.*s are read %s: the layout differs from the one its "
                                         "name indicates"),
                                    STR_ARG(c->side[s].list.v[p->weight[s]].name),
                                    weight_order_text((enum weight_fusion)id->fusion, swapped[s]));
            }
            weight_attempt_close(&other);
        }
    }
    if (!p->why)
        settle_weight_attempt(x, p, &y, order);
    if (p->why && (p->expert[0] || p->expert[1]))
        p->why = weight_say(x, _("expert %d: %s"), (p->expert[0] ? p->expert[0] : p->expert[1]) - 1, p->why);
    weight_attempt_close(&y);
}

static void each_pair(void *ctx, size_t i)
{
    struct weights_running *x = ctx;
    compare_weight_pair(x, &x->c->pairs.v[i]);
}

/* ---- fused weights in one order ---- */

static bool may_share_order(const struct weight_compare *c, const struct weight_pair *p)
{
    const struct weight_id *t = &c->id[0][p->weight[0]], *g = &c->id[1][p->weight[1]];
    return p->part[0] && p->part[1] && t->fusion == FUSED_QKV &&
           (t->order == g->order || t->order == ORDER_ANY || g->order == ORDER_ANY);
}

static bool agrees_whole(struct weights_running *x, const struct weight_pair *p)
{
    const enum weight_order order[2] = {ORDER_STACKED, ORDER_STACKED};
    const int64_t size[2][3] = {{0}, {0}};
    struct weight_pair whole = {.weight = {p->weight[0], p->weight[1]}};
    struct weight_attempt y;
    struct err quiet;
    if (weight_attempt_open(x, &whole, order, size, &y, &quiet))
        return false;
    bool yes = y.compared && y.o.equal && y.o.fig.side[0].max != y.o.fig.side[0].min; /* of a constant any order is */
    weight_attempt_close(&y);
    return yes;
}

/* Fused weights whose names leave the order of the rows open are in one order on both sides if those of one layer are
 * equal as they lie. Then no head count is needed. */
static void join_fused_parts(struct weights_running *x)
{
    struct weight_compare *c = x->c;
    size_t n = 0;
    bool one = false;
    for (size_t i = 0; i < c->pairs.n && !one; i++)
        one = c->pairs.v[i].part[0] == 1 && may_share_order(c, &c->pairs.v[i]) && agrees_whole(x, &c->pairs.v[i]);
    for (size_t i = 0; i < c->pairs.n && one; i++) {
        struct weight_pair p = c->pairs.v[i];
        bool join = may_share_order(c, &p);
        if (join && p.part[0] > 1)
            continue;
        if (join)
            p.part[0] = p.part[1] = 0;
        c->pairs.v[n++] = p;
    }
    c->pairs.n = one ? n : c->pairs.n;
}

/* ---- heads nobody told ---- */

/* The side whose fused rows may be grouped, compared with parts of the other; -1: neither. */
static int grouped_side(const struct weight_compare *c, const struct weight_pair *p)
{
    for (int s = 0; s < 2; s++) {
        const struct weight_id *id = &c->id[s][p->weight[s]];
        if (p->part[s] && !p->part[!s] && id->fusion == FUSED_QKV && id->order != ORDER_STACKED)
            return s;
    }
    return -1;
}

static bool read_agrees(struct weights_running *x, const struct weight_pair *p, int s, enum weight_order how,
                        const int64_t size[2][3])
{
    enum weight_order order[2] = {ORDER_STACKED, ORDER_STACKED};
    order[s] = how;
    return weight_attempt_agrees(x, p, order, size);
}

/* Whether all parts of two fused weights agree with these head counts, under one of the orders that the names allow. */
static bool parts_agree_in_some_order(struct weights_running *x, const struct weight_pair *p)
{
    const struct weight_compare *c = x->c;
    for (int t = ORDER_GROUPED; t <= ORDER_STACKED; t++)
        for (int g = ORDER_GROUPED; g <= ORDER_STACKED; g++) {
            enum weight_order order[2] = {(enum weight_order)t, (enum weight_order)g};
            bool agree = true;
            for (int s = 0; s < 2; s++)
                agree = agree && (c->id[s][p->weight[s]].order == ORDER_ANY ||
                                  c->id[s][p->weight[s]].order == order[s]);
            for (int k = 3; k >= 1 && agree; k--) { /* the smaller ones first */
                struct weight_pair part = *p;
                int64_t size[2][3] = {{0}, {0}};
                part.part[0] = part.part[1] = (uint8_t)k;
                agree = weight_part_sizes(c, &part, 0, size[0]) && weight_part_sizes(c, &part, 1, size[1]) &&
                        weight_attempt_agrees(x, &part, order, size);
            }
            if (agree)
                return true;
        }
    return false;
}

/* The head counts of two fused weights of different row orders, from the values: the only ones under which all parts
 * agree. */
static void infer_heads(struct weights_running *x)
{
    struct weight_compare *c = x->c;
    int found[2] = {0, 0}, hits = 0;
    size_t i = 0;
    while (i < c->pairs.n && !(c->pairs.v[i].part[0] && c->pairs.v[i].part[1] &&
                               c->id[0][c->pairs.v[i].weight[0]].fusion == FUSED_QKV))
        i++;
    if (i == c->pairs.n)
        return;
    const struct weight_pair *p = &c->pairs.v[i];
    const struct weight *w = &c->side[0].list.v[p->weight[0]];
    int64_t rows = w->ndim ? w->shape[0] : 0;
    for (int64_t n = 1; n <= rows / 3 && n <= 4096 && hits < 2; n++)
        for (int64_t size = 1; rows % n == 0 && size <= rows / n / 3 && hits < 2; size++) {
            if (rows / n % size)
                continue;
            c->heads = (int)(n * (rows / n / size - 2));
            c->kv_heads = (int)n;
            if (!parts_agree_in_some_order(x, p))
                continue;
            found[0] = c->heads;
            found[1] = c->kv_heads;
            hits++;
        }
    c->heads = hits == 1 ? found[0] : 0;
    c->kv_heads = hits == 1 ? found[1] : 0;
    if (hits == 1)
        vec_push(&c->warnings,
                 weight_say(x, _("%d heads, %d key-value heads, inferred from the values of %.*s; the numbers are not "
                                 "in the files: check them, or set --heads and --kv-heads"),
                            found[0], found[1], STR_ARG(w->name)));
}

/* The number of key-value groups from the values: the only one under which a part agrees. */
static void infer_groups(struct weights_running *x)
{
    struct weight_compare *c = x->c;
    for (size_t i = 0; i < c->pairs.n; i++) {
        struct weight_pair *p = &c->pairs.v[i];
        int64_t size[2][3] = {{0}, {0}};
        int s = grouped_side(c, p), found = 0, hits = 0;
        if (s < 0 || !weight_part_sizes(c, p, s, size[s]) ||
            (c->id[s][p->weight[s]].order == ORDER_ANY && read_agrees(x, p, s, ORDER_STACKED, size)))
            continue;
        for (int64_t n = 1; n <= size[s][1] / 2 && n <= 4096; n++) {
            if (size[s][1] % n || size[s][0] % n)
                continue;
            c->kv_heads = (int)n;
            if (read_agrees(x, p, s, ORDER_GROUPED, size)) {
                found = (int)n;
                hits++;
            }
        }
        c->kv_heads = hits == 1 ? found : 0;
        if (hits == 1)
            vec_push(&c->warnings,
                     weight_say(x, _("%d key-value groups, inferred from the values of %.*s; the number is not in the "
                                     "files: check it, or set --heads and --kv-heads"),
                                found, STR_ARG(c->side[s].list.v[p->weight[s]].name)));
        return; /* one weight tells or none does */
    }
}

/* ---- exchanged weights ---- */

static bool have_same_figures(const struct side_figures *a, const struct side_figures *b)
{
    return a->count == b->count && a->count > 1 && a->norm == b->norm && a->max == b->max && a->min == b->min &&
           a->max != a->min;
}

/* A differing target weight that is another pair's golden one. */
static void find_exchanged(struct weights_running *x)
{
    struct weight_compare *c = x->c;
    VEC(size_t) bad = {0};
    for (size_t i = 0; i < c->pairs.n && bad.n < EXCHANGED_MAX; i++)
        if (c->pairs.v[i].verdict == WEIGHT_DIFFERS && c->pairs.v[i].read && c->pairs.v[i].fig.two)
            vec_push(&bad, i);
    for (size_t i = 0; i < bad.n; i++)
        for (size_t k = 0; k < bad.n; k++) {
            struct weight_pair *p = &c->pairs.v[bad.v[i]];
            const struct weight_pair *q = &c->pairs.v[bad.v[k]];
            if (i != k && have_same_figures(&p->fig.side[0], &q->fig.side[1]))
                p->why = weight_say(x, _("same statistics as the golden %.*s: the weights may be swapped"),
                             STR_ARG(c->side[1].list.v[q->weight[1]].name));
        }
    vec_release(&bad);
}

/* ---- copies on other ranks ---- */

static void one_replica(void *ctx, size_t i)
{
    struct weights_running *x = ctx;
    struct weight_replica *r = &x->c->replicas.v[i];
    const struct weights *w = &x->c->side[r->side];
    struct weight_outcome o;
    struct tensor t[2];
    struct err e;
    r->verdict = WEIGHT_UNREAD;
    if (weights_copy_tensor(w, r->copy, 0, &t[0], &e)) {
        r->why = weight_say(x, "%s", e.text);
        return;
    }
    if (weights_copy_tensor(w, r->copy, 1, &t[1], &e)) {
        r->why = weight_say(x, "%s", e.text);
        tensor_close(&t[0]);
        return;
    }
    if (t[0].numel != t[1].numel) {
        r->verdict = WEIGHT_SHAPE;
        r->why = weight_say(x, "%s", _("the ranks hold different numbers of elements"));
    } else if (weight_attempt_values(x, &t[0], &t[1], &o, &e) == 0) {
        r->verdict = o.equal ? WEIGHT_EQUAL : WEIGHT_DIFFERS;
        r->fig = o.fig;
        r->read = true;
    } else {
        r->verdict = e.code == ERR_CANCEL ? WEIGHT_PENDING : WEIGHT_UNREAD;
        r->why = weight_say(x, "%s", e.text);
    }
    tensor_close(&t[0]);
    tensor_close(&t[1]);
}

static void list_replicas(struct weight_compare *c)
{
    vec_clear(&c->replicas);
    for (int s = 0; s < 2; s++)
        for (uint32_t i = 0; i < c->side[s].copies.n; i++) {
            struct weight_replica r = {.copy = i, .side = (uint8_t)s};
            vec_push(&c->replicas, r);
        }
}

size_t weight_replicas_off(const struct weight_compare *c, bool certain)
{
    size_t n = 0;
    for (size_t i = 0; i < c->replicas.n; i++) {
        const struct weight_replica *r = &c->replicas.v[i];
        bool differs = r->verdict == WEIGHT_DIFFERS || r->verdict == WEIGHT_SHAPE;
        n += certain ? differs && c->side[r->side].copies.v[r->copy].certain : r->verdict != WEIGHT_EQUAL;
    }
    return n;
}

int weight_compare_run(struct weight_compare *c, const struct kern *k, int workers, struct figures_watch *watch,
                       struct err *e)
{
    struct weights_running x = {.c = c, .k = k, .watch = watch, .lock = PTHREAD_MUTEX_INITIALIZER};
    if (!c->kv_heads)
        join_fused_parts(&x);
    if (!c->kv_heads)
        infer_groups(&x);
    if (!c->kv_heads)
        infer_heads(&x);
    figures_each(watch, workers, c->pairs.n, each_pair, &x);
    list_replicas(c);
    figures_each(watch, workers, c->replicas.n, one_replica, &x);
    if (watch && atomic_load(&watch->cancel))
        return err_set(e, ERR_CANCEL, "%s", _("interrupted"));
    find_exchanged(&x);
    return 0;
}

/* Whether some of the side's files could not be listed: it may have more weights than are known. */
static bool parts_missing(const struct weights *w)
{
    for (size_t i = 0; i < w->problems.n; i++)
        if (w->problems.v[i].weight == UINT32_MAX)
            return true;
    return false;
}

/* Paired because no better partner was found; it may be in a part that could not be read. */
static bool is_pair_guessed(const struct weight_pair *p)
{
    return p->origin == PAIR_TIED || p->origin == PAIR_BY_VALUE || p->origin == PAIR_BY_ORDER;
}

enum stage_verdict weight_compare_verdict(const struct weight_compare *c)
{
    bool unread = false, any = false, incomplete = parts_missing(&c->side[0]) || parts_missing(&c->side[1]);
    for (size_t i = 0; i < c->pairs.n; i++) {
        uint8_t v = c->pairs.v[i].verdict;
        if ((v == WEIGHT_DIFFERS || v == WEIGHT_SHAPE) && !(incomplete && is_pair_guessed(&c->pairs.v[i])))
            return STAGE_FAIL;
        unread = unread || v != WEIGHT_EQUAL;
        any = any || v == WEIGHT_EQUAL;
    }
    if (weight_replicas_off(c, true))
        return STAGE_FAIL;
    unread = unread || weight_replicas_off(c, false);
    bool alone = false;
    for (int s = 0; s < 2; s++)
        alone = alone || (c->only[s].n && !parts_missing(&c->side[!s]));
    if (alone)
        return any || unread ? STAGE_FAIL : STAGE_UNKNOWN;
    for (int s = 0; s < 2; s++)
        unread = unread || c->side[s].problems.n;
    return unread || !any ? STAGE_UNKNOWN : STAGE_PASS;
}
