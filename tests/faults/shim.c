/* Loaded before a program (LD_PRELOAD): counts its calls that can fail and lets the nth of one kind fail.
 *
 *   FAULT_KIND=NAME    which kind fails (shim.h: alloc, thread, open, stat, read, readdir, short, signal, write, sync,
 *                      rename, shrink, kill, delay); none: nothing fails, everything is counted
 *   FAULT_AT=N or N+   the nth call of this kind, or the nth and all after it; of delay, what seeds it
 *   FAULT_ERRNO=N      the error they end with, instead of the kind's own
 *   FAULT_PATH=PREFIX  only files below it; absolute. Without: all but /dev, /etc, /proc, /sys, /usr, /lib
 *   FAULT_PROGRAM=NAME only in a program of that name (diverge)
 *   FAULT_COUNTS=FILE  counts are left there, see shim.h
 *   FAULT_TRACE=1      where a signal that ends the program was raised, on standard error
 *   FAULT_SITES=FILE   of each kind, the number of the first call from each new place in the program: "KIND N" a line
 *   FAULT_SAY=1        counts on standard error at the end, and where the call that failed was made
 *
 *   FAULT_SAY=1 FAULT_KIND=alloc FAULT_AT=100 LD_PRELOAD=build/tests/faults.so build/diverge check DUMP */
#define _GNU_SOURCE
#include "shim.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t each);
extern void *__libc_realloc(void *p, size_t n);
extern void *__libc_memalign(size_t at, size_t n);

enum { DEPTH = 16, SITES = 1 << 16 };

static const char *const names[FAULT_KINDS] = {FAULT_NAMES};
static const int usual_error[FAULT_KINDS] = {
    [FAULT_ALLOC] = ENOMEM, [FAULT_THREAD] = EAGAIN, [FAULT_OPEN] = EIO, [FAULT_STAT] = EIO,   [FAULT_READ] = EIO,
    [FAULT_READDIR] = EIO,  [FAULT_SIGNAL] = EINTR,  [FAULT_WRITE] = ENOSPC, [FAULT_SYNC] = EIO, [FAULT_RENAME] = ENOSPC,
};

static struct fault_counts own, *counts = &own;
static bool ready, say, trace, onwards;
static int kind = -1, error, sites = -1;
static long at;
static const char *prefix;
static _Thread_local bool inside; /* what the shim itself calls is neither counted nor failed */
static atomic_uint_least64_t seen[SITES];

#define REAL(name) ((__typeof__(&name))(uintptr_t)real(#name))
static void *real(const char *name)
{
    bool was = inside;
    inside = true;
    void *f = dlsym(RTLD_NEXT, name);
    inside = was;
    return f;
}

/* ---- what ends the program ---- */

static const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP};
static struct sigaction theirs[NSIG]; /* the program's handlers, called behind ours */

static bool traced(int sig)
{
    for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++)
        if (deadly[i] == sig)
            return ready && trace;
    return false;
}

/* What the thread was at, whatever the program makes of the signal then. */
static void on_deadly(int sig, siginfo_t *info, void *context)
{
    void *frame[64];
    static _Thread_local bool begun;
    inside = true;
    if (!begun) {
        begun = true;
        char line[100]; /* dprintf asks for memory */
        int n = snprintf(line, sizeof line, "faults: signal %d, address %p, thread %d\n", sig, info->si_addr, gettid());
        ssize_t ignored = write(STDERR_FILENO, line, (size_t)n);
        (void)ignored;
        backtrace_symbols_fd(frame, backtrace(frame, 64), STDERR_FILENO);
    }
    inside = false;
    struct sigaction then = theirs[sig];
    if (then.sa_flags & SA_SIGINFO) {
        then.sa_sigaction(sig, info, context);
    } else if (then.sa_handler != SIG_DFL && then.sa_handler != SIG_IGN) {
        then.sa_handler(sig);
    } else {
        REAL(signal)(sig, SIG_DFL);
        raise(sig);
    }
}

int sigaction(int sig, const struct sigaction *restrict now, struct sigaction *restrict was)
{
    if (!traced(sig))
        return REAL(sigaction)(sig, now, was);
    if (was)
        *was = theirs[sig];
    if (!now)
        return 0;
    theirs[sig] = *now;
    struct sigaction ours = {.sa_sigaction = on_deadly, .sa_flags = (now->sa_flags & SA_ONSTACK) | SA_SIGINFO};
    return REAL(sigaction)(sig, &ours, NULL);
}

sighandler_t signal(int sig, sighandler_t now)
{
    if (!traced(sig))
        return REAL(signal)(sig, now);
    sighandler_t was = theirs[sig].sa_handler;
    theirs[sig] = (struct sigaction){.sa_handler = now};
    if (now == SIG_DFL)
        REAL(signal)(sig, SIG_DFL);
    return was;
}

static void trace_ends(void)
{
    struct sigaction ours = {.sa_sigaction = on_deadly, .sa_flags = SA_SIGINFO};
    for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++)
        REAL(sigaction)(deadly[i], &ours, &theirs[deadly[i]]);
}

/* ---- beginning and end ---- */

static void begin(void) __attribute__((constructor));
static void begin(void)
{
    const char *program = getenv("FAULT_PROGRAM"), *name = getenv("FAULT_KIND"), *n = getenv("FAULT_AT");
    const char *e = getenv("FAULT_ERRNO"), *file = getenv("FAULT_COUNTS"), *list = getenv("FAULT_SITES");
    if (strcmp(program_invocation_short_name, program ? program : "diverge") != 0)
        return;
    inside = true;
    for (int i = 0; i < FAULT_KINDS && name; i++)
        if (strcmp(name, names[i]) == 0)
            kind = i;
    at = n ? strtol(n, NULL, 10) : 0;
    onwards = n && *n && n[strlen(n) - 1] == '+';
    error = e ? (int)strtol(e, NULL, 10) : kind >= 0 ? usual_error[kind] : 0;
    prefix = getenv("FAULT_PATH");
    say = getenv("FAULT_SAY") != NULL;
    if (list)
        sites = open(list, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    int fd = file ? open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0644) : -1;
    if (fd >= 0 && ftruncate(fd, sizeof *counts) == 0) {
        void *p = mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        counts = p == MAP_FAILED ? &own : p;
    }
    if (fd >= 0)
        close(fd);
    void *warm[1];
    backtrace(warm, 1); /* it loads a library the first time */
    trace = getenv("FAULT_TRACE") != NULL;
    if (trace)
        trace_ends();
    inside = false;
    ready = true;
}

static void end(void) __attribute__((destructor));
static void end(void)
{
    if (!ready || !say)
        return;
    inside = true;
    dprintf(STDERR_FILENO, "faults:");
    for (int i = 0; i < FAULT_KINDS; i++)
        dprintf(STDERR_FILENO, " %s %ld", names[i], atomic_load(&counts->calls[i]));
    dprintf(STDERR_FILENO, ", failed %ld\n", atomic_load(&counts->failed));
    inside = false;
}

/* A line for the first call from each place: the addresses of its callers, whatever the program is loaded at. */
static void list_site(enum fault_kind k, long n)
{
    void *frame[DEPTH];
    int frames = backtrace(frame, DEPTH);
    uint64_t hash = 1469598103934665603u + (uint64_t)k;
    for (int i = 0; i < frames; i++)
        hash = (hash ^ (uint64_t)((uintptr_t)frame[i] - (uintptr_t)&begin)) * 1099511628211u;
    hash |= 1;
    for (size_t i = hash % SITES, tries = 0; tries < 64; i = (i + 1) % SITES, tries++) {
        uint_least64_t empty = 0;
        if (atomic_load(&seen[i]) == hash)
            return;
        if (atomic_compare_exchange_strong(&seen[i], &empty, hash)) {
            dprintf(sites, "%s %ld\n", names[k], n);
            return;
        }
        if (empty == hash)
            return;
    }
}

static void tell(const char *what)
{
    void *frame[DEPTH];
    dprintf(STDERR_FILENO, "faults: %s fails\n", what);
    backtrace_symbols_fd(frame, backtrace(frame, DEPTH), STDERR_FILENO);
}

/* The library the program had called. */
static void note_library(void)
{
    void *frame[DEPTH];
    Dl_info here, it;
    int n = backtrace(frame, DEPTH);
    if (!dladdr((void *)(uintptr_t)&begin, &here))
        return;
    for (int i = 0; i < n; i++) {
        if (!dladdr(frame[i], &it) || !it.dli_fname || !strstr(it.dli_fname, ".so"))
            return;
        const char *name = strrchr(it.dli_fname, '/');
        if (it.dli_fbase != here.dli_fbase && !strstr(it.dli_fname, "/libc.so"))
            snprintf(counts->library, sizeof counts->library, "%s", name ? name + 1 : it.dli_fname);
    }
}

/* A thread lets others go first now and then, sometimes for long. */
static void delay(void)
{
    static atomic_uint_least64_t threads;
    static _Thread_local uint64_t state;
    if (!ready || inside || kind != FAULT_DELAY)
        return;
    if (!state) {
        state = ((uint64_t)at * 2654435761u + atomic_fetch_add(&threads, 1) + 1) * 0x9e3779b97f4a7c15u;
        atomic_fetch_add(&counts->failed, 1);
    }
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    int kept = errno;
    if (state >> 32 < (1ull << 32) / 1000)
        nanosleep(&(struct timespec){0, (long)(state % 3000000)}, NULL);
    else if (state >> 32 < (1ull << 32) / 50)
        sched_yield();
    errno = kept;
}

/* Counts a call; whether it is to fail. */
static bool fails(enum fault_kind k, const char *what)
{
    if (!ready || inside)
        return false;
    long n = atomic_fetch_add(&counts->calls[k], 1) + 1;
    delay();
    if ((int)k != kind && sites < 0)
        return false;
    inside = true;
    int kept = errno;
    if (sites >= 0)
        list_site(k, n);
    bool now = (int)k == kind && at && (n == at || (onwards && n > at));
    if (now && atomic_fetch_add(&counts->failed, 1) == 0) {
        note_library();
        if (say)
            tell(what);
    }
    errno = now ? error : kept;
    inside = false;
    return now;
}

static bool below(const char *path)
{
    static const char *const machine[] = {"/dev/", "/etc/", "/proc/", "/sys/", "/usr/", "/lib"};
    if (prefix)
        return strncmp(path, prefix, strlen(prefix)) == 0;
    for (size_t i = 0; i < sizeof machine / sizeof *machine; i++)
        if (strncmp(path, machine[i], strlen(machine[i])) == 0)
            return false;
    return true;
}

static bool ours(const char *path)
{
    char whole[4500];
    if (!ready || inside || !path)
        return false;
    if (*path == '/')
        return below(path);
    int kept = errno;
    char *dir = getcwd(whole, 4096);
    size_t n = dir ? strlen(dir) : 0;
    snprintf(whole + n, sizeof whole - n, "/%s", path);
    errno = kept;
    return below(whole);
}

/* Of an open file, its name; false where it is no file (a pipe, a terminal), or not ours. */
static bool ours_open(int fd, char path[4096])
{
    char link[40];
    if (!ready || inside)
        return false;
    int kept = errno;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, 4095);
    errno = kept;
    path[n > 0 ? n : 0] = 0;
    return *path == '/' && below(path);
}

/* Before a change of a file. */
static void killed(const char *what)
{
    if (fails(FAULT_KILL, what))
        kill(getpid(), SIGKILL);
}

/* ---- memory ---- */

void *malloc(size_t n)
{
    return fails(FAULT_ALLOC, "malloc") ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t each)
{
    return fails(FAULT_ALLOC, "calloc") ? NULL : __libc_calloc(n, each);
}

void *realloc(void *p, size_t n)
{
    return fails(FAULT_ALLOC, "realloc") ? NULL : __libc_realloc(p, n);
}

void *aligned_alloc(size_t boundary, size_t n)
{
    return fails(FAULT_ALLOC, "aligned_alloc") ? NULL : __libc_memalign(boundary, n);
}

int posix_memalign(void **out, size_t boundary, size_t n)
{
    void *p = fails(FAULT_ALLOC, "posix_memalign") ? NULL : __libc_memalign(boundary, n);
    if (!p)
        return ENOMEM;
    *out = p;
    return 0;
}

void *mmap(void *where, size_t n, int protection, int flags, int fd, off_t from)
{
    if ((flags & MAP_ANONYMOUS) && fails(FAULT_ALLOC, "mmap"))
        return MAP_FAILED;
    return REAL(mmap)(where, n, protection, flags, fd, from);
}

void *mmap64(void *where, size_t n, int protection, int flags, int fd, off64_t from)
{
    if ((flags & MAP_ANONYMOUS) && fails(FAULT_ALLOC, "mmap64"))
        return MAP_FAILED;
    return REAL(mmap64)(where, n, protection, flags, fd, from);
}

int pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*work)(void *), void *ctx)
{
    if (fails(FAULT_THREAD, "pthread_create"))
        return error;
    bool was = inside;
    inside = true; /* its stack is the thread's, no allocation of its own */
    int rc = REAL(pthread_create)(t, a, work, ctx);
    inside = was;
    return rc;
}

/* ---- order of threads ---- */

int pthread_mutex_lock(pthread_mutex_t *m)
{
    static __typeof__(&pthread_mutex_lock) next;
    if (!next)
        next = REAL(pthread_mutex_lock);
    delay();
    return next(m);
}

int pthread_mutex_unlock(pthread_mutex_t *m)
{
    static __typeof__(&pthread_mutex_unlock) next;
    if (!next)
        next = REAL(pthread_mutex_unlock);
    int rc = next(m);
    delay();
    return rc;
}

/* ---- files by name ---- */

static bool open_fails(const char *path, int flags)
{
    if (!ours(path))
        return false;
    if (flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC))
        killed("open");
    return fails(FAULT_SIGNAL, "open") || fails(FAULT_OPEN, "open");
}

#define MODE_OF(flags, mode) \
    do { \
        va_list more; \
        va_start(more, flags); \
        mode = (flags) & (O_CREAT | __O_TMPFILE) ? va_arg(more, mode_t) : 0; \
        va_end(more); \
    } while (0)

int open(const char *path, int flags, ...)
{
    mode_t mode;
    MODE_OF(flags, mode);
    return open_fails(path, flags) ? -1 : REAL(open)(path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    mode_t mode;
    MODE_OF(flags, mode);
    return open_fails(path, flags) ? -1 : REAL(open64)(path, flags, mode);
}

int openat(int dir, const char *path, int flags, ...)
{
    mode_t mode;
    MODE_OF(flags, mode);
    return open_fails(path, flags) ? -1 : REAL(openat)(dir, path, flags, mode);
}

int openat64(int dir, const char *path, int flags, ...)
{
    mode_t mode;
    MODE_OF(flags, mode);
    return open_fails(path, flags) ? -1 : REAL(openat64)(dir, path, flags, mode);
}

FILE *fopen(const char *path, const char *how)
{
    return open_fails(path, *how == 'r' ? O_RDONLY : O_WRONLY) ? NULL : REAL(fopen)(path, how);
}

FILE *fopen64(const char *path, const char *how)
{
    return open_fails(path, *how == 'r' ? O_RDONLY : O_WRONLY) ? NULL : REAL(fopen64)(path, how);
}

DIR *opendir(const char *path)
{
    return open_fails(path, O_RDONLY) ? NULL : REAL(opendir)(path);
}

#define BY_NAME(kind, name, path, args) \
    do { \
        if (ours(path)) { \
            if (kind == FAULT_RENAME) \
                killed(#name); \
            if (fails(kind, #name)) \
                return -1; \
        } \
        return REAL(name) args; \
    } while (0)

int stat(const char *restrict path, struct stat *restrict out)
{
    BY_NAME(FAULT_STAT, stat, path, (path, out));
}

int stat64(const char *restrict path, struct stat64 *restrict out)
{
    BY_NAME(FAULT_STAT, stat64, path, (path, out));
}

int lstat(const char *restrict path, struct stat *restrict out)
{
    BY_NAME(FAULT_STAT, lstat, path, (path, out));
}

int lstat64(const char *restrict path, struct stat64 *restrict out)
{
    BY_NAME(FAULT_STAT, lstat64, path, (path, out));
}

int access(const char *path, int how)
{
    BY_NAME(FAULT_STAT, access, path, (path, how));
}

char *realpath(const char *restrict path, char *restrict out)
{
    return ours(path) && fails(FAULT_STAT, "realpath") ? NULL : REAL(realpath)(path, out);
}

int rename(const char *old, const char *new)
{
    BY_NAME(FAULT_RENAME, rename, new, (old, new));
}

int link(const char *old, const char *new)
{
    BY_NAME(FAULT_RENAME, link, new, (old, new));
}

int unlink(const char *path)
{
    BY_NAME(FAULT_RENAME, unlink, path, (path));
}

int remove(const char *path)
{
    BY_NAME(FAULT_RENAME, remove, path, (path));
}

int mkdir(const char *path, mode_t mode)
{
    BY_NAME(FAULT_RENAME, mkdir, path, (path, mode));
}

/* ---- open files ---- */

/* The file is cut in the middle of what it was, once its size is known; its times stay. */
static void shrink(const char *path, const struct timespec times[2], off_t size)
{
    inside = true;
    if (truncate(path, size / 2) || utimensat(AT_FDCWD, path, times, 0))
        dprintf(STDERR_FILENO, "faults: %s cannot be cut\n", path);
    inside = false;
}

#define BY_STAT(name, fd, out) \
    do { \
        char path[4096]; \
        bool mine = ours_open(fd, path); \
        if (mine && fails(FAULT_STAT, #name)) \
            return -1; \
        int rc = REAL(name)(fd, out); \
        if (rc == 0 && mine && S_ISREG((out)->st_mode) && (out)->st_size && fails(FAULT_SHRINK, #name)) \
            shrink(path, (const struct timespec[]){(out)->st_atim, (out)->st_mtim}, (out)->st_size); \
        return rc; \
    } while (0)

int fstat(int fd, struct stat *out)
{
    BY_STAT(fstat, fd, out);
}

int fstat64(int fd, struct stat64 *out)
{
    BY_STAT(fstat64, fd, out);
}

static bool read_fails(int fd, const char *what, size_t *n)
{
    char path[4096];
    if (!ours_open(fd, path))
        return false;
    if (fails(FAULT_SIGNAL, what) || fails(FAULT_READ, what))
        return true;
    if (*n > 1 && fails(FAULT_SHORT, what))
        *n /= 2;
    return false;
}

ssize_t read(int fd, void *out, size_t n)
{
    return read_fails(fd, "read", &n) ? -1 : REAL(read)(fd, out, n);
}

ssize_t pread(int fd, void *out, size_t n, off_t from)
{
    return read_fails(fd, "pread", &n) ? -1 : REAL(pread)(fd, out, n, from);
}

ssize_t pread64(int fd, void *out, size_t n, off64_t from)
{
    return read_fails(fd, "pread64", &n) ? -1 : REAL(pread64)(fd, out, n, from);
}

struct dirent *readdir(DIR *d)
{
    char path[4096];
    return ours_open(dirfd(d), path) && fails(FAULT_READDIR, "readdir") ? NULL : REAL(readdir)(d);
}

struct dirent64 *readdir64(DIR *d)
{
    char path[4096];
    return ours_open(dirfd(d), path) && fails(FAULT_READDIR, "readdir64") ? NULL : REAL(readdir64)(d);
}

/* Whether a write of *n bytes fails; *n becomes what is written of it. */
static bool write_fails(int fd, const char *what, const void *p, size_t *n)
{
    char path[4096];
    if (!ours_open(fd, path))
        return false;
    if (fails(FAULT_KILL, what)) {
        ssize_t half = REAL(write)(fd, p, *n / 2);
        (void)half;
        kill(getpid(), SIGKILL);
    }
    if (fails(FAULT_SIGNAL, what) || fails(FAULT_WRITE, what))
        return true;
    if (*n > 1 && fails(FAULT_SHORT, what))
        *n /= 2;
    return false;
}

ssize_t write(int fd, const void *p, size_t n)
{
    return write_fails(fd, "write", p, &n) ? -1 : REAL(write)(fd, p, n);
}

ssize_t pwrite(int fd, const void *p, size_t n, off_t to)
{
    return write_fails(fd, "pwrite", p, &n) ? -1 : REAL(pwrite)(fd, p, n, to);
}

ssize_t pwrite64(int fd, const void *p, size_t n, off64_t to)
{
    return write_fails(fd, "pwrite64", p, &n) ? -1 : REAL(pwrite64)(fd, p, n, to);
}

#define BY_OPEN(kind, name, fd, args) \
    do { \
        char path[4096]; \
        if (ours_open(fd, path)) { \
            killed(#name); \
            if (fails(kind, #name)) \
                return -1; \
        } \
        return REAL(name) args; \
    } while (0)

int ftruncate(int fd, off_t n)
{
    BY_OPEN(FAULT_WRITE, ftruncate, fd, (fd, n));
}

int ftruncate64(int fd, off64_t n)
{
    BY_OPEN(FAULT_WRITE, ftruncate64, fd, (fd, n));
}

int fsync(int fd)
{
    BY_OPEN(FAULT_SYNC, fsync, fd, (fd));
}

int fdatasync(int fd)
{
    BY_OPEN(FAULT_SYNC, fdatasync, fd, (fd));
}
