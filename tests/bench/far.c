/* Loaded before a program (LD_PRELOAD): files below the folder FAR_UNDER lie as far away as on a network file system.
 * Opening one, asking what lies at a path, listing a folder and the first read of what no read-ahead has fetched take
 * FAR_MS milliseconds each; what an open file tells of itself, and reading on, take none. FAR_CALLS names a file to
 * which "OPENED LOOKED READ" is written: how often each was waited for. */
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FILES 65536
#define READ_AHEAD (1 << 20)

enum { OPENED, LOOKED, READ, KINDS };

static atomic_ulong calls[KINDS];
/* 1 and how many bytes of the file or folder are here; 0: it is not far away */
static atomic_uint_fast64_t fetched[FILES];

#define NEXT(name) static __typeof__(name) *next; if (!next) *(void **)&next = dlsym(RTLD_NEXT, #name)

static bool is_far(const char *path)
{
    const char *under = getenv("FAR_UNDER");
    return under && path && strncmp(path, under, strlen(under)) == 0;
}

static void travel(int kind)
{
    double ms = getenv("FAR_MS") ? atof(getenv("FAR_MS")) : 0;
    struct timespec t = {(time_t)(ms / 1000), (long)(ms * 1e6) % 1000000000};
    atomic_fetch_add(&calls[kind], 1);
    nanosleep(&t, NULL);
}

static int opened(int fd, bool far)
{
    if (fd >= 0 && fd < FILES)
        atomic_store(&fetched[fd], far ? 1 : 0);
    return fd;
}

int open(const char *path, int flags, ...)
{
    va_list ap;
    va_start(ap, flags);
    mode_t mode = flags & O_CREAT ? va_arg(ap, mode_t) : 0;
    va_end(ap);
    NEXT(open);
    if (is_far(path))
        travel(OPENED);
    return opened(next(path, flags, mode), is_far(path));
}

int openat(int dir, const char *path, int flags, ...)
{
    va_list ap;
    va_start(ap, flags);
    mode_t mode = flags & O_CREAT ? va_arg(ap, mode_t) : 0;
    va_end(ap);
    NEXT(openat);
    bool far = is_far(path) || (*path != '/' && dir >= 0 && dir < FILES && atomic_load(&fetched[dir]));
    if (far)
        travel(OPENED);
    return opened(next(dir, path, flags, mode), far);
}

DIR *opendir(const char *path)
{
    NEXT(opendir);
    if (is_far(path))
        travel(OPENED);
    return next(path);
}

int stat(const char *path, struct stat *st)
{
    NEXT(stat);
    if (is_far(path))
        travel(LOOKED);
    return next(path, st);
}

int lstat(const char *path, struct stat *st)
{
    NEXT(lstat);
    if (is_far(path))
        travel(LOOKED);
    return next(path, st);
}

int fstatat(int dir, const char *path, struct stat *st, int flags)
{
    NEXT(fstatat);
    if (*path && is_far(path))
        travel(LOOKED);
    return next(dir, path, st, flags);
}

static void fetch(int fd, uint64_t at, size_t n)
{
    uint64_t have = fd >= 0 && fd < FILES ? atomic_load(&fetched[fd]) : 0;
    if (!have)
        return;
    if (have == 1 || at > have - 1)
        travel(READ);
    if (at + n + READ_AHEAD + 1 > have)
        atomic_store(&fetched[fd], at + n + READ_AHEAD + 1);
}

ssize_t read(int fd, void *out, size_t n)
{
    NEXT(read);
    if (fd >= 0 && fd < FILES && atomic_load(&fetched[fd])) {
        off_t at = lseek(fd, 0, SEEK_CUR);
        fetch(fd, at > 0 ? (uint64_t)at : 0, n);
    }
    return next(fd, out, n);
}

ssize_t pread(int fd, void *out, size_t n, off_t at)
{
    NEXT(pread);
    fetch(fd, (uint64_t)at, n);
    return next(fd, out, n, at);
}

/* What programs built for large files call; here it is the same. */
int open64(const char *path, int flags, ...) __attribute__((alias("open")));
int openat64(int dir, const char *path, int flags, ...) __attribute__((alias("openat")));
int stat64(const char *path, struct stat64 *st) __attribute__((alias("stat")));
int lstat64(const char *path, struct stat64 *st) __attribute__((alias("lstat")));
int fstatat64(int dir, const char *path, struct stat64 *st, int flags) __attribute__((alias("fstatat")));
ssize_t pread64(int fd, void *out, size_t n, off64_t at) __attribute__((alias("pread")));

__attribute__((destructor)) static void finish(void)
{
    FILE *f = getenv("FAR_CALLS") ? fopen(getenv("FAR_CALLS"), "w") : NULL;
    if (!f)
        return;
    fprintf(f, "%lu %lu %lu\n", calls[OPENED], calls[LOOKED], calls[READ]);
    fclose(f);
}
