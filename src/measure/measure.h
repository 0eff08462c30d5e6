/* What has been computed for each line of the table so far, and what is still to be: the queue of the
 * worker threads. Nothing here judges.
 *
 * One lock guards the queue (measure_take, measure_post); measure_compute and all that reads results need none. A
 * line's figures never change once its state is MEASURE_DONE, and are counted: the measure of another pairing may share
 * them. A shallow copy with a state array of its own is a snapshot that may be read while lines are still computed. */
#ifndef MEASURE_MEASURE_H
#define MEASURE_MEASURE_H

#include "pair/axis_order.h"
#include "pair/pairing.h"

enum measure_state {
    MEASURE_NONE,    /* nothing to compute: no two tensors that can be laid on each other */
    MEASURE_WAITING,
    MEASURE_RUNNING,
    MEASURE_DONE,
    MEASURE_FAILED,  /* `failure` says why; recorded figures are all there is */
};

struct measure {
    const struct dump *side[2];
    const struct pairing *pairing;
    uint32_t round;            /* counts pairings: what is posted for an earlier one is not taken */
    uint8_t *state;            /* per line */
    struct figures **figures;  /* per line, NULL until done */
    const struct view **view;  /* per line: the view the figures were computed through, or NULL; NULL array: none */
    const char **failure;      /* per line, NULL unless failed */
    size_t lines, wanted, finished;
    size_t next;               /* in-order cursor: everything before it is no longer waiting */
    uint64_t *bytes;           /* of both tensors of each line that is wanted: taking one looks up no row */
    uint64_t work, worked;     /* bytes of the tensors of all lines wanted, and of those finished */
    struct arena arena;
};

/* A line to compute, with all that is needed to do so without the lock. */
struct measure_job {
    uint32_t line, round;
    uint32_t row[2];
    uint64_t bytes;            /* of both tensors */
    bool given;                /* `view` is the pair's; else one is looked for where shapes differ */
    struct view view;
    struct cache *cache;       /* where figures are looked up and kept, or NULL; the caller fills it in */
};

/* What was computed for the same two rows under an earlier pairing (`old`, may be NULL) is shared; old stays as it
 * is. */
void measure_init(struct measure *m, const struct dump *target, const struct dump *golden,
                  const struct pairing *p, const struct measure *old);
void measure_release(struct measure *m);
/* The next line to compute: the first of `want` that waits (what is on the screen), else in order. False when nothing
 * waits. The line becomes MEASURE_RUNNING. */
bool measure_take(struct measure *m, const uint32_t *want, size_t n, struct measure_job *job);
/* Opens and compares the two tensors of a job, through its view or in another order of axes where shapes differ and
 * that explains them; lock not held. *view: what it was computed through, count 0 and `viewed` false for none. */
int measure_compute(const struct dump *const side[2], const struct measure_job *job, const struct kern *k,
                    struct figures *out, struct view *view, bool *viewed, struct figures_watch *watch, struct err *e);
/* The two tensors of a line that is MEASURE_DONE, laid on each other as they were compared; the lock not held, the
 * pairing kept. The caller closes both. */
int measure_open(const struct measure *m, uint32_t line, struct tensor t[2], struct err *e);
/* How the two tensors of a line lie on each other: `job` as for measure_take, its view the one they were compared
 * through. False where they do not, or where that is still to be found (state WAITING or RUNNING tells which). With
 * the queue's lock held, or of a snapshot; a job stays good without it. */
bool measure_how(const struct measure *m, uint32_t line, struct measure_job *job);
/* Opens the two tensors of such a job; the caller closes both. */
int measure_open_job(const struct dump *const side[2], const struct measure_job *job, struct tensor t[2],
                     struct err *e);
/* Posts what came of it when e is NULL: f, made by figures_keep, becomes m's, view (NULL: none) is copied. */
void measure_post(struct measure *m, const struct measure_job *job, struct figures *f, const struct view *view,
                  const struct err *e);
/* Bytes of both tensors of a line. */
uint64_t measure_bytes(const struct measure *m, uint32_t line);
/* Of a line that is MEASURE_DONE; NULL: there are none. */
const struct figures *measure_figures(const struct measure *m, uint32_t line);
const struct view *measure_view(const struct measure *m, uint32_t line); /* they were computed through; NULL: none */
/* A copy of figures for m->figures. */
struct figures *figures_keep(const struct figures *f);

#endif
