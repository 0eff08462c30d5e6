/* What is open now: both sides, their pairing, what has been computed and judged. The command line and
 * the screen hold one of these and nothing else.
 *
 * Background threads do all the work: one conducts (finds the recordings, pairs, judges), one a side
 * reads, several compare tensors. Everything below `lock` is theirs and the reader's; take the lock
 * to look. What has been published is replaced, never changed: pairing when decisions change, judgement often. */
#ifndef SESSION_SESSION_H
#define SESSION_SESSION_H

#include <pthread.h>

#include "judge/step_inputs.h"
#include "judge/judge.h"
#include "dump/reader.h"
#include "dump/one_side.h"
#include "measure/third_run.h"
#include "base/file_stamp.h"
#include "compare/round_since.h"

#define SESSION_WORKERS 64
#define SESSION_WANT 512

enum side_state { SIDE_FINDING, SIDE_LOADING, SIDE_LOADED, SIDE_FAILED };

/* What a side holds, counted once it is loaded. */
struct side_extent {
    uint32_t phase[PHASE_COUNT]; /* rows of each part of the step */
    uint32_t tensors;            /* rows with a tensor's file */
    uint32_t computed;           /* rows whose figures, or some of them, were computed from it */
};

struct session_side {
    char *path;             /* as given */
    place_list places;      /* what was found there */
    size_t place;           /* the one that is open */
    enum side_state state;
    struct input_state now; /* of the files that are read */
    struct dump dump;
    struct side_extent extent;
    struct load load;
    struct err err;         /* of SIDE_FAILED */
};

struct session_options {
    const char *path[2];
    const char *golden2, *reference; /* a second golden run, a run nearer the truth; or NULL */
    int step[2], rank[2];   /* wanted; -1: the first both sides have */
    const char *const *maps;
    size_t map_count;
    bool map_only, exact, strict_gaps;
    int preset;             /* of preset.h; 0: our own rule */
    const struct known_list *known; /* accepted differences, or NULL; must outlive the session */
    bool alone;             /* one side by itself, also of a result table */
    bool examine;           /* a side by itself is looked over: `examined` */
    bool pair_only;         /* nothing is computed from tensors */
    struct input_state was[2]; /* the inputs when an investigation was left; zero: not known */
    struct round_place before; /* the round before this one; file NULL: there is none */
    struct tol tol;
    int workers;            /* 0: one a processor */
    const struct decisions *decisions; /* a person's, to begin with, or NULL; strings must outlive the session */
    const char *cpu;        /* kernel variant to force, or NULL */
    const char *pack;       /* the pack both sides were taken out of, or NULL */
    const char *cache;      /* folder where figures are kept from one session to the next, or NULL */
    /* Called from background threads after something changed; must not take the lock. May be NULL. */
    void (*notify)(void *ctx);
    void *ctx;
};

struct session {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct session_options opt;
    struct session_side side[2];
    struct mapping *maps;
    bool single;              /* one side only: no golden */
    bool tabled;              /* both sides are columns of one result table, paired and judged there */

    bool paired;              /* pairing, flow and measure are there; of one side alone, a line for each of its rows */
    uint32_t pairings;        /* counts them: lines are numbered anew by each */
    struct pairing pairing;
    struct flow flow[2];
    struct measure measure;
    struct judgement *judged; /* the newest, NULL before the first */
    uint64_t judgements;      /* counts them: the serial of the newest */
    input_list inputs;        /* the step's own inputs, judged with it */
    struct alone examined;    /* of one side alone */
    struct companion golden2, reference; /* path NULL: not there */
    struct since since;       /* what was, and what has changed: of an investigation with earlier rounds */
    bool paused;              /* comparing waits; what is computed stays */
    bool settled;             /* everything wanted is computed and judged */
    bool failed;              /* err says why; what was loaded stays */
    struct err err;
    uint32_t want[SESSION_WANT]; /* lines on the screen, in any order: compared first */
    size_t want_count;
    uint64_t version;         /* counts changes */

    /* the threads' own */
    const struct kern *kern;
    struct ruling ruling, wanted; /* decisions the pairing was made with, and newer ones where `repair` is set */
    pthread_t conductor, loader[2], worker[SESSION_WORKERS];
    int workers, started;
    struct crew crew;         /* the workers: one with a large tensor is helped by the others */
    struct figures_watch watch[SESSION_WORKERS];
    uint64_t bytes[SESSION_WORKERS]; /* of the line each is at; 0: none */
    uint64_t numel[SESSION_WORKERS];
    long began_ms, paused_ms; /* when comparing began, as if there had been no pauses; when the pause began */
    uint64_t worked_before;   /* measure.worked then */
    struct cache *cache;
    bool running, conducted, stop, rejudge, repair;
    size_t judged_posts;
    int readers;              /* of judgements taken and not given back */
};

/* Takes the options (strings must outlive the session) and starts the threads. -1 at once only for
 * options that make no sense; files are reported through `failed`. golden path NULL: one side alone;
 * both NULL: an empty session, settled at once. */
int session_start(struct session *s, const struct session_options *o, struct err *e);
void session_stop(struct session *s); /* waits for the threads, frees everything */

/* Until everything is loaded, compared and judged, or paused: 0, or -1 with the session's error. */
int session_wait(struct session *s, struct err *e);

/* With the lock held: */
void session_want(struct session *s, const uint32_t *line, size_t n); /* no more than SESSION_WANT count */
/* Comparing stops where it is and goes on when told; while the sides are still read, reading ends. */
void session_pause(struct session *s, bool pause);
/* Calls options.notify; the lock is let go of meanwhile. */
void session_tell(struct session *s);
/* Other decisions: both sides are paired anew in the background; what was computed of pairs that stay is kept. */
void session_decide(struct session *s, const struct decisions *d);
void session_set_tol(struct session *s, const struct tol *t); /* judges anew */
/* The newest judgement for somebody who looks at it without the lock, or NULL while there is none. It and the pairing
 * stay until it is given back: a new pairing waits for that. */
struct judgement *session_take_judgement(struct session *s);
void session_give_judgement(struct session *s, struct judgement *j);

/* How far reading, then comparing has come. */
struct session_progress {
    bool comparing;
    double share;             /* 0 … 1 */
    double per_second, left;  /* bytes of tensors, seconds; 0: not known yet */
};
void session_progress(const struct session *s, struct session_progress *p);

/* The newest judgement's serial, 0 while there is none: what is made of one is stale when it has changed. Of one side
 * alone 1 once it has been looked over. */
uint64_t session_judged(const struct session *s);
/* A row's own figures as computed from its tensor: of a pair, or of one side alone; NULL where none were. */
const struct side_figures *session_figures(const struct session *s, uint32_t line, int side);
struct judge_options session_judge_options(const struct session *s);
struct pairing_options session_pairing_options(const struct session *s);

static inline void session_lock(struct session *s)
{
    pthread_mutex_lock(&s->lock);
}

static inline void session_unlock(struct session *s)
{
    pthread_mutex_unlock(&s->lock);
}

#endif
