/* One optimizer step of each side replayed from what it had before, its gradients and its stated
 * hyper-parameters: does the side do what its configuration says, and what would explain it if not.
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
    uint32_t at[STEP_FILES]; /* index of the files' lists */
    uint32_t m, v;           /* moments among those before, or UINT32_MAX */
    uint64_t n;
    bool one_axis;
    double square, other_square; /* of its gradient's norm, and of the other side's */
    double rest, moved;      /* Σ of what the replay leaves beyond rounding, squared; Σ (after − before)² */
    uint64_t hidden;         /* elements whose update is below the rounding of the files */
    uint64_t sample, taken;  /* its elements in the sample: from, count */
};

/* Elements held for trying hypotheses; other_* are those of the other side, where it has the weight. */
struct step_sample {
    size_t n;
    size_t stride; /* of weights longer than a block every so many-th block is taken */
    float *p, *g, *a, *m, *v, *other_p, *other_g;
    bool moments, others; /* m and v; other_p and other_g are there for every element */
};

struct step_side {
    const char *path;
    struct hyper_params hyper;
    bool stated;             /* its hyper-parameters are known, its own or the other side's */
    struct weights set[STEP_FILES];
    VEC(struct step_param) params;
    size_t unpaired;         /* weights without gradient or without an after */
    double norm;             /* of all gradients together */
    double other_norm;       /* of the other side's gradients of these weights */
    bool replayed;           /* false: moments are missing */
    bool reproduced;
    double residual;         /* share of the update the replay leaves unexplained; NaN where not replayed */
    double hidden;           /* share of elements that rounding hides */
    struct step_sample sample;
};

struct step_reason {
    int side;
    const char *what;        /* "eps", "clip" … */
    double value;            /* NaN: none */
    bool flag;               /* value is a truth */
    const char *text;        /* instead of a value: "bfloat16", or NULL */
    bool combined;           /* one of several that explain only together */
    double residual;         /* left under it; NaN: it explains a difference of the sides, not of a replay */
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
    VEC(struct step_worst) worst;    /* differing weights after the step, largest first */
    size_t pairs, differing;         /* weights after the step that both sides have; that differ */
    double apart[STEP_FILES];        /* largest rel_l2 of a weight, target against golden; NaN: not compared */
    double together[STEP_FILES];     /* rel_l2 of all weights as one; NaN likewise */
    enum stage_verdict verdict;
    VEC(const char *) unread; /* sentences: then nothing is judged, as a step's norm is of all its gradients */
    VEC(const char *) warnings, next;
};

int optimizer_run(struct optimizer *x, const char *target, const char *golden, const struct step_options *o,
                  const struct thresholds *t, struct err *e);
void optimizer_release(struct optimizer *x);
/* Its value as people read it; "" where it has none. */
const char *step_reason_value(const struct step_reason *r, char out[NUM_MAX]);
/* Whether a folder holds one step: weights called before, grad and after. */
bool optimizer_step_probe(const char *path);

/* ---- for files of this folder ---- */

int step_open(struct optimizer *x, int side, const char *path, struct err *e);
int step_replay(struct optimizer *x, int side, const struct step_options *o, const struct thresholds_optimizer *t,
                struct err *e);
void step_rule(const struct step_side *s, struct adam_rule *r);
/* Residual of the sample under a rule and choices of other gradients or weights. */
double step_try(const struct step_side *s, const struct adam_rule *r, bool other_p, bool other_g);
void hypotheses_explain(struct optimizer *x, int side, const struct thresholds_optimizer *t);
int step_compare(struct optimizer *x, const struct step_options *o, struct err *e);
void step_judge(struct optimizer *x, const struct thresholds *t);
/* A sentence, once. */
void step_warn(struct optimizer *x, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* What replay and sample count as rounding of one element: stored with this epsilon. */
static inline double step_rounding(double epsilon, double p, double a)
{
    double large = (p < 0 ? -p : p) > (a < 0 ? -a : a) ? (p < 0 ? -p : p) : (a < 0 ? -a : a), moved = a - p;
    return 2 * epsilon * large + 4e-6 * (moved < 0 ? -moved : moved);
}

#endif
