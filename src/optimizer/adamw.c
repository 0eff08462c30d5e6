/* One AdamW step of a range of elements, in float32 and in the frameworks' order of operations. */
#include "optimizer/adamw.h"

#include <math.h>

double adam_clip(const struct adam_rule *r, double norm)
{
    double scale = r->v[HYPER_CLIP] > 0 ? r->v[HYPER_CLIP] / (norm + 1e-6) : 1;
    return scale < 1 ? scale : 1;
}

void adam_step(const struct adam_rule *r, double scale, bool one_axis, const float *p, const float *g, const float *m,
               const float *v,
               float *out, size_t n)
{
    double b1 = r->v[HYPER_BETA1], b2 = r->v[HYPER_BETA2], step = r->v[HYPER_STEP];
    bool corrected = r->v[HYPER_BIAS_CORRECTION] != 0, decays = !one_axis || r->v[HYPER_DECAY_1D] != 0;
    float keep = (float)(1 - (decays ? r->v[HYPER_LR] * r->v[HYPER_DECAY] : 0));
    float rate = (float)(r->v[HYPER_LR] / (corrected ? 1 - pow(b1, step) : 1));
    float root = (float)(corrected ? sqrt(1 - pow(b2, step)) : 1), eps = (float)r->v[HYPER_EPS];
    float c = (float)scale, b1f = (float)b1, b2f = (float)b2, a1 = (float)(1 - b1), a2 = (float)(1 - b2);
    for (size_t i = 0; i < n; i++) {
        float x = g[i] * c;
        float mi = (m ? b1f * m[i] : 0) + a1 * x, vi = (v ? b2f * v[i] : 0) + a2 * (x * x);
        float denom = sqrtf(vi) / root + eps;
        float w = p[i] * keep;
        out[i] = mi == 0 && denom == 0 ? w : w - rate * (mi / denom);
    }
    if (r->weights != DTYPE_F32)
        for (size_t i = 0; i < n; i++)
            out[i] = (float)dtype_round(r->weights, out[i]);
}
