/* What was done on the screen, as lines of the command line that do the same. */
#ifndef CMD_ACTION_LOG_H
#define CMD_ACTION_LOG_H

#include "base/vec.h"
#include "ticket/investigation.h"

struct workspace;
struct command;

struct action_log {
    VEC(char *) lines;     /* the latest last */
    size_t decided, found; /* how much of the investigation's lists they tell */
};

/* Decisions and findings made earlier are not told. */
void action_log_begin(struct action_log *l, const struct investigation *v);
void action_log_release(struct action_log *l);
/* Adds the lines of a command that was just run with these arguments: none if it changed nothing and wrote nothing. */
void action_log_add(struct workspace *d, const struct command *c, struct str args);

#endif
