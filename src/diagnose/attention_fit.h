/* Finds how attention was computed (scale, mask, rotary embedding) from its result and the queries, keys and values.
 * Some rows of the result are recomputed for every combination. */
#ifndef DIAGNOSE_ATTENTION_FIT_H
#define DIAGNOSE_ATTENTION_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum attention_rope { ROTATE_NONE, ROTATE_HALVES, ROTATE_NEIGHBOURS, ROTATE_COUNT };
enum attention_low { LOW_NONE, LOW_BF16, LOW_F16, LOW_COUNT }; /* scores and probabilities rounded to this type */

#define ATTENTION_MASKS 2
#define CAUSAL_NONE     (-100) /* value of attention_way.ahead without a causal mask */

/* Tensors with the heads inside the last axis: [batch, queries, heads, size]. */
struct attention_data {
    const double *q, *k, *v, *o;
    int64_t batch, queries, keys, heads, kv_heads, size, v_size;
    int64_t q_step, k_step, v_step; /* element distance between tokens, if they are parts of a wider tensor */
    int64_t q_head, k_head, v_head; /* element distance between heads */
    const double *cosines, *sines; /* [1 or batch, tokens, turned], or NULL */
    int64_t turned, table_batch;
    const double *mask[ATTENTION_MASKS]; /* added to the scores, [batch or 1, heads or 1, queries or 1, keys]; NULL */
    int64_t mask_shape[ATTENTION_MASKS][3]; /* the first three of these */
};

struct attention_way {
    double scale;
    int ahead; /* how many later tokens the causal mask allows, or CAUSAL_NONE */
    int window; /* how many tokens a query sees at most, itself included; 0: all that `ahead` allows */
    unsigned masks; /* bit i: mask[i] is added */
    enum attention_rope rope;
    enum attention_low low;
    double left2, own2; /* Σ(o − computed)², Σo² over the recomputed rows */
};

/* Finds the combination with the smallest residual. False if the residual exceeds `most` (relative, 2-norm). */
bool attention_fit(const struct attention_data *a, double most, struct attention_way *out);
/* Whether in that combination the query of the first head attends to the key. */
bool attention_sees(const struct attention_data *a, const struct attention_way *way, int64_t batch, int64_t query,
                    int64_t key);
/* Computes the residual of a given combination. */
void attention_left(const struct attention_data *a, struct attention_way *way);

#endif
