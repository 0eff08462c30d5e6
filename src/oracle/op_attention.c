/* Attention, softmax(scale q k^T + mask) v, in the layouts of PyTorch, the NPU and MindSpore, with its gradients. */
#include <string.h>

#include "oracle/gradients.h"
#include "oracle/operators.h"
#include "oracle/sizes.h"

enum causal { CAUSAL_NOT, CAUSAL_FROM_START, CAUSAL_TO_END }; /* visible keys: j ≤ i; or j ≤ i + keys − rows */
enum mask_kind { MASK_NONE, MASK_ADDED, MASK_KEEPS, MASK_DROPS };

/* Offsets of (batch, head, row) in a tensor; the elements of its last axis are contiguous. */
struct places {
    const double *v;
    int64_t batch, head, row;
};

struct attention {
    int64_t batches, heads, key_heads, rows, keys, width, value_width;
    struct places q, k, v, out; /* out: of the result; its v is unused */
    double scale;
    enum causal causal;
    enum mask_kind mask_kind;
    const double *mask;
    int64_t mask_step[4]; /* strides by batch, head, row, key; 0 if broadcast */
};

/* One row of scores: probabilities, the effect of the products' errors on them (rel, in units of u), and the error of
 * float32 arithmetic inside. */
struct score_row {
    double *p, *rel, *inside;
};

static const double *place_at(const struct places *p, int64_t batch, int64_t head, int64_t row)
{
    return p->v + batch * p->batch + head * p->head + row * p->row;
}

static int64_t key_head(const struct attention *a, int64_t head)
{
    return head / (a->heads / a->key_heads);
}

static double rooted_dot_product(const double *a, const double *b, int64_t n, double *root)
{
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < n; i++) {
        double t = a[i] * b[i];
        sum += t;
        squares += t * t;
    }
    *root = sqrt(squares);
    return sum;
}

static double masked_score(const struct attention *a, double score, int64_t batch, int64_t head, int64_t row,
                           int64_t key)
{
    int64_t last = row + (a->causal == CAUSAL_TO_END ? a->keys - a->rows : 0);
    if (a->causal != CAUSAL_NOT && key > last)
        return -INFINITY;
    if (a->mask_kind == MASK_NONE)
        return score;
    double m =
        a->mask[batch * a->mask_step[0] + head * a->mask_step[1] + row * a->mask_step[2] + key * a->mask_step[3]];
    if (a->mask_kind == MASK_ADDED)
        return score + m;
    return (m != 0) == (a->mask_kind == MASK_KEEPS) ? score : -INFINITY;
}

static void score_row(const struct attention *a, int64_t batch, int64_t head, int64_t row, struct score_row r)
{
    const double *q = place_at(&a->q, batch, head, row);
    double most = -INFINITY, sum = 0, root_width = 2 * sqrt((double)a->width), root_keys = sqrt((double)a->keys);
    for (int64_t j = 0; j < a->keys; j++) {
        double s, score = a->scale * rooted_dot_product(q, place_at(&a->k, batch, key_head(a, head), j), a->width, &s);
        r.rel[j] = fabs(a->scale) * s + fabs(score);
        r.p[j] = masked_score(a, score, batch, head, row, j);
        most = fmax(most, r.p[j]);
    }
    for (int64_t j = 0; j < a->keys; j++) {
        r.inside[j] = fabs(r.p[j] - most);
        sum += r.p[j] = exp(r.p[j] - most);
    }
    for (int64_t j = 0; j < a->keys; j++) {
        r.p[j] /= sum;
        if (r.p[j] > 0) {
            r.inside[j] = root_width * r.rel[j] + 2 * r.inside[j] + 8 + root_keys;
        } else {
            r.rel[j] = r.inside[j] = 0;
        }
    }
}

static struct score_row score_room(struct call_values *c, const struct attention *a)
{
    return (struct score_row){real_array(c, a->keys), real_array(c, a->keys), real_array(c, a->keys)};
}

/* ---- forward ---- */

/* A candidate with its arrays. */
struct product_room {
    double *y, *roundings, *inside, *squares;
};

static struct product_room product_room_for(struct call_values *c, int output, const struct real_tensor *shape,
                                            double terms, const char *formula)
{
    struct room r = room_for(c, output, shape, formula);
    struct candidate *k = &c->candidate[c->candidates - 1];
    double *squares = real_array(c, shape->count);
    k->squares = squares;
    k->terms = terms;
    return (struct product_room){r.y, r.roundings, r.inside, squares};
}

static void attend_row(const struct attention *a, struct score_row r, int64_t batch, int64_t head, int64_t row,
                       struct product_room out)
{
    int64_t start = batch * a->out.batch + head * a->out.head + row * a->out.row;
    double *y = out.y + start, *squares = out.roundings + start, *inside = out.inside + start,
           *spread = out.squares + start;
    for (int64_t j = 0; j < a->keys; j++) {
        const double *v = place_at(&a->v, batch, key_head(a, head), j);
        if (r.p[j] == 0)
            continue;
        for (int64_t d = 0; d < a->value_width; d++) {
            double t = r.p[j] * v[d];
            y[d] += t;
            squares[d] += t * t;
            spread[d] += t * t * r.rel[j] * r.rel[j];
            inside[d] += t * t * r.inside[j] * r.inside[j];
        }
    }
    for (int64_t d = 0; d < a->value_width; d++) {
        spread[d] = sqrt(squares[d] + spread[d]);
        squares[d] = 2 * sqrt(squares[d]);
        inside[d] = sqrt(inside[d]) + 8 * fabs(y[d]);
    }
}

static void attend_heads(struct call_values *c, const struct attention *a, struct product_room out)
{
    struct score_row r = score_room(c, a);
    for (int64_t b = 0; b < a->batches; b++)
        for (int64_t h = 0; h < a->heads; h++)
            for (int64_t i = 0; i < a->rows; i++) {
                score_row(a, b, h, i, r);
                attend_row(a, r, b, h, i, out);
            }
}

/* ---- backward ---- */

struct slopes {
    struct product_room q, k, v; /* k and v per query head; summed afterwards over heads that share them */
    struct product_room mask;    /* if a mask is added; y NULL: none */
    double *dp, *dp_root;        /* for one row */
};

/* Accumulates sums of squares, which become roots at the end. */
static void add_slope(struct product_room r, int64_t at, double term, double size, double spread, double inside)
{
    r.y[at] += term;
    r.roundings[at] += size * size;
    r.inside[at] += inside * inside;
    r.squares[at] += term * term + spread * spread;
}

static void finish_slopes(struct product_room r, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        r.roundings[i] = 4 * sqrt(r.roundings[i]);
        r.inside[i] = sqrt(r.inside[i]) + 8 * fabs(r.y[i]);
        r.squares[i] = sqrt(r.squares[i]);
    }
}

/* dv = p^T g; ds = p (g v^T − Σ p g v^T); dq = scale ds k; dk = scale ds^T q. */
static void slope_row(const struct attention *a, struct score_row r, const double *g, int64_t batch, int64_t head,
                      int64_t row, struct slopes *s)
{
    int64_t kh = key_head(a, head), flat = batch * a->heads + head;
    double mean = 0, squares = 0, width = 2 * sqrt((double)a->value_width), keys = 2 * sqrt((double)a->keys);
    for (int64_t j = 0; j < a->keys; j++) {
        s->dp[j] = rooted_dot_product(g, place_at(&a->v, batch, kh, j), a->value_width, &s->dp_root[j]);
        mean += r.p[j] * s->dp[j];
        squares += r.p[j] * r.p[j] * (s->dp[j] * s->dp[j] + s->dp_root[j] * s->dp_root[j]);
    }
    double mean_root = sqrt(squares) + fabs(mean);
    for (int64_t j = 0; j < a->keys; j++) {
        if (r.p[j] == 0)
            continue;
        double p = r.p[j], size = p * (fabs(s->dp[j]) + fabs(mean)), ds = a->scale * p * (s->dp[j] - mean);
        double spread = fabs(a->scale) * (size * r.rel[j] + p * (s->dp_root[j] + mean_root));
        double inside = fabs(a->scale) *
                        (size * (r.inside[j] + 4) + p * (width * (s->dp_root[j] + fabs(s->dp[j])) + keys * mean_root));
        const double *k = place_at(&a->k, batch, kh, j), *q = place_at(&a->q, batch, head, row);
        if (s->mask.y)
            add_slope(s->mask, (flat * a->rows + row) * a->keys + j, ds / a->scale, size, spread / fabs(a->scale),
                      inside / fabs(a->scale));
        int64_t at_q = (flat * a->rows + row) * a->width, at_k = (flat * a->keys + j) * a->width,
                at_v = (flat * a->keys + j) * a->value_width;
        for (int64_t d = 0; d < a->width; d++) {
            add_slope(s->q, at_q + d, ds * k[d], fabs(a->scale) * size * fabs(k[d]), spread * fabs(k[d]),
                      inside * fabs(k[d]));
            add_slope(s->k, at_k + d, ds * q[d], fabs(a->scale) * size * fabs(q[d]), spread * fabs(q[d]),
                      inside * fabs(q[d]));
        }
        for (int64_t d = 0; d < a->value_width; d++)
            add_slope(s->v, at_v + d, p * g[d], p * fabs(g[d]), p * r.rel[j] * fabs(g[d]),
                      p * r.inside[j] * fabs(g[d]));
    }
}

/* The gradient of keys or values per query head, summed over the heads that share them. */
static struct product_room shared_heads(struct call_values *c, const struct attention *a, struct product_room each,
                                        int64_t size, const char *formula)
{
    int64_t share = a->heads / a->key_heads, run = a->keys * size, n = a->batches * a->key_heads * run;
    struct real_tensor shape = {.axes = 1, .shape = {n}, .count = n};
    struct product_room r = product_room_for(c, ANY_OUTPUT, &shape, (double)a->rows, formula);
    double root = sqrt((double)share);
    for (int64_t i = 0; i < n; i++) {
        double squares = 0;
        for (int64_t k = 0; k < share; k++) {
            int64_t at = (i / run * share + k) * run + i % run;
            squares += each.y[at] * each.y[at];
            add_slope(r, i, each.y[at], each.roundings[at], each.squares[at], each.inside[at]);
        }
        r.roundings[i] = sqrt(r.roundings[i]) + fmax(2, root) * sqrt(squares);
        r.inside[i] = sqrt(r.inside[i]) + 2 * root * (sqrt(squares) + fabs(r.y[i]));
        r.squares[i] = sqrt(r.squares[i]);
    }
    return r;
}

/* The gradient of an added mask: the scores' gradients, summed over broadcast axes. */
static void mask_slope(struct call_values *c, struct product_room each, const struct real_tensor *scores,
                       const struct real_tensor *mask)
{
    struct real_tensor full = *scores;
    finish_slopes(each, scores->count);
    full.v = each.y;
    if (mask && mask->count != full.count && mask->axes <= full.axes)
        gradient_summed(c, &full, mask, "sum of ds");
}

/* Copies values by batch, head and row to the recorded tensor's layout. */
static void put_as_recorded(struct call_values *c, const struct attention *a, double *v, int64_t heads, int64_t rows,
                            int64_t width, const struct places *to)
{
    int64_t n = a->batches * heads * rows * width;
    double *kept = real_array(c, n);
    memcpy(kept, v, (size_t)n * sizeof *v);
    for (int64_t b = 0; b < a->batches; b++)
        for (int64_t h = 0; h < heads; h++)
            for (int64_t i = 0; i < rows; i++)
                memcpy(v + b * to->batch + h * to->head + i * to->row, kept + ((b * heads + h) * rows + i) * width,
                       (size_t)width * sizeof *v);
}

static void slopes_as_recorded(struct call_values *c, const struct attention *a, struct product_room r, int64_t heads,
                               int64_t rows, int64_t width, const struct places *to)
{
    double *all[] = {r.y, r.roundings, r.inside, r.squares};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        put_as_recorded(c, a, all[i], heads, rows, width, to);
}

static void attention_slopes(struct call_values *c, const struct attention *a, const struct real_tensor *mask)
{
    struct real_tensor g = gradient_as(c, &c->result[0]);
    int64_t heads = a->batches * a->heads;
    struct real_tensor q = {.axes = 1, .count = heads * a->rows * a->width},
                       k = {.axes = 1, .count = heads * a->keys * a->width},
                       v = {.axes = 1, .count = heads * a->keys * a->value_width};
    struct real_tensor scores = {
        .axes = 4, .shape = {a->batches, a->heads, a->rows, a->keys}, .count = heads * a->rows * a->keys};
    if (!g.v || real_is_too_large(c, fmax(fmax((double)k.count, (double)v.count), (double)scores.count)))
        return;
    q.shape[0] = q.count, k.shape[0] = k.count, v.shape[0] = v.count;
    struct slopes s = {.dp = real_array(c, a->keys), .dp_root = real_array(c, a->keys)};
    struct score_row r = score_room(c, a);
    s.q = product_room_for(c, ANY_OUTPUT, &q, (double)a->keys, "scale ds k");
    s.k = product_room_for(c, ANY_OUTPUT, &k, (double)a->rows, "scale ds^T q");
    s.v = product_room_for(c, ANY_OUTPUT, &v, (double)a->rows, "p^T g");
    if (a->mask_kind == MASK_ADDED)
        s.mask = product_room_for(c, ANY_OUTPUT, &scores, (double)a->value_width, "ds");
    for (int64_t b = 0; b < a->batches; b++)
        for (int64_t h = 0; h < a->heads; h++)
            for (int64_t i = 0; i < a->rows; i++) {
                score_row(a, b, h, i, r);
                slope_row(a, r, g.v + b * a->out.batch + h * a->out.head + i * a->out.row, b, h, i, &s);
            }
    finish_slopes(s.q, q.count);
    finish_slopes(s.k, k.count);
    finish_slopes(s.v, v.count);
    if (s.mask.y)
        mask_slope(c, s.mask, &scores, mask);
    if (a->heads != a->key_heads) {
        s.k = shared_heads(c, a, s.k, a->width, "scale ds^T q, summed over heads");
        s.v = shared_heads(c, a, s.v, a->value_width, "p^T g, summed over heads");
    }
    slopes_as_recorded(c, a, s.q, a->heads, a->rows, a->width, &a->q);
    slopes_as_recorded(c, a, s.k, a->key_heads, a->keys, a->width, &a->k);
    slopes_as_recorded(c, a, s.v, a->key_heads, a->keys, a->value_width, &a->v);
}

/* ---- arguments of scaled_dot_product_attention: … × heads × rows × width ---- */

static int64_t axis_from_end(const struct real_tensor *t, int i)
{
    return t->axes >= i ? t->shape[t->axes - i] : 1;
}

/* t's axes as batches × heads × rows × width. */
static struct places heads_first(const struct real_tensor *t)
{
    int64_t width = axis_from_end(t, 1), rows = axis_from_end(t, 2), heads = axis_from_end(t, 3);
    return (struct places){t->v, heads * rows * width, rows * width, width};
}

static bool heads_fit(struct call_values *c, const struct attention *a, const struct real_tensor *q,
                      const struct real_tensor *k, const struct real_tensor *v)
{
    int64_t each = a->heads * a->rows * a->width;
    bool fits = q->axes > 1 && k->axes == q->axes && v->axes == q->axes && each > 0 && a->keys > 0 &&
                a->key_heads > 0 && a->heads % a->key_heads == 0 && q->count == a->batches * each &&
                a->batches * a->heads * a->rows * a->value_width == c->result[0].count &&
                k->count == a->batches * a->key_heads * a->keys * a->width &&
                v->count == a->batches * a->key_heads * a->keys * a->value_width;
    if (!fits)
        call_unknown(c, UNKNOWN_SHAPE);
    return fits;
}

/* The mask's axes, counted from the end, are keys, rows, heads, batches; axes of size 1 are broadcast. */
static bool take_mask(struct call_values *c, struct attention *a, const struct real_tensor *mask,
                      enum mask_kind boolean)
{
    const int64_t size[] = {a->batches, a->heads, a->rows, a->keys};
    int64_t step = 1;
    if (!mask)
        return true;
    for (int i = 0; i < 4; i++) {
        int64_t n = axis_from_end(mask, i + 1);
        if (n != 1 && n != size[3 - i])
            call_unknown(c, UNKNOWN_SHAPE);
        a->mask_step[3 - i] = n == 1 ? 0 : step;
        step *= n;
    }
    if (step != mask->count)
        call_unknown(c, UNKNOWN_SHAPE);
    a->mask = mask->v;
    a->mask_kind = dtype_is_float(mask->dtype) ? MASK_ADDED : boolean;
    return !c->unknown;
}

static bool dot_product_arguments(struct call_values *c, struct attention *a)
{
    const struct real_tensor *q = call_tensor_at(c, 0, "query"), *k = call_tensor_at(c, 1, "key"),
                             *v = call_tensor_at(c, 2, "value");
    if (!q || !k || !v)
        call_unknown(c, UNKNOWN_ARGUMENT);
    else if (call_number(c, 4, "dropout_p", 0) > 0)
        call_unknown(c, UNKNOWN_RANDOM);
    if (c->unknown)
        return false;
    *a = (struct attention){.heads = axis_from_end(q, 3),
                            .key_heads = axis_from_end(k, 3),
                            .rows = axis_from_end(q, 2),
                            .keys = axis_from_end(k, 2),
                            .width = axis_from_end(q, 1),
                            .value_width = axis_from_end(v, 1),
                            .q = heads_first(q),
                            .k = heads_first(k),
                            .v = heads_first(v)};
    int64_t each = a->heads * a->rows * a->width;
    a->batches = each ? q->count / each : 0;
    a->out = (struct places){
        .batch = a->heads * a->rows * a->value_width, .head = a->rows * a->value_width, .row = a->value_width};
    double scale = call_number(c, 6, "scale", 0);
    a->scale = scale != 0 ? scale : 1 / sqrt((double)a->width);
    a->causal = call_number(c, 5, "is_causal", 0) != 0 ? CAUSAL_FROM_START : CAUSAL_NOT;
    return heads_fit(c, a, q, k, v) && take_mask(c, a, call_tensor_at(c, 3, "attn_mask"), MASK_KEEPS);
}

static const char formula[] = "softmax(q k^T scale + mask) v";

static void dot_product(struct call_values *c)
{
    struct attention a;
    if (!dot_product_arguments(c, &a))
        return;
    struct real_tensor shape = *call_tensor_at(c, 0, "query");
    shape.shape[shape.axes - 1] = a.value_width;
    shape.count = a.batches * a.heads * a.rows * a.value_width;
    attend_heads(c, &a, product_room_for(c, 0, &shape, (double)a.keys, formula));
}

static void dot_product_backward(struct call_values *c)
{
    struct attention a;
    if (dot_product_arguments(c, &a))
        attention_slopes(c, &a, call_tensor_at(c, 3, "attn_mask"));
}

/* ---- fused attention of the NPU: named layouts ---- */

struct layout {
    const char *name;
    int batch, head, row; /* indices of axes; -1: heads are part of the last axis */
    int axes;
};

static const struct layout layouts[] = {
    {"BSH", 0, -1, 1, 3}, {"SBH", 1, -1, 0, 3}, {"BNSD", 0, 1, 2, 4}, {"BSND", 0, 2, 1, 4}, {"SBND", 1, 2, 0, 4},
};

static const struct layout *layout_of(const char *name)
{
    for (size_t i = 0; name && i < sizeof layouts / sizeof *layouts; i++)
        if (strcmp(name, layouts[i].name) == 0)
            return &layouts[i];
    return NULL;
}

/* The stride of an axis. */
static int64_t axis_step(const struct real_tensor *t, int axis)
{
    int64_t step = 1;
    for (int i = axis + 1; i < t->axes; i++)
        step *= t->shape[i];
    return step;
}

/* The width of one head, and its offsets; `heads`: used if heads are part of the last axis. */
static int64_t places_in(const struct layout *l, const struct real_tensor *t, int64_t heads, struct places *p)
{
    int64_t last = t->shape[t->axes - 1], width = l->head < 0 ? last / heads : last;
    *p = (struct places){t->v, axis_step(t, l->batch), l->head < 0 ? width : axis_step(t, l->head),
                         axis_step(t, l->row)};
    return width;
}

/* The position of each argument of a fused attention. */
struct fused_places {
    int layout, scale, keep, mask, sparse, shift, padding, lengths;
    int output; /* index of the attention's output; -1: the last */
};

static const struct fused_places npu_places = {4, 8, 9, 7, 16, 5, 6, 14, 0},
                                 mindspore_places = {16, 12, 11, 7, 17, 4, 6, 9, -1};

static bool fused_variant_is_known(const struct call_values *c, const struct fused_places *at, enum causal *causal)
{
    int64_t sparse = call_whole(c, at->sparse, "sparse_mode", 0);
    *causal = sparse == 2 ? CAUSAL_FROM_START : sparse == 3 ? CAUSAL_TO_END : CAUSAL_NOT;
    return sparse >= 0 && sparse <= 3 && !call_value(c, at->shift, "pse real_shift") &&
           !call_value(c, at->padding, "padding_mask") && !call_value(c, at->lengths, "actual_seq_qlen");
}

static bool fused_sizes(struct call_values *c, struct attention *a, const struct layout *l, const struct real_tensor *q,
                        const struct real_tensor *k, const struct real_tensor *v)
{
    int64_t heads = call_whole(c, 3, "head_num", 0);
    if (heads < 1 || q->axes != l->axes || k->axes != l->axes || v->axes != l->axes || !q->count || !k->count ||
        !v->count)
        return false;
    a->batches = q->shape[l->batch];
    a->heads = heads;
    a->rows = q->shape[l->row];
    a->keys = k->shape[l->row];
    a->width = places_in(l, q, heads, &a->q);
    a->key_heads = l->head < 0 ? (a->width ? k->shape[2] / a->width : 0) : k->shape[l->head];
    if (!a->key_heads || heads % a->key_heads || (l->head >= 0 && q->shape[l->head] != heads))
        return false;
    int64_t key_width = places_in(l, k, a->key_heads, &a->k);
    a->value_width = places_in(l, v, a->key_heads, &a->v);
    struct real_tensor out = *q;
    out.shape[out.axes - 1] = l->head < 0 ? heads * a->value_width : a->value_width;
    places_in(l, &out, heads, &a->out);
    return key_width == a->width && k->shape[l->batch] == a->batches && v->shape[l->batch] == a->batches &&
           v->shape[l->row] == a->keys && (l->head < 0 || v->shape[l->head] == a->key_heads) &&
           v->count == a->batches * a->key_heads * a->keys * a->value_width;
}

static bool fused_arguments(struct call_values *c, const struct fused_places *at, struct attention *a)
{
    const struct real_tensor *q = call_tensor_at(c, 0, "query"), *k = call_tensor_at(c, 1, "key"),
                             *v = call_tensor_at(c, 2, "value");
    const char *name = call_text(c, at->layout, "input_layout");
    const struct layout *l = layout_of(name ? name : "BSH");
    enum causal causal = CAUSAL_NOT;
    *a = (struct attention){.batches = 0};
    if (!q || !k || !v)
        call_unknown(c, UNKNOWN_ARGUMENT);
    else if (call_number(c, at->keep, "keep_prob", 1) < 1)
        call_unknown(c, UNKNOWN_RANDOM);
    else if (!l || !fused_variant_is_known(c, at, &causal))
        call_unknown(c, UNKNOWN_VARIANT);
    else if (!fused_sizes(c, a, l, q, k, v))
        call_unknown(c, UNKNOWN_SHAPE);
    if (c->unknown)
        return false;
    a->scale = call_number(c, at->scale, "scale scalar_value", 1);
    a->causal = causal;
    return causal != CAUSAL_NOT ||
           take_mask(c, a, call_tensor_at(c, at->mask, "atten_mask attn_mask"), MASK_DROPS);
}

static void compute_fused_attention(struct call_values *c, const struct fused_places *at)
{
    struct attention a;
    if (!fused_arguments(c, at, &a))
        return;
    struct real_tensor shape = *call_tensor_at(c, 0, "query");
    shape.count = a.batches * a.heads * a.rows * a.value_width;
    attend_heads(c, &a, product_room_for(c, at->output < 0 ? c->outputs - 1 : at->output, &shape, (double)a.keys,
                                         formula));
}

static void npu_fusion_attention(struct call_values *c)
{
    compute_fused_attention(c, &npu_places);
}

static void npu_fusion_attention_backward(struct call_values *c)
{
    struct attention a;
    if (fused_arguments(c, &npu_places, &a))
        attention_slopes(c, &a, NULL);
}

static void flash_attention_score(struct call_values *c)
{
    compute_fused_attention(c, &mindspore_places);
}

/* Multiply-adds of both products, from sizes. */
static double attention_cost(const struct call_values *c)
{
    const struct real_tensor *q = call_tensor_at(c, 0, "query"), *k = call_tensor_at(c, 1, "key");
    const char *name = call_text(c, c->mindspore ? mindspore_places.layout : npu_places.layout, "input_layout");
    const struct layout *l = layout_of(name);
    if (!q || !k)
        return 1;
    return 2 * (double)q->count * (double)(l && l->row < k->axes ? k->shape[l->row] : axis_from_end(k, 2));
}

const struct operator operators_attention[] = {
    {"scaled_dot_product_attention", FORMULA_PRODUCT, .forward = dot_product, .backward = dot_product_backward,
     .source = "torch.nn.functional.scaled_dot_product_attention", .cost = attention_cost, .misfit = misfit_attention},
    {"npu_fusion_attention npu_fusion_attention_v2", FORMULA_PRODUCT, .forward = npu_fusion_attention,
     .backward = npu_fusion_attention_backward, .source = "torch_npu.npu_fusion_attention", .cost = attention_cost},
    {"flash_attention_score flashattentionscore", FORMULA_PRODUCT, .forward = flash_attention_score,
     .source = "mindspore.ops.flash_attention_score", .cost = attention_cost},
    {.names = NULL},
};
