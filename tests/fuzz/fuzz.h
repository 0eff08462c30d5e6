/* What the fuzz targets share: inputs as files in memory, one folder a process, an input cut into
 * several files at lines of "%%". */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* memfd_create */
#endif
#include <assert.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "num/figures.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Elements a target is ready to read: a tensor may claim any number with strides of 0. */
#define FUZZ_ELEMENTS (1u << 16)

static inline struct str fuzz_str(const uint8_t *data, size_t size)
{
    return str_n((const char *)data, size);
}

static inline void fuzz_write(int fd, struct str s)
{
    while (s.n) {
        ssize_t n = write(fd, s.p, s.n);
        if (n <= 0)
            abort();
        s = str_cut(s, (size_t)n);
    }
}

/* A file that holds s and has this path until the next call. */
static inline const char *fuzz_file(struct str s)
{
    static char path[64];
    static int fd = -1;
    if (fd < 0 && (fd = memfd_create("fuzz", 0)) < 0)
        abort();
    if (ftruncate(fd, 0) || lseek(fd, 0, SEEK_SET))
        abort();
    fuzz_write(fd, s);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return path;
}

/* A folder of this process, in memory where the system has such a place. tests/fuzz/run removes it. */
static inline const char *fuzz_dir(void)
{
    static char dir[512];
    const char *base = getenv("FUZZ_DIR");
    if (*dir)
        return dir;
    snprintf(dir, sizeof dir, "%s/diverge-fuzz-XXXXXX",
             base ? base : access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!mkdtemp(dir))
        abort();
    return dir;
}

/* Its folder of one side, 0 or 1. */
static inline const char *fuzz_side(int side)
{
    static char dir[2][600];
    if (!*dir[side]) {
        snprintf(dir[side], sizeof dir[side], "%s/%d", fuzz_dir(), side);
        if (mkdir(dir[side], 0755))
            abort();
    }
    return dir[side];
}

/* Writes dir/name and returns its path (a static buffer). */
static inline const char *fuzz_put(const char *dir, const char *name, struct str s)
{
    static char path[1024];
    int n = snprintf(path, sizeof path, "%s/%s", dir, name);
    int fd = n < (int)sizeof path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644) : -1;
    if (fd < 0)
        abort();
    fuzz_write(fd, s);
    close(fd);
    return path;
}

/* What stands before the next line "%%", which is taken away. */
static inline struct str fuzz_part(struct str *rest)
{
    for (size_t i = 0; i + 4 <= rest->n; i++)
        if (memcmp(rest->p + i, "\n%%\n", 4) == 0) {
            struct str part = str_n(rest->p, i + 1);
            *rest = str_cut(*rest, i + 4);
            return part;
        }
    struct str all = *rest;
    *rest = str_n(rest->p + rest->n, 0);
    return all;
}

/* Reads a tensor to its end, unless it claims more elements than a fuzz run has time for. */
static inline void fuzz_figures(const struct tensor *t)
{
    struct side_figures f;
    struct err e;
    if (t->numel > FUZZ_ELEMENTS)
        return;
    if (figures_one(kern_select(NULL), t, &f, NULL, &e) == 0)
        assert(f.count == t->numel && f.nan + f.inf <= f.count && f.zero <= f.count);
    else
        assert(e.text[0]);
}

#endif
