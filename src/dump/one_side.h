/* One side by itself: figures of its tensors and its problems, found in the background while it is shown. */
#ifndef DUMP_ONE_SIDE_H
#define DUMP_ONE_SIDE_H

#include <pthread.h>

#include "dump/dump_check.h"

struct one_side {
    struct side_figures *figures; /* one per row; valid where `known` */
    uint8_t *known;               /* one byte per row; NULL: no tensor can be read */
    uint64_t elements;            /* of all tensors to be read: the final value of watch->done */
    struct dump_check check;           /* valid once `done` */
    bool done;
};

/* Reads every tensor of a complete dump that nobody changes meanwhile. Takes `lock` to store results; told(ctx) is
 * called now and then without it. If watch->cancel stops the run, only the figures computed so far remain. */
void one_side_run(struct one_side *a, const struct dump *d, const struct kern *k, int workers,
                  struct figures_watch *watch, pthread_mutex_t *lock, void (*told)(void *ctx), void *ctx);
void one_side_release(struct one_side *a);

/* With the lock held: a row's figures; NULL if none were computed. */
const struct side_figures *one_side_figures(const struct one_side *a, uint32_t row);
/* The problems of a row, *n of them; NULL if it has none. row NONE: problems of the recording as a whole. */
const struct dump_check_problem *one_side_problems(const struct one_side *a, uint32_t row, size_t *n);
/* Whether the row has a problem other than a note (all-zero, constant). */
bool one_side_wrong(const struct one_side *a, uint32_t row);

#endif
