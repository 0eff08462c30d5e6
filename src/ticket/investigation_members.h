/* What an investigation's file holds, member by member: how each is read, written and merged. */
#ifndef TICKET_INVESTIGATION_MEMBERS_H
#define TICKET_INVESTIGATION_MEMBERS_H

#include "base/record.h"
#include "ticket/investigation.h"

extern const struct member investigation_members[];
/* Of the same table: from where on it is what a person did with the inputs. */
extern const struct member *const investigation_left;

/* A limit that is not the default, or one that a newer version knows, the i-th of them: its key, NULL behind the
 * last. */
const char *investigation_limit(const struct investigation *v, size_t i, double *value);
/* Sets it; key's text must live as long as v. */
void investigation_set_limit(struct investigation *v, const char *key, double value);

#endif
