/* How the program ends, stops and goes on: sentences where it cannot run, signals, lost terminals; and what is kept for
 * the next time. */
#include "terminal.h"

#include <sys/ioctl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

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
    wait_text(&t, NOWHERE, "no terminal; `diverge compare");
    assert_exit(&t, 2);
    assert_restored(&t);
    tty_close(&t);
}

static void a_dump_that_cannot_be_opened(void **state)
{
    struct tty t;
    (void)state;
    tty_start(&t, 24, 80, NULL, "nowhere", "tt_rope/bench");
    wait_text(&t, NOWHERE, "No such file");
    assert_true(t.alternate);
    tty_send(&t, "q");
    wait_end(&t);
    assert_exit(&t, 3);
    wait_text(&t, NOWHERE, "No such file"); /* also where it can be read afterwards */
    assert_restored(&t);
    tty_close(&t);
}

/* Of four thousand million cells, to which curses has no answer but a crash. */
static void a_terminal_of_any_size(void **state)
{
    static const struct winsize sizes[] = {{.ws_row = 65535, .ws_col = 65535}, {.ws_row = 32767, .ws_col = 32767}};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct tty t;
        tty_start(&t, 24, 80, NULL, "tt_rope/target", "tt_rope/bench");
        wait_text(&t, 0, "100 %");
        assert_int_equal(ioctl(t.master, TIOCSWINSZ, &sizes[i]), 0);
        tty_send(&t, "j"); /* drawn at this size */
        usleep(300000);
        tty_send(&t, ":panels\r");
        tty_resize(&t, 24, 80);
        wait_text(&t, NOWHERE, "panel");
        tty_send(&t, ":quit\r");
        wait_end(&t);
        assert_exit(&t, 0);
        tty_close(&t);
    }
}

/* What the other path holds is found out long after the first could not be opened, as on a file system far away. */
static void a_dump_that_cannot_be_opened_beside_a_slow_one(void **state)
{
    char preload[1024], from[600], to[600], path[700];
    struct tty t;
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip(); /* they want to be loaded first */
#endif
    const char *base = scratch();
    snprintf(preload, sizeof preload, "%.*stests/slow_reads.so", (int)(strrchr(program, '/') + 1 - program), program);
    snprintf(from, sizeof from, "%s/slow", base);
    snprintf(to, sizeof to, "%s/quick", base);
    assert_int_equal(mkdir(from, 0755), 0);
    put_text(base, "slow/train.log", "step 1 loss 2.0\n");
    snprintf(path, sizeof path, "%s/train.log", from);
    struct setting env[] = {{"LD_PRELOAD", preload}, {0}};
    tty_start_on(&t, env, (char *)(uintptr_t)"/nowhere", path);
    wait_text(&t, 1, "detecting the file type");
    tty_take(&t, 200); /* no frame is held back any more for coming too soon after this one */
    assert_int_equal(rename(from, to), 0);
    wait_text(&t, NOWHERE, "No such file");
    tty_send(&t, "q");
    wait_end(&t);
    assert_exit(&t, 3);
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

/* With a mark made (every second time: taken back, so the one before was kept) and a prompt open: the terminal is
 * whole, pasted text is marked no longer, and the mark is there. */
static void ended_by(int sig, bool marked, struct tty *t)
{
    tty_send(t, "m");
    wait_text(t, -1, marked ? "bookmark removed" : "bookmark set");
    tty_send(t, "/");
    wait_text(t, -1, "/");
    kill(t->pid, sig);
    wait_end(t);
    assert_restored(t);
    assert_true(has_bytes(t, "\033[?2004l"));
}

static void signals_leave_the_terminal_whole(void **state)
{
    static const struct {
        int sig, status;
    } asked[] = {{SIGTERM, 143}, {SIGHUP, 4}, {SIGINT, 4}};
    static const int deadly[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGQUIT, SIGUSR1, SIGALRM};
    struct tty t;
    size_t n = 0;
    (void)state;
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        tty_start(&t, 24, 80, NULL, "tt_rope/target", "tt_rope/bench");
        wait_ready(&t);
        ended_by(asked[i].sig, n++ % 2, &t);
        assert_exit(&t, asked[i].status);
        tty_close(&t);
    }
    for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++) {
        tty_start(&t, 24, 80, NULL, "tt_rope/target", "tt_rope/bench");
        wait_ready(&t);
        ended_by(deadly[i], n++ % 2, &t);
        assert_true(WIFSIGNALED(t.status));
        assert_int_equal(WTERMSIG(t.status), deadly[i]);
        tty_close(&t);
    }
}

/* What a shell hands on to it: whoever runs it behind nohup wants it to go on. */
static void ignored_signals_stay_ignored(void **state)
{
    char line[2048];
    struct tty t;
    (void)state;
    snprintf(line, sizeof line, "trap '' HUP; exec '%s' '%s' '%s'", program, sample("tt_rope/target"),
             sample("tt_rope/bench"));
    char *argv[] = {(char *)(uintptr_t)"/bin/sh", (char *)(uintptr_t)"-c", line, NULL};
    tty_run(&t, 24, 80, NULL, argv);
    wait_ready(&t);
    kill(t.pid, SIGHUP);
    tty_send(&t, "%");
    wait_text(&t, -1, "% has no effect here");
    tty_quit(&t, "q");
}

/* Stopped without a word, the shell has the terminal, with settings of its own. */
static void goes_on_after_a_stop_it_was_not_told_of(void **state)
{
    static struct snapshot before;
    struct tty t;
    (void)state;
    tty_start(&t, 24, 80, NULL, "llama_rope/ms", "llama_rope/torch");
    wait_diagnosed(&t);
    take_snapshot(&t, &before);
    kill(t.pid, SIGSTOP);
    wait_until(&t, is_stopped, NULL, "the program stopped");
    tcsetattr(t.master, TCSANOW, &t.before);
    tty_feed(&t, "\r\n$ another program was here\r\n", 30);
    tty_continue(&t);
    wait_like(&t, &before);
    int y = cursor_row(&t);
    tty_send(&t, "k"); /* no Enter is needed */
    wait_row(&t, y - 1);
    tty_quit(&t, "q");
}

/* Reads that never end: what the two sides are, and what a panel was given. */
static void quitting_waits_for_no_reading(void **state)
{
    static const char *const given[][2] = {{NULL, NULL}, {"target-norms", "norms.csv"}, {"target-log", "train.log"}};
    char preload[1024], dir[2][512], path[800], *argv[] = {(char *)(uintptr_t)program, NULL, NULL, NULL};
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip(); /* such a build frees everything at its end and waits for that */
#endif
    snprintf(preload, sizeof preload, "%.*stests/slow_reads.so", (int)(strrchr(program, '/') + 1 - program), program);
    assert_int_equal(access(preload, R_OK), 0);
    struct setting env[] = {{"LD_PRELOAD", preload}, {0}};
    make_pair(dir, "/nowhere.py");
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        struct tty t;
        const char *base = scratch();
        snprintf(path, sizeof path, "%s/slow", base);
        assert_int_equal(mkdir(path, 0755), 0);
        if (given[i][0]) {
            char command[4000];
            snprintf(path, sizeof path, "slow/%s", given[i][1]);
            put_text(base, path, "step 1 loss 2.0\n");
            snprintf(command, sizeof command,
                     "cd '%s' && '%s' give t.investigation.json target '%s' && '%s' give t.investigation.json golden "
                     "'%s'"
                     " && for s in target golden; do '%s' give t.investigation.json $s-%s '%s/%s'; done",
                     base, program, dir[0], program, dir[1], program, strchr(given[i][0], '-') + 1, base, path);
            assert_int_equal(system(command), 0);
            snprintf(path, sizeof path, "%s/t.investigation.json", base);
            argv[1] = path;
            argv[2] = NULL;
        } else {
            put_text(base, "slow/dump.json", "{}");
            snprintf(path, sizeof path, "%s/slow", base);
            argv[1] = path;
            argv[2] = dir[1];
        }
        tty_run(&t, 24, 80, env, argv);
        wait_text(&t, 0, given[i][0] ? "100 %" : "slow");
        tty_send(&t, ":panels\r");
        tty_resize(&t, 10, 40);
        tty_resize(&t, 24, 80);
        wait_text(&t, NOWHERE, "panel");
        tty_quit(&t, ":quit\r");
    }
}

/* What is asked for while it is read is written when that has ended, or cancelled; nothing that would end it comes
 * between. */
static void a_report_waits_for_the_comparison(void **state)
{
    char preload[1024], dir[2][512], name[5][600];
    static const char *const names[5] = {"dump.json", "slow.json", "whole.json", "link", "read.json"};
    struct tty t;
    (void)state;
    snprintf(preload, sizeof preload, "%.*stests/slow_reads.so", (int)(strrchr(program, '/') + 1 - program), program);
    struct setting env[] = {{"LD_PRELOAD", preload}, {0}};
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip(); /* they want to be loaded first */
#endif
    make_pair(dir, "/nowhere.py");
    for (int i = 0; i < 5; i++)
        snprintf(name[i], sizeof name[i], "%s/%s", dir[0], names[i]);
    assert_int_equal(rename(name[0], name[1]), 0);
    assert_int_equal(symlink("slow.json", name[0]), 0);
    static const char command[] = ":report waits.html\r";
    char *argv[] = {(char *)(uintptr_t)program, dir[0], dir[1], NULL}, here[600], path[700];
    const char *out = scratch(); /* nothing is written into a recording */
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(out), 0);
    tty_run(&t, 24, 80, env, argv);
    assert_int_equal(chdir(here), 0);
    wait_text(&t, 0, "%");
    tty_send(&t, ":report waits.xyz\r");
    wait_text(&t, NOWHERE, "the extension selects the format");
    tty_send(&t, command);
    wait_text(&t, NOWHERE, "will be written when the comparison is finished");
    tty_send(&t, "\033");
    wait_text(&t, -1, "not written");
    tty_send(&t, command);
    wait_text(&t, NOWHERE, "will be written when the comparison is finished");
    tty_send(&t, ":reload\r");
    wait_text(&t, NOWHERE, "is still being written");
    tty_send(&t, ":report other.html\r");
    wait_text(&t, NOWHERE, "is still being written");
    assert_int_equal(link(name[1], name[2]), 0);
    assert_int_equal(symlink("whole.json", name[3]), 0);
    assert_int_equal(rename(name[3], name[0]), 0);
    assert_int_equal(rename(name[1], name[4]), 0);
    wait_text(&t, NOWHERE, "written: ");
    snprintf(path, sizeof path, "%s/waits.html", out);
    assert_int_equal(access(path, R_OK), 0);
    tty_quit(&t, "q");
}

/* A dump of so many calls that it needs more memory than it may have. */
static void make_large(const char *dir, size_t calls)
{
    static const char row[] =
        ": {\"input_args\": [{\"type\": \"torch.Tensor\", \"dtype\": \"torch.float32\", \"shape\": [2], \"Max\": 1.0,"
        " \"Min\": 0.0, \"Mean\": 0.5, \"Norm\": 1.0, \"requires_grad\": false}], \"input_kwargs\": {}, \"output\": "
        "[]}";
    char path[600];
    put_text(dir, "dump.json", "");
    snprintf(path, sizeof path, "%s/dump.json", dir);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("{\"task\": \"statistics\", \"level\": \"L1\", \"framework\": \"pytorch\", \"dump_data_dir\": null, "
          "\"data\": {",
          f);
    for (size_t i = 0; i < calls; i++)
        fprintf(f, "%s\"Functional.a_name_that_is_long_enough_%zu.0.forward\"%s", i ? ", " : "", i, row);
    fputs("}}\n", f);
    assert_int_equal(fclose(f), 0);
}

static int times_said(const struct tty *t, const char *what)
{
    int n = 0;
    for (size_t i = 0; i + strlen(what) <= t->tail_n; i++)
        n += memcmp(t->tail + i, what, strlen(what)) == 0;
    return n;
}

/* One sentence and a status of its own, on the screen with the terminal whole, whatever thread it happens on. */
static void memory_runs_out(void **state)
{
    static const char *const commands[] = {"", "", "compare", "check"}; /* once with frames that take long */
    const char *dir = scratch();
    char line[2048], preload[1024];
    (void)state;
    snprintf(preload, sizeof preload, "%.*stests/slow_reads.so", (int)(strrchr(program, '/') + 1 - program), program);
    const struct setting slow[] = {{"LD_PRELOAD", preload}, {"SLOW_FRAMES", "1"}, {0}};
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip(); /* its own memory would be limited too */
#endif
    const char *emulator = getenv("EMULATOR");
    if (emulator && *emulator)
        skip(); /* so would an emulator's, which needs more */
    make_large(dir, 100000);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        struct tty t;
        snprintf(line, sizeof line, "ulimit -s 256; ulimit -d 24000; exec '%s' %s '%s' %s%s", program, commands[i], dir,
                 i < 3 ? dir : "", i > 1 ? " -q" : "");
        char *argv[] = {(char *)(uintptr_t)"/bin/sh", (char *)(uintptr_t)"-c", line, NULL};
        tty_run(&t, 24, 80, i == 1 ? slow : NULL, argv);
        wait_end(&t);
        assert_restored(&t);
        wait_text(&t, NOWHERE, "diverge: out of memory");
        assert_int_equal(times_said(&t, "out of memory"), 1);
        assert_exit(&t, 6);
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
    wait_text(&t, -1, "bookmark set");
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
    wait_cursor(&t, "Tensor.pow.0.fwd.in.0");
    tty_quit(&t, "q");
    begin_keeping(&t, dir);
    wait_text(&t, NOWHERE, "first deviation: row");
    wait_cursor(&t, "Tensor.pow.0.fwd.in.0");
    tty_close(&t);
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        TEST(the_same_path_on_both_sides),
        TEST(where_no_screen_can_be_a_sentence_says_so),
        TEST(without_a_keyboard),
        TEST(a_dump_that_cannot_be_opened), TEST(a_terminal_of_any_size),
        TEST(a_dump_that_cannot_be_opened_beside_a_slow_one),
        TEST(stops_and_goes_on),
        TEST(signals_leave_the_terminal_whole),
        TEST(quitting_waits_for_no_reading),
        TEST(a_report_waits_for_the_comparison),
        TEST(memory_runs_out),
        TEST(ignored_signals_stay_ignored),
        TEST(goes_on_after_a_stop_it_was_not_told_of),
        TEST(the_terminal_goes_away),
        TEST(bookmarks_survive_a_kill),
        TEST(the_place_is_kept),
    };
    return terminal_ready(argc, argv) ? cmocka_run_group_tests(tests, NULL, NULL) : 2;
}
