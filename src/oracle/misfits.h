/* Recorded calls whose arguments contradict the sizes or the figures of their tensors by their operator's row: nothing
 * is read but what the recording says, so that statistics are enough. */
#ifndef ORACLE_MISFITS_H
#define ORACLE_MISFITS_H

#include <stdatomic.h>

#include "measure/measure.h"

/* Per line, 1 << side: that side's row belongs to such a call, of a joined recording on one of its ranks; NULL: none
 * does, or *cancel (may be NULL) was set meanwhile. The caller frees it. Cut recordings have sizes of their own: theirs
 * are left out. */
uint8_t *misfits_find(const struct measure *m, const atomic_bool *cancel);

#endif
