/* The search over names: what is known of lines against looking at each, and ways to hits that no single key can look
 * through. */
#include "sessions.h"

#include "cmd/cmd.h"
#include "cmd/workspace.h"
#include "cmd/workspace_refresh.h"
#include "tensors.h"

enum { CALLS = 6000 };

/* Many calls, some of a name that is rare. */
static const char *many(void)
{
    struct tensor_dump d;
    char name[80];
    const float v[2] = {1, 2};
    tensors_begin(&d);
    d.statistics = true;
    for (int i = 0; i < CALLS; i++) {
        bool rare = i == 5500 || i == 5501 || i == 4300 || i == 10;
        snprintf(name, sizeof name, "Functional.%s.%d.forward", rare ? "conv2d" : "relu", i);
        tensors_add(&d, name, "2", v, 2);
    }
    tensors_end(&d);
    static char path[2][400];
    static int at;
    return strcpy(path[at++ % 2], d.dir);
}

static void test_known_lines_are_those_looked_at(void **state)
{
    struct session *s = open_paths(many(), many());
    const struct dump *const side[2] = {&s->now->side[0].dump, &s->now->side[1].dump};
    struct search x = {0};
    struct err e;
    (void)state;
    assert_int_equal(search_set(&x, STR("conv|u\\.[0-9]*7\\."), &e), 0);
    assert_int_equal(search_known(&x, 0), -1);
    assert_int_equal(search_misses(&x, 100, 1), 0);
    search_count(&x, side, s->now->pairing, 1000);
    assert_int_equal(search_known(&x, 1000), -1);
    assert_int_equal(search_misses(&x, 998, 1), 999 - 998 + 1); /* 998 and 999; beyond them nothing is known */
    assert_int_equal(search_misses(&x, 1000, -1), 0);
    while (search_count(&x, side, s->now->pairing, 777))
        continue;
    uint32_t hits = 0;
    for (uint32_t i = 0; i < CALLS; i++) {
        bool hit = search_line(&x, side, &s->now->pairing->lines.v[i]);
        uint32_t on = 0, back = 0;
        hits += hit;
        assert_int_equal(search_known(&x, i), hit);
        while (i + on < CALLS && !search_line(&x, side, &s->now->pairing->lines.v[i + on]))
            on++;
        while (back <= i && !search_line(&x, side, &s->now->pairing->lines.v[i - back]))
            back++;
        assert_int_equal(search_misses(&x, i, 1), on);
        assert_int_equal(search_misses(&x, i, -1), back);
    }
    assert_int_equal(x.hits, hits);
    search_release(&x);
    shut(s);
}

/* What the loop of the screen does between keys. */
static void between_keys(struct workspace *d)
{
    const struct dump *const side[2] = {&d->s->now->side[0].dump, &d->s->now->side[1].dump};
    for (bool left = true; left;) {
        left = search_count(&d->search, side, d->s->now->pairing, 500);
        left |= workspace_seek(d);
    }
}

static void at(struct workspace *d, const char *command, uint32_t line)
{
    command_run(d, command);
    between_keys(d);
    if (d->cursor != line)
        fail_msg("%s: at line %u, %u expected (%s)", command, d->cursor, line, d->message.n ? d->message.p : "");
}

static void test_ways_longer_than_a_key(void **state)
{
    struct session *s = open_paths(many(), many());
    struct investigation inv;
    struct workspace d;
    (void)state;
    investigation_init(&inv);
    workspace_init(&d, s, &inv);
    session_lock(s);
    workspace_refresh(&d);
    at(&d, "20", 19);
    command_run(&d, "search conv2d");
    assert_int_equal(d.cursor, 19); /* not yet */
    assert_non_null(strstr(d.message.p, "searching "));
    between_keys(&d);
    assert_int_equal(d.cursor, 4300);
    assert_int_equal(d.message.n, 0);
    at(&d, "search-next", 5500);
    at(&d, "search-next", 5501);
    at(&d, "search-next", 10);
    assert_non_null(strstr(d.message.p, "from the top"));
    at(&d, "search-prev", 5501);
    assert_non_null(strstr(d.message.p, "from the end"));
    at(&d, "search nowhere", 5501);
    assert_non_null(strstr(d.message.p, "not found"));
    /* another key in between: one stays where that one led */
    at(&d, "1", 0);
    command_run(&d, "search conv2d.43");
    command_run(&d, "3");
    between_keys(&d);
    assert_int_equal(d.cursor, 2);
    session_unlock(s);
    workspace_release(&d);
    shut(s);
    investigation_release(&inv);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_lines_are_those_looked_at),
        cmocka_unit_test(test_ways_longer_than_a_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
