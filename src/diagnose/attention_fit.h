/* How attention was computed: the scale of its scores, its mask, its rotary embedding, from what came out of it and the
 * queries, keys and values that went in. A few rows of the result are recomputed for every way. */
#ifndef DIAGNOSE_ATTENTION_FIT_H
#define DIAGNOSE_ATTENTION_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum attention_rope { ROTATE_NONE, ROTATE_HALVES, ROTATE_NEIGHBOURS, ROTATE_COUNT };
enum attention_low { LOW_NONE, LOW_BF16, LOW_F16, LOW_COUNT }; /* scores and probabilities rounded */

#define ATTENTION_MASKS 2
#define CAUSAL_NONE     (-100) /* attention_way.ahead where there is no causal mask */

/* Heads lie inside the last axis: [batch, queries, heads, size]. */
struct attention_data {
    const double *q, *k, *v, *o;
    int64_t batch, queries, keys, heads, kv_heads, size, v_size;
    int64_t q_step, k_step, v_step; /* elements from one token to the next, where they are parts of a wider tensor */
    int64_t q_head, k_head, v_head; /* from one head to the next */
    const double *cosines, *sines; /* [1 or batch, tokens, turned], or NULL */
    int64_t turned, table_batch;
    const double *mask[ATTENTION_MASKS]; /* added to the scores, [batch or 1, heads or 1, queries or 1, keys]; NULL */
    int64_t mask_shape[ATTENTION_MASKS][3]; /* the first three of these */
};

struct attention_way {
    double scale;
    int ahead; /* tokens seen beyond the own one by a causal mask, or CAUSAL_NONE */
    unsigned masks; /* bit i: mask[i] is added */
    enum attention_rope rope;
    enum attention_low low;
    double left2, own2; /* Σ(o − made)², Σo² of the rows looked at */
};

/* The way that leaves least. False where none leaves at most `most` (relative, in the 2-norm). */
bool attention_fit(const struct attention_data *a, double most, struct attention_way *out);
/* Whether the query of the first head sees the key that way. */
bool attention_sees(const struct attention_data *a, const struct attention_way *way, int64_t batch, int64_t query,
                    int64_t key);
/* What one that is given leaves. */
void attention_left(const struct attention_data *a, struct attention_way *way);

#endif
