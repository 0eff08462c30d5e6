/* A configuration of hyper-parameters, JSON or YAML: whatever it says, what is taken is usable or refused with a
 * sentence. */
#include "fuzz.h"

#include <math.h>

#include "optimizer/adamw.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hyper_params h;
    struct err e = {0};
    if (hyper_params_load(&h, fuzz_put(fuzz_dir(), "hyper.json", fuzz_str(data, size)), &e)) {
        assert(e.text[0]);
    } else {
        const float p[3] = {1, -0.5f, 0}, g[3] = {0.25f, 0, -1e-8f};
        float out[3];
        struct adam_rule r = {.weights = DTYPE_F32};
        assert(!hyper_params_problem(&h));
        for (int k = 0; k < HYPER_KEYS; k++)
            assert(isfinite(h.v[k]) || k == HYPER_CLIP);
        memcpy(r.v, h.v, sizeof r.v);
        adam_step(&r, adam_clip(&r, 2), false, p, g, NULL, NULL, out, 3);
    }
    hyper_params_release(&h);
    return 0;
}
