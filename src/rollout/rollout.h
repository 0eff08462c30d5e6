/* Reinforcement learning: the log-probabilities a trainer and a rollout engine give the same tokens, compared token by
 * token. With the same weights they are one number twice; what differs is arithmetic, or an error.
 *
 * All differences are d = trainer − rollout, of natural logarithms. */
#ifndef ROLLOUT_ROLLOUT_H
#define ROLLOUT_ROLLOUT_H

#include <stdatomic.h>

#include "base/arena.h"
#include "base/stage_verdict.h"
#include "base/vec.h"
#include "judge/thresholds.h"

#define ROLLOUT_TRAIN 0
#define ROLLOUT_ENGINE 1
#define ROLLOUT_BINS 32 /* stretches of positions, at most */
#define ROLLOUT_NONE UINT32_MAX

/* One token both sides gave a log-probability. */
struct rollout_token {
    /* trainer, rollout; NaN in lp[1] where only the size of a difference of probabilities was recorded */
    double lp[2];
    uint32_t at[2];  /* its place in each side's row, paddings and prompts counted */
    int64_t id;      /* of the vocabulary; -1: not recorded */
    uint32_t round;  /* of its dialogue: stretches of the mask, or as recorded */
    bool finite;     /* both are */
};

enum rollout_pairing {
    ROLLOUT_WHOLE,     /* all tokens of both */
    ROLLOUT_TRUNCATED, /* one side's tokens end earlier, or begin later */
    ROLLOUT_PARTED,    /* the tokens themselves differ from `n` on: what follows is not compared */
    ROLLOUT_UNALIGNED, /* lengths differ and no tokens tell which is which: nothing compared */
};

struct rollout_sequence {
    uint32_t row[2];       /* of each side's file, from 0 */
    int64_t index;         /* what the file calls it, or -1 */
    enum rollout_pairing pairing;
    size_t from, n;        /* its tokens */
    size_t only[2];        /* tokens that only this side has */
    int64_t parted[2];     /* of ROLLOUT_PARTED: the token of each side */
    double mean, mean_abs, max_abs; /* of its finite differences; NaN without one */
    double sum;            /* of its differences: the logarithm of its importance ratio */
    uint32_t worst;        /* index of `tokens` */
    uint32_t first;        /* the first token whose ratio leaves [1/limit, limit], index of `tokens`, or ROLLOUT_NONE */
    size_t nonfinite;
    /* choices of experts (a token in a layer) recorded on both sides; of them different sets */
    size_t routed, rerouted;
    uint32_t rerouted_at;  /* the first token with one, its place among the compared ones, or ROLLOUT_NONE */
};

/* Differences of some tokens together. */
struct rollout_group {
    size_t n;
    double mean, mean_abs, max_abs;
};

struct rollout_figures {
    size_t n, nonfinite;
    double mean, mean_abs, std, max_abs;
    double quantile[4];     /* of |d|: ROLLOUT_QUANTILES */
    double prob_mean, prob_max, prob_std; /* of |exp(trainer) − exp(rollout)| */
    double correlation;     /* Pearson's, of the probabilities; NaN where one side's do not vary */
    double k1, k2, k3;      /* estimates of KL(rollout ‖ trainer) */
    double ratio_mean, ratio_error, ratio_min, ratio_max; /* of exp(d); error: of the mean */
    double effective;       /* share of the tokens that weighted ones are worth: (Σw)² / (n Σw²) */
    size_t clipped_low, clipped_high; /* outside [1 − epsilon, 1 + epsilon] */
    size_t far;             /* outside [1/limit, limit] */
};

/* Signs of an error that is not noise, each with what it was fitted by. */
struct rollout_fit {
    bool shifted;           /* the neighbour's log-probability fits */
    int shift;              /* the rollout's token whose value is the trainer's: so many further on */
    double shifted_abs;     /* mean |d| then */
    bool scaled;            /* trainer ≈ factor × rollout */
    double factor, factor_rms; /* and the root mean square that is left, as a share of the trainer's */
    /* E[exp(d)] is not 1: a side's probabilities were renormalised after a cut (top-p, top-k) */
    bool renormalised;
    bool cut_rollout;       /* the rollout's were */
    double kept, kept_error; /* the mean ratio: the share of the probability that was kept */
    double negative;        /* share of the differences beyond rounding that have the sign of a cut */
    bool tempered;          /* log-odds of one side grow against the other's: one is divided by a temperature */
    double slope, slope_error; /* of the trainer's log-odds over the rollout's */
    size_t n;               /* tokens the slope was fitted on */
};

struct rollout_side {
    const char *path, *format;
    const char *column;     /* what the log-probabilities are called there */
    const char *mask;       /* what says which tokens count, or NULL */
    size_t sequences, tokens; /* that count */
    bool has_tokens, has_experts;
};

struct rollout {
    struct arena arena;
    struct rollout_side side[2];
    VEC(struct rollout_token) tokens;
    VEC(struct rollout_sequence) sequences;
    VEC(uint32_t) worst;    /* sequences, largest mean |d| first */
    const char *paired_by;  /* N_: how it is known which sequences are the same */
    bool sizes_only;        /* |difference of probabilities| is all that was recorded (prob_diff_step_N.npy) */
    size_t unpaired[2], counted[4]; /* sequences without a partner; by enum rollout_pairing */
    size_t dropped;         /* positions without mask or length that were taken for padding */
    struct rollout_figures all;
    struct rollout_group position[ROLLOUT_BINS];
    size_t positions, position_width; /* stretches, and tokens in one */
    VEC(struct rollout_group) rounds;
    uint32_t first;         /* of all sequences the earliest token that parts, index of `tokens`, or ROLLOUT_NONE */
    uint32_t first_sequence;
    size_t routed, rerouted;
    struct rollout_fit fit;
    struct thresholds_rollout limits; /* judged by */
    enum stage_verdict verdict;
    VEC(const char *) unread;  /* sentences: then nothing passes */
    VEC(const char *) bad, warnings, next; /* bad: why it fails */
};

/* Reads both and lines them up; engine may be the same file, or NULL for one that holds both. */
int rollout_open(struct rollout *r, const char *train, const char *engine, const atomic_bool *cancel, struct err *e);
void rollout_judge(struct rollout *r, const struct thresholds_rollout *t);
void rollout_release(struct rollout *r);
/* Whether a path looks like such a file: its names are known ones. Reads no values. */
bool rollout_probe(const char *path);

/* d of a token. */
double rollout_difference(const struct rollout *r, const struct rollout_token *t);
/* "17" or, where the file numbers its sequences, "17 (#203)". Appended. */
void rollout_sequence_name(const struct rollout *r, uint32_t sequence, struct buf *out);

/* ---- for files of this folder ---- */

void rollout_figures_make(struct rollout *r);
void rollout_fit_make(struct rollout *r);

#endif
