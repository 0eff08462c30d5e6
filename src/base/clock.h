/* A monotonic clock for rates and timeouts; it gives no date. */
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

/* Waits until `changed` is signalled, at most `ms`; the caller holds the lock. False on timeout. */
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
