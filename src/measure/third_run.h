/* A third run beside the two: a second golden run, whose difference from the golden side is the noise to expect, or
 * a reference nearer the truth than either. Its rows are the golden side's, by name; it is never paired with the
 * target but through them. */
#ifndef MEASURE_THIRD_RUN_H
#define MEASURE_THIRD_RUN_H

#include <pthread.h>

#include "measure/measure.h"
#include "dump/reader.h"
#include "fmt/find_recordings.h"

struct third_run {
    const char *path;    /* NULL: there is none */
    place_list places;   /* of the found trees */
    struct dump dump;
    struct load load;
    uint32_t *row_of;    /* per golden row, or NONE */
    float *error[2];     /* per row of a side: its error against the companion's row; NaN: none */
    size_t side_rows[2]; /* rows of each side */
    size_t rows;         /* of the golden side, that it has too */
    size_t unread;       /* of these, whose tensors could not be read */
    struct err why;      /* the first of them: its reason */
};

/* Its errors as of some moment. */
struct third_run_errors {
    const struct third_run *of; /* NULL: there is no such run */
    float *error[2];            /* as there; its own */
    size_t unread;
    struct err why;
};

void third_run_errors_take(struct third_run_errors *x, const struct third_run *c); /* with the lock held */
void third_run_errors_release(struct third_run_errors *x);

/* Reads the recording of the golden side's step and rank, and what recorded figures tell of the golden rows. */
int third_run_open(struct third_run *c, struct found_trees *found, const struct dump *const side[2],
                   pthread_mutex_t *lock, struct err *e);
void third_run_cancel(struct third_run *c); /* from another thread: third_run_open returns soon */
void third_run_release(struct third_run *c);
/* With every new pairing: what recorded figures tell of the target's rows. Lock held. */
void third_run_join(struct third_run *c, const struct measure *m);
/* The errors of a pair that was just compared through `view` (NULL: none), into out[2]; NaN where they cannot be told.
 * With `target` false only the golden side's. Lock not held. -1 with e where a tensor could not be read. */
int third_run_measure(const struct third_run *c, const struct dump *const side[2], const uint32_t row[2],
                      const struct view *view,
                      const struct kern *k, struct figures_watch *watch, bool target, float out[2], struct err *e);
/* Takes over what third_run_measure gave. Lock held. why: of -1, else NULL. */
void third_run_post(struct third_run *c, const uint32_t row[2], const float error[2], const struct err *why);
/* Of the errors of two paired rows against a reference: the side clearly nearer to it, -1 where both are as near,
 * -2 where it cannot be told. */
int third_run_nearer(const struct third_run_errors *x, const uint32_t row[2]);

/* Held against a reference in float32, a target may err as the golden side does: the usual test of three runs. */
#define THREE_WAY_LIMIT 1.5F /* times the golden side's error */
enum three_way { THREE_WAY_UNTOLD, THREE_WAY_PASS, THREE_WAY_FAIL };
/* Untold where an error is not known, and where the golden side is the reference itself and the target is not: then
 * nothing says what honest arithmetic errs. */
enum three_way third_run_three_way(const struct third_run_errors *x, const uint32_t row[2]);

struct three_way_sum {
    uint32_t pass, fail, untold; /* paired lines */
    uint32_t first;              /* the first line that fails, NONE */
};

struct three_way_sum third_run_three_way_sum(const struct third_run_errors *x, const struct pairing *p);

#endif
