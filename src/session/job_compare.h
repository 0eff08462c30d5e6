/* Compares two jobs of several ranks: reads all ranks of a step, learns the layouts, then compares rank with rank where
 * both are cut alike, else both sides joined; collectives and replicas at the end of each step. Its result may be
 * looked at while it is at work, under its lock. The command line waits for it, the screen shows it as it goes. */
#ifndef SESSION_JOB_COMPARE_H
#define SESSION_JOB_COMPARE_H

#include "base/job.h"
#include "compare/job_summary.h"
#include "session/session.h"

struct job_compare_options {
    struct session_options of; /* of each comparison; steps as wanted; strings outlive the job */
    const char *layout[2];     /* as given, or NULL */
    const char *settings[2];   /* of the runs, which tell layouts where nobody gave one; or NULL */
    struct dims_list dims;     /* what is said of axes; the caller's, outlives the job */
    bool all_steps;            /* that both sides have; else the first one */
    int worker, workers;       /* a share of the pairs; workers 0: all */
    /* Instead of a share: asked of each pair (rank -1: all ranks joined) just before it would be compared, in order;
     * false: another process does it. finished: its comparison is in the result, and leaves it then. Both on the job's
     * thread; NULL: every pair, and nobody is told. */
    bool (*take)(void *ctx, int step, int rank);
    int (*finished)(void *ctx, size_t pair, struct err *e);
    void *take_ctx;
    bool rows_alone;           /* collectives and replicas are another process's */
    struct found_trees *found; /* what was walked already, or NULL */
    bool live;                 /* the strip is kept, and pairs whose figures differ are compared first */
    void (*notify)(void *ctx); /* something changed; on the job's thread, its lock not held. May be NULL */
    void *ctx;
};

/* How far it is; under the lock. */
struct job_progress {
    int step;
    size_t steps, steps_done;
    size_t read, to_read; /* recordings of ranks, both sides, of the step */
    size_t ranks, done;   /* compared, of the step */
    int rank;             /* at work: -1 none, or all of them joined */
    double share;         /* of that, 0 … 1 */
};

struct missing_rank {
    int side, step, rank;
};

struct job_compare {
    pthread_mutex_t lock; /* what is below, while it runs */
    struct job_compare_options opt;
    struct found_trees own_found;
    place_list places[2];
    struct job_result result; /* first: as of now */
    struct job_strip strip;   /* of `live`, and of a summary */
    struct job_summary summary; /* compared elsewhere: there are no pairs; all NULL: it is not */
    struct job_progress progress;
    bool settled; /* it has ended well: nothing changes any more */
    bool several; /* a side has several ranks in the first step (job_compare_look) */
    bool looked;
    bool open;        /* something could not be read while recordings were looked for */
    struct err err;   /* why it has not */
    uint64_t version; /* counts changes */

    /* the thread's own */
    bool there; /* it was begun (job_compare_init) */
    struct found_trees *found;
    VEC(struct arena) names;          /* of the collectives of each step */
    int reading;                      /* the side whose ranks are read */
    VEC(struct missing_rank) missing; /* could not be read */
    size_t turn;                      /* steps before this one: which share begins */
    struct rank_watch watch;          /* its cancel ends all */
    uint64_t shown;                   /* serial of the comparison at work that was taken last */
    size_t at;                        /* its pair in the result, or SIZE_MAX */
    int (*wait)(struct session *s, void *ctx, struct err *e);
    void *wait_ctx;
    struct job job;
};

void job_compare_init(struct job_compare *k, const struct job_compare_options *o);
/* Whether it is a job of several ranks: finds the recordings, reads none. */
int job_compare_look(struct job_compare *k, struct err *e);
/* Instead of comparing: what others found, which it takes. It is settled. */
void job_compare_of_summary(struct job_compare *k, cJSON *all);
/* In the background; -1 where the system gives no thread. */
int job_compare_start(struct job_compare *k, struct err *e);
/* On this thread; each comparison is waited for by `wait`. */
int job_compare_run(struct job_compare *k, int (*wait)(struct session *s, void *ctx, struct err *e), void *ctx,
                    struct err *e);
void job_compare_cancel(struct job_compare *k);
void job_compare_wait(struct job_compare *k);
void job_compare_leave(struct job_compare *k,
                       int ms); /* the process is about to end: cancelled, waited for at most so long */
void job_compare_release(struct job_compare *k); /* a zeroed one is fine */

/* The pair of a step and rank, or of all ranks joined; SIZE_MAX: there is none yet. The lock held. */
size_t job_compare_pair(const struct job_compare *k, int step, int rank);
/* The joined job of a step, or NULL. */
struct joined_job *job_compare_step(const struct job_compare *k, int step);

static inline void job_compare_lock(struct job_compare *k)
{
    pthread_mutex_lock(&k->lock);
}

static inline void job_compare_unlock(struct job_compare *k)
{
    pthread_mutex_unlock(&k->lock);
}

#endif
