/* Growable arrays: `struct { T *v; size_t n, cap; }` by the VEC macro; all zero is empty. Elements move when the
 * array grows: keep indices across a push, not pointers. */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include <stdlib.h>

#include "base/mem.h"

#define VEC(T)                                                                                     \
    struct {                                                                                       \
        T *v;                                                                                      \
        size_t n, cap;                                                                             \
    }

#define vec_reserve(a, more)                                                                       \
    ((a)->n + (more) <= (a)->cap                                                                   \
         ? (void)0                                                                                 \
         : (void)((a)->cap = ((a)->n + (more)) + ((a)->n + (more)) / 2 + 8,                        \
                  (a)->v = mem_resize_array((a)->v, (a)->cap, sizeof *(a)->v)))

/* Room for an expected number of more elements, with little to spare: the expectation may be somewhat too low. */
#define vec_expect(a, more) vec_room(a, (more) + (more) / 16 + 8)
/* Room for exactly this many more elements. */
#define vec_room(a, more)                                                                          \
    ((a)->n + (more) <= (a)->cap                                                                   \
         ? (void)0                                                                                 \
         : (void)((a)->cap = (a)->n + (more), (a)->v = mem_resize_array((a)->v, (a)->cap, sizeof *(a)->v)))

#define vec_push(a, x) (vec_reserve(a, 1), (a)->v[(a)->n++] = (x))
/* qsort must not be called with the NULL array of an empty list. */
#define vec_sort(a, by) ((void)((a)->n > 1 ? qsort((a)->v, (a)->n, sizeof *(a)->v, (by)) : (void)0))
/* Sets `at`, of type size_t, to the first index from 0 to n for which `before`, an expression of at, is false; it is
 * true for all smaller ones and false for all larger ones. */
#define lower_bound(at, n, before)                                                                 \
    do {                                                                                           \
        size_t low_ = 0, high_ = (n);                                                              \
        while (low_ < high_) {                                                                     \
            (at) = low_ + (high_ - low_) / 2;                                                      \
            if (before)                                                                            \
                low_ = (at) + 1;                                                                   \
            else                                                                                   \
                high_ = (at);                                                                      \
        }                                                                                          \
        (at) = low_;                                                                               \
    } while (0)
#define vec_clear(a) ((void)((a)->n = 0))
#define vec_release(a) (free((a)->v), (a)->v = NULL, (a)->n = (a)->cap = 0)
#define vec_last(a) (&(a)->v[(a)->n - 1])

#endif
