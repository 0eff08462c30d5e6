/* A command that takes a comparison of a session at work holds it before the session drops it for a newer one, however
 * long it is kept from going on in between. */
#include "support.h"

#include <pthread.h>
#include <time.h>

#include "base/msg.h"
#include "ui/procedure_run.h"

#define WAITS 150 /* of 10 ms */

/* By the linker (--wrap): the program's own calls come here. */
const struct comparison *__real_comparison_hold(const struct comparison *c);
const struct comparison *__wrap_comparison_hold(const struct comparison *c);
void __real_comparison_drop(const struct comparison *c);
void __wrap_comparison_drop(const struct comparison *c);
struct comparison *__real_comparison_new(struct recordings *r, struct paired_rows *p,
                                         const struct comparison_options *o);
struct comparison *__wrap_comparison_new(struct recordings *r, struct paired_rows *p,
                                         const struct comparison_options *o);

static pthread_t command;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const struct comparison *gone[1000];
static size_t gone_n, held;

static size_t place(const struct comparison *c)
{
    size_t i = 0;
    while (i < gone_n && gone[i] != c)
        i++;
    return i;
}

static bool is_gone(const struct comparison *c)
{
    pthread_mutex_lock(&lock);
    bool gone_by_now = place(c) < gone_n;
    pthread_mutex_unlock(&lock);
    return gone_by_now;
}

/* The first time the command is kept from going on, for as long as the session needs to publish something newer. */
const struct comparison *__wrap_comparison_hold(const struct comparison *c)
{
    if (pthread_equal(command, pthread_self())) {
        for (int i = 0; i < WAITS && !held && !is_gone(c); i++)
            nanosleep(&(struct timespec){0, 10000000}, NULL);
        held++;
        if (is_gone(c))
            fail_msg("a comparison was held that had been dropped");
    }
    return __real_comparison_hold(c);
}

void __wrap_comparison_drop(const struct comparison *c)
{
    pthread_mutex_lock(&lock);
    if (c && atomic_load(&((struct comparison *)(uintptr_t)c)->holders) == 1 && gone_n < ARRAY_LEN(gone))
        gone[gone_n++] = c;
    pthread_mutex_unlock(&lock);
    __real_comparison_drop(c);
}

struct comparison *__wrap_comparison_new(struct recordings *r, struct paired_rows *p,
                                         const struct comparison_options *o)
{
    struct comparison *c = __real_comparison_new(r, p, o);
    pthread_mutex_lock(&lock);
    for (size_t at; (at = place(c)) < gone_n;)
        gone[at] = gone[--gone_n];
    pthread_mutex_unlock(&lock);
    return c;
}

static void holds_what_it_looks_at(void **state)
{
    struct procedure_run t = {.inv = {.lock = -1}};
    struct options o = {.step = {-1, -1}, .rank = {-1, -1}, .quiet = true};
    struct err e = {0};
    (void)state;
    command = pthread_self();
    investigation_init(&t.inv);
    t.inv.input[TARGET] = investigation_keep(&t.inv, sample("tt_rope/target"));
    t.inv.input[GOLDEN] = investigation_keep(&t.inv, sample("tt_rope/bench"));
    if (procedure_run_open(&t, &o, &e))
        fail_msg("%s", e.text);
    assert_true(held > 0);
    assert_true(t.guide.s->complete && t.guide.s == t.s.now);
    procedure_run_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(holds_what_it_looks_at)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
