/* Whether a thread waits for files: sleeping counts, being ready without a processor does not. */
#define _GNU_SOURCE /* sched_setaffinity */
#include "support.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "base/waiting.h"

enum { SPINNING = 12 };

static atomic_bool stop;

static void *spin(void *unused)
{
    (void)unused;
    while (!atomic_load(&stop))
        continue;
    return NULL;
}

static double own_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void sleep_ms(double ms)
{
    nanosleep(&(struct timespec){0, (long)(ms * 1e6)}, NULL);
}

static void sleeping_counts(void **state)
{
    struct waiting w;
    bool mostly = false;
    (void)state;
    for (int i = 0; i < 50 && !mostly; i++) { /* it may wait for a processor, too */
        waiting_begin(&w);
        sleep_ms(10);
        mostly = waiting_mostly(&w);
    }
    assert_true(mostly);
    waiting_begin(&w);
    for (double from = own_ms(); own_ms() - from < 5;)
        continue;
    assert_false(waiting_mostly(&w));
}

static void a_busy_machine_does_not(void **state)
{
    cpu_set_t before, one;
    pthread_t other[SPINNING];
    struct waiting w;
    (void)state;
    if (access("/proc/thread-self/schedstat", R_OK) || sched_getaffinity(0, sizeof before, &before))
        skip();
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++)
        if (CPU_ISSET(i, &before))
            CPU_SET(i, &one);
    sched_setaffinity(0, sizeof one, &one); /* the other threads get it from this one */
    for (int i = 0; i < SPINNING; i++)
        assert_int_equal(pthread_create(&other[i], NULL, spin, NULL), 0);
    waiting_begin(&w);
    sleep_ms(0.05); /* a lock, say */
    for (double from = own_ms(); own_ms() - from < 10;)
        continue;
    bool mostly = waiting_mostly(&w);
    atomic_store(&stop, true);
    for (int i = 0; i < SPINNING; i++)
        pthread_join(other[i], NULL);
    sched_setaffinity(0, sizeof before, &before);
    assert_false(mostly);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sleeping_counts),
        cmocka_unit_test(a_busy_machine_does_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
