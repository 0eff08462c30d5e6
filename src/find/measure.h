/* What has been computed for each line of the table so far, and what is still to be: the queue of the
 * worker threads. Nothing here judges.
 *
 * Everything is under the session's lock except measure_compute. A line's figures never change once
 * its state is MEASURE_DONE. */
#ifndef FIND_MEASURE_H
#define FIND_MEASURE_H

#include "find/view.h"
#include "model/pairing.h"

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
    uint8_t *state;            /* per line */
    struct figures **figures;  /* per line, NULL until done */
    struct view *view;         /* per line: how the golden side was laid on the target; NULL array: none */
    const char **failure;      /* per line, NULL unless failed */
    size_t lines, wanted, finished;
    size_t next;               /* in-order cursor: everything before it is no longer waiting */
    uint64_t bytes;            /* read so far */
    struct arena arena;
};

void measure_init(struct measure *m, const struct dump *target, const struct dump *golden,
                  const struct pairing *p);
void measure_release(struct measure *m);
/* The next line to compute: the first of `want` that waits (what is on the screen), else in order. NONE when
 * nothing waits. The line becomes MEASURE_RUNNING. */
uint32_t measure_take(struct measure *m, const uint32_t *want, size_t n);
/* Opens and compares the two tensors of a line, in another order of axes where shapes differ and that
 * explains them; lock not held. */
int measure_compute(const struct measure *m, uint32_t line, const struct kern *k, struct figures *out,
                    struct view *view, struct figures_watch *watch, struct err *e);
/* Posts what came of it: f and view are copied when e is NULL. */
void measure_post(struct measure *m, uint32_t line, const struct figures *f, const struct view *view,
                  const struct err *e);
const struct view *measure_view(const struct measure *m, uint32_t line); /* NULL: none */

#endif
