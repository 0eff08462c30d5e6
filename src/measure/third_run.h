/* A third run beside the two: a second golden run, whose difference from the golden side is the expected noise, or a
 * reference that is more accurate than either. Its rows are matched with the golden side's by name, never directly
 * with the target's. */
#ifndef MEASURE_THIRD_RUN_H
#define MEASURE_THIRD_RUN_H

#include <pthread.h>

#include "measure/measure.h"
#include "dump/reader.h"
#include "fmt/find_recordings.h"

struct third_run {
    const char *path;    /* NULL: there is none */
    place_list places;   /* owned by the found trees */
    struct dump dump;
    struct load load;
    uint32_t *row_of;    /* per golden row, or NONE */
    float *error[2];     /* per row of a side: its error relative to the third run's row; NaN: none */
    size_t side_rows[2]; /* rows of each side */
    size_t rows;         /* golden rows that it has too */
    size_t unread;       /* those whose tensors could not be read */
    struct err why;      /* the reason for the first of them */
};

/* A snapshot of its errors. */
struct third_run_errors {
    const struct third_run *of; /* NULL: there is no such run */
    float *error[2];            /* its own copies */
    size_t unread;
    struct err why;
};

void third_run_errors_take(struct third_run_errors *x, const struct third_run *c); /* with the lock held */
void third_run_errors_release(struct third_run_errors *x);

/* Opens the recording with the golden side's step and rank, and computes the golden rows' errors from recorded
 * figures. */
int third_run_open(struct third_run *c, struct found_trees *found, const struct dump *const side[2],
                   pthread_mutex_t *lock, struct err *e);
void third_run_cancel(struct third_run *c); /* called from another thread: third_run_open returns soon */
void third_run_release(struct third_run *c);
/* After every new pairing: computes the target rows' errors from recorded figures. The lock is held. */
void third_run_join(struct third_run *c, const struct measure *m);
/* The errors of a pair that was just compared through `view` (NULL: none), in out[2]; NaN if unknown. `target` false:
 * only the golden side's. Called without the lock. -1 with e if a tensor could not be read. */
int third_run_measure(const struct third_run *c, const struct dump *const side[2], const uint32_t row[2],
                      const struct view *view,
                      const struct kern *k, struct figures_watch *watch, bool target, float out[2], struct err *e);
/* Stores the result of third_run_measure. The lock is held. why: the error if it returned -1, otherwise NULL. */
void third_run_post(struct third_run *c, const uint32_t row[2], const float error[2], const struct err *why);
/* By the errors of two paired rows relative to a reference: the side that is clearly nearer to it, -1 if both are
 * equally near, -2 if unknown. */
int third_run_nearer(const struct third_run_errors *x, const uint32_t row[2]);

/* Three-way test: compared with a float32 reference, the target may have an error as large as the golden side's. */
#define THREE_WAY_LIMIT 1.5F /* the limit, times the golden side's error */
enum three_way { THREE_WAY_UNTOLD, THREE_WAY_PASS, THREE_WAY_FAIL };
/* Untold if an error is unknown, or if the golden side equals the reference and the target does not: then there is no
 * measure of normal rounding. */
enum three_way third_run_three_way(const struct third_run_errors *x, const uint32_t row[2]);

struct three_way_sum {
    uint32_t pass, fail, untold; /* paired lines */
    uint32_t first;              /* the first failing line, or NONE */
};

struct three_way_sum third_run_three_way_sum(const struct third_run_errors *x, const struct pairing *p);

#endif
