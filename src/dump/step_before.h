/* The step before: the recording of an earlier step that lies beside the one that is open, same rank. Read when
 * somebody asks for it and kept until its dump is released; of runs with more than STEP_BEFORE_ROWS rows it is not
 * read, so that memory stays what one step takes. */
#ifndef DUMP_STEP_BEFORE_H
#define DUMP_STEP_BEFORE_H

#include "dump/reader.h"

#define STEP_BEFORE_ROWS 300000u

struct step_before; /* any thread may ask */

/* For the recording `places.v[at]`: the one of the same rank with the greatest smaller step, or NULL where there is
 * none. The list must outlive what is returned. */
struct step_before *step_before_of(const place_list *places, size_t at);
void step_before_free(struct step_before *p); /* NULL is fine */
/* The dump of that step as it was read, or NULL where it cannot be. Waits for the reading. */
const struct dump *step_before_dump(struct step_before *p);
int step_before_number(const struct step_before *p);

#endif
