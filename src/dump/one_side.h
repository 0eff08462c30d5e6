/* One side by itself: figures of its tensors and what is wrong with it, found in the background while it is looked
 * at. */
#ifndef DUMP_ONE_SIDE_H
#define DUMP_ONE_SIDE_H

#include <pthread.h>

#include "dump/dump_check.h"

struct one_side {
    struct side_figures *figures; /* a row each; of those that are `known` */
    uint8_t *known;               /* NULL: the dump has no tensor that can be read */
    uint64_t elements;            /* of all tensors that are read: what watch->done grows to */
    struct dump_check check;           /* once `done` */
    bool done;
};

/* Reads every tensor of a dump that is complete, which nobody changes meanwhile. Posts under `lock`, which is not held;
 * told(ctx) is called now and then, without it. Nothing is left of a run that watch->cancel stopped but its figures. */
void one_side_run(struct one_side *a, const struct dump *d, const struct kern *k, int workers,
                  struct figures_watch *watch, pthread_mutex_t *lock, void (*told)(void *ctx), void *ctx);
void one_side_release(struct one_side *a);

/* With the lock held: a row's figures, NULL where none were computed. */
const struct side_figures *one_side_figures(const struct one_side *a, uint32_t row);
/* The problems of a row, *n of them; NULL where it has none. row NONE: those of no row. */
const struct dump_check_problem *one_side_problems(const struct one_side *a, uint32_t row, size_t *n);
/* Whether the row has one that counts: all-zero and constant tensors are notes. */
bool one_side_wrong(const struct one_side *a, uint32_t row);

#endif
