/* The same values at other places, and deviations limited to some places. */
#include <math.h>
#include <stdlib.h>

#include "base/msg.h"
#include "base/num.h"
#include "diagnose/call_tensors.h"
#include "diagnose/dense_block.h"
#include "diagnose/diagnosis_case.h"
#include "diagnose/axis_profile.h"
#include "dump/family.h"

#define SHIFT_MOST 4
#define LENGTH_MOST  65536 /* the longest sequences that are aligned element by element */
#define RANGES_SHOWN 4

/* "8–11, 32–35 …" */
static void ranges_text(const struct axis_profile *x, struct buf *out)
{
    int shown = 0;
    for (int64_t i = 0; i < x->n; i++) {
        if (!x->in[i])
            continue;
        int64_t to = i;
        while (to + 1 < x->n && x->in[to + 1])
            to++;
        if (shown == RANGES_SHOWN) {
            buf_cstr(out, ", …");
            return;
        }
        buf_fmt(out, "%s%lld", shown ? ", " : "", (long long)i);
        if (to > i)
            buf_fmt(out, "–%lld", (long long)to);
        shown++;
        i = to;
    }
}

void detect_partial(struct diagnosis_case *p)
{
    const struct element_sample *s = p->spread;
    struct buf where = {0}, ranges = {0};
    double share = 1, held = 1;
    if (!(s->dev2 > 0) || s->finite < 4 || p->judged->verdict == VERDICT_DRIFT)
        return;
    for (int a = 0; a < s->ndim; a++) {
        struct axis_profile x;
        if (axis_profile_find(&x, s, a, p->judged->level) && x.some) {
            buf_clear(&ranges);
            ranges_text(&x, &ranges);
            buf_fmt(&where,
                    where.n ? _("; axis %d: %lld of %lld indices (%s)") : _("axis %d: %lld of %lld indices (%s)"), a,
                    (long long)x.hit, (long long)x.n, ranges.p);
            share *= (double)x.hit / (double)x.n;
            held = fmin(held, x.held);
        }
        axis_profile_release(&x);
    }
    char n[2][NUM_MAX];
    if (where.n)
        case_found(p, DIAGNOSIS_PARTIAL, BOTH_SIDES, 0.5 + 0.3 * (1 - share),
                   _("%s %% of the elements account for %s %% of the squared deviation: %s"),
                   num_cell(n[0], share * 100, 2), num_cell(n[1], held * 100, 3), where.p);
    buf_release(&where);
    buf_release(&ranges);
}

/* ---- order ---- */

static void order_text(const struct dense_block *b, const struct dense_order *o, struct buf *out)
{
    switch (o->kind) {
    case ORDER_NONE:
        break;
    case ORDER_AXES:
        buf_cstr(out, _("the golden tensor with its axes in the order ("));
        for (int i = 0; i < b->ndim; i++)
            buf_fmt(out, i ? ",%d" : "%d", b->axis[o->perm[i]]);
        buf_char(out, ')');
        break;
    case ORDER_FLIP:
        buf_fmt(out, _("the golden tensor with axis %d reversed"), b->axis[o->axis]);
        break;
    case ORDER_INTERLEAVED:
        if (o->c > 1)
            buf_fmt(out, _("the golden tensor with axis %d rearranged from %lld × %lld × %lld to %lld × %lld × %lld"),
                    b->axis[o->axis], (long long)o->a,
                    (long long)o->b, (long long)o->c, (long long)o->b, (long long)o->a, (long long)o->c);
        else
            buf_fmt(out, _("the golden tensor with axis %d rearranged from %lld × %lld to %lld × %lld"),
                    b->axis[o->axis], (long long)o->a, (long long)o->b,
                    (long long)o->b, (long long)o->a);
        break;
    }
}

static void say_order(struct diagnosis_case *p, const struct dense_block *b, const struct dense_order *o,
                      const char *within)
{
    struct buf text = {0};
    char n[DIAGNOSIS_LEFT_MAX];
    double left = sqrt(o->left2 / b->dev2);
    order_text(b, o, &text);
    case_found(p, o->kind == ORDER_INTERLEAVED ? DIAGNOSIS_LAYOUT : DIAGNOSIS_PERMUTED, BOTH_SIDES,
               (*within ? 0.97 : 0.99) - left,
               p->partly ? _("the target is %s%s (checked on a part of the tensor); %s")
                           : _("the target is %s%s; %s"),
               text.p, within, diagnosis_left_text(n, left));
    buf_release(&text);
}

/* A transposed part of a fused weight: searches the order among the deviating indices. */
static bool order_of_part(struct diagnosis_case *p, const struct dense_block *b)
{
    struct axis_profile x[DENSE_BLOCK_AXES];
    const uint8_t *in[DENSE_BLOCK_AXES] = {NULL};
    struct dense_block part;
    struct dense_order o;
    struct buf where = {0};
    bool found = false;
    memset(x, 0, sizeof x);
    for (int a = 0; a < b->ndim; a++)
        if (axis_profile_find(&x[a], p->corner, b->axis[a], p->judged->level) && x[a].some) {
            in[a] = x[a].in;
            buf_fmt(&where, where.n ? _(", axis %d ") : _(" within axis %d "), b->axis[a]);
            ranges_text(&x[a], &where);
        }
    if (where.n) {
        dense_block_part(&part, b, in);
        if (part.n >= 8 && dense_block_order(&part, LEFT_OVER, &o)) {
            say_order(p, &part, &o, where.p);
            found = true;
        }
        dense_block_release(&part);
    }
    for (int a = 0; a < b->ndim; a++)
        axis_profile_release(&x[a]);
    buf_release(&where);
    return found;
}

/* For rotate_half of a rotary embedding on a vector of that length: the source index of element c and its sign, for
 * halves or neighbours. */
static int64_t turned_from(bool neighbours, int64_t length, int64_t c, double *sign)
{
    bool first = neighbours ? c % 2 == 0 : c < length / 2;
    *sign = first ? -1 : 1;
    return neighbours ? (first ? c + 1 : c - 1) : (c + length / 2) % length;
}

/* Whether the order found means that one side rotates neighbours and the other halves. */
static bool rotates_apart(const int64_t *from, const double *sign, int64_t length, bool target_neighbours)
{
    for (int64_t c = 0; c < length; c++)
        for (int64_t k = 0; k < length; k++) { /* t[c] = a x[i], g[k] = b x[i]: t[c] = ab g[k] */
            double a, b;
            if (turned_from(target_neighbours, length, c, &a) == turned_from(!target_neighbours, length, k, &b) &&
                (from[c] != k || sign[c] != a * b))
                return false;
        }
    return true;
}

/* The same values with different signs along the last axis. */
static bool signed_order(struct diagnosis_case *p, const struct dense_block *b)
{
    int64_t from[SIGNED_MOST], length = b->ndim ? b->shape[b->ndim - 1] : 0;
    double sign[SIGNED_MOST];
    if (!length || length % 2 || p->partly || !block_signed_order(b, b->ndim - 1, from, sign))
        return false;
    bool target = rotates_apart(from, sign, length, true), golden = rotates_apart(from, sign, length, false);
    if (target || golden) { /* both: of an even number of pairs the two orders give one another */
        case_found(p, DIAGNOSIS_ROPE, BOTH_SIDES, 1,
                   target && golden ? _("one side rotates adjacent elements (2i, 2i+1), the other rotates halves (i, "
                                        "i+%lld): the rotary embedding is interleaved on one side only")
                   : target ? _("the target rotates adjacent elements (2i, 2i+1), the golden side rotates halves (i, "
                                "i+%lld): the rotary embedding is interleaved on one side only")
                            : _("the golden side rotates adjacent elements (2i, 2i+1), the target rotates halves (i, "
                                "i+%lld): the rotary embedding is interleaved on one side only"),
                   (long long)length / 2);
        return true;
    }
    case_found(p, DIAGNOSIS_PERMUTED, BOTH_SIDES, 0.9,
               _("the target is the golden tensor reordered along axis %d, with the sign of some elements inverted"),
               b->axis[b->ndim - 1]);
    return true;
}

void detect_order(struct diagnosis_case *p)
{
    struct dense_block b;
    struct dense_order o;
    if (!dense_block_from(&b, p->corner) || b.n < 4 || !(b.dev2 > 0)) {
        dense_block_release(&b);
        return;
    }
    if (dense_block_order(&b, LEFT_OVER, &o))
        say_order(p, &b, &o, "");
    else if (!order_of_part(p, &b) && !signed_order(p, &b) && !p->partly && dense_block_same_values(&b))
        case_found(p, DIAGNOSIS_PERMUTED, BOTH_SIDES, 0.8, _("both sides have the same %zu values with the same "
                                                             "counts, at different positions; no simple order of the "
                                                             "axes explains it"),
                                                             b.n);
    dense_block_release(&b);
}

void detect_shifted(struct diagnosis_case *p)
{
    struct dense_block b;
    if (!dense_block_from(&b, p->corner) || b.n < 4 || !(b.dev2 > 0)) {
        dense_block_release(&b);
        return;
    }
    double best = LEFT_OVER;
    int best_axis = -1;
    int64_t best_by = 0;
    for (int a = 0; a < b.ndim; a++)
        for (int64_t by = -SHIFT_MOST; by <= SHIFT_MOST; by++) {
            double share;
            if (!by || llabs((long long)by) * 2 > b.shape[a] ||
                b.n / (size_t)b.shape[a] * (size_t)(b.shape[a] - llabs((long long)by)) < 4)
                continue;
            if (dense_block_shift(&b, a, by, &share) && share <= best) {
                best = share;
                best_axis = a;
                best_by = by;
            }
        }
    char n[DIAGNOSIS_LEFT_MAX];
    if (best_axis >= 0)
        case_found(p, DIAGNOSIS_SHIFTED, BOTH_SIDES, 0.98 - sqrt(best),
                   _("along axis %d, the target is shifted by %lld positions behind the golden side; %s"),
                   b.axis[best_axis], (long long)best_by, diagnosis_left_text(n, sqrt(best)));
    dense_block_release(&b);
}

/* ---- sequences of different length ---- */

static bool rows_lag(const double *t, size_t wt, const double *g, size_t wg, size_t rows, int64_t by, size_t *overlap)
{
    *overlap = 0;
    for (size_t r = 0; r < rows; r++)
        for (size_t i = 0; i < wt; i++) {
            int64_t at = (int64_t)i - by;
            if (at < 0 || at >= (int64_t)wg)
                continue;
            if (t[r * wt + i] != g[r * wg + (size_t)at])
                return false;
            ++*overlap;
        }
    return *overlap >= 8;
}

static size_t distinct_of(const double *v, size_t n)
{
    size_t distinct = 0;
    for (size_t i = 0; i < n && distinct < 4; i++) {
        size_t k = 0;
        while (k < i && v[k] != v[i])
            k++;
        distinct += k == i;
    }
    return distinct;
}

static void shift_of_lengths(struct diagnosis_case *p, const struct element_sample *t, const struct element_sample *g,
                             const char *of)
{
    size_t overlap;
    for (size_t rows = 1; rows * 2 <= t->n && rows * 2 <= g->n; rows++) {
        size_t wt = t->n / rows, wg = g->n / rows;
        if (t->n % rows || g->n % rows || wt + SHIFT_MOST < wg || wg + SHIFT_MOST < wt ||
            rows_lag(t->v[0], wt, g->v[0], wg, rows, 0, &overlap))
            continue;
        for (int64_t by = -SHIFT_MOST; by <= SHIFT_MOST; by++)
            if (by && rows_lag(t->v[0], wt, g->v[0], wg, rows, by, &overlap)) {
                case_found(p, DIAGNOSIS_SHIFTED, BOTH_SIDES, 0.97,
                           _("%s%zu sequences of %zu elements on the target and of %zu on the golden side: target "
                             "element i equals golden element i%+lld at all %zu common positions"),
                           of, rows, wt, wg, (long long)-by, overlap);
                return;
            }
    }
}

/* Moves to the labels beside the scores of a loss; false if there are none. */
static bool go_to_labels(struct diagnosis_case *p)
{
    const struct dump *d = p->side[TARGET];
    EACH_EARLY_ROW(d, p->call, r) {
        const struct row *x = &d->rows.v[r];
        uint32_t other = patient_partner(p, TARGET, r);
        if (x->io != IO_INPUT || x->kind != ROW_TENSOR || dtype_is_float(x->dtype) || other == NONE)
            continue;
        p->row[TARGET] = r;
        p->row[GOLDEN] = other;
        for (int s = 0; s < 2; s++)
            p->r[s] = &p->side[s]->rows.v[p->row[s]];
        return !dtype_is_float(p->r[GOLDEN]->dtype) && p->r[GOLDEN]->kind == ROW_TENSOR;
    }
    return false;
}

/* Integers, mostly labels, cut at another place; and scores cut with them. */
void detect_shifted_lengths(struct diagnosis_case *given)
{
    struct element_sample s[2];
    struct diagnosis_case q = *given, *p = &q;
    const char *of = "";
    if (dtype_is_float(p->r[TARGET]->dtype) || dtype_is_float(p->r[GOLDEN]->dtype)) {
        if (p->side[TARGET]->calls.v[p->call].family != FAMILY_LOSS || p->r[TARGET]->io != IO_INPUT || !go_to_labels(p))
            return;
        of = _("labels: ");
    }
    if (!tensor_values(p->side[TARGET], p->row[TARGET], &s[TARGET]))
        return;
    if (tensor_values(p->side[GOLDEN], p->row[GOLDEN], &s[GOLDEN])) {
        if (s[TARGET].n <= LENGTH_MOST && s[GOLDEN].n <= LENGTH_MOST && distinct_of(s[GOLDEN].v[0], s[GOLDEN].n) >= 4)
            shift_of_lengths(p, &s[TARGET], &s[GOLDEN], of);
        element_sample_release(&s[GOLDEN]);
    }
    element_sample_release(&s[TARGET]);
}

/* ---- gradients of scores ---- */

#define LABELS_LEAST 8 /* positions that both sides have */

/* The label of each token, read from the gradient of its scores: softmax minus one at the label, so exactly one
 * element is negative and the sum is zero. -1: an ignored token. False if it is no such gradient. */
static bool labels_of(const struct element_sample *s, int side, int64_t *label)
{
    size_t width = (size_t)s->shape[2];
    for (size_t i = 0; i < s->n / width; i++) {
        const double *v = s->v[side] + i * width;
        double sum = 0, most = 0;
        label[i] = -1;
        for (size_t k = 0; k < width; k++) {
            if (v[k] < 0 && label[i] >= 0)
                return false;
            label[i] = v[k] < 0 ? (int64_t)k : label[i];
            sum += v[k];
            most = fmax(most, fabs(v[k]));
        }
        if (!isfinite(sum) || fabs(sum) > 1e-2 * most || (most > 0 && label[i] < 0))
            return false;
    }
    return true;
}

static bool labels_lag(const int64_t *t, const int64_t *g, int64_t rows, int64_t length, int64_t by, size_t *overlap)
{
    *overlap = 0;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t i = 0; i < length; i++) {
            if (i + by < 0 || i + by >= length || t[r * length + i] < 0 || g[r * length + i + by] < 0)
                continue;
            if (t[r * length + i] != g[r * length + i + by])
                return false;
            ++*overlap;
        }
    return *overlap >= LABELS_LEAST;
}

static bool labels_vary(const int64_t *v, size_t n)
{
    int64_t seen[4];
    size_t distinct = 0;
    for (size_t i = 0; i < n && distinct < ARRAY_LEN(seen); i++) {
        bool known = v[i] < 0;
        for (size_t k = 0; k < distinct; k++)
            known = known || seen[k] == v[i];
        if (!known)
            seen[distinct++] = v[i];
    }
    return distinct == ARRAY_LEN(seen);
}

/* Labels of a loss, all sequences in one axis, with ignored ones (negative) where a shift leaves none: the numbers of
 * sequences that the length allows are tried, few sequences first. */
static void shift_of_flat_labels(struct diagnosis_case *p, const struct element_sample *s)
{
    int64_t n = (int64_t)s->n, *label[2];
    size_t overlap;
    bool done = false;
    for (int d = 0; d < 2; d++) {
        label[d] = mem_alloc((s->n + 1) * sizeof **label);
        for (size_t i = 0; i < s->n; i++)
            label[d][i] = s->v[d][i] < 0 ? -1 : (int64_t)s->v[d][i];
        done = done || !labels_vary(label[d], s->n);
    }
    for (int64_t rows = 1; rows * LABELS_LEAST / 2 <= n && !done; rows++)
        for (int64_t by = -SHIFT_MOST; by <= SHIFT_MOST && n % rows == 0 && !done; by++) {
            done = by && labels_lag(label[TARGET], label[GOLDEN], rows, n / rows, by, &overlap);
            if (done)
                case_found(p, DIAGNOSIS_SHIFTED, BOTH_SIDES, 0.97,
                           _("labels: target token i has the label of golden token i%+lld at all %zu common positions "
                             "that are not ignored"), (long long)by, overlap);
        }
    free(label[0]);
    free(label[1]);
}

static void compare_labels(struct diagnosis_case *p, const struct element_sample *s)
{
    size_t n = (size_t)(s->shape[0] * s->shape[1]), overlap;
    int64_t *t = mem_alloc(n * sizeof *t), *g = mem_alloc(n * sizeof *g), rows = s->shape[0], length = s->shape[1];
    bool known = labels_of(s, TARGET, t) && labels_of(s, GOLDEN, g) && labels_vary(t, n) && labels_vary(g, n);
    bool done = !known || labels_lag(t, g, rows, length, 0, &overlap);
    for (int64_t by = -SHIFT_MOST; by <= SHIFT_MOST && !done; by++) {
        done = by && labels_lag(t, g, rows, length, by, &overlap);
        if (done)
            case_found(p, DIAGNOSIS_SHIFTED, BOTH_SIDES, 0.97,
                       _("labels derived from the gradient of the logits: target token i has the label of golden token "
                         "i%+lld at all %zu common positions"),
                       (long long)by, overlap);
    }
    free(t);
    free(g);
}

void detect_shifted_labels(struct diagnosis_case *p)
{
    const struct element_sample *s = p->corner;
    bool integers = !dtype_is_float(p->r[TARGET]->dtype) && !dtype_is_float(p->r[GOLDEN]->dtype);
    if (integers && p->side[TARGET]->calls.v[p->call].family == FAMILY_LOSS && p->r[TARGET]->io == IO_INPUT &&
        !p->partly && s->n <= LENGTH_MOST)
        shift_of_flat_labels(p, s);
    if (p->side[TARGET]->calls.v[p->call].phase == PHASE_BACKWARD && !p->partly && s->ndim == 3 && s->shape[2] > 2 &&
        s->n == (size_t)(s->shape[0] * s->shape[1] * s->shape[2]))
        compare_labels(p, s);
}
