/* The members of an investigation's file: how each is read, written and merged. */
#ifndef TICKET_INVESTIGATION_MEMBERS_H
#define TICKET_INVESTIGATION_MEMBERS_H

#include "base/record.h"
#include "ticket/investigation.h"

extern const struct member investigation_members[];
/* The part of the table from which on members are the user's work, not inputs. */
extern const struct member *const investigation_left;

/* The i-th limit that differs from the default or is unknown to this version: its key; NULL after the last. */
const char *investigation_limit(const struct investigation *v, size_t i, double *value);
/* Sets a limit; the text of key must live as long as v. */
void investigation_set_limit(struct investigation *v, const char *key, double value);

#endif
