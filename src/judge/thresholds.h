/* The numbers verdicts are made with. They come from data/thresholds.json and are moved by the user;
 * the rules that use them are in judge.c and, for the stages, in src/curves, src/norms, src/optimizer. */
#ifndef JUDGE_THRESHOLDS_H
#define JUDGE_THRESHOLDS_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"
#include "num/dtype.h"

struct thresholds_limits {
    double drift;   /* errors up to here are the dtype's own rounding */
    double deviate; /* errors above are a deviation, unless the noise level is as high */
    double product; /* noise one matmul-like call may add (TF32 operands and the like) */
};

/* The migration standard's points for curves, and how their course is judged (curves/curves_verdict.c). */
struct thresholds_curves {
    double first_loss_abs, first_loss_rel; /* below either: the first loss passes */
    double mean_loss_abs, mean_loss_rel;
    double global_norm_rel;                /* up to here */
    double steps;                          /* joined steps without which nothing passes */
    double diverge;                        /* trailing mean of the loss difference that is divergence */
    double window;                         /* usable steps it is taken over */
    double noise;                          /* times the golden runs' own mean difference: divergence, where larger */
    double block, blocks;                  /* steps of one block mean; blocks needed to speak of a trend */
    double sigma;                          /* standard errors beyond which a mean is not zero */
    double slope_sigma;                    /* the same of a slope: one in a hundred by chance */
    double spike;                          /* a loss difference that is a spike whatever the neighbours do */
    double outlier;                        /* robust deviations of the neighbourhood that are one */
};

/* Gradient norms of single weights (norms/norms_verdict.c); relative differences. */
struct thresholds_norms {
    double outlier;     /* times the median: an outlier */
    double outlier_rel; /* outliers fail above this */
    double rel;         /* everything fails above this */
};

/* One optimizer step replayed (optimizer/step_replay.c). */
struct thresholds_optimizer {
    double residual; /* share of the update left unexplained beyond rounding: reproduced up to here */
    double grads;    /* rel_l2 of gradients that is another gradient; five times of a single weight's */
    double explain;  /* a hypothesis explains when it leaves at most this share of what was unexplained */
};

/* Trainer against rollout engine (rollout/rollout_verdict.c). */
struct thresholds_rollout {
    double mean_abs; /* mean |difference| of log-probabilities of what is drawn: up to here it is arithmetic */
    double ratio;    /* a token whose importance ratio, or its inverse, is beyond parts */
    double epsilon;  /* of PPO's clipping; it is counted, and decides nothing */
};

struct thresholds {
    struct thresholds_limits f64, f32, f16, bf16, f8;
    double window;                        /* accepted errors the level looks back on */
    double quantile, quantile_statistics; /* of these errors, that is the level */
    double level, level_statistics;       /* times the level: deviates */
    double jump;                          /* times the level: deviates, where it is above the floor too */
    double noise;                         /* times the level: still a match */
    double coarse;                        /* float32 products that err by less are exact ones */
    double coverage;                      /* share of compute calls that must be judged to say "aligned" */
    double confidence;                    /* pairs below are doubtful */
    struct thresholds_curves curves;
    struct thresholds_norms norms;
    struct thresholds_optimizer optimizer;
    struct thresholds_rollout rollout;
};

/* The defaults of data/thresholds.json. */
void thresholds_init(struct thresholds *t);
/* "float32.deviate", "coverage" …; -1 for an unknown key or a value that is not a number. */
int thresholds_set(struct thresholds *t, struct str key, struct str value, struct err *e);
/* The i-th key and its value; NULL behind the last. */
const char *thresholds_key(const struct thresholds *t, int i, double *value);
const struct thresholds_limits *thresholds_of(const struct thresholds *t, enum dtype d);

/* Numbers of single rules, which no option moves: what each rests on stands beside it in data/thresholds.json,
 * "rules". */
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
