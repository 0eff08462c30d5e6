/* The program in a real terminal: a pty whose other end is libvterm. A small shell stands between, as
 * in life: it gives the program its process group and takes the terminal back when it stops or ends.
 * Every step waits for a mark on the screen, never for a time; only what must not happen at all, or
 * must be quick, is measured. */
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <vterm.h>

#define PATIENCE_MS 20000
#define MAX_ROWS 100
#define MAX_COLS 250

static const char *program;

/* ---- the terminal ---- */

enum event_kind { EVENT_STARTED, EVENT_STOPPED, EVENT_ENDED };

struct event {
    enum event_kind kind;
    int value; /* the program's pid; its wait status */
};

struct tty {
    int master, events, orders; /* from the shell, to the shell */
    pid_t shell, pid;
    VTerm *vt;
    VTermScreen *screen;
    int rows, cols;
    VTermPos cursor;
    bool cursor_shown, alternate, mouse;
    struct termios before;
    bool stopped, ended, hung_up;
    int status;
    size_t bytes;     /* the program has written */
    char tail[4096];  /* the last of them, for messages */
    size_t tail_n;
};

struct setting {
    const char *name, *value; /* value NULL: unset */
};

static int on_property(VTermProp prop, VTermValue *v, void *user)
{
    struct tty *t = user;
    if (prop == VTERM_PROP_CURSORVISIBLE)
        t->cursor_shown = v->boolean;
    if (prop == VTERM_PROP_ALTSCREEN)
        t->alternate = v->boolean;
    if (prop == VTERM_PROP_MOUSE)
        t->mouse = t->mouse || v->number != VTERM_PROP_MOUSE_NONE;
    return 1;
}

static int on_cursor(VTermPos pos, VTermPos old, int visible, void *user)
{
    (void)old;
    (void)visible;
    ((struct tty *)user)->cursor = pos;
    return 1;
}

static void report(int fd, enum event_kind kind, int value)
{
    struct event e = {kind, value};
    if (write(fd, &e, sizeof e) != sizeof e)
        _exit(9);
}

static pid_t shells_child;

static void on_order_to_end(int sig)
{
    (void)sig;
    kill(shells_child, SIGKILL);
    _exit(0);
}

/* Runs as the terminal's session leader. An order 'f' is the shell's `fg`; SIGTERM ends both. */
static void be_shell(char **argv, const struct setting *env, int orders, int events)
{
    char order;
    signal(SIGTTOU, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    if (read(orders, &order, 1) != 1)
        _exit(0);
    for (; env && env->name; env++)
        env->value ? setenv(env->name, env->value, 1) : unsetenv(env->name);
    pid_t pid = fork();
    if (pid == 0) {
        setpgid(0, 0);
        tcsetpgrp(STDIN_FILENO, getpid());
        signal(SIGTTOU, SIG_DFL);
        signal(SIGHUP, SIG_DFL);
        signal(SIGPIPE, SIG_DFL);
        execv(argv[0], argv);
        _exit(127);
    }
    shells_child = pid;
    signal(SIGTERM, on_order_to_end);
    setpgid(pid, pid);
    tcsetpgrp(STDIN_FILENO, pid);
    report(events, EVENT_STARTED, pid);
    for (;;) {
        int status;
        if (waitpid(pid, &status, WUNTRACED) < 0)
            _exit(9);
        tcsetpgrp(STDIN_FILENO, getpgrp());
        report(events, WIFSTOPPED(status) ? EVENT_STOPPED : EVENT_ENDED, status);
        if (!WIFSTOPPED(status))
            break;
        if (read(orders, &order, 1) != 1)
            on_order_to_end(0);
        tcsetpgrp(STDIN_FILENO, pid);
        kill(-pid, SIGCONT);
    }
    while (read(orders, &order, 1) == 1) /* the terminal lives until the test has looked at it */
        continue;
    _exit(0);
}

static void tty_feed(struct tty *t, const char *p, size_t n)
{
    t->bytes += n;
    vterm_input_write(t->vt, p, n);
    if (n > sizeof t->tail)
        p += n - sizeof t->tail, n = sizeof t->tail;
    if (t->tail_n + n > sizeof t->tail) {
        size_t keep = sizeof t->tail - n;
        memmove(t->tail, t->tail + t->tail_n - keep, keep);
        t->tail_n = keep;
    }
    memcpy(t->tail + t->tail_n, p, n);
    t->tail_n += n;
}

static long now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Takes what has come from the program and the shell, waiting up to ms for something. */
static void tty_take(struct tty *t, int ms)
{
    char chunk[65536];
    struct pollfd p[2] = {{t->hung_up ? -1 : t->master, POLLIN, 0}, {t->events, POLLIN, 0}};
    if (poll(p, 2, ms) <= 0)
        return;
    if (p[0].revents) {
        ssize_t n = read(t->master, chunk, sizeof chunk);
        if (n > 0)
            tty_feed(t, chunk, (size_t)n);
        else if (n == 0 || errno != EINTR)
            t->hung_up = true;
        size_t answer = vterm_output_read(t->vt, chunk, sizeof chunk);
        if (answer && write(t->master, chunk, answer) < 0)
            t->hung_up = true;
    }
    struct event e;
    if ((p[1].revents & POLLIN) && read(t->events, &e, sizeof e) == sizeof e) {
        if (e.kind == EVENT_STARTED)
            t->pid = e.value;
        t->stopped = e.kind == EVENT_STOPPED;
        if (e.kind == EVENT_ENDED)
            t->ended = true;
        if (e.kind != EVENT_STARTED)
            t->status = e.value;
    }
}

static void tty_open(struct tty *t, int rows, int cols)
{
    static const VTermScreenCallbacks callbacks = {
        .settermprop = on_property,
        .movecursor = on_cursor,
    };
    *t = (struct tty){.rows = rows, .cols = cols, .cursor_shown = true};
    t->vt = vterm_new(rows, cols);
    vterm_set_utf8(t->vt, 1);
    t->screen = vterm_obtain_screen(t->vt);
    vterm_screen_set_callbacks(t->screen, &callbacks, t);
    vterm_screen_enable_altscreen(t->screen, 1);
    vterm_screen_reset(t->screen, 1);
}

/* What a failed test leaves behind, for the teardown: its own variables are gone by then. */
static struct {
    pid_t shell;
    int fd[3];
} running;

static void end_running(void)
{
    if (!running.shell)
        return;
    kill(running.shell, SIGTERM);
    waitpid(running.shell, NULL, 0);
    for (int i = 0; i < 3; i++)
        close(running.fd[i]);
    running.shell = 0;
}

/* Starts argv in a terminal of that size. */
static void tty_run(struct tty *t, int rows, int cols, const struct setting *env, char **argv)
{
    int orders[2], events[2];
    struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols};
    tty_open(t, rows, cols);
    assert_int_equal(pipe(orders), 0);
    assert_int_equal(pipe(events), 0);
    for (int i = 0; i < 2; i++) {
        fcntl(orders[i], F_SETFD, FD_CLOEXEC);
        fcntl(events[i], F_SETFD, FD_CLOEXEC);
    }
    t->shell = forkpty(&t->master, NULL, NULL, &size);
    assert_true(t->shell >= 0);
    if (t->shell == 0) {
        close(orders[1]);
        close(events[0]);
        be_shell(argv, env, orders[0], events[1]);
    }
    close(orders[0]);
    close(events[1]);
    fcntl(t->master, F_SETFD, FD_CLOEXEC);
    t->orders = orders[1];
    t->events = events[0];
    running.shell = t->shell;
    memcpy(running.fd, (int[]){t->master, t->orders, t->events}, sizeof running.fd);
    assert_int_equal(tcgetattr(t->master, &t->before), 0);
    assert_int_equal(write(t->orders, "s", 1), 1);
}

static void tty_close(struct tty *t)
{
    end_running();
    vterm_free(t->vt);
}

/* The program on the two sides of a sample, with a home of its own. */
static void tty_start(struct tty *t, int rows, int cols, const struct setting *env,
                      const char *target, const char *golden)
{
    char a[1024], b[1024];
    snprintf(a, sizeof a, "%s", sample(target));
    snprintf(b, sizeof b, "%s", golden ? sample(golden) : "");
    char *argv[] = {(char *)(uintptr_t)program, a, golden ? b : NULL, NULL};
    tty_run(t, rows, cols, env, argv);
}

static void tty_send(struct tty *t, const char *keys)
{
    size_t n = strlen(keys);
    assert_int_equal(write(t->master, keys, n), n);
}

static void tty_resize(struct tty *t, int rows, int cols)
{
    struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols};
    t->rows = rows;
    t->cols = cols;
    vterm_set_size(t->vt, rows, cols);
    assert_int_equal(ioctl(t->master, TIOCSWINSZ, &size), 0);
}

/* ---- looking at it ---- */

static VTermScreenCell cell_at(const struct tty *t, int y, int x)
{
    VTermScreenCell c;
    memset(&c, 0, sizeof c);
    vterm_screen_get_cell(t->screen, (VTermPos){.row = y, .col = x}, &c);
    return c;
}

/* In the terminal's own two colours. */
static bool is_plain(VTermScreenCell c)
{
    return VTERM_COLOR_IS_DEFAULT_FG(&c.fg) && VTERM_COLOR_IS_DEFAULT_BG(&c.bg);
}

static size_t put_utf8(char *out, uint32_t c)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i > 0; i--, c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)((n == 2 ? 0xc0 : n == 3 ? 0xe0 : 0xf0) | c);
    return n;
}

/* A row as text, without the blanks at its end. A static buffer, four calls deep. */
static const char *row_text(const struct tty *t, int y)
{
    static char text[4][MAX_COLS * 8];
    static int next;
    char *p = text[next++ % 4];
    size_t n = 0, end = 0;
    for (int x = 0; x < t->cols; x++) {
        VTermScreenCell c = cell_at(t, y, x);
        if (c.chars[0] == (uint32_t)-1) /* the right half of a wide character */
            continue;
        n += put_utf8(p + n, c.chars[0] ? c.chars[0] : ' ');
        if (c.chars[0] && c.chars[0] != ' ')
            end = n;
    }
    p[end] = 0;
    return p;
}

static void show(const struct tty *t)
{
    for (int y = 0; y < t->rows; y++)
        fprintf(stderr, "%3d|%s\n", y, row_text(t, y));
    fprintf(stderr, "    cursor %d,%d %s, %s screen, %s, %zu bytes\n", t->cursor.row, t->cursor.col,
            t->cursor_shown ? "shown" : "hidden", t->alternate ? "alternate" : "main",
            t->ended ? "ended" : t->stopped ? "stopped" : "running", t->bytes);
}

typedef bool mark(const struct tty *t, const void *arg);

/* Until the mark is there; fails with the screen as it is when it never comes. */
static void wait_until(struct tty *t, mark *is_there, const void *arg, const char *what)
{
    long end = now_ms() + PATIENCE_MS;
    while (!is_there(t, arg)) {
        long left = end - now_ms();
        if (left <= 0) {
            fprintf(stderr, "never seen: %s\n", what);
            show(t);
            fail();
        }
        tty_take(t, (int)left);
    }
}

struct line_mark {
    int y; /* negative: from the bottom; NOWHERE: any row */
    const char *part;
};
enum { NOWHERE = 1000 };

static bool has_text(const struct tty *t, const void *arg)
{
    const struct line_mark *m = arg;
    if (m->y != NOWHERE) {
        int y = m->y < 0 ? t->rows + m->y : m->y;
        return y >= 0 && y < t->rows && strstr(row_text(t, y), m->part);
    }
    for (int y = 0; y < t->rows; y++)
        if (strstr(row_text(t, y), m->part))
            return true;
    return false;
}

static void wait_text(struct tty *t, int y, const char *part)
{
    struct line_mark m = {y, part};
    wait_until(t, has_text, &m, part);
}

static bool lacks_text(const struct tty *t, const void *arg)
{
    return !has_text(t, arg);
}

static void wait_gone(struct tty *t, int y, const char *part)
{
    struct line_mark m = {y, part};
    wait_until(t, lacks_text, &m, part);
}

/* The row drawn in reverse all along its names: the cursor's. -1 when there is none (yet). */
static int cursor_row(const struct tty *t)
{
    int found = -1;
    for (int y = 0; y < t->rows; y++)
        if (cell_at(t, y, 3).attrs.reverse && cell_at(t, y, 6).attrs.reverse) {
            if (found >= 0)
                return -1;
            found = y;
        }
    return found;
}

static bool cursor_row_is(const struct tty *t, const void *arg)
{
    return cursor_row(t) == *(const int *)arg;
}

static void wait_row(struct tty *t, int y)
{
    wait_until(t, cursor_row_is, &y, "the cursor's row");
}

/* The screen has settled: everything is compared, the cursor stands on the first deviation, and the
 * pane below, which is drawn after it, shows that row. */
static bool is_ready(const struct tty *t, const void *arg)
{
    int y = cursor_row(t);
    uint32_t c = y > 1 ? cell_at(t, y, 0).chars[0] : 0;
    (void)arg;
    return (c == 0x25b6 || c == '>') && strstr(row_text(t, 0), "100 %") &&
           strstr(row_text(t, 1), "first deviation: row") &&
           has_text(t, &(struct line_mark){NOWHERE, "FIRST DEVIATION, "});
}

static void wait_ready(struct tty *t)
{
    wait_until(t, is_ready, NULL, "the first deviation");
}

/* And what the row looks like has been found out, which comes a moment later. */
static void wait_diagnosed(struct tty *t)
{
    wait_ready(t);
    wait_text(t, NOWHERE, "looks like");
}

static bool is_ended(const struct tty *t, const void *arg)
{
    (void)arg;
    return t->ended;
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

static bool cursor_column_is(const struct tty *t, const void *arg)
{
    return t->cursor.col == *(const int *)arg;
}

struct snapshot {
    char row[MAX_ROWS][MAX_COLS * 4];
};

/* Every frame asked for until now is on the screen in full: the answer to one more key is there, and
 * it changes nothing but the last line, which snapshots leave out. */
static void settle(struct tty *t)
{
    wait_gone(t, -1, "does nothing here");
    tty_send(t, "%");
    wait_text(t, -1, "% does nothing here; ? lists the keys");
}

static void take_snapshot(struct tty *t, struct snapshot *s)
{
    settle(t);
    for (int y = 0; y < t->rows && y < MAX_ROWS; y++)
        snprintf(s->row[y], sizeof s->row[y], "%s", row_text(t, y));
}

static bool looks_like(const struct tty *t, const void *arg)
{
    const struct snapshot *s = arg;
    for (int y = 0; y < t->rows - 1 && y < MAX_ROWS; y++)
        if (strncmp(s->row[y], row_text(t, y), sizeof s->row[y] - 1) != 0)
            return false;
    return true;
}

static void wait_like(struct tty *t, const struct snapshot *s)
{
    long end = now_ms() + PATIENCE_MS;
    while (!looks_like(t, s) && now_ms() < end)
        tty_take(t, (int)(end - now_ms()));
    if (looks_like(t, s))
        return;
    for (int y = 0; y < t->rows - 1 && y < MAX_ROWS; y++)
        if (strcmp(s->row[y], row_text(t, y)) != 0)
            fprintf(stderr, "expected%3d|%s\n", y, s->row[y]);
    show(t);
    fail();
}

/* The program is gone and the terminal is as it was: flags, main screen, cursor, plain attributes. */
static void assert_restored(struct tty *t)
{
    struct termios now;
    assert_int_equal(tcgetattr(t->master, &now), 0);
    assert_int_equal(now.c_iflag, t->before.c_iflag);
    assert_int_equal(now.c_oflag, t->before.c_oflag);
    assert_int_equal(now.c_cflag, t->before.c_cflag);
    assert_int_equal(now.c_lflag, t->before.c_lflag);
    assert_memory_equal(now.c_cc, t->before.c_cc, sizeof now.c_cc);
    while (!t->hung_up && poll(&(struct pollfd){t->master, POLLIN, 0}, 1, 0) > 0)
        tty_take(t, 0);
    assert_false(t->alternate);
    assert_true(t->cursor_shown);
    tty_feed(t, "\r\nx", 3);
    VTermScreenCell c = cell_at(t, t->cursor.row, t->cursor.col - 1);
    assert_int_equal(c.chars[0], 'x');
    assert_false(c.attrs.bold || c.attrs.reverse || c.attrs.underline);
    assert_true(is_plain(c));
}

static void wait_end(struct tty *t)
{
    wait_until(t, is_ended, NULL, "the end of the program");
}

static void assert_exit(const struct tty *t, int status)
{
    if (!WIFEXITED(t->status) || WEXITSTATUS(t->status) != status)
        show(t);
    assert_true(WIFEXITED(t->status));
    assert_int_equal(WEXITSTATUS(t->status), status);
}

/* ---- files of our own ---- */

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static void join(char out[512], const char *dir, const char *name)
{
    int n = snprintf(out, 512, "%s/%s", dir, name);
    assert_in_range(n, 1, 511);
}

/* A dump of one API call whose stack names `source` line 3, and one with a wide name. */
static void make_dump(const char *dir, const char *source)
{
    static const char rows[] =
        "{\"task\": \"statistics\", \"level\": \"L1\", \"framework\": \"pytorch\","
        " \"dump_data_dir\": null, \"data\": {"
        "\"Functional.linear.0.forward\": {\"input_args\": [{\"type\": \"torch.Tensor\","
        " \"dtype\": \"torch.float32\", \"shape\": [2], \"Max\": 1.0, \"Min\": 0.0, \"Mean\": 0.5,"
        " \"Norm\": 1.0, \"requires_grad\": false}], \"input_kwargs\": {}, \"output\": []},"
        "\"Functional.\xe8\xa7\x86\xe5\x9b\xbe.0.forward\": {\"input_args\": [{\"type\": \"int\","
        " \"value\": 3}, {\"type\": \"str\", \"value\": \"\\u001b[31mred\"}], \"input_kwargs\": {},"
        " \"output\": []}}}\n";
    char path[512], stack[2048];
    join(path, dir, "dump.json");
    write_file(path, rows);
    join(path, dir, "construct.json");
    write_file(path, "{}\n");
    snprintf(stack, sizeof stack,
             "{\"0\": [[\"Functional.linear.0.forward\"], [\"File %s, line 3, in forward, \\n x = 1\"]]}\n",
             source);
    join(path, dir, "stack.json");
    write_file(path, stack);
}

/* Two such dumps below a scratch folder of their own. */
static void make_pair(char dir[2][512], const char *source)
{
    static const char *const names[] = {"target", "golden"};
    const char *base = scratch();
    for (int i = 0; i < 2; i++) {
        join(dir[i], base, names[i]);
        assert_int_equal(mkdir(dir[i], 0755), 0);
        make_dump(dir[i], source);
    }
}

static void tty_start_on(struct tty *t, const struct setting *env, char *target, char *golden)
{
    char *argv[] = {(char *)(uintptr_t)program, target, golden, NULL};
    tty_run(t, 24, 80, env, argv);
}

/* ---- tests ---- */

static void starts_on_the_first_deviation(void **state)
{
    struct tty t;
    (void)state;
    tty_start(&t, 24, 80, NULL, "llama_rope/ms", "llama_rope/torch");
    wait_ready(&t);
    assert_true(t.alternate);
    assert_false(t.cursor_shown);
    assert_false(t.mouse);
    int y = cursor_row(&t);
    assert_int_equal(cell_at(&t, y, 0).chars[0], 0x25b6);
    assert_true(cell_at(&t, y, 2).attrs.bold);
    assert_true(cell_at(&t, y, 2).attrs.reverse); /* the cursor's bar, in one colour */
    assert_false(is_plain(cell_at(&t, 1, 1)));
    tty_send(&t, "q");
    wait_end(&t);
    assert_exit(&t, 0);
    assert_restored(&t);
    tty_close(&t);
}

static void keys_move_the_cursor(void **state)
{
    struct tty t;
    (void)state;
    tty_start(&t, 24, 80, NULL, "llama_rope/ms", "llama_rope/torch");
    wait_ready(&t);
    int y = cursor_row(&t);
    tty_send(&t, "k");
    wait_row(&t, y - 1);
    tty_send(&t, "\033OA\033OA"); /* Up, in the mode the program asked for */
    wait_row(&t, y - 3);
    tty_send(&t, "\033OB");
    wait_row(&t, y - 2);
    tty_send(&t, "jjkjkkjj"); /* typed ahead: none is lost */
    wait_row(&t, y);
    tty_send(&t, "g");
    wait_row(&t, 3);
    tty_send(&t, "\033[6~\033[5~j"); /* PgDn, PgUp */
    wait_row(&t, 4);
    tty_send(&t, "F");
    wait_text(&t, -1, "first deviation");
    wait_text(&t, cursor_row(&t), "\xe2\x96\xb6");
    tty_send(&t, "%");
    wait_text(&t, -1, "% does nothing here");
    tty_send(&t, "?");
    wait_text(&t, 2, "Keys run commands");
    tty_send(&t, "q");
    wait_gone(&t, 2, "Keys run commands");
    tty_close(&t);
}

static void prompts_show_the_cursor(void **state)
{
    struct tty t;
    (void)state;
    tty_start(&t, 24, 80, NULL, "llama_rope/ms", "llama_rope/torch");
    wait_ready(&t);
    tty_send(&t, "/rms");
    wait_text(&t, 23, "/rms");
    assert_true(t.cursor_shown);
    assert_int_equal(t.cursor.row, 23);
    assert_int_equal(t.cursor.col, 4);
    tty_send(&t, "\x15\xe8\xa7\x86\xe5\x9b\xbe"); /* Ctrl-U, two wide characters */
    wait_text(&t, 23, "/\xe8\xa7\x86\xe5\x9b\xbe");
    assert_int_equal(t.cursor.col, 5);
    tty_send(&t, "\033OD"); /* Left, over a whole character */
    wait_until(&t, cursor_column_is, &(int){3}, "the cursor before the last character");
    tty_send(&t, "\x15" "RMSNorm\r");
    wait_text(&t, cursor_row(&t) > 0 ? NOWHERE : 0, "RMSNorm");
    wait_gone(&t, 23, "/RMSNorm");
    assert_false(t.cursor_shown);
    tty_send(&t, ":lis\tdev");
    wait_text(&t, 23, ":listdev");
    tty_send(&t, "\x17list dev\t\r");
    wait_text(&t, 2, "rows that deviate");
    tty_close(&t);
}

/* A whole frame with the table: curses writes its lines in an order of its own, so all are looked at. */
static bool is_drawn(const struct tty *t, const void *arg)
{
    const char *top = row_text(t, 0);
    size_t n = strlen(top);
    int y = cursor_row(t);
    (void)arg;
    if (n < 5 || strcmp(top + n - 5, "100 %") != 0 || !strstr(row_text(t, 2), "TARGET") || y < 0)
        return false;
    for (int i = 2; i <= y + 1; i++)
        if (!strstr(row_text(t, i), "\xe2\x94\x82")) /* │ */
            return false;
    return strstr(row_text(t, t->rows - 1), "F first");
}

/* What is on the screen is what a full repaint shows: no cell is left from an earlier size. */
static void assert_no_stale_cells(struct tty *t)
{
    static struct snapshot now;
    tty_send(t, "?");
    wait_text(t, 2, "Keys run commands");
    tty_send(t, "q");
    wait_until(t, is_drawn, NULL, "a frame of the new size");
    take_snapshot(t, &now);
    tty_feed(t, "\033[H*", 4);
    tty_send(t, "\x0c");
    wait_like(t, &now);
}

static void resizing_redraws(void **state)
{
    static const int sizes[][2] = {{10, 40}, {3, 12}, {60, 200}, {2, 3}, {1, 1}, {100, 80}, {24, 250}};
    struct tty t;
    (void)state;
    tty_start(&t, 24, 80, NULL, "llama_rope/ms", "llama_rope/torch");
    wait_diagnosed(&t);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        tty_resize(&t, sizes[i][0], sizes[i][1]);
        if (sizes[i][1] >= 12) {
            wait_text(&t, -1, "F first");
            wait_text(&t, NOWHERE, "\xe2\x96\xb6"); /* the cursor's row stays in sight */
        }
        if (sizes[i][1] >= 200)
            wait_text(&t, NOWHERE, "origin");
    }
    tty_resize(&t, 24, 80);
    wait_until(&t, is_drawn, NULL, "a frame of the first size");
    assert_no_stale_cells(&t);
    tty_send(&t, "?");
    wait_text(&t, 2, "Keys run commands");
    tty_resize(&t, 12, 50);
    wait_text(&t, -1, "j scroll");
    wait_text(&t, 2, "Keys run commands");
    tty_close(&t);
}

/* Many sizes in a row, the way a window is dragged: the last one is what is drawn for. */
static void resizing_often_settles(void **state)
{
    struct tty t;
    (void)state;
    tty_start(&t, 24, 80, NULL, "tt_rope/target", "tt_rope/bench");
    wait_diagnosed(&t);
    for (int i = 0; i < 60; i++)
        tty_resize(&t, 4 + i % 40, 10 + i * 3);
    tty_resize(&t, 30, 100);
    wait_until(&t, is_drawn, NULL, "a frame of the last size");
    assert_no_stale_cells(&t);
    tty_close(&t);
}

/* A new size while a frame is being drawn is not forgotten. */
static void no_resize_is_lost(void **state)
{
    struct tty t;
    (void)state;
    tty_start(&t, 24, 80, NULL, "tt_rope/target", "tt_rope/bench");
    wait_ready(&t);
    for (int i = 0; i < 30; i++) {
        tty_send(&t, i % 2 ? "j" : "k");
        tty_take(&t, PATIENCE_MS);
        tty_resize(&t, 24 - i % 3, 80 + i % 5 * 10);
        wait_until(&t, is_drawn, NULL, "a frame of the new size");
    }
    tty_close(&t);
}

/* The columns' rules stand below each other, whatever the width of the names between them. */
static void wide_characters_shift_nothing(void **state)
{
    char dir[2][512];
    struct tty t;
    (void)state;
    make_pair(dir, "/nowhere.py");
    tty_start_on(&t, NULL, dir[0], dir[1]);
    wait_text(&t, 0, "100 %");
    wait_until(&t, is_drawn, NULL, "a whole frame");
    settle(&t);
    wait_text(&t, NOWHERE, "\xe8\xa7\x86\xe5\x9b\xbe"); /* 视图 */
    int rules[80], n = 0;
    for (int x = 0; x < t.cols; x++)
        if (cell_at(&t, 2, x).chars[0] == 0x2502)
            rules[n++] = x;
    assert_int_equal(n, 3);
    for (int y = 3; y <= 5; y++)
        for (int i = 0; i < n; i++)
            assert_int_equal(cell_at(&t, y, rules[i]).chars[0], 0x2502);
    VTermScreenCell wide = cell_at(&t, 4, 13);
    assert_int_equal(wide.chars[0], 0x89c6);
    assert_int_equal(wide.width, 2);
    tty_send(&t, "jj"); /* a value with an escape sequence in it: shown, not obeyed */
    wait_text(&t, NOWHERE, "\xe2\x90\x9b[31mred");
    tty_close(&t);
}

/* Two steps of one dump have one path. */
static void the_same_path_on_both_sides(void **state)
{
    char dir[2][512];
    struct tty t;
    (void)state;
    make_pair(dir, "/nowhere.py");
    tty_start_on(&t, NULL, dir[0], dir[0]);
    wait_text(&t, 0, "100 %");
    tty_send(&t, "q");
    wait_end(&t);
    assert_exit(&t, 0);
    tty_close(&t);
}

static void no_color_keeps_the_marks(void **state)
{
    static const struct setting env[] = {{"NO_COLOR", "1"}, {0}};
    struct tty t;
    bool bold = false;
    (void)state;
    tty_start(&t, 24, 80, env, "llama_rope/ms", "llama_rope/torch");
    wait_ready(&t);
    for (int y = 0; y < t.rows; y++)
        for (int x = 0; x < t.cols; x++) {
            VTermScreenCell c = cell_at(&t, y, x);
            assert_true(is_plain(c));
            bold = bold || c.attrs.bold;
        }
    assert_true(bold);
    tty_send(&t, "TT"); /* other schemes have no colours either */
    tty_send(&t, "k");
    wait_row(&t, cursor_row(&t) - 1);
    assert_true(is_plain(cell_at(&t, 1, 2)));
    tty_close(&t);
}

/* Terminals of other kinds: few colours, none, no alternate screen. */
static void other_terminals(void **state)
{
    static const char *const kinds[] = {"linux", "vt100", "screen", "tmux-256color", "xterm"};
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct setting env[] = {{"TERM", kinds[i]}, {0}};
        struct tty t;
        tty_start(&t, 24, 80, env, "tt_rope/target", "tt_rope/bench");
        wait_ready(&t);
        tty_send(&t, "q");
        wait_end(&t);
        assert_exit(&t, 0);
        assert_restored(&t);
        tty_close(&t);
    }
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

/* A locale without UTF-8: the glyphs' ASCII twins, each in its column. */
static void plain_locale_gets_ascii(void **state)
{
    static const struct setting env[] = {{"LC_ALL", "C"}, {0}};
    struct tty t;
    (void)state;
    tty_start(&t, 24, 80, env, "llama_rope/ms", "llama_rope/torch");
    wait_ready(&t);
    for (int y = 0; y < t.rows; y++)
        for (int x = 0; x < t.cols; x++)
            assert_in_range(cell_at(&t, y, x).chars[0], 0, 0x7e);
    assert_int_equal(cell_at(&t, cursor_row(&t), 0).chars[0], '>');
    tty_close(&t);
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
        t.stopped = false;
        assert_int_equal(write(t.orders, "f", 1), 1);
        wait_until(&t, is_alternate, &(bool){true}, "the alternate screen");
        wait_like(&t, &before);
        int y = cursor_row(&t);
        tty_send(&t, "k");
        wait_row(&t, y - 1);
    }
    tty_send(&t, "q");
    wait_end(&t);
    assert_exit(&t, 0);
    assert_restored(&t);
    tty_close(&t);
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
    t.hung_up = true;
    close(t.master);
    running.fd[0] = dup(t.events); /* the end closes one */
    wait_end(&t);
    tty_close(&t);
}

static void escape_is_quick(void **state)
{
    struct tty t;
    long best = PATIENCE_MS;
    (void)state;
    tty_start(&t, 24, 80, NULL, "tt_rope/target", "tt_rope/bench");
    wait_ready(&t);
    for (int i = 0; i < 3; i++) { /* the best of three: the machine may be busy */
        tty_send(&t, ":set");
        wait_text(&t, 23, ":set");
        long from = now_ms();
        tty_send(&t, "\033");
        wait_gone(&t, 23, ":set");
        best = now_ms() - from < best ? now_ms() - from : best;
    }
    assert_in_range(best, 0, 300);
    tty_close(&t);
}

static void source_opens_in_a_viewer(void **state)
{
    static struct snapshot before;
    char dir[2][512], base[256], source[512], viewer[512], command[600];
    struct tty t;
    struct termios now;
    (void)state;
    snprintf(base, sizeof base, "%s", scratch());
    join(source, base, "model file.py");
    write_file(source, "import torch\n\nx = 1\n");
    make_pair(dir, source);
    join(viewer, base, "viewer");
    write_file(viewer, "#!/bin/sh\nprintf 'VIEWER'\nfor a; do printf ' [%s]' \"${a##*/}\"; done\n"
                       "printf '\\n'\nread -r answer\n");
    assert_int_equal(chmod(viewer, 0755), 0);
    snprintf(command, sizeof command, "%s -n", viewer);
    struct setting env[] = {{"DIVERGE_VIEWER", command}, {0}};
    tty_start_on(&t, env, dir[0], dir[1]);
    wait_text(&t, 0, "100 %");
    wait_text(&t, NOWHERE, "Functional.linear.0");
    tty_send(&t, "s");
    wait_text(&t, NOWHERE, "model file.py:3 forward");
    take_snapshot(&t, &before);
    tty_send(&t, "S");
    wait_text(&t, NOWHERE, "VIEWER [-n] [+3] [model file.py]");
    assert_int_equal(tcgetattr(t.master, &now), 0);
    assert_int_equal(now.c_lflag, t.before.c_lflag);
    assert_false(t.alternate);
    tty_send(&t, "\n");
    wait_like(&t, &before);
    assert_true(t.alternate);
    assert_int_equal(remove(source), 0);
    tty_send(&t, "S");
    wait_text(&t, -1, "is not on this machine");
    tty_send(&t, "q");
    tty_close(&t);
}

static void bookmarks_survive_a_kill(void **state)
{
    char dir[256];
    struct tty t;
    (void)state;
    snprintf(dir, sizeof dir, "%s", scratch());
    struct setting env[] = {{"XDG_STATE_HOME", dir}, {0}};
    tty_start(&t, 24, 80, env, "tt_rope/target", "tt_rope/bench");
    wait_ready(&t);
    tty_send(&t, "m");
    wait_text(&t, -1, "bookmarked");
    kill(t.pid, SIGKILL);
    wait_end(&t);
    tty_close(&t);
    tty_start(&t, 24, 80, env, "tt_rope/target", "tt_rope/bench");
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
    struct setting env[] = {{"XDG_STATE_HOME", dir}, {0}};
    tty_start(&t, 24, 80, env, "tt_rope/target", "tt_rope/bench");
    wait_ready(&t);
    tty_send(&t, ":find Tensor.pow.0.forward.input.0\r");
    wait_text(&t, 22, "Tensor.pow.0.forward.input.0"); /* in the pane of the cursor's row */
    tty_send(&t, "q");
    wait_end(&t);
    tty_close(&t);
    tty_start(&t, 24, 80, env, "tt_rope/target", "tt_rope/bench");
    wait_text(&t, NOWHERE, "first deviation: row");
    wait_text(&t, 22, "Tensor.pow.0.forward.input.0");
    tty_close(&t);
}

static void redraw_repairs_the_screen(void **state)
{
    static struct snapshot before;
    struct tty t;
    (void)state;
    tty_start(&t, 24, 80, NULL, "tt_rope/target", "tt_rope/bench");
    wait_diagnosed(&t);
    take_snapshot(&t, &before);
    tty_feed(&t, "\033[5;5H a message from elsewhere \033[12;1H\033[2K", 41);
    assert_false(looks_like(&t, &before));
    tty_send(&t, "\x0c");
    wait_like(&t, &before);
    tty_close(&t);
}

static bool row_text_differs(const struct tty *t, const void *arg)
{
    int y = cursor_row(t);
    return y > 0 && strcmp(row_text(t, y), arg) != 0;
}

/* Sends a key that scrolls `times` times; the bytes a time. What follows the mark belongs to the next. */
static size_t bytes_of(struct tty *t, const char *key, int times)
{
    char was[MAX_COLS * 8];
    size_t from = t->bytes;
    for (int i = 0; i < times; i++) {
        snprintf(was, sizeof was, "%s", row_text(t, cursor_row(t)));
        tty_send(t, key);
        wait_until(t, row_text_differs, was, "another row under the cursor");
    }
    return (t->bytes - from) / (size_t)times;
}

/* A slow link: scrolling moves what is on the screen instead of drawing it again. */
static void scrolling_is_cheap(void **state)
{
    struct tty t;
    (void)state;
    tty_start(&t, 40, 120, NULL, "llama_rope/ms", "llama_rope/torch");
    wait_ready(&t);
    tty_send(&t, "g");
    wait_row(&t, 3);
    for (int was = 0; was != cursor_row(&t);) { /* to where the table begins to move */
        was = cursor_row(&t);
        bytes_of(&t, "j", 1);
    }
    size_t line = bytes_of(&t, "j", 20), page = bytes_of(&t, "\033[6~", 5);
    print_message("           a line down: %zu bytes, a page: %zu\n", line, page);
    assert_in_range(line, 1, 1000); /* a frame of this size drawn whole is above 5000 */
    assert_in_range(page, 1, 4096);
    tty_close(&t);
}

static void keep_home_apart(void)
{
    static char home[256], config[300], local[300];
    snprintf(home, sizeof home, "%s", scratch());
    snprintf(config, sizeof config, "%s/config", home);
    snprintf(local, sizeof local, "%s/state", home);
    setenv("HOME", home, 1);
    setenv("XDG_CONFIG_HOME", config, 1);
    setenv("XDG_STATE_HOME", local, 1);
    setenv("TERM", "xterm-256color", 1);
    setenv("LC_ALL", "C.UTF-8", 1);
    static const char *const none[] = {"NO_COLOR", "ESCDELAY", "LINES", "COLUMNS", "LANGUAGE",
                                       "PAGER", "EDITOR", "DIVERGE_VIEWER", "COLORTERM"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        unsetenv(none[i]);
}

static bool has_bytes(const struct tty *t, const char *want)
{
    size_t n = strlen(want);
    for (size_t i = 0; i + n <= t->tail_n; i++)
        if (memcmp(t->tail + i, want, n) == 0)
            return true;
    return false;
}

/* What is copied goes to the terminal as OSC 52, whole, and through tmux where that is around it. */
static void copies_go_to_the_terminal(void **state)
{
    static const struct setting plain[] = {{"TMUX", NULL}, {"STY", NULL}, {0}}, tmux[] = {{"TMUX", "/tmp/x,1,0"}, {0}};
    (void)state;
    for (int inside = 0; inside < 2; inside++) {
        struct tty t;
        tty_start(&t, 24, 80, inside ? tmux : plain, "tt_rope/target", "tt_rope/bench");
        wait_ready(&t);
        tty_send(&t, "y");
        wait_text(&t, 23, "copied 29 bytes");
        /* base64 of Torch.outer.0.forward.input.1 */
        const char *want = inside ? "\033Ptmux;\033\033]52;c;VG9yY2gub3V0ZXIuMC5mb3J3YXJkLmlucHV0LjE=\a\033\\"
                                  : "\033]52;c;VG9yY2gub3V0ZXIuMC5mb3J3YXJkLmlucHV0LjE=\a";
        assert_true(has_bytes(&t, want));
        assert_true(cell_at(&t, cursor_row(&t), 0).chars[0] == 0x25b6); /* nothing of it is on the screen */
        tty_close(&t);
    }
}

/* Reports are sent as xterm sends them; libvterm takes only the first of "?1006;1000h". */
static void mouse_when_asked(void **state)
{
    char click[40];
    struct tty t;
    (void)state;
    tty_start(&t, 24, 80, NULL, "tt_rope/target", "tt_rope/bench");
    wait_ready(&t);
    assert_false(has_bytes(&t, "1000h"));
    tty_send(&t, ":mouse on\r");
    wait_text(&t, 23, "mouse on");
    assert_true(has_bytes(&t, "1000h"));
    int y = cursor_row(&t);
    snprintf(click, sizeof click, "\033[<0;11;%dM", y - 3 + 1);
    tty_send(&t, click);
    wait_row(&t, y - 3);
    tty_send(&t, "\033[<65;11;10M"); /* the wheel */
    wait_row(&t, y);
    tty_send(&t, ":mouse off\r");
    wait_text(&t, 23, "mouse off");
    assert_true(has_bytes(&t, "1000l"));
    tty_send(&t, "q");
    wait_end(&t);
    assert_restored(&t);
    tty_close(&t);
}

/* Without anything to compare: what is here, taken one after the other. */
static void begins_with_nothing(void **state)
{
    char here[500], *argv[] = {(char *)(uintptr_t)program, NULL};
    struct tty t;
    (void)state;
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(sample("tt_rope")), 0);
    tty_run(&t, 24, 80, NULL, argv);
    assert_int_equal(chdir(here), 0);
    wait_text(&t, NOWHERE, "Nothing is open yet");
    tty_send(&t, "d");
    wait_text(&t, 2, "found here");
    tty_send(&t, "j\r"); /* bench comes first: target is the second */
    wait_text(&t, 4, "target/step0/rank0");
    tty_send(&t, "d");
    wait_text(&t, 2, "as the golden side");
    tty_send(&t, "\r");
    wait_text(&t, NOWHERE, "GOLDEN");
    wait_text(&t, 1, "first deviation: row 17");
    tty_send(&t, "\r");
    wait_text(&t, 2, "rel L2");
    tty_send(&t, "qq");
    wait_end(&t);
    assert_restored(&t);
    tty_close(&t);
}

/* ---- the golden screens, on a terminal ---- */

/* Script lines and the screens they must come to, of one case of tests/golden. */
struct golden {
    char *script, *expect;
};

static char *contents(const char *dir, const char *name)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "r");
    if (!f)
        return NULL;
    char *text = calloc(1, 4 << 20);
    size_t n = fread(text, 1, (4 << 20) - 1, f);
    text[n] = 0;
    fclose(f);
    return text;
}

/* The next line of *at, without its end; NULL behind the last. */
static char *next_line(char **at)
{
    char *line = *at, *end = strchr(line, '\n');
    if (!*line)
        return NULL;
    *at = end ? end + 1 : line + strlen(line);
    if (end)
        *end = 0;
    return line;
}

/* As a golden file has it: without what is blank at the end. */
static bool same_row(const char *shown, const char *want)
{
    size_t n = strlen(shown), m = strlen(want);
    while (n && shown[n - 1] == ' ')
        n--;
    while (m && want[m - 1] == ' ')
        m--;
    return n == m && memcmp(shown, want, n) == 0;
}

static bool is_expected(const struct tty *t, const void *arg)
{
    char *const *want = arg;
    for (int y = 0; y < t->rows; y++)
        if (!same_row(row_text(t, y), want[y]))
            return false;
    return true;
}

/* "jk<Enter><Esc>:set x" as a terminal sends it. */
static void type_keys(struct tty *t, const char *keys)
{
    static const struct {
        const char *name, *bytes;
    } named[] = {{"<Enter>", "\r"}, {"<Esc>", "\033"}, {"<Tab>", "\t"}, {"<S-Tab>", "\033[Z"}, {"<Space>", " "}, {"<Backspace>", "\177"},
                 {"<PgDn>", "\033[6~"}, {"<PgUp>", "\033[5~"}, {"<Up>", "\033OA"}, {"<Down>", "\033OB"}, {"<Left>", "\033OD"}, {"<Right>", "\033OC"},
                 {"<Home>", "\033OH"}, {"<End>", "\033OF"}, {"<Delete>", "\033[3~"}};
    while (*keys) {
        char one[2] = {*keys, 0};
        const char *bytes = one;
        size_t n = 1;
        for (size_t i = 0; i < sizeof named / sizeof *named; i++)
            if (strncmp(keys, named[i].name, strlen(named[i].name)) == 0) {
                bytes = named[i].bytes;
                n = strlen(named[i].name);
            }
        if (strncmp(keys, "<C-", 3) == 0 && keys[3] && keys[4] == '>') {
            one[0] = (char)(keys[3] & 31);
            n = 5;
        }
        tty_send(t, bytes);
        if (strcmp(bytes, "\033") == 0) /* alone: what follows is no part of it */
            tty_take(t, 60);
        keys += n;
    }
}

static void compare_screen(struct tty *t, char **expect, bool attributes, const char *name, int line)
{
    char *want[MAX_ROWS], what[200];
    for (int y = 0; y < t->rows; y++) {
        want[y] = next_line(expect);
        if (!want[y] || want[y][0] != 'S')
            fail_msg("%s, line %d of its script: row %d is missing where screens are expected", name, line, y);
        want[y] += want[y][1] ? 2 : 1;
        if (attributes && **expect == 'A') /* rows without any have no such line */
            next_line(expect);
    }
    snprintf(what, sizeof what, "%s, line %d of its script", name, line);
    wait_until(t, is_expected, want, what);
}

static bool is_settled(const struct tty *t, const void *arg)
{
    const char *line = row_text(t, 1);
    (void)arg;
    return strstr(line, "first deviation:") || strstr(line, "aligned") || strstr(line, "could not be judged");
}

static void play(const char *root, const char *name)
{
    char dir[800], *argv[12] = {(char *)(uintptr_t)program}, *at, *line;
    snprintf(dir, sizeof dir, "%s/%s", root, name);
    char *script = contents(dir, "script"), *expect = contents(dir, "expect"), *args = contents(dir, "args"), *setup = contents(dir, "setup");
    struct tty t;
    int n = 1, number = 0;
    if (script && expect && args && !setup && !strpbrk(args, "'\"$-") && !strstr(script, "\nascii") && !strstr(script, "\ntheme") && !strstr(script, "\nwrite")) {
        for (char *word = strtok(args, " \n"); word && n < 10; word = strtok(NULL, " \n"))
            argv[n++] = word;
        keep_home_apart();
        tty_run(&t, 24, 80, NULL, argv);
        char *rest = expect;
        for (at = script; (line = next_line(&at));) {
            number++;
            unsigned rows, cols;
            if (!*line || *line == '#')
                continue;
            if (strcmp(line, "settle") == 0) {
                if (t.rows >= 6)
                    wait_until(&t, is_settled, NULL, "the end of the comparison");
                continue;
            }
            if (sscanf(line, "size %u %u", &rows, &cols) == 2) {
                tty_resize(&t, (int)rows, (int)cols);
            } else if (strncmp(line, "keys ", 5) == 0) {
                type_keys(&t, line + 5);
            } else if (strcmp(line, "screen") == 0 || strcmp(line, "attrs") == 0) {
                compare_screen(&t, &rest, *line == 'a', name, number);
            } else {
                tty_send(&t, ":");
                tty_send(&t, line);
                tty_send(&t, "\r");
            }
            for (size_t had = 0; had != t.bytes;) { /* a frame after each line, as the script driver draws */
                had = t.bytes;
                tty_take(&t, 50);
            }
        }
        tty_close(&t);
        print_message("           %s\n", name);
    }
    free(script);
    free(expect);
    free(args);
    free(setup);
}

/* What the script driver draws into memory is what a terminal shows. */
static void golden_screens_on_a_terminal(void **state)
{
    static const char *const cases[] = {"columns", "sort_filter", "groups", "layouts", "same_jump", "undo", "palette", "stacks", "lists", "zoom"};
    char here[500], *samples = realpath(sample("."), NULL), root[520];
    (void)state;
    assert_non_null(getcwd(here, sizeof here));
    assert_non_null(samples);
    snprintf(root, sizeof root, "%s/tests/golden", here);
    if (access(root, R_OK))
        skip();
    assert_int_equal(chdir(samples), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        play(root, cases[i]);
    assert_int_equal(chdir(here), 0);
    free(samples);
}

/* ---- tensors of any size ---- */

#define HUGE_ROWS 1310720
#define HUGE_COLUMNS 4096 /* of float32: 20 GiB */

/* A tensor of zeros that takes no room, but for some elements; false where the file system cannot. */
static bool make_sparse(const char *path, int side)
{
    char head[128];
    int n = snprintf(head + 10, sizeof head - 10, "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }", HUGE_ROWS, HUGE_COLUMNS);
    memset(head + 10 + n, ' ', sizeof head - 10 - (size_t)n);
    memcpy(head, "\x93NUMPY\x01\0v\0", 10);
    head[127] = '\n';
    int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0644);
    off_t size = 128 + (off_t)HUGE_ROWS * HUGE_COLUMNS * 4;
    struct stat st;
    bool good = fd >= 0 && ftruncate(fd, size) == 0 && pwrite(fd, head, sizeof head, 0) == sizeof head;
    for (int i = 0; i < 3 && good; i++) { /* the first element, one in the middle, the last */
        float v = (float)(i + 1) + (float)side * 0.5f;
        off_t at = i == 0 ? 0 : i == 1 ? (off_t)700000 * HUGE_COLUMNS + 123 : (off_t)HUGE_ROWS * HUGE_COLUMNS - 1;
        good = pwrite(fd, &v, 4, 128 + at * 4) == 4;
    }
    good = good && fstat(fd, &st) == 0 && st.st_blocks < 1 << 16;
    if (fd >= 0)
        close(fd);
    return good;
}

static bool make_huge(const char *dir, int side)
{
    char path[512], rows[700];
    join(path, dir, "construct.json");
    write_file(path, "{}\n");
    join(path, dir, "stack.json");
    write_file(path, "{}\n");
    snprintf(rows, sizeof rows,
             "{\"task\": \"tensor\", \"level\": \"L1\", \"framework\": \"mindspore\", \"dump_data_dir\": null, \"data\": {"
             "\"Functional.linear.0.forward\": {\"input_args\": [], \"input_kwargs\": {}, \"output\": [{\"type\": \"mindspore.Tensor\","
             " \"dtype\": \"Float32\", \"shape\": [%d, %d], \"Max\": 3.0, \"Min\": 0.0, \"Mean\": 0.0, \"Norm\": 4.0,"
             " \"requires_grad\": false, \"data_name\": \"Functional.linear.0.forward.output.0.npy\"}]}}}\n",
             HUGE_ROWS, HUGE_COLUMNS);
    join(path, dir, "dump.json");
    write_file(path, rows);
    join(path, dir, "dump_tensor_data");
    assert_int_equal(mkdir(path, 0755), 0);
    join(path, dir, "dump_tensor_data/Functional.linear.0.forward.output.0.npy");
    return make_sparse(path, side);
}

/* The most memory the program has had, in kB. */
static long peak_of(pid_t pid)
{
    char path[64], line[200];
    long kb = -1;
    snprintf(path, sizeof path, "/proc/%ld/status", (long)pid);
    FILE *f = fopen(path, "r");
    while (f && kb < 0 && fgets(line, sizeof line, f))
        if (strncmp(line, "VmHWM:", 6) == 0)
            kb = strtol(line + 6, NULL, 10);
    if (f)
        fclose(f);
    return kb;
}

/* What the programs started from here on may have of memory of their own; stacks and buffers of all threads count.
 * A sanitizer's own memory is no part of the program's: built with one, nothing is limited. */
static void limit_memory(rlim_t bytes)
{
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    struct rlimit r;
    assert_int_equal(getrlimit(RLIMIT_DATA, &r), 0);
    r.rlim_cur = bytes < r.rlim_max ? bytes : r.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_DATA, &r), 0);
#else
    (void)bytes;
#endif
}

/* 20 GB a side: opened and walked through while it is read, under a limit of 512 MB. */
static void huge_tensors_are_paged(void **state)
{
    static const char *const names[] = {"target", "golden"};
    char dir[2][512];
    const char *base = scratch();
    struct tty t;
    bool sparse = true;
    (void)state;
    for (int i = 0; i < 2; i++) {
        join(dir[i], base, names[i]);
        assert_int_equal(mkdir(dir[i], 0755), 0);
        sparse = make_huge(dir[i], i) && sparse;
    }
    if (sparse) {
        limit_memory((rlim_t)512 << 20);
        tty_start_on(&t, NULL, dir[0], dir[1]);
        limit_memory(RLIM_INFINITY);
        wait_text(&t, NOWHERE, "Functional.linear.0");
        wait_text(&t, 0, "compared");
        tty_send(&t, "\r");
        wait_text(&t, NOWHERE, "[1310720, 4096]");
        wait_text(&t, NOWHERE, "[0,0]  target 1  golden 1.5");
        wait_text(&t, NOWHERE, "sampled"); /* long before the end of 20 GB */
        tty_send(&t, ":at 1310719,4095\r");
        wait_text(&t, NOWHERE, "[1310719,4095]  target 3  golden 3.5");
        tty_send(&t, "++++++++++++");
        wait_text(&t, NOWHERE, "a cell: one element");
        tty_send(&t, ":at 700000,123\r");
        wait_text(&t, NOWHERE, "[700000,123]  target 2  golden 2.5");
        tty_send(&t, "\x1b[6~");
        wait_text(&t, NOWHERE, "[70000"); /* a page below it */
        wait_gone(&t, NOWHERE, "sampled"); /* the page itself is whole */
        tty_send(&t, "G");
        wait_text(&t, NOWHERE, "[1310719,");
        tty_send(&t, "------------");
        wait_text(&t, NOWHERE, "sampled");
        long peak = peak_of(t.pid);
        if (peak > 512 * 1024)
            fail_msg("%ld kB", peak);
        tty_send(&t, "qq");
        wait_end(&t);
        assert_exit(&t, 0);
        tty_close(&t);
    }
    for (int i = 0; i < 2; i++) {
        char path[512];
        join(path, dir[i], "dump_tensor_data/Functional.linear.0.forward.output.0.npy");
        unlink(path);
    }
    if (!sparse)
        skip();
}

/* Every test begins without what an earlier one left behind. */
static int begin(void **state)
{
    (void)state;
    keep_home_apart();
    return 0;
}

static int end(void **state)
{
    (void)state;
    end_running();
    return 0;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        TEST(starts_on_the_first_deviation),
        TEST(keys_move_the_cursor),
        TEST(prompts_show_the_cursor),
        TEST(resizing_redraws),
        TEST(resizing_often_settles),
        TEST(no_resize_is_lost),
        TEST(wide_characters_shift_nothing),
        TEST(the_same_path_on_both_sides),
        TEST(no_color_keeps_the_marks),
        TEST(other_terminals),
        TEST(where_no_screen_can_be_a_sentence_says_so),
        TEST(without_a_keyboard),
        TEST(a_dump_that_cannot_be_opened),
        TEST(plain_locale_gets_ascii),
        TEST(stops_and_goes_on),
        TEST(signals_leave_the_terminal_whole),
        TEST(the_terminal_goes_away),
        TEST(escape_is_quick),
        TEST(source_opens_in_a_viewer),
        TEST(bookmarks_survive_a_kill),
        TEST(the_place_is_kept),
        TEST(redraw_repairs_the_screen),
        TEST(scrolling_is_cheap),
        TEST(copies_go_to_the_terminal),
        TEST(mouse_when_asked),
        TEST(begins_with_nothing),
        TEST(huge_tensors_are_paged),
        TEST(golden_screens_on_a_terminal),
    };
    if (argc < 2) {
        fprintf(stderr, "usage: term PROGRAM [TEST]\n");
        return 2;
    }
    program = realpath(argv[1], NULL);
    if (!program) {
        perror(argv[1]);
        return 2;
    }
    if (argc > 2)
        cmocka_set_test_filter(argv[2]);
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
