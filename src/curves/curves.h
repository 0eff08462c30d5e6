/* Training curves of two or more runs compared with the migration standard: first loss, mean loss, global
 * norm, length; and what an engineer asks next: where they diverge, whether the difference swings around zero,
 * which steps are outliers, whether the learning rates agree.
 *
 * Run 0 is the target, run 1 the golden one, further golden runs give the noise band. Opening reads and
 * joins; judging is repeatable, so that limits can be moved. Losses are as printed. */
#ifndef CURVES_CURVES_H
#define CURVES_CURVES_H

#include "base/stage_verdict.h"
#include "judge/thresholds.h"
#include "log/series.h"

#define CURVE_RUNS 16

enum curve_join { JOIN_STEP, JOIN_EPOCH, JOIN_ORDER };

/* A step both the target and the golden run print. */
struct curve_point {
    int64_t step;
    uint32_t at[2]; /* index of the run's records */
    bool usable;    /* both losses are finite and the golden side did not skip the step */
};

enum curve_limit {
    CURVE_STEPS,
    CURVE_FIRST_ABS,
    CURVE_FIRST_REL,
    CURVE_MEAN_ABS,
    CURVE_MEAN_REL,
    CURVE_NORM_REL,
    CURVE_LIMITS
};

/* A point of the standard. */
struct curve_judged {
    double value;   /* NaN: there is none */
    double limit, widened; /* widened: how much of the limit is the golden runs' own spread; 0: nothing */
    enum stage_verdict verdict;
};

enum curve_series { CURVE_LOSS, CURVE_NORM };

static inline enum log_value curve_value(enum curve_series s)
{
    return s == CURVE_LOSS ? LOG_LOSS : LOG_NORM;
}

struct outlier_step {
    int64_t step;
    double value;   /* of that run at that step */
    uint8_t run, series;
};

struct curve_lr {
    bool there, equal;
    int64_t first; /* step of the first difference, -1: none */
    double max_rel;
    size_t steps;  /* compared */
};

struct loss_trend {
    bool there;    /* two blocks at least */
    size_t blocks;
    double mean, error;  /* of the block means, and its standard error */
    double slope, slope_error; /* a thousand steps */
    size_t sign_changes; /* between neighbouring blocks */
};

struct noise_band {
    size_t runs;         /* golden runs; below 2 there is no band */
    size_t steps;        /* usable in all of them */
    double spread[CURVE_LIMITS]; /* what the standard's points give among the golden runs; NaN: none */
    double max_abs;      /* largest loss difference among them */
    double inside;       /* share of these steps at which the target lies within the largest difference of them */
};

struct curves {
    struct arena arena;
    size_t runs;
    struct series run[CURVE_RUNS];
    enum curve_join join;
    VEC(struct curve_point) points;  /* by step */
    uint32_t *golden[CURVE_RUNS];    /* of run 2 and up: per record of run 1 the index of its own, or UINT32_MAX */
    /* the usable points */
    VEC(uint32_t) usable;            /* index of points */
    VEC(double) diff;                /* target − golden loss, as usable */
    /* judged */
    struct curve_judged limit[CURVE_LIMITS];
    enum stage_verdict first_loss, mean_loss, global_norm, verdict;
    size_t norms;                    /* steps at which both global norms are finite */
    int64_t diverges_at;             /* -1: nowhere */
    bool from_start;                 /* they never agreed: diverges_at is but the first window's end */
    size_t updates[2];               /* joined steps before the first usable one whose update a side made */
    bool forward_only;               /* the first usable step is the runs' first: no update lies before it */
    /* the second or third usable step of such runs, where the loss leaves by a jump; -1 */
    int64_t apart_at;
    int around_zero;                 /* 1, 0; -1: cannot be said */
    struct loss_trend trend;
    struct noise_band band;
    struct curve_lr lr;
    VEC(struct outlier_step) spikes, nonfinite; /* by step */
    VEC(const char *) unread;        /* what of the logs could not be read: then nothing passes */
    VEC(const char *) warnings;      /* sentences in the language in force */
    VEC(const char *) next;          /* what to look at, best first */
};

/* Reads the runs, two at a time; release c also after -1. Of a run alone every record is a point, none is usable, and
 * judging tells of it only values that are not finite, and outliers. */
int curves_open(struct curves *c, const char *const *path, size_t n, const struct log_options *o, struct err *e);
/* The same of runs of which `old` was opened before (NULL: none was): logs that have grown are read from where they
 * ended. */
int curves_open_after(struct curves *c, const struct curves *old, const char *const *path, size_t n,
                      const struct log_options *o, struct err *e);
/* Judges, or judges again under other limits. */
void curves_judge(struct curves *c, const struct thresholds_curves *t);
void curves_release(struct curves *c);

/* Index of a point of this step, printed by both runs; SIZE_MAX: none. */
size_t curve_point_at(const struct curves *c, int64_t step);
/* The point nearest to a share of the steps, 0 … 1; there is one at least. And the share a step lies at. */
size_t curve_point_near(const struct curves *c, double share);
double curve_share(const struct curves *c, int64_t step);

const char *curve_limit_name(enum curve_limit l); /* "first_loss_abs" */

static inline const struct log_record *curve_record(const struct curves *c, size_t point, int run)
{
    return &c->run[run].records.v[c->points.v[point].at[run]];
}

/* For files of this folder. */
bool curve_skipped(const struct log_record *r);
void noise_band_find(struct curves *c);
void learning_rates_find(struct curves *c);
void outlier_steps_find(struct curves *c, const struct thresholds_curves *t);
void loss_trend_find(struct curves *c, const struct thresholds_curves *t);
/* Fills `unread`. */
void curve_notes_unread(struct curves *c);
void curve_notes_write(struct curves *c, const struct thresholds_curves *t);

#endif
