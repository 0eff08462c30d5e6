/* How the program ends, stops and goes on: sentences where it cannot run, signals, lost terminals; and what is kept for the next time. */
#include "terminal.h"

#include <signal.h>
#include <sys/wait.h>

/* Two steps of one dump have one path. */
static void the_same_path_on_both_sides(void **state)
{
    char dir[2][512];
    struct tty t;
    (void)state;
    make_pair(dir, "/nowhere.py");
    tty_start_on(&t, NULL, dir[0], dir[0]);
    wait_text(&t, 0, "100 %");
    tty_quit(&t, "q");
}

static void where_no_screen_can_be_a_sentence_says_so(void **state)
{
    static const struct {
        struct setting term;
        const char *says;
    } cases[] = {
        {{"TERM", "dumb"}, "full-screen"},
        {{"TERM", ""}, "full-screen"},
        {{"TERM", NULL}, "full-screen"},
        {{"TERM", "no-such-terminal"}, "no-such-terminal"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct setting env[] = {cases[i].term, {0}};
        struct tty t;
        tty_start(&t, 24, 80, env, "tt_rope/target", "tt_rope/bench");
        wait_end(&t);
        wait_text(&t, NOWHERE, cases[i].says);
        assert_exit(&t, 2);
        assert_null(memchr(t.tail, '\033', t.tail_n));
        assert_restored(&t);
        tty_close(&t);
    }
}

/* Standard input from somewhere else: nobody could press a key. */
static void without_a_keyboard(void **state)
{
    char line[2048];
    struct tty t;
    (void)state;
    snprintf(line, sizeof line, "'%s' '%s' '%s' </dev/null", program, sample("tt_rope/target"),
             sample("tt_rope/bench"));
    char *argv[] = {(char *)(uintptr_t)"/bin/sh", (char *)(uintptr_t)"-c", line, NULL};
    tty_run(&t, 24, 80, NULL, argv);
    wait_end(&t);
    wait_text(&t, NOWHERE, "no terminal here");
    assert_exit(&t, 2);
    assert_restored(&t);
    tty_close(&t);
}

static void a_dump_that_cannot_be_opened(void **state)
{
    struct tty t;
    (void)state;
    tty_start(&t, 24, 80, NULL, "nowhere", "tt_rope/bench");
    wait_text(&t, NOWHERE, "No such file or directory");
    assert_true(t.alternate);
    tty_send(&t, "q");
    wait_end(&t);
    assert_exit(&t, 3);
    wait_text(&t, NOWHERE, "No such file or directory"); /* also where it can be read afterwards */
    assert_restored(&t);
    tty_close(&t);
}

static bool is_stopped(const struct tty *t, const void *arg)
{
    (void)arg;
    return t->stopped;
}

static bool is_alternate(const struct tty *t, const void *arg)
{
    return t->alternate == *(const bool *)arg;
}

static void stops_and_goes_on(void **state)
{
    static struct snapshot before;
    struct tty t;
    (void)state;
    tty_start(&t, 24, 80, NULL, "llama_rope/ms", "llama_rope/torch");
    wait_diagnosed(&t);
    for (int way = 0; way < 2; way++) { /* the key, and the signal from elsewhere */
        take_snapshot(&t, &before);
        if (way)
            kill(t.pid, SIGTSTP);
        else
            tty_send(&t, "\x1a");
        wait_until(&t, is_stopped, NULL, "the program stopped");
        wait_until(&t, is_alternate, &(bool){false}, "the main screen");
        assert_restored(&t);
        tty_feed(&t, "$ another program was here\r\n", 28);
        tty_continue(&t);
        wait_until(&t, is_alternate, &(bool){true}, "the alternate screen");
        wait_like(&t, &before);
        int y = cursor_row(&t);
        tty_send(&t, "k");
        wait_row(&t, y - 1);
    }
    tty_quit(&t, "q");
}

static void signals_leave_the_terminal_whole(void **state)
{
    static const int asked[] = {SIGTERM, SIGHUP, SIGINT};
    static const int crash[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
    struct tty t;
    (void)state;
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        tty_start(&t, 24, 80, NULL, "tt_rope/target", "tt_rope/bench");
        wait_ready(&t);
        kill(t.pid, asked[i]);
        wait_end(&t);
        assert_true(WIFEXITED(t.status) || WTERMSIG(t.status) == asked[i]);
        assert_restored(&t);
        tty_close(&t);
    }
    for (size_t i = 0; i < sizeof crash / sizeof *crash; i++) {
        tty_start(&t, 24, 80, NULL, "tt_rope/target", "tt_rope/bench");
        wait_ready(&t);
        tty_send(&t, "/");
        wait_text(&t, -1, "/");
        kill(t.pid, crash[i]);
        wait_end(&t);
        assert_true(WIFSIGNALED(t.status));
        assert_int_equal(WTERMSIG(t.status), crash[i]);
        assert_restored(&t);
        tty_close(&t);
    }
}

/* The connection is lost: the program must not stay behind. */
static void the_terminal_goes_away(void **state)
{
    struct tty t;
    (void)state;
    tty_start(&t, 24, 80, NULL, "tt_rope/target", "tt_rope/bench");
    wait_ready(&t);
    tty_hang_up(&t);
    wait_end(&t);
    tty_close(&t);
}

/* With a folder of its own for what it keeps. */
static void begin_keeping(struct tty *t, const char *dir)
{
    struct setting env[] = {{"XDG_STATE_HOME", dir}, {0}};
    tty_start(t, 24, 80, env, "tt_rope/target", "tt_rope/bench");
}

static void bookmarks_survive_a_kill(void **state)
{
    char dir[256];
    struct tty t;
    (void)state;
    snprintf(dir, sizeof dir, "%s", scratch());
    begin_keeping(&t, dir);
    wait_ready(&t);
    tty_send(&t, "m");
    wait_text(&t, -1, "bookmarked");
    kill(t.pid, SIGKILL);
    wait_end(&t);
    tty_close(&t);
    begin_keeping(&t, dir);
    wait_ready(&t);
    tty_send(&t, "M");
    wait_text(&t, 2, "bookmarks  1/1");
    wait_text(&t, 3, "Torch.outer.0.forward.input.1");
    tty_close(&t);
}

/* The place one was at is kept when one leaves. */
static void the_place_is_kept(void **state)
{
    char dir[256];
    struct tty t;
    (void)state;
    snprintf(dir, sizeof dir, "%s", scratch());
    begin_keeping(&t, dir);
    wait_ready(&t);
    tty_send(&t, ":find Tensor.pow.0.forward.input.0\r");
    wait_text(&t, 22, "Tensor.pow.0.forward.input.0"); /* in the pane of the cursor's row */
    tty_quit(&t, "q");
    begin_keeping(&t, dir);
    wait_text(&t, NOWHERE, "first deviation: row");
    wait_text(&t, 22, "Tensor.pow.0.forward.input.0");
    tty_close(&t);
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        TEST(the_same_path_on_both_sides),
        TEST(where_no_screen_can_be_a_sentence_says_so),
        TEST(without_a_keyboard),
        TEST(a_dump_that_cannot_be_opened),
        TEST(stops_and_goes_on),
        TEST(signals_leave_the_terminal_whole),
        TEST(the_terminal_goes_away),
        TEST(bookmarks_survive_a_kill),
        TEST(the_place_is_kept),
    };
    return terminal_ready(argc, argv) ? cmocka_run_group_tests(tests, NULL, NULL) : 2;
}
