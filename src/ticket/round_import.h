/* A result that compare --json wrote, as a round: what changed between two of them can be told like between two
 * investigations (doc/cli-json.md has the shape). */
#ifndef TICKET_ROUND_IMPORT_H
#define TICKET_ROUND_IMPORT_H

#include "ticket/round.h"

/* r is initialised and empty, and to be released in any case. A file of any size: rows are read one by one. -1 where it
 * is no such result; the message says what was expected. */
int round_from_result(struct round *r, const char *path, struct err *e);

#endif
