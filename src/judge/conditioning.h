/* How much an operator amplifies the relative error of its inputs (rel_l2 in, rel_l2 out), estimated from the golden
 * side's inputs and outputs: their extremes, mean and norm, recorded or computed. The formulas are first order, ‖J·dx‖
 * / ‖y‖ for dx of size ε·rms(x) in every element. If the exact value depends on single elements, an estimate below the
 * maximum is used, so that too little is excused rather than too much.
 *
 *   sum, difference        √Σ‖xᵢ‖² / ‖y‖              Higham, Accuracy and Stability, 4.2 (in the 2-norm: exact)
 *   norms that subtract    rms(x) / σ(x)              Chan, Golub, LeVeque 1983: condition of a variance; RMSNorm
 *   a mean, var, std                                  subtracts nothing and is well conditioned
 *   softmax                rms(x) √(1 − Σy²/Σy)       dyᵢ = yᵢ(dxᵢ − Σ yⱼdxⱼ): exact for ties and uniform rows,
 *                                                     small if one score dominates
 *   log_softmax            2 rms(x) / rms(y)          Blanchard, Higham, Higham 2021: the absolute error is that of x
 *   logsumexp, cross       the same / √rows           if an element of y is a mean over rows
 *   entropy
 *   a / b                  rms(b) y* / rms(a)         dy = −y²/a db; y* is the geometric mean of rms(y) and max|y|,
 *                                                     which bound the exact value
 *   xᵖ, p < 0              |p| rms(x) y*^(1/|p|)      dy = p y^(1−1/p) dx; reciprocal and rsqrt are p = −1, −1/2
 *   log                    1 / rms(y)                 dy = dx/x: large for x near 1
 *   exp                    rms(x)
 *   sin, cos, tan          rms(x) / rms(y)            angles: a position times a frequency
 *
 * For operators with integer results (argmax, topk, comparison), noise changes the few elements near a tie.
 * Their kappa is the share of elements that change per relative error of the inputs:
 *   order (argmax, topk)   2 rms(x) / spacing; the spacing of neighbours among w values with range max − min is
 *                          (max − min) / min(w, 4 k ln w) at the k largest of them
 *   comparison             2 rms(x) / (max − min)
 *
 * The gradient of a bias or of a normalisation's scale is the incoming gradient summed over all axes but one: kappa is
 * ‖dy‖ / ‖g‖ as for a sum (for a scale the terms are weighted by the normalised values, whose mean square is 1). The
 * gradient of a linear layer's or a convolution's weight, Σ dyᵢ xᵢᵀ over positions, is a sum too: √positions rms(dy)
 * rms(x) / rms(dW), used if it is 4 or more: if positions are nearly alike, or a norm behind takes a channel's size
 * away, terms that sum to nothing leave little. Recorded extremes
 * beside a norm have the error rel_l2 / √n; the extremes of the sums √terms times as much as those of the incoming
 * gradient.
 *
 * A gradient can be zero in exact arithmetic: that of a key's bias in attention (softmax is invariant to it), that of a
 * bias before a normalisation that subtracts the mean. The recorded values are then only rounding. Such a gradient is
 * recognised by its size relative to G, the largest gradient of the same module or the incoming one: ‖g‖ ≤ 32 u ‖G‖, u
 * the type's unit roundoff (measured in float32: 0.3 u to 5 u), on both sides, or on one side if the other is within
 * its coarser arithmetic: 2 u of a 16-bit type, or the noise of the incoming gradient. kappa is ‖G‖ / ‖g‖. Nor is
 * anything left where the golden gradient is smaller than the noise of its terms and the other one within what is
 * accepted.
 *
 * The gradient of a factor, divisor or term that was broadcast is a sum too: its terms are the incoming gradient, times
 * the other factor, times the quotient over the divisor. Recorded figures do not show whether the noise of terms adds
 * up: of n terms it may be √n times as much.
 *
 * The gradient of a matrix product's factor whose own row was not compared, but where its value goes: a product too, of
 * the incoming gradient and the other factor. The rows of scores' gradients sum to nothing, so that keys that are
 * nearly alike leave little: √terms rms(dy) rms(b) / rms(g).
 *
 * If a backward call multiplies the incoming gradient by its forward values element by element (exp, softmax), only the
 * noise at large values remains: ‖g‖ ‖y‖ / (√n ‖dx‖), dx = y (g − c), c = 0 for exp and Σ y g for softmax. If a mask
 * discards most of the gradient, or a row of it is nearly constant, the small result has the noise of the whole. So it
 * is where a normalisation that subtracts leaves little: ‖g‖ σ(y) / (rms(x) ‖dx‖), and where a group of values has a
 * small σ, which the largest gradient tells: rms(x) max|dx| / (max|g| σ(y)). Of two values a channel it leaves
 * ε/σ² of them: 3 ‖x‖ / ∛(ε max|g| / max|dx|). The derivatives of tanh and sigmoid fall off exponentially: 2 rms(x) and
 * rms(x). Such a quotient's, norm's or activation's gradient is judged so where only figures were recorded.
 *
 * No state; fast enough to be called for every row that would deviate. */
#ifndef JUDGE_CONDITIONING_H
#define JUDGE_CONDITIONING_H

#include "measure/measure.h"

/* Packs store the numbers: append new ones. */
enum condition_kind {
    CONDITION_NONE,
    CONDITION_SUM,
    CONDITION_CENTRED,
    CONDITION_SOFTMAX,
    CONDITION_LOG_SOFTMAX,
    CONDITION_QUOTIENT,
    CONDITION_POWER,
    CONDITION_LOG,
    CONDITION_EXP,
    CONDITION_TRIG,
    CONDITION_ORDER,
    CONDITION_STEP, /* in packs of earlier versions alone */
    CONDITION_COMPARE,
    CONDITION_ZERO_GRADIENT,
    CONDITION_GRADIENT_SUM,
    CONDITION_KINK,
    CONDITION_OTHER_ORDER, /* a different order of tokens, caused by a tie of their routing scores */
    CONDITION_POOL_TIE,    /* equal values in windows of max pooling (pool_ties.h) */
    CONDITION_WEIGHTED,    /* a gradient multiplied by values of its forward call */
    CONDITION_OPTIMIZER,   /* steps that an optimizer made of noise (optimizer_noise.h) */
    CONDITION_COUNT
};


struct condition {
    enum condition_kind kind; /* CONDITION_NONE: well-conditioned as far as known, kappa 1 */
    double kappa; /* rel_l2 of the output per rel_l2 of the input; for integer results: share of elements that change */
    /* the same for noise that is not in the inputs' figures: masked scores (fills below −1000) count in rms(x) and
     * carry none */
    double own;
    double terms;             /* GRADIENT_SUM: number of incoming gradient elements summed per result; otherwise 0 */
};
#define CONDITION_PLAIN ((struct condition){.kind = CONDITION_NONE, .kappa = 1, .own = 1})

/* For an output of a forward call of the golden side, or of the backward call of a normalisation, an exponential or a
 * softmax; CONDITION_NONE for any other row. `state` as for judge_run(). */
struct condition condition_of(const struct measure *m, const uint8_t *state, uint32_t row);
/* For an output of a forward matrix product of the golden side, SUM: √terms rms(x) rms(w) / rms(y), as for terms of
 * random signs; NONE if it is unknown. */
struct condition condition_of_product(const struct measure *m, const uint8_t *state, uint32_t row);
/* For a pair of gradients of a parameter or of a backward call: ZERO_GRADIENT if both sides hold only rounding,
 * GRADIENT_SUM if the incoming gradient is known and cancels, otherwise NONE. `level`: the noise of the
 * incoming gradient; `factor` times as much is accepted. */
struct condition condition_of_gradient(const struct measure *m, const uint8_t *state, const uint32_t row[2],
                                       double level, double factor);
/* For a golden tensor: the share of elements that a relative error of 1 moves across a kink, assuming evenly spread
 * values (kinks.h); NaN: unknown. */
double condition_kink_share(const struct measure *m, const uint8_t *state, uint32_t row);
/* The size, norm and extremes of a tensor, recorded or computed; largest: the larger magnitude. False: unknown. */
struct condition_size {
    double n, norm, max, min, largest;
};
bool condition_size_of(const struct measure *m, const uint8_t *state, int side, uint32_t row,
                       struct condition_size *out);
/* The root mean square of a tensor's elements; NaN: unknown, as for row NONE. */
double condition_rms_of(const struct measure *m, const uint8_t *state, int side, uint32_t row);
/* The backward call of the module to which a record of parameter gradients belongs; NONE: there is none nearby. */
uint32_t condition_module_backward(const struct dump *d, uint32_t gradient);
/* The error (or share) that noise alone may cause in such an output: `seen` is noise in its inputs' figures, `unseen`
 * noise outside them. */
double condition_bound(const struct condition *c, double seen, double unseen);
/* The share of elements of an integer row that differ between the sides, from its computed figures. */
double condition_turned(const struct figures *f);
/* The rel_l2 of values picked by indices of which this share changed: a changed index picks an unrelated value. */
double condition_picked(double share);
bool condition_is_discrete(enum condition_kind k);
/* The operator's effect in the user's words: "a softmax of large scores". */
const char *condition_text(enum condition_kind k);

#endif
