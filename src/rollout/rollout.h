/* Reinforcement learning: compares, token by token, the log-probabilities that a trainer and a rollout engine give.
 * With the same weights both should be equal; differences are arithmetic or an error.
 *
 * All differences are d = trainer − rollout, in natural logarithms. */
#ifndef ROLLOUT_ROLLOUT_H
#define ROLLOUT_ROLLOUT_H

#include <stdatomic.h>

#include "base/arena.h"
#include "base/stage_verdict.h"
#include "base/vec.h"
#include "judge/thresholds.h"

#define ROLLOUT_TRAIN 0
#define ROLLOUT_ENGINE 1
#define ROLLOUT_BINS 32 /* the most intervals of positions */
#define ROLLOUT_NONE UINT32_MAX

/* One token with a log-probability on both sides. */
struct rollout_token {
    /* trainer, rollout; lp[1] is NaN if only the size of a difference of probabilities was recorded */
    double lp[2];
    uint32_t at[2];  /* its position in each side's row, including padding and prompt */
    int64_t id;      /* token id; -1: not recorded */
    uint32_t round;  /* turn of the dialogue: runs of the mask, or as recorded */
    bool finite;     /* both are */
};

enum rollout_pairing {
    ROLLOUT_WHOLE,     /* all tokens of both */
    ROLLOUT_TRUNCATED, /* one side's tokens end earlier or begin later */
    ROLLOUT_PARTED,    /* the tokens differ from index `n` on; the rest is not compared */
    ROLLOUT_UNALIGNED, /* lengths differ and no token ids were recorded: nothing is compared */
};

struct rollout_sequence {
    uint32_t row[2];       /* in each side's file, from 0 */
    int64_t index;         /* its number in the file, or -1 */
    enum rollout_pairing pairing;
    size_t from, n;        /* range of its tokens */
    size_t only[2];        /* tokens that only this side has */
    int64_t parted[2];     /* for ROLLOUT_PARTED: the differing token of each side */
    double mean, mean_abs, max_abs; /* of its finite differences; NaN if there are none */
    double sum;            /* sum of its differences: the logarithm of its importance ratio */
    uint32_t worst;        /* index in `tokens` */
    uint32_t first; /* the first token whose ratio is outside [1/limit, limit], as index in `tokens`, or ROLLOUT_NONE */
    size_t nonfinite;
    /* expert choices (a token in a layer) recorded on both sides, and those that differ */
    size_t routed, rerouted;
    uint32_t rerouted_at;  /* index among compared tokens of the first with a different choice, or ROLLOUT_NONE */
};

/* Differences of a group of tokens. */
struct rollout_group {
    size_t n;
    double mean, mean_abs, max_abs;
};

struct rollout_figures {
    size_t n, nonfinite;
    double mean, mean_abs, std, max_abs;
    double quantile[4];     /* of |d|: ROLLOUT_QUANTILES */
    double prob_mean, prob_max, prob_std; /* of |exp(trainer) − exp(rollout)| */
    double correlation;     /* Pearson's, of the probabilities; NaN if one side is constant */
    double k1, k2, k3;      /* estimates of KL(rollout ‖ trainer) */
    double ratio_mean, ratio_error, ratio_min, ratio_max; /* of exp(d); ratio_error: standard error of the mean */
    double effective;       /* effective sample size as a share of the tokens: (Σw)² / (n Σw²) */
    size_t clipped_low, clipped_high; /* outside [1 − epsilon, 1 + epsilon] */
    size_t far;             /* outside [1/limit, limit] */
};

/* Systematic errors, each with its fitted parameters. */
struct rollout_fit {
    bool shifted;           /* the log-probability of a neighbouring token fits */
    int shift;              /* offset of the rollout's token whose value equals the trainer's */
    double shifted_abs;     /* mean |d| with that offset */
    bool scaled;            /* trainer ≈ factor × rollout */
    double factor, factor_rms; /* and the remaining root mean square, as a share of the trainer's */
    /* E[exp(d)] is not 1: one side's probabilities were renormalised after truncation (top-p, top-k) */
    bool renormalised;
    bool cut_rollout;       /* it is the rollout's */
    double kept, kept_error; /* the mean ratio: the share of the probability mass that was kept */
    double negative;        /* share of the differences beyond rounding with the sign that truncation causes */
    bool tempered;          /* one side's log-odds are proportional to the other's: a temperature was applied */
    double slope, slope_error; /* of the trainer's log-odds against the rollout's */
    size_t n;               /* number of tokens in the fit */
};

struct rollout_side {
    const char *path, *format;
    const char *column;     /* name of the log-probability column in the file */
    const char *mask;       /* name of the column that selects tokens, or NULL */
    size_t sequences, tokens; /* selected ones */
    bool has_tokens, has_experts;
};

struct rollout {
    struct arena arena;
    struct rollout_side side[2];
    VEC(struct rollout_token) tokens;
    VEC(struct rollout_sequence) sequences;
    VEC(uint32_t) worst;    /* indices of sequences, largest mean |d| first */
    const char *paired_by;  /* N_: how the sequences were matched */
    bool sizes_only;        /* only |difference of probabilities| was recorded (prob_diff_step_N.npy) */
    size_t unpaired[2], counted[4]; /* unpaired sequences of each side; sequences by enum rollout_pairing */
    size_t dropped;         /* positions taken for padding because there is no mask or length */
    struct rollout_figures all;
    struct rollout_group position[ROLLOUT_BINS];
    size_t positions, position_width; /* number of intervals, and tokens per interval */
    VEC(struct rollout_group) rounds;
    /* the earliest token of all sequences whose ratio is outside the limit, as index in `tokens`, or ROLLOUT_NONE */
    uint32_t first;
    uint32_t first_sequence;
    size_t routed, rerouted;
    struct rollout_fit fit;
    struct thresholds_rollout limits; /* limits of the verdict */
    enum stage_verdict verdict;
    VEC(const char *) unread;  /* sentences; if not empty, nothing passes */
    VEC(const char *) bad, warnings, next; /* bad: the reasons for a failure */
};

/* Reads both and aligns them; engine may be the same file, or NULL if `train` holds both. */
int rollout_open(struct rollout *r, const char *train, const char *engine, const atomic_bool *cancel, struct err *e);
void rollout_judge(struct rollout *r, const struct thresholds_rollout *t);
void rollout_release(struct rollout *r);
/* Whether a path looks like such a file, by the names in it. Reads no values. */
bool rollout_probe(const char *path);

/* d of a token. */
double rollout_difference(const struct rollout *r, const struct rollout_token *t);
/* Appends "17" or, if the file numbers its sequences, "17 (#203)". */
void rollout_sequence_name(const struct rollout *r, uint32_t sequence, struct buf *out);

/* ---- for files of this folder ---- */

void rollout_figures_make(struct rollout *r);
void rollout_fit_make(struct rollout *r);

#endif
