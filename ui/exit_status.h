/* The exit statuses, one table for every command, also printed by --help and the man page. */
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
    EXIT_TERMINATED = 143, /* as shells report a program ended by SIGTERM */
};

struct exit_meaning {
    int status;
    const char *text; /* untranslated */
};

extern const struct exit_meaning exit_meanings[]; /* text NULL at the end */

/* The exit status for an error. */
int exit_status_of(const struct err *e);

#endif
