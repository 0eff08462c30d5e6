/* Uses the thread's clocks, its number of sleeps and how long it was ready but had no processor: on a machine busy with
 * other work, time passes too, but more threads would not help. */
#define _GNU_SOURCE /* RUSAGE_THREAD */
#include "base/waiting.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define SHORTEST 1000000 /* nanoseconds */

static long long clock_nanoseconds(clockid_t clock)
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

/* Nanoseconds for which this thread has had no processor although it was ready, since the last question; 0 where the
 * system does not say. It is asked only about suspicious pieces of work, and may then count earlier ones, too: the
 * next answer is better. */
static long long queued_nanoseconds(void)
{
    static _Thread_local long long before;
    char text[96] = "", *end;
    int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    if (fd < 0 || read(fd, text, sizeof text - 1) < 0)
        *text = 0;
    if (fd >= 0)
        close(fd);
    strtoll(text, &end, 10); /* the time it ran */
    long long all = strtoll(end, NULL, 10), since = all - before;
    before = all;
    return since;
}

void waiting_begin(struct waiting *w)
{
    *w = (struct waiting){clock_nanoseconds(CLOCK_MONOTONIC), clock_nanoseconds(CLOCK_THREAD_CPUTIME_ID),
                          times_blocked()};
}

bool waiting_mostly(const struct waiting *w)
{
    long long wall = clock_nanoseconds(CLOCK_MONOTONIC) - w->wall;
    if (wall < SHORTEST)
        return false;
    long long busy = clock_nanoseconds(CLOCK_THREAD_CPUTIME_ID) - w->used;
    return busy * 4 < wall && times_blocked() > w->blocked &&
           (busy + queued_nanoseconds()) * 4 < wall;
}
