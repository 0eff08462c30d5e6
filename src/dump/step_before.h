/* The recording of an earlier step of the same rank, found beside the open one. It is read on demand and kept until
 * its dump is released; it is not read if the open run has more than STEP_BEFORE_ROWS rows, to bound memory. */
#ifndef DUMP_STEP_BEFORE_H
#define DUMP_STEP_BEFORE_H

#include "dump/reader.h"

#define STEP_BEFORE_ROWS 300000u

struct step_before; /* thread-safe */

/* For the recording places->v[at]: the one of the same rank with the greatest smaller step, or NULL. The list must
 * outlive the result. */
struct step_before *step_before_of(const place_list *places, size_t at);
void step_before_free(struct step_before *p); /* NULL is allowed */
/* The dump of that step, or NULL if it cannot be read. Waits until it has been read. */
const struct dump *step_before_dump(struct step_before *p);
int step_before_number(const struct step_before *p);

#endif
