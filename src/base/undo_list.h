/* A log of changes with a position for undo: the first `now` entries are in force. The entries of one step are undone
 * together and can be redone until a new change is added. */
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

/* View of a struct with `log` (a VEC of entries with a member `step`) and `now`. */
#define HISTORY(h)                                                                                 \
    ((struct undo_list){(h)->log.v, (h)->log.n, (h)->now, sizeof *(h)->log.v,                        \
                        offsetof(__typeof__(*(h)->log.v), step)})

/* Appends an entry and drops all undone ones. */
#define HISTORY_ADD(h, x)                                                                          \
    ((h)->log.n = (h)->now, vec_push(&(h)->log, x), (h)->now = (h)->log.n)

uint32_t undo_list_next(struct undo_list h); /* the number for a new step */
/* The position after undoing or redoing one step; h.now if there is none. */
size_t undo_list_turn(struct undo_list h, bool redo);

#endif
