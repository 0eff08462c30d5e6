/* Explains a difference by testing transposed, exchanged and rearranged layouts. */
#include "weights/weight_explain.h"

#include <math.h>
#include <stdlib.h>

#include "base/msg.h"
#include "base/num.h"

#define EXPERTS_NAMED 8 /* of those that differ */

const char *weight_say(struct weights_running *x, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    pthread_mutex_lock(&x->lock);
    const char *s = arena_vfmt(&x->c->arena, fmt, ap);
    pthread_mutex_unlock(&x->lock);
    va_end(ap);
    return s;
}

static void put_weight_shape(const int64_t *v, int n, struct buf *out)
{
    buf_char(out, '[');
    for (int i = 0; i < n; i++)
        buf_fmt(out, i ? ",%lld" : "%lld", (long long)v[i]);
    buf_char(out, ']');
}

static bool transposed_agrees(struct weights_running *x, const struct weight_layout a[2])
{
    struct weight_layout turned = a[1];
    if (a[1].ndim != 2)
        return false;
    weight_layout_transpose(&turned);
    return a[0].shape[0] == turned.shape[0] && weight_attempt_would_agree(x, &a[0].t, &turned.t);
}

static bool swapped_halves_agree(struct weights_running *x, const struct weight_pair *p,
                                 const struct weight_layout a[2], int side)
{
    const struct weight_compare *c = x->c;
    const struct weight_id *id = &c->id[0][p->weight[0]];
    const char *part = weight_part_name(c, p, 0);
    bool q = str_is(id->role, "q") || strcmp(part, "q") == 0, k = str_is(id->role, "k") || strcmp(part, "k") == 0;
    struct weight_layout turned = a[side];
    if ((!q && !k) || !weight_layout_halves(&turned, q ? c->heads : c->kv_heads))
        return false;
    return weight_attempt_would_agree(x, side ? &a[0].t : &turned.t, side ? &turned.t : &a[1].t);
}

/* Whether each part of two fused weights agrees under these orders. */
static bool parts_agree_in_orders(struct weights_running *x, const struct weight_pair *p, int parts,
                                  const enum weight_order order[2])
{
    struct weight_pair part = *p;
    for (int k = 1; k <= parts; k++) {
        int64_t size[2][3] = {{0}, {0}};
        part.part[0] = part.part[1] = (uint8_t)k;
        if (!weight_part_sizes(x->c, &part, 0, size[0]) || !weight_part_sizes(x->c, &part, 1, size[1]) ||
            !weight_attempt_agrees(x, &part, order, size))
            return false;
    }
    return parts > 0;
}

/* The same of every expert of two stacks. */
static bool stacks_agree(struct weights_running *x, const struct weight_pair *p, int parts,
                         const enum weight_order order[2])
{
    struct weight_pair one = *p;
    int64_t all = x->c->side[0].list.v[p->weight[0]].shape[0], e = 0;
    for (; e < all; e++) {
        one.expert[0] = one.expert[1] = (int32_t)e + 1;
        if (!parts_agree_in_orders(x, &one, parts, order))
            break;
    }
    return e == all;
}

/* Whole fused weights with different row orders: each part is equal if one side is read in the other order. In stacks
 * the rows may be either axis of a matrix. */
static bool rearranged_agrees(struct weights_running *x, const struct weight_pair *p)
{
    const struct weight_compare *c = x->c;
    enum weight_fusion fusion = (enum weight_fusion)c->id[0][p->weight[0]].fusion;
    bool either = p->stacks || (p->expert[0] && p->expert[1]);
    const char *name[3];
    if (p->part[0] || p->part[1] || c->id[1][p->weight[1]].fusion != fusion || (fusion == FUSED_QKV && !c->kv_heads))
        return false;
    int parts = weight_parts(&c->id[0][p->weight[0]], name);
    for (int i = 0; i < (either ? 4 : 2); i++) {
        enum weight_order order[2] = {i % 2 ? ORDER_GROUPED : ORDER_STACKED, i % 2 ? ORDER_STACKED : ORDER_GROUPED};
        struct weight_pair q = {.weight = {p->weight[0], p->weight[1]}, .expert = {p->expert[0], p->expert[1]}};
        for (int s = 0; s < 2; s++)
            q.turned[s] = i < 2 ? p->turned[s] : !p->turned[s];
        if (p->stacks ? stacks_agree(x, &q, parts, order) : parts_agree_in_orders(x, &q, parts, order))
            return true;
    }
    return false;
}

void weight_explain_values(struct weights_running *x, struct weight_pair *p, const struct weight_layout a[2],
                           const struct weight_outcome *o)
{
    const struct figures *f = &o->fig;
    char n1[NUM_MAX], n2[NUM_MAX];
    if (!f->two)
        p->why = weight_say(x, _("%llu elements are NaN or infinite on one side only, the first at %llu"),
                     (unsigned long long)f->unlike, (unsigned long long)f->unlike_at);
    else if (f->side[0].zero == f->side[0].count || f->side[1].zero == f->side[1].count)
        p->why = weight_say(x, f->side[0].zero == f->side[0].count ? _("all zero on the target")
                                                            : _("all zero on the golden side"));
    else if (transposed_agrees(x, a))
        p->why = weight_say(x, "%s", _("equal if one side is transposed: the storage order differs"));
    else if (swapped_halves_agree(x, p, a, 0))
        p->why = weight_say(x, "%s", _("equal if the target heads are reordered from pairs to halves: the rotary "
                                       "layouts differ"));
    else if (swapped_halves_agree(x, p, a, 1))
        p->why = weight_say(x, "%s", _("equal if the golden heads are reordered from pairs to halves: the rotary "
                                       "layouts differ"));
    else if (rearranged_agrees(x, p) && x->c->id[0][p->weight[0]].fusion == FUSED_GATE_UP)
        p->why = weight_say(x, "%s", _("equal if the rows of gate and up are read alternating on one side and part by "
                                       "part on the other"));
    else if (rearranged_agrees(x, p))
        p->why = weight_say(x, "%s", _("equal if the rows are read by key-value group on one side and part by part on "
                                       "the other"));
    else if (f->cosine < -0.999999)
        p->why = weight_say(x, "%s", _("the sign is inverted"));
    else if (f->minus < 1e-9 && fabs(f->side[0].norm - f->side[1].norm) > 5e-7 * f->side[1].norm)
        p->why = weight_say(x, _("the target is the golden side times %s"),
                            num_cell(n1, f->side[0].norm / f->side[1].norm, 6));
    else if (o->off)
        p->why = weight_say(x, _("%llu of %llu elements differ by more than rounding, the first at %llu; rel L2 %s"),
                            (unsigned long long)o->off, (unsigned long long)a[0].t.numel,
                            (unsigned long long)o->first, num_error(n1, f->rel_l2));
    else
        p->why = weight_say(x, _("values differ: rel L2 %s, largest difference %s at element %llu"),
                            num_error(n1, f->rel_l2), num_error(n2, f->max_abs), (unsigned long long)f->max_abs_at);
}

void weight_explain_experts(struct weights_running *x, struct weight_pair *p, const struct weight_layout a[2])
{
    int64_t differ = 0, all = a[0].shape[0];
    struct buf which = {0};
    for (int64_t k = 0; k < all; k++) {
        struct weight_layout t = a[0], g = a[1];
        if (!weight_layout_slice(&t, k) || !weight_layout_slice(&g, k))
            break;
        if (weight_attempt_would_agree(x, &t.t, &g.t))
            continue;
        if (differ++ < EXPERTS_NAMED)
            buf_fmt(&which, "%s%lld", which.n ? ", " : "", (long long)k);
    }
    if (differ && differ < all)
        p->why = weight_say(x, _("%s; only %lld of %lld experts differ: %s%s"), p->why, (long long)differ,
                            (long long)all, which.p, differ > EXPERTS_NAMED ? ", …" : "");
    buf_release(&which);
}

void weight_explain_shape(struct weights_running *x, struct weight_pair *p, const struct weight_layout a[2])
{
    struct buf t = {0}, g = {0};
    put_weight_shape(a[0].shape, a[0].ndim, &t);
    put_weight_shape(a[1].shape, a[1].ndim, &g);
    const char *hint = "";
    if (a[0].ndim == a[1].ndim)
        for (int i = 0; i < a[0].ndim; i++) {
            int other = 0;
            int64_t m = a[0].shape[i], n = a[1].shape[i];
            bool multiple = m && n && m != n && (m % n == 0 || n % m == 0);
            for (int j = 0; j < a[0].ndim; j++)
                other += j != i && a[0].shape[j] != a[1].shape[j];
            if (multiple && !other) {
                hint = _("; this may be one tensor-parallel shard: give the folder of all ranks");
                break;
            }
        }
    p->verdict = WEIGHT_SHAPE;
    p->why = weight_say(x, _("shapes differ: %s and %s%s"), t.p, g.p, hint);
    buf_release(&t);
    buf_release(&g);
}

const char *weight_order_text(enum weight_fusion f, enum weight_order o)
{
    if (o != ORDER_GROUPED)
        return _("part by part");
    return f == FUSED_GATE_UP ? _("gate and up alternating") : _("by key-value group");
}

const char *weight_view_text(struct weights_running *x, const struct weight_pair *p, const struct weight_attempt *y,
                             const enum weight_order order[2])
{
    const struct weight_compare *c = x->c;
    struct buf b = {0};
    const char *out = NULL;
    for (int s = 0; s < 2; s++) {
        const struct weight *w = &c->side[s].list.v[p->weight[s]];
        const char *side = s ? _("golden") : _("target");
        if (p->expert[s])
            buf_fmt(&b, p->turned[s] ? _("%s%s: expert %d, transposed") : _("%s%s: expert %d"), b.n ? "; " : "", side,
                    p->expert[s] - 1);
        else if (p->turned[s])
            buf_fmt(&b, _("%s%s: stored (in, out), transposed"), b.n ? "; " : "", side);
        if (p->part[s])
            buf_fmt(&b, _("%s%s: the rows of %s (%s)"), b.n ? "; " : "", side, weight_part_name(c, p, s),
                    weight_order_text((enum weight_fusion)c->id[s][p->weight[s]].fusion, order[s]));
        if (w->pieces > 1 && w->axes > w->ndim)
            buf_fmt(&b, _("%s%s: joined from %u shards"), b.n ? "; " : "", side, w->pieces);
    }
    if (y->relation == SHAPE_PADDED)
        buf_fmt(&b, _("%sthe first %lld of %lld rows; the rest is padding"), b.n ? "; " : "",
                (long long)(y->a[0].shape[0] < y->a[1].shape[0] ? y->a[0].shape[0] : y->a[1].shape[0]),
                (long long)(y->a[0].shape[0] > y->a[1].shape[0] ? y->a[0].shape[0] : y->a[1].shape[0]));
    if (y->relation == SHAPE_TRANSPOSED || p->transpose)
        buf_fmt(&b, _("%sgolden: transposed"), b.n ? "; " : "");
    if (y->relation == SHAPE_RESHAPED)
        buf_fmt(&b, _("%sreshaped"), b.n ? "; " : "");
    if (p->origin == PAIR_TIED)
        buf_fmt(&b, _("%scompared with the shared embedding"), b.n ? "; " : "");
    if (b.n)
        out = weight_say(x, "%s", b.p);
    buf_release(&b);
    return out;
}
