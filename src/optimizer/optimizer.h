/* Replays one optimizer step of each side from its previous state, its gradients and its stated hyper-parameters:
 * does the side do what its configuration says, and what explains the difference if not?
 *
 * A side is a folder with `before`, `grad` and `after`, each a weight file or folder, and hyper.json or a
 * configuration. Tensors are read in blocks; hypotheses are tried on a sample of the elements. */
#ifndef OPTIMIZER_OPTIMIZER_H
#define OPTIMIZER_OPTIMIZER_H

#include "base/num.h"
#include "base/stage_verdict.h"
#include "judge/thresholds.h"
#include "fmt/weights.h"
#include "num/figures.h"
#include "optimizer/adamw.h"

enum step_file { STEP_BEFORE, STEP_GRAD, STEP_AFTER, STEP_FILES };

struct step_param {
    uint32_t at[STEP_FILES]; /* index in each file's list */
    uint32_t m, v;           /* moments, as indices in the before list, or UINT32_MAX */
    uint64_t n;
    bool one_axis;
    double square, other_square; /* squared norm of its gradient, and of the other side's */
    double rest, moved;      /* Σ of the squared residual of the replay beyond rounding; Σ (after − before)² */
    uint64_t hidden;         /* elements whose update is smaller than the rounding of the files */
    uint64_t sample, taken;  /* its elements in the sample: first index, count */
};

/* Elements on which hypotheses are tried; other_* are the other side's, if it has the weight. */
struct step_sample {
    size_t n;
    size_t stride; /* of longer weights every stride-th block is taken */
    float *p, *g, *a, *m, *v, *other_p, *other_g;
    bool moments, others; /* m and v, or other_p and other_g, are available for every element */
};

struct step_side {
    const char *path;
    struct hyper_params hyper;
    bool stated;             /* its hyper-parameters are known, from it or from the other side */
    struct weights set[STEP_FILES];
    VEC(struct step_param) params;
    bool numbered;           /* its gradients have no names: found by how the weights moved */
    size_t unpaired;         /* weights without a gradient or an after state */
    double norm;             /* of all gradients together */
    double other_norm;       /* of the other side's gradients for these weights */
    bool replayed;           /* false: moments are missing */
    bool reproduced;
    double residual;         /* share of the update that the replay leaves unexplained; NaN if not replayed */
    double hidden;           /* share of elements whose update is hidden by rounding */
    struct step_sample sample;
};

struct step_reason {
    int side;
    const char *what;        /* "eps", "clip" … */
    double value;            /* NaN: none */
    bool flag;               /* value is a boolean */
    const char *text;        /* in place of a value: "bfloat16", or NULL */
    bool combined;           /* explains only together with others */
    double residual; /* residual under this hypothesis; NaN: it explains a difference between the sides, not a replay */
    const char *detail;      /* a sentence */
};

struct step_worst {
    const char *param;       /* the target's name */
    double rel_l2;           /* of the updated weights, target against golden */
};

struct step_options {
    int workers;
    const struct kern *kern;
    struct figures_watch *watch; /* may be NULL */
};

struct optimizer {
    struct arena arena;
    struct step_side side[2];
    VEC(struct step_reason) reasons; /* best first */
    VEC(struct step_worst) worst;    /* weights that differ after the step, largest difference first */
    size_t pairs, differing;         /* number of weights after the step on both sides, and of those that differ */
    double apart[STEP_FILES];        /* largest rel_l2 of a weight, target against golden; NaN: not compared */
    double together[STEP_FILES];     /* rel_l2 of all weights as one vector; NaN: not compared */
    bool incomplete;                 /* a weight of one side was not compared with one of the other: nothing passes */
    enum stage_verdict verdict;
    /* sentences; if not empty, nothing is judged, because the gradient norm needs all gradients */
    VEC(const char *) unread;
    VEC(const char *) warnings, next;
};

int optimizer_run(struct optimizer *x, const char *target, const char *golden, const struct step_options *o,
                  const struct thresholds *t, struct err *e);
void optimizer_release(struct optimizer *x);
/* Its value as text; "" if it has none. */
const char *step_reason_value(const struct step_reason *r, char out[NUM_MAX]);
/* Whether a folder holds one step: weights named before, grad and after. */
bool optimizer_step_probe(const char *path);

/* ---- for files of this folder ---- */

int step_open(struct optimizer *x, int side, const char *path, struct err *e);
/* Whether a weight has elements of a float type and no problem. */
bool step_weight_readable(const struct weight *w);
/* For gradients without names: grad[i] is the gradient of before's weight i by how it moved to after[i] (an index of
 * after's list, or MAP_NONE), or MAP_NONE where no single one of its size stands out. Both as long as before's list. */
void step_order(const struct step_side *s, const uint32_t *after, uint32_t *grad);
/* How many saved gradients are the weights themselves, with the name of one. */
size_t step_weights_saved(const struct step_side *s, const char **example);
int step_replay(struct optimizer *x, int side, const struct step_options *o, const struct thresholds_optimizer *t,
                struct err *e);
void step_rule(const struct step_side *s, struct adam_rule *r);
/* Residual on the sample under a rule, optionally with the other side's weights or gradients. */
double step_try(const struct step_side *s, const struct adam_rule *r, bool other_p, bool other_g);
void hypotheses_explain(struct optimizer *x, int side, const struct thresholds_optimizer *t);
int step_compare(struct optimizer *x, const struct step_options *o, struct err *e);
void step_judge(struct optimizer *x, const struct thresholds *t);
/* Adds a sentence unless it is there already. */
void step_warn(struct optimizer *x, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The rounding of one element, as counted by replay and sample, for values stored with this epsilon. */
static inline double step_rounding(double epsilon, double p, double a)
{
    double large = (p < 0 ? -p : p) > (a < 0 ? -a : a) ? (p < 0 ? -p : p) : (a < 0 ? -a : a), moved = a - p;
    return 2 * epsilon * large + 4e-6 * (moved < 0 ? -moved : moved);
}

#endif
