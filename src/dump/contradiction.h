/* What a recording says of a tensor (type, sizes, figures) against the tensor's own file: files that were exchanged,
 * truncated or overwritten contradict it. */
#ifndef DUMP_CONTRADICTION_H
#define DUMP_CONTRADICTION_H

#include "dump/dump.h"
#include "num/figures.h"
#include "num/tensor.h"

/* Which figures (HAS_MAX …) were recorded, and not computed from a file. */
static inline unsigned recorded_figures(const struct row *r)
{
    return r->has & (HAS_MAX | HAS_MIN | HAS_MEAN | HAS_NORM) & ~((unsigned)r->has >> IS_COMPUTED);
}
/* Whether figures computed from all elements of the row's file contradict the recorded ones; f: of all elements. Sets e
 * to a sentence that names the file. Recorded figures are compared within the digits they are printed with and the
 * arithmetic in which tools compute them; those that the recording left out say nothing. */
bool figures_contradict(const struct dump *d, uint32_t row, const struct side_figures *f, const char *file,
                        struct err *e);
/* Whether a row's recorded figures are not those of the other end of its call, which only moves elements. */
bool moved_figures_contradict(const struct dump *d, uint32_t row);
/* The same of its type and its sizes. */
bool header_contradicts(const struct dump *d, uint32_t row, const struct tensor *t, struct err *e);

#endif
