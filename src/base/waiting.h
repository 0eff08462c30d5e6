/* Whether a thread waits for its files: on a distant file system an open takes as long as a thousand short tensors take
 * to compare, and only more threads let opens overlap. */
#ifndef BASE_WAITING_H
#define BASE_WAITING_H

#include <stdbool.h>

#define WAITING_THREADS 64 /* no more for files that are far away */

struct waiting {
    long long wall, used; /* nanoseconds */
    long blocked;
};

/* This thread begins a piece of work. */
void waiting_begin(struct waiting *w);
/* It has ended, and for most of a millisecond or more the thread slept: it was not merely put aside for others. */
bool waiting_mostly(const struct waiting *w);

#endif
