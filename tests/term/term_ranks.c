/* All ranks of a job in a terminal: the way into a table and back, other sizes, other terminals, and leaving at
 * once. */
#include "terminal.h"

#include "jobs.h"

static void start(struct tty *t, const struct setting *env, const char *dir)
{
    tty_start_on(t, env, path_in(dir, "t"), path_in(dir, "g"));
}

static void shows_where_a_job_goes_wrong(void **state)
{
    struct tty t;
    (void)state;
    start(&t, NULL, make_job(1, 6, 30, 4, 11));
    wait_text(&t, 1, "rank 4, first deviation: Functional.linear.5.forward");
    wait_text(&t, NOWHERE, "\xe2\x96\xb6 4 ==========\xe2\x9c\x97"); /* ▶ 4 ==========✗ */
    tty_send(&t, "\r");
    wait_text(&t, 1, "only rank 4 of 6: first deviation");
    wait_text(&t, -1, "all ranks");
    tty_send(&t, "\033");
    wait_text(&t, 1, "rank 4, first deviation: Functional.linear.5.forward");
    wait_text(&t, NOWHERE, "rank 4   Functional.linear.5.forward");
    tty_send(&t, "j");
    wait_text(&t, NOWHERE, "rank 5   Functional.linear.5.forward");
    tty_send(&t, "\t");
    tty_send(&t, "\r"); /* from the list: the first one's call */
    wait_text(&t, 1, "only rank 4 of 6");
    tty_send(&t, ":ranks\r");
    wait_text(&t, 1, "rank 4, first deviation");
    tty_quit(&t, "q");
}

static void every_size_shows_it(void **state)
{
    static const int sizes[][2] = {{10, 40}, {60, 200}, {6, 30}, {24, 80}};
    struct tty t;
    (void)state;
    start(&t, NULL, make_job(1, 40, 60, 31, 59));
    wait_text(&t, 1, "rank 31, first");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        tty_resize(&t, sizes[i][0], sizes[i][1]);
        wait_text(&t, -1, "Enter open table");
        wait_text(&t, 1, "rank 31");
        wait_text(&t, NOWHERE, "=\xe2\x9c\x97");
    }
    tty_quit(&t, "q");
}

static void plain_terminals_have_the_signs(void **state)
{
    static const struct setting plain[] = {{"LC_ALL", "C"}, {0}}, old[] = {{"TERM", "vt100"}, {"NO_COLOR", "1"}, {0}};
    const char *dir = make_job(1, 3, 12, 1, 5);
    struct tty t;
    (void)state;
    start(&t, plain, dir);
    wait_text(&t, NOWHERE, "> 1 ====Evvvvvvv");
    tty_quit(&t, "q");
    start(&t, old, dir);
    wait_text(&t, NOWHERE, "1 ====\xe2\x9c\x97");
    tty_quit(&t, "q");
}

/* Ranks are still read and compared: nothing waits for them. */
static void leaves_while_ranks_are_compared(void **state)
{
    const char *dir = make_job(1, 96, 40, 5, 7);
    struct tty t;
    (void)state;
    for (int i = 0; i < 3; i++) {
        start(&t, NULL, dir);
        wait_text(&t, 0, "all ranks");
        tty_quit(&t, "q");
    }
    start(&t, NULL, dir);
    wait_text(&t, 0, "all ranks");
    tty_send(&t, ":ranks stop\r");
    wait_text(&t, 0, "%");
    tty_quit(&t, "q");
}

/* Two shares of three, written by other processes. */
static char *make_shares(const char *dir)
{
    char command[3000];
    for (int i = 0; i < 2; i++) {
        snprintf(command, sizeof command, "%s compare %s/t %s/g --worker %d/3 -o %s/out -q >/dev/null", program, dir,
                 dir, i, dir);
        assert_true(system(command) >= 0);
    }
    return path_in(dir, "out");
}

static void results_of_shares_are_an_overview(void **state)
{
    const char *dir = make_job(1, 6, 30, 4, 11);
    char *out = make_shares(dir);
    struct tty t;
    (void)state;
    tty_start_on(&t, NULL, out, NULL);
    wait_text(&t, 1, "MISSING: shares 2 of 3");
    wait_text(&t, 0, "results of 4/6 ranks");
    wait_text(&t, NOWHERE, "\xe2\x96\xb6 4 ==========\xe2\x9c\x97"); /* ▶ 4 ==========✗ */
    wait_text(&t, NOWHERE, " 5 ??????");
    tty_send(&t, "\r"); /* read from the recordings */
    wait_text(&t, 1, "only rank 4 of 6: first deviation");
    tty_send(&t, "\033");
    wait_text(&t, 0, "results of 4/6 ranks");
    tty_quit(&t, "q");
}

static void results_are_shown_without_the_recordings(void **state)
{
    const char *dir = make_job(1, 6, 30, 4, 11);
    char *out = make_shares(dir);
    struct tty t;
    char gone[600];
    (void)state;
    snprintf(gone, sizeof gone, "%s/elsewhere", dir);
    assert_int_equal(rename(path_in(dir, "t"), gone), 0);
    tty_start_on(&t, NULL, out, NULL);
    wait_text(&t, 1, "MISSING: shares 2 of 3");
    wait_text(&t, NOWHERE, "\xe2\x96\xb6 4 ==========\xe2\x9c\x97");
    tty_send(&t, "\r");
    wait_text(&t, -1, "the recordings cannot be read from here");
    tty_quit(&t, "q");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(shows_where_a_job_goes_wrong),
        TEST(every_size_shows_it),
        TEST(plain_terminals_have_the_signs),
        TEST(leaves_while_ranks_are_compared),
        TEST(results_of_shares_are_an_overview),
        TEST(results_are_shown_without_the_recordings),
    };
    return terminal_ready(argc, argv) ? cmocka_run_group_tests(tests, NULL, NULL) : 2;
}
