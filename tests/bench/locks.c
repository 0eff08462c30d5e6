/* Loaded before the program (LD_PRELOAD): for how much of its processor time its threads held a mutex, written to the
 * file LOCKS names as "HELD USED LOCKS WAITED": seconds, seconds, how many were taken, how many of them another thread
 * held. Processor time, not time: a thread that is put aside while it holds a lock, or sleeps in a condition, does
 * nothing. What share is held says how many cores a lock serves at most. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NESTED 8

static atomic_uint_fast64_t held, taken, waited;
static _Thread_local struct {
    pthread_mutex_t *mutex;
    uint64_t since;
} own[NESTED];

static uint64_t used(clockid_t of)
{
    struct timespec now;
    clock_gettime(of, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void begin(pthread_mutex_t *m)
{
    int i = 0;
    while (i < NESTED && own[i].mutex)
        i++;
    if (i < NESTED) {
        own[i].mutex = m;
        own[i].since = used(CLOCK_THREAD_CPUTIME_ID);
    }
}

static void end(pthread_mutex_t *m)
{
    for (int i = 0; i < NESTED; i++)
        if (own[i].mutex == m) {
            atomic_fetch_add(&held, used(CLOCK_THREAD_CPUTIME_ID) - own[i].since);
            own[i].mutex = NULL;
            break;
        }
}

int pthread_mutex_lock(pthread_mutex_t *m)
{
    static int (*next)(pthread_mutex_t *);
    int rc = pthread_mutex_trylock(m);
    atomic_fetch_add_explicit(&taken, 1, memory_order_relaxed);
    if (rc) {
        if (!next)
            *(void **)&next = dlsym(RTLD_NEXT, "pthread_mutex_lock");
        atomic_fetch_add_explicit(&waited, 1, memory_order_relaxed);
        rc = next(m);
    }
    begin(m);
    return rc;
}

int pthread_mutex_unlock(pthread_mutex_t *m)
{
    static int (*next)(pthread_mutex_t *);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "pthread_mutex_unlock");
    end(m);
    return next(m);
}

/* A wait holds nothing, however often its thread is woken. */
int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
    static int (*next)(pthread_cond_t *, pthread_mutex_t *);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "pthread_cond_wait");
    end(m);
    int rc = next(c, m);
    begin(m);
    return rc;
}

int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until)
{
    static int (*next)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "pthread_cond_timedwait");
    end(m);
    int rc = next(c, m, until);
    begin(m);
    return rc;
}

__attribute__((destructor)) static void finish(void)
{
    FILE *f = getenv("LOCKS") ? fopen(getenv("LOCKS"), "w") : NULL;
    if (!f)
        return;
    fprintf(f, "%.6f %.6f %lu %lu\n", (double)held * 1e-9, (double)used(CLOCK_PROCESS_CPUTIME_ID) * 1e-9,
            (unsigned long)taken, (unsigned long)waited);
    fclose(f);
}
