/* Uses the thread's clocks and its number of sleeps: on a machine busy with other work, time passes too, but more
 * threads would not help. */
#define _GNU_SOURCE /* RUSAGE_THREAD */
#include "base/waiting.h"

#include <sys/resource.h>
#include <time.h>

#define SHORTEST 1000000 /* nanoseconds */

static long long nanoseconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static long times_blocked(void)
{
    struct rusage u;
    return getrusage(RUSAGE_THREAD, &u) ? 0 : u.ru_nvcsw;
}

void waiting_begin(struct waiting *w)
{
    *w = (struct waiting){nanoseconds(CLOCK_MONOTONIC), nanoseconds(CLOCK_THREAD_CPUTIME_ID), times_blocked()};
}

bool waiting_mostly(const struct waiting *w)
{
    long long wall = nanoseconds(CLOCK_MONOTONIC) - w->wall;
    return wall >= SHORTEST && (nanoseconds(CLOCK_THREAD_CPUTIME_ID) - w->used) * 4 < wall &&
           times_blocked() > w->blocked;
}
