/* What the unit tests share: cmocka with the headers it needs, and where the samples are. */
#ifndef TESTS_SUPPORT_H
#define TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A path below the unpacked samples (tests/run sets DIVERGE_SAMPLES); a static buffer, eight calls deep. */
static inline const char *sample(const char *name)
{
    static char path[8][1024];
    static int next;
    const char *root = getenv("DIVERGE_SAMPLES");
    char *p = path[next++ % 8];
    snprintf(p, sizeof path[0], "%s/%s", root ? root : "build/samples", name);
    return p;
}

/* A folder of this test's own, empty, below $TMPDIR; removed by the system's cleaning. */
static inline const char *scratch(void)
{
    static char dir[256];
    const char *tmp = getenv("TMPDIR");
    snprintf(dir, sizeof dir, "%s/diverge-test-XXXXXX", tmp ? tmp : "/tmp");
    return mkdtemp(dir);
}

/* dir/name; a static buffer, sixteen calls deep. */
static inline char *path_in(const char *dir, const char *name)
{
    static char path[16][1200];
    static int next;
    char *out = path[next++ % 16];
    assert_true(snprintf(out, sizeof path[0], "%s/%s", dir, name) < (int)sizeof path[0]);
    return out;
}

/* Writes dir/name, and the folders in name; its path, as path_in gives it. */
static inline const char *put_bytes(const char *dir, const char *name, const void *bytes, size_t n)
{
    char *out = path_in(dir, name);
    for (char *p = out + strlen(dir) + 1; (p = strchr(p, '/')); *p++ = '/') {
        *p = 0;
        mkdir(out, 0755);
    }
    FILE *f = fopen(out, "wb");
    assert_non_null(f);
    assert_true(fwrite(bytes, 1, n, f) == n);
    assert_true(fclose(f) == 0);
    return out;
}

static inline const char *put_text(const char *dir, const char *name, const char *text)
{
    return put_bytes(dir, name, text, strlen(text));
}

#endif
