/* The results computed for each line of the table and the queue of the worker threads. Nothing here judges.
 *
 * One lock guards the queue (measure_take, measure_post); measure_compute and reading results need none. A line's
 * figures never change once its state is MEASURE_DONE, and are reference-counted: the measure of another pairing may
 * share them. A shallow copy with its own state array is a snapshot that may be read while lines are still computed. */
#ifndef MEASURE_MEASURE_H
#define MEASURE_MEASURE_H

#include "pair/axis_order.h"
#include "pair/pairing.h"

enum measure_state {
    MEASURE_NONE,    /* nothing to compute: not two comparable tensors, and no file left to check */
    MEASURE_WAITING,
    MEASURE_RUNNING,
    MEASURE_DONE,
    MEASURE_FAILED,  /* `failure` gives the reason; only recorded figures are available */
};

struct measure {
    const struct dump *side[2];
    const struct pairing *pairing;
    uint32_t round;            /* number of the pairing: results for an earlier one are dropped */
    uint8_t *state;            /* per line */
    struct figures **figures;  /* per line, NULL until done */
    /* per line: the view through which the figures were computed, or NULL; a NULL array: no views */
    const struct view **view;
    const char **failure;      /* per line, NULL unless failed */
    size_t lines, wanted, finished;
    size_t next;               /* everything before it is no longer waiting */
    uint64_t *bytes;           /* of both tensors of each line that is wanted: taking one looks up no row */
    uint64_t work, worked;     /* bytes of the tensors of all wanted lines, and of the finished ones */
    struct arena arena;
};

/* A line to compute, with everything needed to do so without the lock. */
struct measure_job {
    uint32_t line, round;
    uint32_t row[2];
    uint64_t bytes;            /* of both tensors */
    struct cache *cache;       /* cache for figures, or NULL; set by the caller */
    bool given;                /* `view` is the pair's; otherwise one is searched if shapes differ */
    struct view view;
};

/* Results for the same two rows under an earlier pairing (`old`, may be NULL) are shared; old is unchanged. */
void measure_init(struct measure *m, const struct dump *target, const struct dump *golden,
                  const struct pairing *p, const struct measure *old);
void measure_release(struct measure *m);
/* The next line to compute: the first waiting one of `want` (lines on the screen), otherwise in order. False if none
 * waits. The line becomes MEASURE_RUNNING. */
bool measure_take(struct measure *m, const uint32_t *want, size_t n, struct measure_job *job);
/* Opens and compares the two tensors of a job, through its view, or if shapes differ in the axis order that explains
 * it; called without the lock. *view: the view used; count 0 and `viewed` false for none. Of a row without a partner
 * its file is held to the figures that were recorded of it. */
int measure_compute(const struct dump *const side[2], const struct measure_job *job, const struct kern *k,
                    struct figures *out, struct view *view, bool *viewed, struct figures_watch *watch, struct err *e);
/* Whether it is the job of a row without a partner: then no figures are posted. */
bool measure_is_of_one(const struct measure_job *job);
/* Opens the two tensors of a line that is MEASURE_DONE, aligned as they were compared; called without the lock while
 * the pairing is held. The caller closes both. */
int measure_open(const struct measure *m, uint32_t line, struct tensor t[2], struct err *e);
/* How the two tensors of a line are aligned: `job` as for measure_take, with the view used. False if they cannot be,
 * or if the view is not known yet (state WAITING or RUNNING). Called with the queue's lock, or on a snapshot; the job
 * stays valid without it. */
bool measure_how(const struct measure *m, uint32_t line, struct measure_job *job);
/* Opens the two tensors of such a job; the caller closes both. */
int measure_open_job(const struct dump *const side[2], const struct measure_job *job, struct tensor t[2],
                     struct err *e);
/* Posts a result if e is NULL: m takes over f, made by figures_keep; view (NULL: none) is copied. */
void measure_post(struct measure *m, const struct measure_job *job, struct figures *f, const struct view *view,
                  const struct err *e);
/* Bytes of both tensors of a line. */
uint64_t measure_bytes(const struct measure *m, uint32_t line);
/* Of a line that is MEASURE_DONE; NULL: there are none. */
const struct figures *measure_figures(const struct measure *m, uint32_t line);
/* The distance of a pair's tensors, not relative; NaN: it was not computed, or parts are masked. */
double measure_distance(const struct measure *m, uint32_t line);
/* the view through which they were computed; NULL: none */
const struct view *measure_view(const struct measure *m, uint32_t line);
/* A copy of figures for m->figures. */
struct figures *figures_keep(const struct figures *f);

#endif
