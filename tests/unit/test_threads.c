/* Pieces of work taken by threads: each once, and by more threads where they wait for files that are far away. */
#include "support.h"

#include <stdatomic.h>
#include <time.h>

#include "base/threads.h"

#define PIECES 200

struct counted {
    atomic_int times[PIECES], done;
    atomic_bool cancel;
};

static void count(void *ctx, size_t i)
{
    struct counted *x = ctx;
    atomic_fetch_add(&x->times[i], 1);
    if (atomic_fetch_add(&x->done, 1) == 50)
        atomic_store(&x->cancel, true);
}

static void each_once(void **state)
{
    struct counted x = {.done = -PIECES};
    struct work_crew crew;
    (void)state;
    threads_each(PIECES, NULL, count, &x);
    for (int i = 0; i < PIECES; i++)
        assert_int_equal(x.times[i], 1);
    work_crew_init(&crew);
    x.done = -PIECES;
    work_crew_each(&crew, 0, PIECES, NULL, count, &x);
    work_crew_release(&crew);
    for (int i = 0; i < PIECES; i++)
        assert_int_equal(x.times[i], 2);
    threads_each(0, NULL, count, &x);
}

static void cancelled(void **state)
{
    struct counted x = {.done = 0};
    (void)state;
    threads_each(PIECES, &x.cancel, count, &x);
    assert_int_equal(x.done, 51);
}

struct asleep {
    atomic_int done, here, most;
};

static void sleep_long(void *ctx, size_t i)
{
    struct asleep *x = ctx;
    struct timespec moment = {0, 3000000};
    (void)i;
    int here = atomic_fetch_add(&x->here, 1) + 1, most = atomic_load(&x->most);
    while (here > most && !atomic_compare_exchange_weak(&x->most, &most, here))
        continue;
    nanosleep(&moment, NULL);
    atomic_fetch_sub(&x->here, 1);
    atomic_fetch_add(&x->done, 1);
}

/* Pieces that wait get threads of their own. One piece alone may not be seen to wait: on a busy machine it may be
 * queued for as long as it sleeps. Of many some are. */
static void as_many_as_wait(void **state)
{
    struct asleep x = {.done = 0};
    (void)state;
    int threads = threads_each(PIECES, NULL, sleep_long, &x);
    assert_int_equal(x.done, PIECES);
    assert_true(threads > 1 && threads <= PIECES);
    assert_true(x.most > 1 && x.most <= threads);
    assert_int_equal(threads_each(1, NULL, sleep_long, &x), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_once),
        cmocka_unit_test(cancelled),
        cmocka_unit_test(as_many_as_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
