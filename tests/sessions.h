/* Whole comparisons for unit tests: run to the end, or failed with the session's sentence. */
#ifndef TESTS_SESSIONS_H
#define TESTS_SESSIONS_H

#include "support.h"

#include "session/session.h"

/* On the heap: a test that fails leaves its threads behind. golden NULL: one side. Strings must outlive it. */
static inline struct session *open_paths(const char *target, const char *golden)
{
    struct session *s = calloc(1, sizeof *s);
    struct session_options o = {.of.path = {target, golden}, .of.step = {-1, -1}, .of.rank = {-1, -1}};
    struct err e;
    thresholds_init(&o.of.tol);
    if (session_start(s, &o, &e) || session_wait(s, &e))
        fail_msg("%s", e.text);
    return s;
}

static inline void shut(struct session *s)
{
    session_stop(s);
    free(s);
}

#endif
