/* Runs the program in a folder of its own under the shim or a limit, on pipes or in a terminal, and takes what it
 * leaves. */
#define _GNU_SOURCE
#include "faults.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static const char *const names[] = {FAULT_NAMES};

static long now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---- the folder ---- */

static void must(bool well, const char *path)
{
    if (well)
        return;
    fprintf(stderr, "faults: %s: %s\n", path, strerror(errno));
    exit(2);
}

static bool is_entry(const struct dirent *e)
{
    return strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
}

static void remove_all(const char *path)
{
    struct stat st;
    char below[4500];
    if (lstat(path, &st))
        return;
    DIR *d = S_ISDIR(st.st_mode) ? opendir(path) : NULL;
    for (struct dirent *e; d && (e = readdir(d));)
        if (is_entry(e)) {
            snprintf(below, sizeof below, "%s/%s", path, e->d_name);
            remove_all(below);
        }
    if (d)
        closedir(d);
    must(remove(path) == 0, path);
}

static void copy_file(const char *from, const char *to, const struct stat *st)
{
    struct text all = text_of_file(from);
    const struct timespec times[2] = {st->st_atim, st->st_mtim};
    remove_all(to);
    int fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, st->st_mode & 0777);
    must(fd >= 0 && write(fd, all.p, all.n) == (ssize_t)all.n && futimens(fd, times) == 0, to);
    close(fd);
    free(all.p);
}

static void mirror(const char *from, const char *to)
{
    char source[4500], copy[4500];
    struct stat st, there;
    struct dirent *e;
    must(stat(from, &st) == 0 && (mkdir(to, 0755) == 0 || errno == EEXIST), to);
    const struct timespec times[2] = {st.st_atim, st.st_mtim};
    DIR *d = opendir(to);
    must(d != NULL, to);
    while ((e = readdir(d))) {
        snprintf(source, sizeof source, "%s/%s", from, e->d_name);
        snprintf(copy, sizeof copy, "%s/%s", to, e->d_name);
        if (is_entry(e) && lstat(source, &st))
            remove_all(copy);
    }
    closedir(d);
    d = opendir(from);
    must(d != NULL, from);
    while ((e = readdir(d))) {
        snprintf(source, sizeof source, "%s/%s", from, e->d_name);
        snprintf(copy, sizeof copy, "%s/%s", to, e->d_name);
        if (!is_entry(e) || stat(source, &st))
            continue;
        bool same = lstat(copy, &there) == 0 && there.st_mode == st.st_mode && there.st_size == st.st_size &&
                    there.st_mtim.tv_sec == st.st_mtim.tv_sec && there.st_mtim.tv_nsec == st.st_mtim.tv_nsec;
        if (S_ISDIR(st.st_mode))
            mirror(source, copy);
        else if (!same)
            copy_file(source, copy, &st);
    }
    closedir(d);
    must(utimensat(AT_FDCWD, to, times, 0) == 0, to);
}

void slot_restore(const struct slot *s)
{
    static const char *const copied[] = {"w", "in"};
    char from[500], to[500];
    for (size_t i = 0; i < sizeof copied / sizeof *copied; i++) {
        snprintf(from, sizeof from, "%s/%s", s->origin, copied[i]);
        snprintf(to, sizeof to, "%s/%s", s->dir, copied[i]);
        mirror(from, to);
    }
    snprintf(to, sizeof to, "%s/home", s->dir);
    remove_all(to);
    must(mkdir(to, 0755) == 0, to);
}

struct text text_of_file(const char *path)
{
    struct text t = {malloc(1), 0};
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
        t.p = realloc(t.p, (size_t)st.st_size + 1);
        ssize_t n = read(fd, t.p, (size_t)st.st_size);
        t.n = n > 0 ? (size_t)n : 0;
    }
    if (fd >= 0)
        close(fd);
    t.p[t.n] = 0;
    return t;
}

static void text_add(struct text *t, const char *p, size_t n)
{
    t->p = realloc(t->p, t->n + n + 1);
    memcpy(t->p + t->n, p, n);
    t->n += n;
    t->p[t->n] = 0;
}

/* ---- the program's side ---- */

static void limit(int what, rlim_t n)
{
    struct rlimit r = {n, n};
    setrlimit(what, &r);
}

static void environment(const struct slot *s, const struct fault *f)
{
    char text[500];
    static const char *const unset[] = {"LANG",           "LANGUAGE",       "LC_CTYPE",    "XDG_CONFIG_HOME",
                                        "XDG_STATE_HOME", "XDG_CACHE_HOME", "DIVERGE_CPU", "NO_COLOR",
                                        "VISUAL",         "EDITOR",         "PAGER",       "DIVERGE_VIEWER"};
    for (size_t i = 0; i < sizeof unset / sizeof *unset; i++)
        unsetenv(unset[i]);
    setenv("LC_ALL", "C.UTF-8", 1);
    setenv("TERM", "xterm-256color", 1);
    setenv("DIVERGE_AUTHOR", "Li", 1);
    setenv("SOURCE_DATE_EPOCH", "1790000000", 1);
    snprintf(text, sizeof text, "%s/home", s->dir);
    setenv("HOME", text, 1);
    setenv("LD_PRELOAD", s->shim, 1);
    snprintf(text, sizeof text, "%s/%s", s->dir,
             f->kind == FAULT_SHRINK ? "in/" : ""); /* what is kept is not for others to cut */
    setenv("FAULT_PATH", text, 1);
    snprintf(text, sizeof text, "%s.counts", s->dir);
    setenv("FAULT_COUNTS", text, 1);
    if (f->kind >= 0 && f->kind < FAULT_KINDS)
        setenv("FAULT_KIND", names[f->kind], 1);
    snprintf(text, sizeof text, "%ld%s", f->at, f->onwards ? "+" : "");
    setenv("FAULT_AT", text, 1);
    if (f->sites)
        setenv("FAULT_SITES", f->sites, 1);
    setenv("FAULT_TRACE", "1", 1);
    if (f->say)
        setenv("FAULT_SAY", "1", 1);
}

static void limits(const struct fault *f)
{
    limit(RLIMIT_CORE, 0);
    if (f->kind == LIMIT_SIZE)
        limit(RLIMIT_FSIZE, (rlim_t)f->at);
    if (f->kind == LIMIT_MEMORY)
        limit(RLIMIT_AS, (rlim_t)f->at * 1024);
    if (f->kind == LIMIT_FILES)
        limit(RLIMIT_NOFILE, (rlim_t)f->at);
}

static void onto(int fd, const char *path, int flags)
{
    int to = open(path, flags, 0644);
    if (to < 0)
        _exit(126);
    if (to != fd) {
        dup2(to, fd);
        close(to);
    }
}

static void be_program(const struct slot *s, const struct trial *t, const struct fault *f)
{
    char path[500];
    if (!t->keys) {
        setsid();
        onto(STDIN_FILENO, "/dev/null", O_RDONLY);
        snprintf(path, sizeof path, "%s.out", s->dir);
        onto(STDOUT_FILENO, f->kind == LIMIT_FULL ? "/dev/full" : path, O_WRONLY | O_CREAT | O_TRUNC);
        if (f->kind == LIMIT_CLOSED)
            close(STDOUT_FILENO);
    }
    if (chdir(s->dir))
        _exit(126);
    environment(s, f);
    limits(f);
    execv(s->program, t->argv);
    _exit(126);
}

/* ---- this side ---- */

static struct fault_counts counted(const struct slot *s)
{
    struct fault_counts c = {0};
    char path[500];
    snprintf(path, sizeof path, "%s.counts", s->dir);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && read(fd, &c, sizeof c) != sizeof c)
        c = (struct fault_counts){0};
    if (fd >= 0)
        close(fd);
    unlink(path);
    return c;
}

/* All that is written to a pipe until the program ends, which closes it; false: the program had to be killed. */
static bool take_all(pid_t pid, int from, int timeout_ms, struct text *out)
{
    struct pollfd p = {from, POLLIN, 0};
    long until = now_ms() + timeout_ms, left;
    char chunk[1 << 12];
    ssize_t n;
    while ((left = until - now_ms()) > 0)
        if (poll(&p, 1, (int)left) > 0) {
            if ((n = read(from, chunk, sizeof chunk)) <= 0)
                return true;
            text_add(out, chunk, (size_t)n);
        }
    kill(-pid, SIGKILL);
    return false;
}

static struct outcome run_plain(const struct slot *s, const struct trial *t, const struct fault *f, int timeout_ms)
{
    struct outcome o = {.err = {calloc(1, 1), 0}};
    int err[2]; /* no file, which a limit would hold */
    char path[500];
    if (pipe2(err, O_CLOEXEC))
        exit(2);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(err[1], STDERR_FILENO);
        be_program(s, t, f);
    }
    close(err[1]);
    o.endless = !take_all(pid, err[0], timeout_ms, &o.err);
    waitpid(pid, &o.status, 0);
    close(err[0]);
    snprintf(path, sizeof path, "%s.out", s->dir);
    o.out = text_of_file(f->kind == LIMIT_FULL || f->kind == LIMIT_CLOSED ? "/dev/null" : path);
    return o;
}

/* A key as `cases` writes it: <CR>, <Esc>, <Tab>, or one character. */
static const char *next_key(const char **keys, size_t *n)
{
    static const struct {
        const char *name, *bytes;
    } named[] = {{"<CR>", "\r"}, {"<Esc>", "\033"}, {"<Tab>", "\t"}, {"<Space>", " "}};
    const char *at = *keys;
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (strncmp(at, named[i].name, strlen(named[i].name)) == 0) {
            *keys += strlen(named[i].name);
            *n = 1;
            return named[i].bytes;
        }
    (*keys)++;
    *n = 1;
    return at;
}

static bool ended(pid_t pid, int *status)
{
    return waitpid(pid, status, WNOHANG) == pid;
}

/* Types the keys, each when the screen has been quiet for a moment, then whatever ends it; false: it never ended. */
static bool type(pid_t pid, int master, const struct trial *t, struct outcome *o, int timeout_ms)
{
    static const char last[] = "\033\033qqny"; /* a second time, as asked where something is not saved */
    const char *keys = t->keys;
    long until = now_ms() + timeout_ms, sent = now_ms();
    size_t lasts = 0, n;
    char chunk[1 << 16];
    while (!ended(pid, &o->status)) {
        struct pollfd p = {master, POLLIN, 0};
        bool begun = o->out.n > 0 || now_ms() - sent > 2000, more = *keys != 0;
        int quiet = !begun ? 20 : more ? 20 : 100;
        if (poll(&p, 1, quiet) > 0) {
            ssize_t got = read(master, chunk, sizeof chunk);
            if (got > 0)
                text_add(&o->out, chunk, (size_t)got);
            else
                poll(NULL, 0, 5);
        } else if (begun && (more || lasts < sizeof last - 1)) {
            const char *key = more ? next_key(&keys, &n) : &last[lasts++];
            if (write(master, key, 1) < 0)
                poll(NULL, 0, 5);
            sent = now_ms();
        }
        if (now_ms() > until) {
            kill(-pid, SIGKILL);
            kill(pid, SIGKILL);
            waitpid(pid, &o->status, 0);
            return false;
        }
    }
    for (struct pollfd p = {master, POLLIN, 0}; poll(&p, 1, 0) > 0;) {
        ssize_t got = read(master, chunk, sizeof chunk);
        if (got <= 0)
            break;
        text_add(&o->out, chunk, (size_t)got);
    }
    return true;
}

/* The last of two sequences that was written. */
static bool last_is(const struct text *t, const char *wanted, const char *other)
{
    ssize_t at[2] = {-1, -1};
    for (size_t i = 0; i < t->n; i++) {
        if (strncmp(t->p + i, wanted, strlen(wanted)) == 0)
            at[0] = (ssize_t)i;
        if (strncmp(t->p + i, other, strlen(other)) == 0)
            at[1] = (ssize_t)i;
    }
    return at[1] < 0 || at[0] > at[1];
}

static struct outcome run_terminal(const struct slot *s, const struct trial *t, const struct fault *f, int timeout_ms)
{
    struct outcome o = {.out = {calloc(1, 1), 0}, .err = {calloc(1, 1), 0}};
    struct winsize size = {.ws_row = 30, .ws_col = 110};
    struct termios before, after;
    int master, line;
    if (openpty(&master, &line, NULL, NULL, &size) || tcgetattr(line, &before))
        exit(2);
    fcntl(master, F_SETFD, FD_CLOEXEC);
    pid_t pid = fork();
    if (pid == 0) {
        setsid();
        ioctl(line, TIOCSCTTY, 0);
        for (int fd = 0; fd < 3; fd++)
            dup2(line, fd);
        if (line > 2)
            close(line);
        be_program(s, t, f);
    }
    o.endless = !type(pid, master, t, &o, timeout_ms);
    bool same = tcgetattr(line, &after) == 0 && before.c_lflag == after.c_lflag && before.c_iflag == after.c_iflag &&
                before.c_oflag == after.c_oflag;
    o.terminal = same && last_is(&o.out, "\033[?1049l", "\033[?1049h") && last_is(&o.out, "\033[?25h", "\033[?25l")
                     ? TERMINAL_WHOLE
                     : TERMINAL_RAW;
    close(line);
    close(master);
    return o;
}

/* The shim's file has its size before a limit forbids any. */
static void make_counts(const struct slot *s)
{
    const struct fault_counts none = {0};
    char path[500];
    snprintf(path, sizeof path, "%s.counts", s->dir);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0 || write(fd, &none, sizeof none) != sizeof none)
        exit(2);
    close(fd);
}

struct outcome slot_run(const struct slot *s, const struct trial *t, const struct fault *f, int timeout_ms)
{
    make_counts(s);
    struct outcome o = t->keys ? run_terminal(s, t, f, timeout_ms) : run_plain(s, t, f, timeout_ms);
    o.counts = counted(s);
    return o;
}

void outcome_release(struct outcome *o)
{
    free(o->out.p);
    free(o->err.p);
}

/* ---- what is there ---- */

static void gather(struct snapshot *s, const char *dir, const char *name)
{
    char path[4500], below[2000];
    snprintf(path, sizeof path, "%s%s%s", dir, *name ? "/" : "", name);
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d));) {
        struct stat st;
        if (!is_entry(e))
            continue;
        snprintf(below, sizeof below, "%s%s%s", name, *name ? "/" : "", e->d_name);
        snprintf(path, sizeof path, "%s/%s", dir, below);
        if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
            gather(s, dir, below);
            continue;
        }
        s->file = realloc(s->file, (s->n + 1) * sizeof *s->file);
        s->file[s->n++] = (struct kept){strdup(below), text_of_file(path)};
    }
    if (d)
        closedir(d);
}

struct snapshot slot_snapshot(const struct slot *s, const char *name)
{
    struct snapshot now = {0};
    char dir[500];
    snprintf(dir, sizeof dir, "%s/%s", s->dir, name);
    gather(&now, dir, "");
    return now;
}

void snapshot_release(struct snapshot *s)
{
    for (size_t i = 0; i < s->n; i++) {
        free(s->file[i].name);
        free(s->file[i].content.p);
    }
    free(s->file);
}

const struct kept *snapshot_find(const struct snapshot *s, const char *name)
{
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->file[i].name, name) == 0)
            return &s->file[i];
    return NULL;
}
