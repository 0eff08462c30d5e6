#include "terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

const char *program;

/* ---- the terminal and a shell in it ---- */

enum event_kind { EVENT_STARTED, EVENT_STOPPED, EVENT_ENDED };

struct event {
    enum event_kind kind;
    int value; /* the program's pid; its wait status */
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
    waitpid(shells_child, NULL, 0); /* its locks are gone before the next program starts */
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
        /* as a shell of one's own starts it, whatever runs the tests ignores (in the background: SIGINT, SIGQUIT) */
        static const int heard[] = {SIGTTOU, SIGHUP, SIGPIPE, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
        for (size_t i = 0; i < sizeof heard / sizeof *heard; i++)
            signal(heard[i], SIG_DFL);
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

void tty_feed(struct tty *t, const char *p, size_t n)
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

long now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void tty_take(struct tty *t, int ms)
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
    vterm_input_write(t->vt, "\0337", 2); /* what is restored without having been saved is black on black in libvterm */
}

/* What a failed test leaves behind, for the teardown: its own variables are gone by then. */
static struct {
    pid_t shell;
    int fd[3];
    VTerm *vt;
} running[6];

static void end_running(size_t i)
{
    kill(running[i].shell, SIGTERM);
    waitpid(running[i].shell, NULL, 0);
    for (int k = 0; k < 3; k++)
        close(running[i].fd[k]);
    vterm_free(running[i].vt);
    running[i].shell = 0;
}

static size_t running_of(pid_t shell)
{
    size_t i = 0;
    while (i < sizeof running / sizeof *running && running[i].shell != shell)
        i++;
    assert_true(i < sizeof running / sizeof *running);
    return i;
}

void tty_run(struct tty *t, int rows, int cols, const struct setting *env, char **argv)
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
    size_t i = running_of(0);
    running[i].shell = t->shell;
    running[i].vt = t->vt;
    memcpy(running[i].fd, (int[]){t->master, t->orders, t->events}, sizeof running[i].fd);
    assert_int_equal(tcgetattr(t->master, &t->before), 0);
    assert_int_equal(write(t->orders, "s", 1), 1);
}

void tty_close(struct tty *t)
{
    end_running(running_of(t->shell));
}

void tty_start(struct tty *t, int rows, int cols, const struct setting *env,
                      const char *target, const char *golden)
{
    char a[1024], b[1024];
    snprintf(a, sizeof a, "%s", sample(target));
    snprintf(b, sizeof b, "%s", golden ? sample(golden) : "");
    char *argv[] = {(char *)(uintptr_t)program, a, golden ? b : NULL, NULL};
    tty_run(t, rows, cols, env, argv);
}

void tty_start_on(struct tty *t, const struct setting *env, char *target, char *golden)
{
    char *argv[] = {(char *)(uintptr_t)program, target, golden, NULL};
    tty_run(t, 24, 80, env, argv);
}

void tty_send(struct tty *t, const char *keys)
{
    size_t n = strlen(keys);
    assert_int_equal(write(t->master, keys, n), n);
}

/* How often the program went to sleep; -1: it does not sleep, or has not read all keys. */
static long times_asleep(const struct tty *t, int slave)
{
    char path[40], line[200], state = 0;
    int unread = 0;
    long times = -1;
    snprintf(path, sizeof path, "/proc/%d/status", (int)t->pid);
    FILE *f = ioctl(slave, FIONREAD, &unread) == 0 && !unread ? fopen(path, "r") : NULL;
    while (f && fgets(line, sizeof line, f)) {
        sscanf(line, "State: %c", &state);
        sscanf(line, "voluntary_ctxt_switches: %ld", &times);
    }
    if (f)
        fclose(f);
    return state == 'S' ? times : -1;
}

void tty_rest(struct tty *t)
{
    int slave = open(ptsname(t->master), O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    long end = now_ms() + 3000, since = now_ms(), before = -1;
    while (now_ms() < end && !t->ended && !t->stopped && !t->hung_up) {
        size_t had = t->bytes;
        tty_take(t, 5);
        long times = t->bytes == had ? times_asleep(t, slave) : -1;
        if (times < 0 || times != before)
            since = now_ms();
        else if (now_ms() - since > 60)
            break;
        before = times;
    }
    close(slave);
}

int tty_type(struct tty *t, const char *keys)
{
    static const struct {
        const char *name, *bytes;
    } named[] = {{"<Enter>", "\r"},    {"<Esc>", "\033"},       {"<Tab>", "\t"},         {"<S-Tab>", "\033[Z"},
                 {"<Space>", " "},     {"<Backspace>", "\177"}, {"<PgDn>", "\033[6~"},   {"<PgUp>", "\033[5~"},
                 {"<Up>", "\033OA"},   {"<Down>", "\033OB"},    {"<Left>", "\033OD"},    {"<Right>", "\033OC"},
                 {"<Home>", "\033OH"}, {"<End>", "\033OF"},     {"<Delete>", "\033[3~"}, {"<F1>", "\033OP"},
                 {"<F2>", "\033OQ"}};
    char sent[400];
    size_t length = 0;
    int typed = 0;
    for (; *keys; typed++) {
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
        keys += n;
        size_t more = strlen(bytes);
        assert_in_range(length + more, 1, sizeof sent - 1);
        memcpy(sent + length, bytes, more + 1);
        length += more;
        bool alone = strcmp(bytes, "\033") == 0; /* what follows is no part of it */
        if (!alone && *keys)
            continue; /* those of one line at once: between them, no frame moves the rows */
        tty_send(t, sent);
        length = 0;
        if (alone)
            tty_rest(t);
    }
    return typed;
}

void tty_resize(struct tty *t, int rows, int cols)
{
    struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols};
    t->rows = rows;
    t->cols = cols;
    vterm_set_size(t->vt, rows, cols);
    assert_int_equal(ioctl(t->master, TIOCSWINSZ, &size), 0);
}

void tty_continue(struct tty *t)
{
    t->stopped = false;
    assert_int_equal(write(t->orders, "f", 1), 1);
}

void tty_hang_up(struct tty *t)
{
    t->hung_up = true;
    close(t->master);
    running[running_of(t->shell)].fd[0] = dup(t->events); /* the end closes one */
}

void tty_quit(struct tty *t, const char *keys)
{
    tty_send(t, keys);
    wait_end(t);
    assert_exit(t, 0);
    assert_restored(t);
    tty_close(t);
}

/* ---- files of our own ---- */

char *contents(const char *dir, const char *name)
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

char *next_line(char **at)
{
    char *line = *at, *end = strchr(line, '\n');
    if (!*line)
        return NULL;
    *at = end ? end + 1 : line + strlen(line);
    if (end)
        *end = 0;
    return line;
}

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
    char stack[2048];
    snprintf(stack, sizeof stack,
             "{\"0\": [[\"Functional.linear.0.forward\"], [\"File %s, line 3, in forward, \\n x = 1\"]]}\n",
             source);
    put_text(dir, "dump.json", rows);
    put_text(dir, "construct.json", "{}\n");
    put_text(dir, "stack.json", stack);
}

void make_pair(char dir[2][512], const char *source)
{
    static const char *const names[] = {"target", "golden"};
    const char *base = scratch();
    for (int i = 0; i < 2; i++) {
        assert_in_range(snprintf(dir[i], sizeof dir[i], "%s/%s", base, names[i]), 1, sizeof dir[i] - 1);
        assert_int_equal(mkdir(dir[i], 0755), 0);
        make_dump(dir[i], source);
    }
}

/* ---- each test ---- */

void keep_home_apart(void)
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
                                       "PAGER", "EDITOR", "DIVERGE_VIEWER", "COLORTERM",
                                       "COLORFGBG", "TMUX", "STY", "TERM_PROGRAM"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        unsetenv(none[i]);
}

int begin(void **state)
{
    (void)state;
    keep_home_apart();
    return 0;
}

int end(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof running / sizeof *running; i++)
        if (running[i].shell)
            end_running(i);
    return 0;
}

bool terminal_ready(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: %s PROGRAM [TEST]\n", argv[0]);
        return false;
    }
    program = realpath(argv[1], NULL);
    if (!program) {
        perror(argv[1]);
        return false;
    }
    if (argc > 2)
        cmocka_set_test_filter(argv[2]);
    signal(SIGPIPE, SIG_IGN);
    return true;
}
