/* A list with a place in it: what was done in order, of which so many hold. What one step did is taken back together,
 * and can be done again until something new is done. */
#ifndef BASE_UNDO_LIST_H
#define BASE_UNDO_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A list of entries of `size` bytes, each with a uint32_t step at `step`. */
struct undo_list {
    const void *log;
    size_t n, now, size, step;
};

/* Of a struct with `log` (a VEC of entries with a member `step`) and `now`. */
#define HISTORY(h)                                                                                 \
    ((struct undo_list){(h)->log.v, (h)->log.n, (h)->now, sizeof *(h)->log.v,                        \
                        offsetof(__typeof__(*(h)->log.v), step)})

/* Appends; what was taken back before is gone. */
#define HISTORY_ADD(h, x)                                                                          \
    ((h)->log.n = (h)->now, vec_push(&(h)->log, x), (h)->now = (h)->log.n)

uint32_t undo_list_next(struct undo_list h); /* the number for a new step */
/* Where the place is after one step back, or forward; h.now where there is none. */
size_t undo_list_turn(struct undo_list h, bool redo);

#endif
