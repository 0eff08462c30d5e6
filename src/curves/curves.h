/* Compares training curves of two or more runs with the migration standard: first loss, mean loss, global norm,
 * length. Also finds where they diverge, whether the difference oscillates around zero, outlier steps, and
 * differences of the learning rate.
 *
 * Run 0 is the target, run 1 the golden one; further golden runs give the noise band. Opening reads and joins the
 * runs; judging can be repeated with other limits. Losses are as printed. */
#ifndef CURVES_CURVES_H
#define CURVES_CURVES_H

#include "base/stage_verdict.h"
#include "judge/thresholds.h"
#include "log/series.h"

#define CURVE_RUNS 16
#define CURVE_HOURS 12     /* of training, which the standard takes in place of a number of steps */
#define CURVE_STANDARD 5000 /* steps, or CURVE_HOURS: the standard; fewer where resources are short */

enum curve_join { JOIN_STEP, JOIN_EPOCH, JOIN_ORDER };

/* A step printed by both the target and the golden run. */
struct curve_point {
    int64_t step;
    uint32_t at[2]; /* index in the run's records */
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

/* The result for one limit of the standard. */
struct curve_judged {
    double value;   /* NaN: no value */
    double limit, widened; /* widened: the part of the limit that comes from the spread of the golden runs; 0: none */
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
    size_t steps;  /* number of steps compared */
};

struct loss_trend {
    bool there;    /* at least two blocks exist */
    size_t blocks;
    double mean, error;  /* of the block means, with its standard error */
    double slope, slope_error; /* per thousand steps */
    size_t sign_changes; /* between neighbouring blocks */
    double above;        /* share of the blocks with the target above the golden run */
};

/* How the losses leave each other for good; see departure.c. */
enum curve_departure_kind { DEPARTURE_NONE, DEPARTURE_STABLE, DEPARTURE_GROWING };

struct curve_departure {
    enum curve_departure_kind kind;
    bool late;     /* it begins after a third of the usable steps */
    size_t from;   /* the first usable point that belongs to it */
    double level;  /* target − golden over its second half: the median */
    double rel;    /* the median of its share of the golden loss there */
};

/* The target's value is this many times the golden one over the run; see constant_factor.c. */
struct curve_factor {
    double factor;      /* 0: no constant factor */
    size_t steps, near; /* with both values; of these, at which the ratio is the factor */
};

/* The target's loss of a step is the golden one of another step; see step_shift.c. */
struct step_shift {
    int64_t steps;   /* how many later; negative: earlier; 0: no shift */
    size_t pairs;    /* of steps so compared */
    double distance; /* the median distance of their losses */
};

/* A loss beside the main one, that both logs print. */
struct auxiliary_loss {
    const char *name[2];       /* as the logs spell it; of the runs */
    size_t steps;              /* where both are finite */
    double mean_abs, mean_rel; /* of the difference */
    double factor;             /* as of struct curve_factor */
    enum stage_verdict verdict;
};

struct noise_band {
    size_t runs;         /* golden runs; below 2 there is no band */
    size_t steps;        /* usable in all of them */
    double spread[CURVE_LIMITS]; /* the standard's values between the golden runs; NaN: none */
    double max_abs;      /* largest loss difference among them */
    /* share of these steps at which the target's loss difference is at most the largest difference between golden
     * runs */
    double inside;
};

/* A metric of reinforcement learning that both logs have (log/value_names.h), at the joined steps. */
struct curve_metric {
    const char *tag, *name[2]; /* what it measures, and what each log calls it; of the runs */
    size_t steps;              /* where both are finite; at least one */
    double mean[2];
    double max_abs;            /* the largest difference */
    int64_t at;                /* its step */
};

/* A statistic of a tensor that differs somewhere (logs of statistics: log_format.statistics). */
struct curve_statistic {
    const char *tag, *name; /* "activation_l2_norm", "decoder.1.mlp.fc1" */
    int64_t first, at;      /* the first step at which it differs, and the one where it differs most */
    double max_rel;         /* of the larger value; infinite if one value is not finite */
    double value[2];        /* there */
};

struct curve_statistics {
    size_t names, values;   /* compared */
    size_t alone;           /* names of one log alone */
    VEC(struct curve_statistic) differing; /* by the first step at which they differ, then by how far */
};

struct curves {
    struct arena arena;
    size_t runs;
    struct series run[CURVE_RUNS];
    const char *settings[2]; /* files of the sides' settings beside the logs, which may print them; NULL: not given */
    enum curve_join join;
    VEC(struct curve_point) points;  /* by step */
    /* for run 2 and later: for each record of run 1 the index of the corresponding record, or UINT32_MAX */
    uint32_t *golden[CURVE_RUNS];
    /* the usable points */
    VEC(uint32_t) usable;            /* indices of points */
    VEC(double) diff;                /* target − golden loss, for each usable point */
    /* results of judging */
    struct curve_judged limit[CURVE_LIMITS];
    enum stage_verdict first_loss, mean_loss, global_norm, verdict;
    size_t norms;                    /* steps at which both global norms are finite */
    double hours;                    /* of training over the joined steps, as the logs print it; 0: not printed */
    double scatter;                  /* of the golden loss from step to step, as a share of it; NaN: too few steps */
    struct curve_factor factor[2];   /* of enum curve_series */
    struct step_shift shift;
    VEC(struct auxiliary_loss) auxiliary;
    const char *auxiliary_only[2];   /* a loss that only this run prints; NULL: none */
    struct curve_departure departure;
    int64_t diverges_at;             /* the step at which a departure is beyond the limit; -1: none is */
    bool from_start;                 /* they differ from the start: diverges_at is only the end of the first window */
    size_t updates[2];               /* optimizer updates of each side before the first usable joined step */
    bool forward_only;               /* the first usable step is the runs' first, so no update precedes it */
    /* the second or third usable step of such runs, if the losses separate there in one jump; -1 */
    int64_t apart_at;
    int around_zero;                 /* 1, 0; -1: undecided */
    struct loss_trend trend;
    struct noise_band band;
    struct curve_lr lr;
    bool other_rates;                /* they differ for another reason than skipped steps: nothing is accepted */
    VEC(struct curve_metric) metrics;
    struct curve_statistics statistics;
    VEC(struct outlier_step) spikes, nonfinite; /* by step */
    VEC(const char *) unread;        /* unreadable parts of the logs: then nothing passes */
    VEC(const char *) warnings;      /* sentences in the current language */
    VEC(const char *) next;          /* what to check, best first */
};

/* Reads the runs, two at a time; release c also after -1. For a single run every record is a point, none is usable,
 * and judging only finds non-finite values and outliers. */
int curves_open(struct curves *c, const char *const *path, size_t n, const struct log_options *o, struct err *e);
/* The same for runs that were opened before as `old` (NULL: none): logs that have grown are read from where they
 * ended. */
int curves_open_after(struct curves *c, const struct curves *old, const char *const *path, size_t n,
                      const struct log_options *o, struct err *e);
/* Judges, possibly again with other limits. */
void curves_judge(struct curves *c, const struct thresholds_curves *t);
void curves_release(struct curves *c);

/* Index of the point at this step; SIZE_MAX if not both runs printed it. */
size_t curve_point_at(const struct curves *c, int64_t step);
/* The point nearest to a fraction of the steps, 0 … 1 (at least one point must exist); curve_share is the inverse. */
size_t curve_point_near(const struct curves *c, double share);
double curve_share(const struct curves *c, int64_t step);

/* The largest absolute difference of the losses at a usable step; *step: that step, -1 if the losses are equal. */
double curves_largest(const struct curves *c, int64_t *step);

const char *curve_limit_name(enum curve_limit l); /* "first_loss_abs" */
/* What becomes of the losses in one sentence, in the language in force, for the command and the panel alike; NULL:
 * they agree as far as this says. `text` is in the arena. */
/* Within the band of the golden runs, but not around zero. */
bool curves_one_sided(const struct curves *c);
int64_t curve_departure_step(const struct curves *c); /* the step from which a departure is said; -1: there is none */
const char *curves_headline(const struct curves *c, struct arena *text);

static inline const struct log_record *curve_record(const struct curves *c, size_t point, int run)
{
    return &c->run[run].records.v[c->points.v[point].at[run]];
}
/* The samples of a step that a side's log counts; 0: it does not, -1: they change. */
static inline int64_t curves_batch(const struct curves *c, int side)
{
    return c->run[side].samples_each ? c->run[side].samples_each : c->run[side].batch;
}

/* For files of this folder. */
/* Whether the losses of both runs are of the same steps: a mean over several is not the loss of one, or of others. */
bool curves_of_one_step(const struct series *a, const struct series *b);
bool curve_skipped(const struct log_record *r);
void noise_band_find(struct curves *c);
void learning_rates_find(struct curves *c);
void curve_metrics_find(struct curves *c);
void curve_statistics_find(struct curves *c);
bool curves_of_statistics(const struct series *s); /* whether it has statistics that curve_statistics_find compares */
void outlier_steps_find(struct curves *c, const struct thresholds_curves *t);
void loss_trend_find(struct curves *c, const struct thresholds_curves *t);
void curve_departure_find(struct curves *c, const struct thresholds_curves *t);
void constant_factors_find(struct curves *c);
void step_shift_find(struct curves *c);
struct factor_room {
    double miss;         /* by this share a ratio may be off the factor */
    double share;        /* of the pairs hold it at least */
    double apart;        /* a factor nearer to one is none */
    bool compare_offset; /* a constant difference must fit worse */
    double also;         /* … unless another series has this factor too; 0: none */
};
/* The factor of n pairs of values, and at how many of them it holds. */
struct curve_factor constant_factor(const double *t, const double *g, size_t n, const struct factor_room *room);
bool curve_same_factor(double a, double b);
void auxiliary_losses_find(struct curves *c, const struct thresholds_curves *t);
/* Fills `unread`. */
void curve_notes_unread(struct curves *c);
void curve_notes_write(struct curves *c, const struct thresholds_curves *t);

#endif
