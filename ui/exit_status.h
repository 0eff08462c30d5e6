/* How the program ends: one table for every command, which --help and the man page print. */
#ifndef UI_EXIT_STATUS_H
#define UI_EXIT_STATUS_H

#include "base/err.h"
#include "base/str.h"

enum exit_status {
    EXIT_ALIGNED = 0,
    EXIT_DEVIATES = 1,
    EXIT_USAGE = 2,
    EXIT_UNOPENED = 3,
    EXIT_INTERRUPTED = 4,
    EXIT_UNJUDGED = 5,
    EXIT_SYSTEM = 6,
    EXIT_TERMINATED = 143, /* what a shell says of a program that SIGTERM ended */
};

struct exit_meaning {
    int status;
    const char *text; /* untranslated */
};

extern const struct exit_meaning exit_meanings[]; /* text NULL at the end */

/* The status that goes with an error. */
int exit_status_of(const struct err *e);

#endif
