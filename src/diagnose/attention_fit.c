/* Recomputes attention for a few rows with every mask and rotation, and fits the scale. */
#include "diagnose/attention_fit.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "num/dtype.h"

#define ROWS_LOOKED_AT 48
#define V_LOOKED_AT    16  /* sampled places of a value */
#define MASKED         (-9e3)   /* masks add at most this to a hidden score */

/* The position of a row of the result. */
struct result_row {
    int64_t batch, query, head;
};

/* Reads a query or key vector and rotates it. */
static void take_vector(const struct attention_data *a, bool key, const struct result_row *at, int64_t token,
                        enum attention_rope rope, double *out)
{
    int64_t head = key ? at->head / (a->heads / a->kv_heads) : at->head, tokens = key ? a->keys : a->queries;
    const double *x = (key ? a->k : a->q) + (at->batch * tokens + token) * (key ? a->k_step : a->q_step) +
                      head * (key ? a->k_head : a->q_head);
    for (int64_t i = 0; i < a->size; i++)
        out[i] = x[i];
    if (rope == ROTATE_NONE)
        return;
    const double *c = a->cosines + ((a->table_batch > 1 ? at->batch * tokens : 0) + token) * a->turned,
                 *s = a->sines + (c - a->cosines);
    int64_t half = a->turned / 2;
    for (int64_t i = 0; i < a->turned; i++) {
        bool first = rope == ROTATE_HALVES ? i < half : i % 2 == 0;
        double other = rope == ROTATE_HALVES ? x[(i + half) % a->turned] : x[first ? i + 1 : i - 1];
        out[i] = x[i] * c[i] + (first ? -other : other) * s[i];
    }
}

static double mask_at(const struct attention_data *a, unsigned masks, const struct result_row *at, int64_t key)
{
    double sum = 0;
    for (int i = 0; i < ATTENTION_MASKS; i++)
        if (masks >> i & 1) {
            const int64_t *n = a->mask_shape[i];
            int64_t b = n[0] > 1 ? at->batch : 0, h = n[1] > 1 ? at->head : 0, q = n[2] > 1 ? at->query : 0;
            sum += a->mask[i][((b * n[1] + h) * n[2] + q) * a->keys + key];
        }
    return sum;
}

/* Whether causal mask and window leave a key visible. */
static bool in_sight(const struct attention_way *w, int64_t query, int64_t key)
{
    return (w->ahead == CAUSAL_NONE || key <= query + w->ahead) && (!w->window || key > query - w->window);
}

bool attention_sees(const struct attention_data *a, const struct attention_way *way, int64_t batch, int64_t query,
                    int64_t key)
{
    struct result_row at = {batch, query, 0};
    return mask_at(a, way->masks, &at, key) > MASKED && in_sight(way, query, key);
}

static double lowered_precision(enum attention_low low, double v)
{
    return low == LOW_NONE || !isfinite(v) ? v : dtype_round(low == LOW_BF16 ? DTYPE_BF16 : DTYPE_F16, v);
}

/* Turns a row of products into probabilities, in place. */
static void soften_row(const struct attention_data *a, const struct attention_way *w, const struct result_row *at,
                       double *p)
{
    double most = -INFINITY, sum = 0;
    for (int64_t k = 0; k < a->keys; k++) {
        double m = mask_at(a, w->masks, at, k);
        bool seen = m > MASKED && in_sight(w, at->query, k);
        p[k] = seen ? lowered_precision(w->low, p[k] * w->scale + m) : -INFINITY;
        most = fmax(most, p[k]);
    }
    for (int64_t k = 0; k < a->keys; k++) {
        p[k] = isfinite(most) ? exp(p[k] - most) : 1; /* all masked: uniform */
        sum += p[k];
    }
    for (int64_t k = 0; k < a->keys; k++)
        p[k] = lowered_precision(w->low, p[k] / sum);
}

/* The sampled rows and their products, which do not depend on scale or mask. */
struct products {
    struct result_row row[ROWS_LOOKED_AT];
    int64_t rows;
    double *dot;
};

static void multiply_heads(const struct attention_data *a, enum attention_rope rope, struct products *x)
{
    int64_t all = a->batch * a->queries * a->heads, step = all / ROWS_LOOKED_AT + 1;
    double *q = mem_alloc((size_t)(a->size + 1) * sizeof(double)),
           *k = mem_alloc((size_t)(a->size + 1) * sizeof(double));
    x->rows = 0;
    for (int64_t i = step / 2; i < all && x->rows < ROWS_LOOKED_AT; i += step) {
        struct result_row *at = &x->row[x->rows];
        *at = (struct result_row){i / (a->queries * a->heads), i / a->heads % a->queries, i % a->heads};
        take_vector(a, false, at, at->query, rope, q);
        for (int64_t t = 0; t < a->keys; t++) {
            double sum = 0;
            take_vector(a, true, at, t, rope, k);
            for (int64_t c = 0; c < a->size; c++)
                sum += q[c] * k[c];
            x->dot[x->rows * a->keys + t] = sum;
        }
        x->rows++;
    }
    free(q);
    free(k);
}

static const double *values_of(const struct attention_data *a, const struct result_row *at)
{
    return a->v + at->batch * a->keys * a->v_step + at->head / (a->heads / a->kv_heads) * a->v_head;
}

static const double *result_of_row(const struct attention_data *a, const struct result_row *at)
{
    return a->o + ((at->batch * a->queries + at->query) * a->heads + at->head) * a->v_size;
}

static void left_of(const struct attention_data *a, const struct products *x, struct attention_way *w)
{
    double *p = mem_alloc((size_t)(a->keys + 1) * sizeof(double));
    int64_t places = a->v_size < V_LOOKED_AT ? a->v_size : V_LOOKED_AT;
    w->left2 = w->own2 = 0;
    for (int64_t r = 0; r < x->rows; r++) {
        const struct result_row *at = &x->row[r];
        const double *v = values_of(a, at), *o = result_of_row(a, at);
        for (int64_t k = 0; k < a->keys; k++)
            p[k] = x->dot[r * a->keys + k];
        soften_row(a, w, at, p);
        for (int64_t c = 0; c < places; c++) {
            double sum = 0;
            for (int64_t k = 0; k < a->keys; k++)
                sum += p[k] * v[k * a->v_step + c];
            w->left2 += (o[c] - sum) * (o[c] - sum);
            w->own2 += o[c] * o[c];
        }
    }
    free(p);
}

/* Fits the scale: a grid in quarter powers of two around 1/√size, then a golden-section search. */
static void best_scale(const struct attention_data *a, const struct products *x, struct attention_way *w)
{
    double unit = 1 / sqrt((double)a->size), best = 0, left = INFINITY;
    for (int i = -28; i <= 28; i++) {
        w->scale = unit * exp2(i * 0.25);
        left_of(a, x, w);
        if (w->left2 < left) {
            left = w->left2;
            best = i * 0.25;
        }
    }
    double low = best - 0.25, high = best + 0.25;
    for (int i = 0; i < 44; i++) {
        double m = high - 0.61803398874989 * (high - low), n = low + 0.61803398874989 * (high - low), at_m;
        w->scale = unit * exp2(m);
        left_of(a, x, w);
        at_m = w->left2;
        w->scale = unit * exp2(n);
        left_of(a, x, w);
        if (at_m < w->left2)
            high = n;
        else
            low = m;
    }
    w->scale = unit * exp2((low + high) / 2);
    left_of(a, x, w);
}

static bool attention_fits(const struct attention_way *w, double most)
{
    return w->left2 <= most * most * w->own2;
}

static void try_masks(const struct attention_data *a, const struct products *x, struct attention_way w, double most,
                      struct attention_way *best)
{
    static const int seen[] = {CAUSAL_NONE, 0, 1, 2, -1};
    unsigned given = (a->mask[0] ? 1u : 0) | (a->mask[1] ? 2u : 0);
    for (unsigned masks = given + 1; masks-- > 0 && !attention_fits(best, most);) /* all given masks first */
        for (size_t i = 0; i < sizeof seen / sizeof *seen && !attention_fits(best, most); i++) {
            if (masks & ~given || (seen[i] != CAUSAL_NONE && a->queries != a->keys))
                continue;
            w.masks = masks;
            w.ahead = seen[i];
            best_scale(a, x, &w);
            if (w.left2 < best->left2)
                *best = w;
        }
}

/* Adds to left2[n] what a row of the result leaves of a causal mask with a window of n tokens, for each n below the
 * number of keys: a window sees one key more than the one before. */
static void add_windows(const struct attention_data *a, const struct products *x, int64_t row, double scale,
                        double *left2)
{
    const struct result_row *at = &x->row[row];
    int64_t places = a->v_size < V_LOOKED_AT ? a->v_size : V_LOOKED_AT;
    const double *v = values_of(a, at), *o = result_of_row(a, at);
    double most = -INFINITY, sum = 0, weighted[V_LOOKED_AT] = {0}, left = 0;
    for (int64_t n = 1; n < a->keys; n++) {
        int64_t k = at->query + 1 - n;
        if (k >= 0) {
            double score = x->dot[row * a->keys + k] * scale, before = score > most ? exp(most - score) : 1;
            most = fmax(most, score);
            double p = exp(score - most);
            sum = sum * before + p;
            left = 0;
            for (int64_t c = 0; c < places; c++) {
                weighted[c] = weighted[c] * before + p * v[k * a->v_step + c];
                left += pow(o[c] - weighted[c] / sum, 2);
            }
        }
        left2[n] += left;
    }
}

/* Causal masks of a window, without a mask that was passed: the window that explains most at the usual scale. */
static void try_windows(const struct attention_data *a, const struct products *x, struct attention_way w, double most,
                        struct attention_way *best)
{
    if (attention_fits(best, most) || a->queries != a->keys || a->keys < 2)
        return;
    double *left2 = mem_zalloc((size_t)a->keys * sizeof *left2);
    for (int64_t r = 0; r < x->rows; r++)
        add_windows(a, x, r, 1 / sqrt((double)a->size), left2);
    w.ahead = 0;
    w.window = 1;
    for (int n = 2; n < a->keys; n++)
        w.window = left2[n] < left2[w.window] ? n : w.window;
    if (isfinite(left2[w.window])) {
        best_scale(a, x, &w);
        if (w.left2 < best->left2)
            *best = w;
    }
    free(left2);
}

bool attention_fit(const struct attention_data *a, double most, struct attention_way *out)
{
    struct products x = {.dot = mem_alloc((size_t)(ROWS_LOOKED_AT * a->keys + 1) * sizeof(double))};
    *out = (struct attention_way){.left2 = INFINITY, .own2 = 1};
    for (int rope = a->cosines ? ROTATE_HALVES : ROTATE_NONE;
         rope < (a->cosines ? ROTATE_COUNT : ROTATE_HALVES) && !attention_fits(out, most); rope++) {
        multiply_heads(a, (enum attention_rope)rope, &x);
        try_masks(a, &x, (struct attention_way){.rope = (enum attention_rope)rope}, most, out);
        try_windows(a, &x, (struct attention_way){.rope = (enum attention_rope)rope}, most, out);
    }
    struct attention_way low = *out;
    for (int i = LOW_NONE + 1; i < LOW_COUNT && isfinite(low.left2) && !attention_fits(out, most); i++) {
        low.low = (enum attention_low)i;
        low.scale = 1 / sqrt((double)a->size);
        attention_left(a, &low);
        if (low.left2 < out->left2)
            *out = low;
    }
    free(x.dot);
    return attention_fits(out, most);
}

void attention_left(const struct attention_data *a, struct attention_way *way)
{
    struct products x = {.dot = mem_alloc((size_t)(ROWS_LOOKED_AT * a->keys + 1) * sizeof(double))};
    multiply_heads(a, way->rope, &x);
    left_of(a, &x, way);
    free(x.dot);
}
