/* Whether a thread spends its time waiting for files: on a network file system one open takes as long as comparing a
 * thousand short tensors, and only more threads overlap the opens. */
#ifndef BASE_WAITING_H
#define BASE_WAITING_H

#include <stdbool.h>

#define WAITING_THREADS 64 /* the most threads used for slow files */

struct waiting {
    long long wall, used; /* nanoseconds */
    long blocked;
};

/* Marks the begin of a piece of work on this thread. */
void waiting_begin(struct waiting *w);
/* At its end: whether the thread slept for most of it and for at least a millisecond (preempted time does not count).
 */
bool waiting_mostly(const struct waiting *w);

#endif
