/* LD_PRELOAD: a file whose path holds "slow" is opened, and reading it comes to no end while it is named so, as from a
 * server that has gone away. With SLOW_FRAMES set what the first thread writes to the terminal comes half a second
 * late, and so does what the others say on standard error: a busy machine. With SLOW_INT_DEFAULT set an interrupt is
 * not ignored, as it is in what a shell starts in the background. */
#undef _FILE_OFFSET_BITS /* both names are needed */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

__attribute__((constructor)) static void heed_interrupts(void)
{
    if (getenv("SLOW_INT_DEFAULT"))
        signal(SIGINT, SIG_DFL);
}

static void wait_if_slow(int fd)
{
    char link[40], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    for (;;) {
        ssize_t n = readlink(link, path, sizeof path - 1);
        path[n > 0 ? n : 0] = 0;
        if (!strstr(path, "slow"))
            return;
        usleep(10000);
    }
}

ssize_t pread64(int fd, void *p, size_t n, off64_t at)
{
    ssize_t (*real)(int, void *, size_t, off64_t);
    *(void **)&real = dlsym(RTLD_NEXT, "pread64");
    wait_if_slow(fd);
    return real(fd, p, n, at);
}

ssize_t pread(int fd, void *p, size_t n, off_t at)
{
    return pread64(fd, p, n, at);
}

ssize_t write(int fd, const void *p, size_t n)
{
    ssize_t (*real)(int, const void *, size_t);
    *(void **)&real = dlsym(RTLD_NEXT, "write");
    if (fd == (gettid() == getpid() ? STDOUT_FILENO : STDERR_FILENO) && getenv("SLOW_FRAMES"))
        usleep(500000);
    return real(fd, p, n);
}
