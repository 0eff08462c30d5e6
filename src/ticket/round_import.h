/* Reads a result of compare --json as a round, so that two results can be compared like two rounds (doc/cli-json.md
 * has the format). */
#ifndef TICKET_ROUND_IMPORT_H
#define TICKET_ROUND_IMPORT_H

#include "ticket/round.h"

/* r is initialised and empty; release it in any case. Files of any size: rows are read one by one. -1 if it is no
 * such result; the message says what was expected. */
int round_from_result(struct round *r, const char *path, struct err *e);

#endif
