/* The thresholds of verdicts. Defaults come from data/thresholds.json and users may change them; the rules that use
 * them are in judge.c and, for the stages, in src/curves, src/norms, src/optimizer. */
#ifndef JUDGE_THRESHOLDS_H
#define JUDGE_THRESHOLDS_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"
#include "num/dtype.h"

struct thresholds_limits {
    double drift;   /* errors up to here are rounding of the dtype */
    double deviate; /* larger errors are a deviation unless the noise level is as high */
    double product; /* noise that one matmul-like call may add (TF32 operands and the like) */
};

/* The migration standard's limits for curves, and how their trend is judged (curves/curves_verdict.c). */
struct thresholds_curves {
    double first_loss_abs, first_loss_rel; /* the first loss passes below either */
    double mean_loss_abs, mean_loss_rel;
    double global_norm_rel;                /* limit of the mean relative difference of global gradient norms */
    double steps;                          /* joined steps needed for a pass */
    double diverge;                        /* trailing mean of the loss difference that counts as divergence */
    double window;                         /* usable steps in that trailing mean */
    double noise; /* the divergence limit is raised to this many times the mean difference of two golden runs */
    double block, blocks;                  /* steps per block mean; blocks needed for a trend */
    double sigma;                          /* standard errors beyond which a mean differs from zero */
    double slope_sigma;                    /* the same for a slope: one in a hundred by chance */
    double spike;                          /* a loss difference that is a spike regardless of its neighbours */
    double outlier;                        /* robust deviations from the neighbourhood that make an outlier */
};

/* Gradient norms of single weights (norms/norms_verdict.c); relative differences. */
struct thresholds_norms {
    double outlier;     /* an outlier is this many times the median */
    double outlier_rel; /* outliers above this fail */
    double rel;         /* any difference above this fails */
};

/* One optimizer step replayed (optimizer/step_replay.c). */
struct thresholds_optimizer {
    double residual; /* the update is reproduced if at most this share of it is unexplained beyond rounding */
    double grads;    /* gradients with a larger rel_l2 are different; for a single weight five times this */
    double explain;  /* a hypothesis explains if at most this share of the unexplained part is left */
};

/* Trainer against rollout engine (rollout/rollout_verdict.c). */
struct thresholds_rollout {
    double mean_abs; /* mean |difference| of log-probabilities of sampled tokens up to which it is arithmetic */
    double ratio;    /* a token diverges if its importance ratio, or the inverse, exceeds this */
    double epsilon;  /* PPO's clipping parameter; used for counting only */
};

struct thresholds {
    struct thresholds_limits f64, f32, f16, bf16, f8;
    double window;                        /* number of accepted errors that determine the noise level */
    double quantile, quantile_statistics; /* the quantile of these errors that is the noise level */
    double level, level_statistics;       /* times the level: a larger error deviates */
    double jump;                          /* times the level: a larger error deviates if it is also above the floor */
    double noise;                         /* times the level: a smaller error is still a match */
    double coarse;                        /* float32 products with smaller errors count as exact float32 */
    double coarse_least; /* where half of them have larger ones and a few are less: those with a large bias added */
    double coverage;                      /* share of compute calls that must be judged for "aligned" */
    double confidence;                    /* pairs with lower confidence are doubtful */
    struct thresholds_curves curves;
    struct thresholds_norms norms;
    struct thresholds_optimizer optimizer;
    struct thresholds_rollout rollout;
};

/* The defaults of data/thresholds.json. */
void thresholds_init(struct thresholds *t);
/* key: "float32.deviate", "coverage" …; -1 for an unknown key or a value that is no number. */
int thresholds_set(struct thresholds *t, struct str key, struct str value, struct err *e);
/* The i-th key and its value; NULL after the last. */
const char *thresholds_key(const struct thresholds *t, int i, double *value);
const struct thresholds_limits *thresholds_of(const struct thresholds *t, enum dtype d);

/* Limits of single rules, which no option changes; data/thresholds.json, "rules", gives the reason for each. */
enum rule_limit {
    RULE_LIMIT_ILL_CONDITIONED,
    RULE_LIMIT_ILL_CONDITIONED_MOST,
    RULE_LIMIT_INTEGERS_TURNED_MOST,
    RULE_LIMIT_GRADIENT_ROUNDING,
    RULE_LIMIT_GRADIENT_ROUNDING_COARSE,
    RULE_LIMIT_KINK_CHANCE,
    RULE_LIMIT_REORDERED,
    RULE_LIMIT_PASSAGE_ADDED,
    RULE_LIMIT_PASSAGE_INHERITED,
    RULE_LIMIT_FACTOR_PROPORTIONAL,
    RULE_LIMIT_FACTOR_ROUNDINGS,
    RULE_LIMIT_FACTOR_LEVELS,
    RULE_LIMIT_FACTOR_LEAST,
    RULE_LIMIT_ROUNDED_LEAST,
    RULE_LIMIT_ARGUMENT_ROUNDINGS,
    RULE_LIMIT_NORMS_UNSEEN,
    RULE_LIMIT_NORMS_FACTOR,
    RULE_LIMIT_NORMS_FACTOR_SPREAD,
    RULE_LIMIT_NORMS_LEAST,
    RULE_LIMIT_STEP_COPIES,
    RULE_LIMIT_STEP_HIDDEN,
    RULE_LIMIT_STEP_BLURRED,
    RULE_LIMIT_ORACLE_WRONG,
    RULE_LIMIT_ORACLE_HONEST,
    RULE_LIMIT_ORACLE_ARITHMETIC,
    RULE_LIMIT_ORACLE_MASK,
    RULE_LIMIT_ROLLOUT_CUT,
    RULE_LIMIT_ROLLOUT_CUT_SIGN,
    RULE_LIMIT_ROLLOUT_ODDS,
    RULE_LIMIT_ROLLOUT_ERRORS,
    RULE_LIMIT_DUMP_RUN,
    RULE_LIMIT_ORACLE_CONDITION,
    RULE_LIMIT_COUNT
};

double rule_limit(enum rule_limit l);

#endif
