/* A system that gives no thread, or no further one: an error that says so, or the same result by fewer; never
 * another. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include "sessions.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/threads.h"

static atomic_int left = 1 << 20; /* threads the system gives */

#ifndef __GLIBC__
/* musl's own name for it: a static program has no next library to ask */
int __pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
#endif

int pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*run)(void *), void *ctx)
{
    static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
#ifdef __GLIBC__
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
#else
    real = __pthread_create;
#endif
    return atomic_fetch_sub(&left, 1) > 0 ? real(t, a, run, ctx) : EAGAIN;
}

static int compare(int threads, uint32_t *deviate, struct err *e)
{
    struct comparison_options o = {.path = {sample("tt_rope/target"), sample("tt_rope/bench")},
                                   .step = {-1, -1},
                                   .rank = {-1, -1}};
    const struct comparison *c;
    thresholds_init(&o.tol);
    atomic_store(&left, threads);
    int rc = session_compare(&o, 4, &c, e);
    atomic_store(&left, 1 << 20);
    if (rc)
        return -1;
    *deviate = c->judged->sum.by[VERDICT_DEVIATE];
    assert_int_equal(c->judged->sum.unread, 0);
    comparison_drop(c);
    return 0;
}

/* The conductor, a reader a side and one worker are needed; more of these only make it faster. */
static void a_comparison(void **state)
{
    uint32_t all, fewer;
    struct err e = {0};
    (void)state;
    assert_int_equal(compare(1 << 20, &all, &e), 0);
    assert_true(all > 0);
    for (int threads = 0; threads < 4; threads++) {
        assert_int_equal(compare(threads, &fewer, &e), -1);
        assert_int_equal(e.code, ERR_RESOURCE);
        assert_non_null(strstr(e.text, "cannot create a thread"));
    }
    int done = 0;
    for (int threads = 4; threads < 40 && done < 3; threads++) { /* reading takes some and gives them back */
        if (compare(threads, &fewer, &e) == 0) {
            assert_int_equal(fewer, all);
            done++;
        } else {
            assert_int_equal(e.code, ERR_RESOURCE);
        }
    }
    assert_int_equal(done, 3);
}

static void count(void *ctx, size_t i)
{
    (void)i;
    atomic_fetch_add((atomic_int *)ctx, 1);
}

/* Work that is shared is done by whoever is there: this thread at least. */
static void shared_work(void **state)
{
    (void)state;
    for (int threads = 0; threads < 3; threads++) {
        atomic_int ran = 0;
        atomic_store(&left, threads);
        work_crew_run(NULL, 8, 100, NULL, count, &ran);
        atomic_store(&left, 1 << 20);
        assert_int_equal(ran, 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_comparison), cmocka_unit_test(shared_work)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
