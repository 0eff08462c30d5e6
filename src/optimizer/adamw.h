/* One AdamW step in float32.
 *
 *   g ← g · min(1, clip / (‖all g‖ + 1e-6))                    clipping by the global norm
 *   p ← p · (1 − lr · wd)                                       decoupled decay (Loshchilov and Hutter 2019)
 *   m ← β1 m + (1 − β1) g      v ← β2 v + (1 − β2) g²
 *   p ← p − lr/(1 − β1ᵗ) · m / (√v / √(1 − β2ᵗ) + eps)
 *
 * torch.optim.AdamW, apex's FusedAdam (Megatron) and MindFormers' AdamW compute this, in orders whose results
 * are a few roundings apart. Without bias correction (MindSpore's nn.AdamWeightDecay) both 1 − βᵗ are 1. */
#ifndef OPTIMIZER_ADAMW_H
#define OPTIMIZER_ADAMW_H

#include "num/dtype.h"
#include "optimizer/hyper_params.h"

struct adam_rule {
    double v[HYPER_KEYS];
    enum dtype weights; /* DTYPE_F32: master weights in float32; a 16-bit type: updated in that */
};

/* The factor by which gradients are multiplied for clipping, from the norm of all of them. */
double adam_clip(const struct adam_rule *r, double norm);
/* Updates n elements of a weight. m and v (the moments before) may be NULL: zero. one_axis: a bias or norm weight. */
void adam_step(const struct adam_rule *r, double scale, bool one_axis, const float *p, const float *g, const float *m,
               const float *v,
               float *out, size_t n);

#endif
