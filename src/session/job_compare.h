/* Compares two jobs of several ranks: reads all ranks of a step, determines the layouts, then compares rank with rank
 * if both have the same layout, otherwise both sides joined; collectives and replicas at the end of each step.
 * Intermediate results may be read under its lock. The command line waits for it, the screen shows its progress. */
#ifndef SESSION_JOB_COMPARE_H
#define SESSION_JOB_COMPARE_H

#include "base/job.h"
#include "compare/job_summary.h"
#include "session/session.h"

struct ranks_laid; /* panel/procedure.h */

struct job_compare_options {
    struct session_options of; /* options of each comparison; steps as requested; strings outlive the job */
    const char *layout[2];     /* as given, or NULL */
    const char *settings[2];   /* settings of the runs, used for layouts that were not given; or NULL */
    struct dims_list dims;     /* descriptions of axes; owned by the caller, outlives the job */
    bool all_steps;            /* compare all common steps; false: the first */
    /* Each recording with its counterpart, one after the other: ranks are not read together, so there are no layouts,
     * joins, collectives or replicas. Also of result tables, and of different steps and ranks (of.of.step, .rank). */
    bool by_rank;
    bool all_ranks;            /* of these: compare all common ranks; false: of.of.rank */
    int worker, workers;       /* the share of pairs to compare; workers 0: all */
    /* Instead of a share: asked of each pair (rank -1: all ranks joined) just before it would be compared, in order;
     * false: another process does it. finished: its comparison is in the result, and leaves it then. unread: it could
     * not be compared, for the last of the result's failures. All on the job's thread; NULL: every pair, and nobody is
     * told. */
    bool (*take)(void *ctx, int step, int rank);
    int (*finished)(void *ctx, size_t pair, struct err *e);
    void (*unread)(void *ctx);
    void *take_ctx;
    bool rows_alone;           /* another process handles collectives and replicas */
    struct found_trees *found; /* recordings found already, or NULL */
    bool live;                 /* maintain the strip, and compare pairs with different figures first */
    void (*notify)(void *ctx); /* called on the job's thread without its lock after a change; may be NULL */
    void *ctx;
};

/* Progress; read under the lock. */
struct job_progress {
    int step;
    size_t steps, steps_done;
    size_t read, to_read; /* ranks read and to be read, both sides, of the step */
    size_t ranks, done;   /* pairs of the step, and those compared */
    int rank;             /* in progress: -1 none, or all ranks joined */
    double share;         /* of that comparison, 0 … 1 */
};

/* Recordings that are compared: of the same step and rank, unless other numbers were given for a side. */
struct twin {
    int step[2], rank[2];
};
typedef VEC(struct twin) twin_list;

struct missing_rank {
    int side, step, rank;
};

struct job_compare {
    pthread_mutex_t lock; /* guards the members below while it runs */
    struct job_compare_options opt;
    struct found_trees own_found;
    place_list places[2];
    twin_list twins; /* of by_rank, in order (set by job_compare_look) */
    struct job_result result; /* `first` is preliminary until the end */
    struct job_strip strip;   /* of `live`, and of a summary */
    struct job_summary summary; /* compared elsewhere: there are no pairs; all NULL: it is not */
    struct job_progress progress;
    bool settled; /* it has ended successfully and is final */
    bool several; /* a side has several ranks in the first step (set by job_compare_look) */
    bool looked;
    struct err strangers; /* set: recordings below a path that do not belong together, and which (job_compare_look) */
    bool open;        /* something could not be read during the search for recordings */
    struct err err;   /* the reason if it failed */
    uint64_t version; /* counts changes */

    /* private to the thread */
    bool there; /* job_compare_init was called */
    struct found_trees *found;
    VEC(struct arena) names;          /* texts of the collectives of each step */
    int reading;                      /* the side whose ranks are being read */
    VEC(struct missing_rank) missing; /* ranks that could not be read */
    size_t turn;                      /* steps before this one: which share begins */
    struct rank_watch watch;          /* setting its cancel stops everything */
    uint64_t shown;                   /* serial of the last comparison in progress that was taken over */
    size_t at;                        /* index of its pair in the result, or SIZE_MAX */
    int (*wait)(struct session *s, void *ctx, struct err *e);
    void *wait_ctx;
    struct job job;
};

void job_compare_init(struct job_compare *k, const struct job_compare_options *o);
/* Finds the recordings without reading any; sets `several`, of by_rank `twins` and the result's `alone`. */
int job_compare_look(struct job_compare *k, struct err *e);
/* Instead of comparing: what others found, which it takes. It is settled. */
void job_compare_of_summary(struct job_compare *k, cJSON *all);
/* Runs in the background; -1 if no thread can be created. */
int job_compare_start(struct job_compare *k, struct err *e);
/* Runs on this thread; `wait` waits for each comparison. */
int job_compare_run(struct job_compare *k, int (*wait)(struct session *s, void *ctx, struct err *e), void *ctx,
                    struct err *e);
int job_no_common(const struct job_compare *k, struct err *e); /* -1: the sides have no step and rank in common */
void job_compare_cancel(struct job_compare *k);
void job_compare_wait(struct job_compare *k);
void job_compare_leave(struct job_compare *k,
                       int ms); /* for a process about to exit: cancels and waits at most ms */
void job_compare_release(struct job_compare *k); /* a zeroed struct is allowed */

/* The index of the pair of a step and rank (-1: joined); SIZE_MAX: not yet there. Called with the lock held. */
size_t job_compare_pair(const struct job_compare *k, int step, int rank);
/* The joined job of a step, or NULL. */
struct joined_job *job_compare_step(const struct job_compare *k, int step);
/* How both sides' ranks are laid out in the first step, of two; ranks 0: not known yet. Takes the lock. */
void job_compare_layouts(struct job_compare *k, struct ranks_laid *laid);
/* The status of all ranks, as judgement_status; -1: not known yet. Takes the lock. */
int job_compare_status(struct job_compare *k);

static inline void job_compare_lock(struct job_compare *k)
{
    pthread_mutex_lock(&k->lock);
}

static inline void job_compare_unlock(struct job_compare *k)
{
    pthread_mutex_unlock(&k->lock);
}

#endif
