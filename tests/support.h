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

#endif
