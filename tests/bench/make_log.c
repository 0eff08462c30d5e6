/* make_log FILE STEPS SIDE: a training log of so many steps, MindFormers' for side 0, Megatron's for side 1; the
 * same data with other rounding. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static double uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 40) / (1 << 24) - 0.5;
}

int main(int argc, char **argv)
{
    FILE *f = argc == 4 ? fopen(argv[1], "w") : NULL;
    if (!f) {
        fprintf(stderr, "usage: make_log FILE STEPS SIDE\n");
        return 2;
    }
    long steps = atol(argv[2]);
    int side = atoi(argv[3]);
    uint64_t data = 1, own = 100 + (uint64_t)side;
    for (long i = 1; i <= steps; i++) {
        double loss = 2 + 4 * exp(-(double)i / 3000) + 0.1 * uniform(&data) + 0.002 * uniform(&own),
               norm = 1.5 + 0.05 * uniform(&own);
        if (side)
            fprintf(f,
                    " [2025-06-03 09:28:24] iteration %8ld/%8ld | consumed samples: %12ld | elapsed time per iteration "
                    "(ms): 275.4 | learning rate: 1.000000E-03 | global batch size:     8 | lm loss: %.6E | loss "
                    "scale: 1.0 | grad norm: %.3f | number of skipped iterations:   0 | number of nan iterations:   0 "
                    "|\n",
                    i, steps, i * 8, loss, norm);
        else
            fprintf(f,
                    "2025-06-03 09:44:46,041 - mindformers./output/log[mindformers/core/callback/callback.py:616] - "
                    "INFO - { Epoch:[  1/  1], step:[%5ld/%5ld], loss: %5.6f, per_step_time: 60ms, lr: 0.001, overflow "
                    "cond: False, loss_scale: 1.0, global_norm: [%.7f]\n2025-06-03 09:44:46,041 - "
                    "mindformers./output/log[mindformers/core/callback/callback.py:631] - INFO -    0.1%% |            "
                    "                                      | 1.62661 samples/s/p  1:38:16 }\n",
                    i, steps, loss, norm);
    }
    return fclose(f) != 0;
}
