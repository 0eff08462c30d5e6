/* Makes comparisons in the background: finds and reads the recordings, pairs, measures, judges, and publishes a
 * comparison (compare/comparison.h) after each judgement. The command line and the screen each have one.
 *
 * One job conducts (finds the recordings, pairs, judges), one per side reads, several compare tensors. Members here
 * are read under the lock; a held comparison needs no lock, except that its recordings grow until both sides are
 * loaded. */
#ifndef SESSION_SESSION_H
#define SESSION_SESSION_H

#include <pthread.h>

#include "base/io.h"
#include "base/job.h"
#include "base/threads.h"
#include "compare/comparison.h"
#include "ticket/round.h"

#define SESSION_WORKERS 64
#define SESSION_WANT 512

struct session_options {
    struct comparison_options of;
    bool examine;           /* examine a single side: comparison.examined */
    struct round_place before; /* the previous round; file NULL: none */
    int workers;            /* 0: one per processor */
    const struct decisions *decisions; /* initial decisions, or NULL; strings must outlive the session */
    const char *cpu;        /* kernel variant to force, or NULL */
    const char *cache;      /* folder of the figures cache, or NULL */
    /* Nobody looks before all is compared: recordings are loaded without the lock, and rows judged at the end, not also
     * on the way. */
    bool unwatched;
    void (*notify)(void *ctx); /* called from background threads after a change; must not take the lock; may be NULL */
    void *ctx;
};

struct session {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct session_options opt; /* of.tol: the limits requested now */
    /* the newest, never NULL. The session drops it for a newer one at any time until it has settled: until then use
     * session_hold without the lock */
    const struct comparison *now;
    bool paused;              /* comparing is suspended; results stay */
    bool settled;             /* everything requested is computed and judged and in `now` */
    uint64_t version;         /* counts changes */

    /* private to the threads */
    struct recordings *recordings; /* the recordings being loaded; never NULL while it runs */
    struct paired_rows *rows;      /* the pairs being measured; NULL before pairing */
    struct load load[2];
    read_failures failed[2]; /* read failures while a side was searched */
    bool single, tabled;      /* as in the next comparison */
    uint32_t pairings;        /* counts them */
    uint64_t judgements;
    uint32_t want[SESSION_WANT]; /* lines on the screen, compared first */
    size_t want_count;
    const struct kern *kern;
    struct decisions_in_force ruling, wanted; /* decisions used for the pairing, and newer ones if `repair` is set */
    struct job conductor, loader[2], worker[SESSION_WORKERS];
    int workers;              /* number of running workers */
    bool far_files;           /* to open one of the tensors' files takes long */
    bool waits_for_files;     /* a worker spent its time waiting for files: more workers would overlap the waits */
    struct work_crew crew;         /* the workers; idle ones help with a large tensor */
    struct figures_watch watch[SESSION_WORKERS];
    uint64_t bytes[SESSION_WORKERS]; /* of each worker's current line; 0: none */
    atomic_uint_fast64_t numel[SESSION_WORKERS]; /* of the target's tensors there, once it is known */
    long began_ms, paused_ms; /* start time of comparing, corrected for pauses; start of the current pause */
    uint64_t worked_before;   /* measure.worked at that time */
    struct cache *cache;
    atomic_bool oracle_cancel; /* stops the oracle because something else was requested */
    bool running, conducted, stop, rejudge, repair;
    size_t judged_posts;
    long announced_ms; /* time of the last announcement */
};

/* Copies the options (strings must outlive the session) and starts the threads. -1 only for invalid options; errors
 * in files are reported through `failed`. golden path NULL: one side alone; both NULL: an empty session, settled at
 * once. */
int session_start(struct session *s, const struct session_options *o, struct err *e);
void session_stop(struct session *s); /* waits for the threads; held comparisons stay valid */
/* For a process about to exit: asks the threads to end and waits at most ms, so that computed figures can be cached.
 * Frees nothing. */
void session_leave(struct session *s, int ms);

/* The newest comparison with a reference for the caller (comparison_drop). Called without the lock. */
const struct comparison *session_hold(struct session *s);

/* Runs a comparison to its end (the compare_run of panel/engine_runs.h). The caller owns the reference *out. */
int session_compare(const struct comparison_options *o, int workers, const struct comparison **out, struct err *e);

/* Waits until everything is loaded, compared and judged, or paused: 0, or -1 with the session's error. */
int session_wait(struct session *s, struct err *e);
/* The same; each(ctx) is called every `ms` without the lock. If it returns false: -1 with ERR_CANCEL. */
int session_wait_each(struct session *s, bool (*each)(void *ctx), void *ctx, int ms, struct err *e);

/* The following are called with the lock held: */
void session_want(struct session *s, const uint32_t *line, size_t n); /* at most SESSION_WANT lines are used */
/* Suspends or resumes comparing; while the sides are still being read, reading is finished. */
void session_pause(struct session *s, bool pause);
/* Sets other decisions: both sides are paired again in the background; results of unchanged pairs are kept. */
void session_decide(struct session *s, const struct decisions *d);
void session_set_tol(struct session *s, const struct thresholds *t); /* judges again */
/* Marks the session as failed before anything was read, for errors found by the caller. */
void session_fail(struct session *s, const struct err *why);

/* Progress of reading, then of comparing. */
struct session_progress {
    bool comparing;
    double share;             /* 0 … 1 */
    double per_second, left;  /* bytes of tensors per second; seconds left; 0: unknown */
};
void session_progress(const struct session *s, struct session_progress *p);

static inline void session_lock(struct session *s)
{
    pthread_mutex_lock(&s->lock);
}

static inline void session_unlock(struct session *s)
{
    pthread_mutex_unlock(&s->lock);
}

#endif
