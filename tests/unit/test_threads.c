/* Pieces of work taken by threads: each once, and by more threads where they wait for files that are far away. */
#include "support.h"

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

static void sleep_long(void *ctx, size_t i)
{
    struct timespec moment = {0, 3000000};
    (void)i;
    atomic_fetch_add((atomic_int *)ctx, 1);
    nanosleep(&moment, NULL);
}

/* Pieces that wait get threads of their own. */
static void as_many_as_wait(void **state)
{
    atomic_int done = 0;
    (void)state;
    int threads = threads_each(PIECES, NULL, sleep_long, &done);
    assert_int_equal(done, PIECES);
    assert_true(threads > 1 && threads <= PIECES);
    assert_int_equal(threads_each(1, NULL, sleep_long, &done), 1);
}

struct meeting {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int here, most;
};

/* The first piece only waits, as for a file; the others wait until two of them run at once. */
static void meet(void *ctx, size_t i)
{
    struct meeting *m = ctx;
    struct timespec until, moment = {0, 5000000};
    if (i == 0) {
        nanosleep(&moment, NULL);
        return;
    }
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 20; /* instead of for ever, where no thread is added */
    pthread_mutex_lock(&m->lock);
    m->here++;
    m->most = m->here > m->most ? m->here : m->most;
    pthread_cond_broadcast(&m->changed);
    while (m->most < 2 && pthread_cond_timedwait(&m->changed, &m->lock, &until) == 0)
        continue;
    m->here--;
    pthread_mutex_unlock(&m->lock);
}

static void more_threads_where_pieces_wait(void **state)
{
    struct meeting m = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    (void)state;
    threads_each(3, NULL, meet, &m);
    assert_int_equal(m.most, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_once),
        cmocka_unit_test(cancelled), cmocka_unit_test(as_many_as_wait),
        cmocka_unit_test(more_threads_where_pieces_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
