/* A clock that only goes forward, for rates, and waits with an end; no date. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <pthread.h>
#include <stdbool.h>
#include <time.h>

static inline long clock_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Until `changed` is signalled, `ms` at most; the lock is held. False: nothing came in that time. */
static inline bool clock_wait(pthread_cond_t *changed, pthread_mutex_t *lock, int ms)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += ms * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    return pthread_cond_timedwait(changed, lock, &until) == 0;
}

#endif
