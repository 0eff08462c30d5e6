/* How much an operator magnifies the relative error its inputs have (rel_l2 in, rel_l2 out), estimated from what the
 * golden side's inputs and outputs are: their extremes, mean and norm, recorded or computed. The formulas are first
 * order, ‖J·dx‖ / ‖y‖ for dx of the size ε·rms(x) in every element; where the elements would have to be known for it,
 * less than the most it can be is taken, so that an estimate excuses too little rather than too much.
 *
 *   sum, difference        √Σ‖xᵢ‖² / ‖y‖              Higham, Accuracy and Stability, 4.2 (in the 2-norm: exact)
 *   norms that subtract    rms(x) / σ(x)              Chan, Golub, LeVeque 1983: condition of a variance; RMSNorm
 *   a mean, var, std                                  subtracts nothing and is well conditioned
 *   softmax                rms(x) √(1 − Σy²/Σy)       dyᵢ = yᵢ(dxᵢ − Σ yⱼdxⱼ): exact for ties and where it is even,
 *                                                     and little where one score has it all
 *   log_softmax            2 rms(x) / rms(y)          Blanchard, Higham, Higham 2021: the absolute error is that of x
 *   logsumexp, cross       the same / √rows           where an element of y is a mean over rows
 *   entropy
 *   a / b                  rms(b) y* / rms(a)         dy = −y²/a db; y* is the geometric mean of rms(y) and
 *                                                     max|y|, between which the truth lies
 *   xᵖ, p < 0              |p| rms(x) y*^(1/|p|)      dy = p y^(1−1/p) dx; reciprocal and rsqrt are p = −1, −1/2
 *   log                    1 / rms(y)                 dy = dx/x: grows where x is near 1
 *   exp                    rms(x)
 *   sin, cos, tan          rms(x) / rms(y)            angles: a position times a frequency
 *
 * Operators whose results are whole numbers (argmax, topk, rounding, comparison) have no such number: noise turns the
 * few elements that are near a tie. Theirs is the share of elements that turn, per relative error of the inputs:
 *   order (argmax, topk)   2 rms(x) / spacing, the spacing of neighbours among w values that span max − min being
 *                          (max − min) / min(w, 4 k ln w) at the k largest of them
 *   rounding, casts        2 rms(x)
 *   comparison             2 rms(x) / (max − min)
 *
 * The gradient of a bias or of a normalisation's scale is a sum of the gradient that came in over all places but one
 * axis: kappa is ‖dy‖ / ‖g‖ as of a sum (for a scale the normalised values, whose mean square is 1, weigh the terms).
 * That of a linear layer's weight, Σ dyᵢ xᵢᵀ over places, is one too: √places rms(dy) rms(x) / rms(dW), where that is 4
 * or more: where places are nearly alike, what sums to nothing over them leaves little.
 * Recorded extremes beside a norm err by rel_l2 / √n: those of the sums by √terms more than those of what came in.
 *
 * A gradient can be zero in exact arithmetic: that of a key's bias in attention (softmax does not see it), that of a
 * bias before a normalisation that subtracts the mean. What is recorded of it is rounding alone. It is told by its size
 * beside G, the largest gradient of the same module or the one that came in: ‖g‖ ≤ 32 u ‖G‖, u the type's unit roundoff
 * (measured in float32: 0.3 u to 5 u), on both sides, or on one where the other is no more than its coarser arithmetic
 * leaves: 2 u of a 16-bit type it came through, or the noise in which the gradient that came in is known. kappa is ‖G‖
 * / ‖g‖.
 *
 * A gradient that an operator weighs by its own values, element by element, keeps of the noise that came in what falls
 * where these are large: ‖g‖ ‖y‖ / (√n ‖dx‖), dx = y (g − c), c = 0 of exp and Σ y g of softmax. Where a mask has most
 * of the gradient thrown away, or a row of it is nearly constant, little is left in the noise of the whole.
 *
 * No state; cheap enough to be asked for every row that would deviate. */
#ifndef JUDGE_CONDITIONING_H
#define JUDGE_CONDITIONING_H

#include "measure/measure.h"

/* Packs keep the numbers: new ones go to the end. */
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
    CONDITION_STEP,
    CONDITION_COMPARE,
    CONDITION_ZERO_GRADIENT,
    CONDITION_GRADIENT_SUM,
    CONDITION_KINK,
    CONDITION_OTHER_ORDER, /* of tokens, which a tie of the scores they are sent by turned */
    CONDITION_POOL_TIE,    /* equal values in windows of max pooling (pool_ties.h) */
    CONDITION_WEIGHTED,    /* a gradient weighed by the values of its forward call */
    CONDITION_COUNT
};


struct condition {
    enum condition_kind kind; /* CONDITION_NONE: nothing is known against it, kappa 1 */
    double kappa;             /* rel_l2 out per rel_l2 in; of whole results: share of elements that turn */
    double own; /* the same for noise that is not in the inputs' figures: masked scores (fills below −1000)
                                 count in rms(x) and carry none */
    double terms;             /* of GRADIENT_SUM: how many of the gradient that came in each result sums; else 0 */
};

/* Of an output of a forward call of the golden side, or of the backward call of a normalisation, an exponential or a
 * softmax; any other row: CONDITION_NONE. `state` as for judge_run(). */
struct condition condition_of(const struct measure *m, const uint8_t *state, uint32_t row);
/* Of a pair of gradients, recorded as a parameter's or as a backward call's: ZERO_GRADIENT where both sides hold
 * rounding alone, GRADIENT_SUM where the gradient that came in is known and cancels, else NONE. `noise`: rel_l2 in
 * which what came in may be wrong and be accepted. */
struct condition condition_of_gradient(const struct measure *m, const uint8_t *state, const uint32_t row[2],
                                       double noise);
/* Of a golden tensor: the share of elements that a relative error of 1 moves over a point where values lie evenly
 * (kinks.h); NaN: not known. */
double condition_kink_share(const struct measure *m, const uint8_t *state, uint32_t row);
/* How large a tensor is, its extremes and the larger of their sizes, recorded or computed; false: not known. */
struct condition_size {
    double n, norm, max, min, largest;
};
bool condition_size_of(const struct measure *m, const uint8_t *state, int side, uint32_t row,
                       struct condition_size *out);
/* The backward call of the module a record of parameter gradients belongs to, which stands near it; NONE: there is
 * none. */
uint32_t condition_module_backward(const struct dump *d, uint32_t gradient);
/* The error (or share) such an output may have of noise alone: `seen` in its inputs' figures, and `unseen`. */
double condition_bound(const struct condition *c, double seen, double unseen);
/* The share of elements of a whole-number row that are not the same on both sides, from its computed figures. */
double condition_turned(const struct figures *f);
/* What an error that turns this share of places is as rel_l2 of values picked by them: a picked value is another
 * one. */
double condition_picked(double share);
bool condition_is_discrete(enum condition_kind k);
/* What the operator does, in the user's words: "a softmax of large scores". */
const char *condition_text(enum condition_kind k);

#endif
