# a training log of n steps: seed, shift (always), offset and grows (from step `from` on: by that much, by that much a step), swing (height of a
# slow one), factor (of loss and norm), balance (factor of the balancing loss), lr, ms (time of a step), scatter (of the loss)
function gauss(  i, s) { s = 0; for (i = 0; i < 12; i++) { state = (state * 16807) % 2147483647; s += state / 2147483647 } return s - 6 }
function own(  i, s) { s = 0; for (i = 0; i < 12; i++) { mine = (mine * 16807) % 2147483647; s += mine / 2147483647 } return s - 6 }
BEGIN {
    state = 7; mine = seed
    if (!factor) factor = 1
    if (!balance) balance = 1
    if (!lr) lr = 1e-4
    if (!ms) ms = 100
    if (!scatter) scatter = 0.05
    for (i = 1; i <= n; i++) {
        loss = 2.2 + 4 * exp(-i / 300) + scatter * gauss() + 0.0003 * own()
        if (i > 1) loss += shift
        if (from && i > from) loss += offset + grows * (i - from)
        if (i > 1 && swing) loss += swing * sin(i / 300)
        printf " iteration %8d/%8d | consumed samples: %d | elapsed time per iteration (ms): %.1f | learning rate: %.6E | global batch size: 8 | lm loss: %.6E | load_balancing_loss: %.6E | loss scale: 1.0 | grad norm: %.3f | number of skipped iterations: 0 | number of nan iterations: 0 |\n", i, n, 8 * i, ms, lr, loss * factor, (0.8 + 0.1 * gauss()) * balance, (1.5 + 0.1 * gauss()) * factor
    }
}
