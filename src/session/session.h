/* Who makes comparisons: finds and reads the recordings, pairs, measures, judges, in the background, and publishes a
 * comparison (compare/comparison.h) after each judgement. The command line and the screen hold one of these.
 *
 * One job conducts (finds the recordings, pairs, judges), one a side reads, several compare tensors. Take the lock
 * to look at anything here; a comparison that is held needs none, except that its recordings grow until both sides
 * are loaded. */
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
    bool examine;           /* a side by itself is examined: comparison.examined */
    struct round_place before; /* the round before this one; file NULL: there is none */
    int workers;            /* 0: one a processor */
    const struct decisions *decisions; /* a person's, to begin with, or NULL; strings must outlive the session */
    const char *cpu;        /* kernel variant to force, or NULL */
    const char *cache;      /* folder where figures are kept from one session to the next, or NULL */
    /* Called from background threads after something changed; must not take the lock. NULL: nobody looks at recordings
     * before they are loaded, and they are read without the lock. */
    void (*notify)(void *ctx);
    void *ctx;
};

struct session {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct session_options opt; /* of.tol: the limits wanted now */
    const struct comparison *now; /* the newest, never NULL; held by the session, which drops it for a newer one at
                                   * any time until it has settled: without the lock only session_hold is safe till
                                   * then */
    bool paused;              /* comparing waits; what is computed stays */
    bool settled;             /* everything wanted is computed and judged: `now` says it all */
    uint64_t version;         /* counts changes */

    /* the threads' own */
    struct recordings *recordings; /* what is being loaded; never NULL while it runs */
    struct paired_rows *rows;      /* what is being measured, NULL before */
    struct load load[2];
    read_failures failed[2]; /* while the side was looked for */
    bool single, tabled;      /* as in the comparison to come */
    uint32_t pairings;        /* counts them */
    uint64_t judgements;
    uint32_t want[SESSION_WANT]; /* lines on the screen, in any order: compared first */
    size_t want_count;
    const struct kern *kern;
    struct decisions_in_force ruling, wanted; /* decisions the pairing was made with, and newer ones where `repair` is
                                                 set */
    struct job conductor, loader[2], worker[SESSION_WORKERS];
    int workers;              /* that run */
    bool waits_for_files;     /* a worker spent its time waiting for files: more would let them overlap */
    struct work_crew crew;         /* the workers: one with a large tensor is helped by the others */
    struct figures_watch watch[SESSION_WORKERS];
    uint64_t bytes[SESSION_WORKERS]; /* of the line each is at; 0: none */
    atomic_uint_fast64_t numel[SESSION_WORKERS]; /* of the target's tensors there, once it is known */
    long began_ms, paused_ms; /* when comparing began, as if there had been no pauses; when the pause began */
    uint64_t worked_before;   /* measure.worked then */
    struct cache *cache;
    atomic_bool oracle_cancel; /* calls that are recomputed: something else is asked for */
    bool running, conducted, stop, rejudge, repair;
    size_t judged_posts;
    long announced_ms; /* when figures were last announced */
};

/* Takes the options (strings must outlive the session) and starts the threads. -1 at once only for
 * options that make no sense; files are reported through `failed`. golden path NULL: one side alone;
 * both NULL: an empty session, settled at once. */
int session_start(struct session *s, const struct session_options *o, struct err *e);
void session_stop(struct session *s); /* waits for the threads; comparisons that others hold stay */
/* Instead of it before the process ends: the threads are asked to end and waited for at most ms, so that what was
 * measured can be kept for the next time. Nothing is freed. */
void session_leave(struct session *s, int ms);

/* The newest comparison, held for the caller (comparison_drop). The lock not held. */
const struct comparison *session_hold(struct session *s);

/* A comparison run to its end, for those who look at nothing meanwhile (compare_run of panel/engine_runs.h). *out is
 * held for the caller. */
int session_compare(const struct comparison_options *o, int workers, const struct comparison **out, struct err *e);

/* Until everything is loaded, compared and judged, or paused: 0, or -1 with the session's error. */
int session_wait(struct session *s, struct err *e);
/* The same; each(ctx) is called every `ms` meanwhile, the lock not held. Where it returns false: -1, ERR_CANCEL. */
int session_wait_each(struct session *s, bool (*each)(void *ctx), void *ctx, int ms, struct err *e);

/* With the lock held: */
void session_want(struct session *s, const uint32_t *line, size_t n); /* no more than SESSION_WANT count */
/* Comparing stops where it is and goes on when told; while the sides are still read, reading ends. */
void session_pause(struct session *s, bool pause);
/* Other decisions: both sides are paired again in the background; what was computed of pairs that stay is kept. */
void session_decide(struct session *s, const struct decisions *d);
void session_set_tol(struct session *s, const struct thresholds *t); /* judges again */
/* Opens as failed before anything was read: what stands in the way was found by the caller. */
void session_fail(struct session *s, const struct err *why);

/* How far reading, then comparing has come. */
struct session_progress {
    bool comparing;
    double share;             /* 0 … 1 */
    double per_second, left;  /* bytes of tensors, seconds; 0: not known yet */
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
