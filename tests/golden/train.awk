# a training log of n steps: seed, first (loss of step 1), frozen (learning rate 0), drift and late (from that step on: growing, by 0.1), spike (at that
# step)
function gauss(  i, s) { s = 0; for (i = 0; i < 12; i++) { state = (state * 16807) % 2147483647; s += state / 2147483647 } return s - 6 }
function own(  i, s) { s = 0; for (i = 0; i < 12; i++) { mine = (mine * 16807) % 2147483647; s += mine / 2147483647 } return s - 6 }
BEGIN {
    state = 7; mine = seed
    for (i = 1; i <= n; i++) {
        loss = (frozen ? 5 : 1 + 4 * exp(-i / 300)) + 0.05 * gauss() + 0.0003 * own()
        if (drift && i > drift) loss += (i - drift) * 0.0005
        if (late && i > late) loss += 0.1
        if (i == spike) loss += 0.4
        if (i == 1 && first) loss = first
        printf " iteration %8d/%8d | consumed samples: %d | elapsed time per iteration (ms): 10.0 | learning rate: %.6E | global batch size: 8 | lm loss: %.6E | loss scale: 1.0 | grad norm: 1.500 | number of skipped iterations: 0 | number of nan iterations: 0 |\n", i, n, 8 * i, frozen ? 0 : 1e-3, loss
    }
}
