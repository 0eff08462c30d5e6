/* A digest: what is kept of a recording where its tensors cannot go. Its calls and rows with their figures, and of each
 * tensor a sketch (num/sketch.h), of all ranks and steps in one file (doc/formats.md). report/digest_write.h writes
 * it. */
#ifndef FMT_DIGEST_H
#define FMT_DIGEST_H

#include "dump/reader.h"

#define DIGEST_VERSION 1
#define DIGEST_INDEX "digest index " /* the last line: and where the list of places begins, 20 digits */

extern const struct reader reader_digest;

static inline bool dump_is_digest(const struct dump *d)
{
    return d->reader == &reader_digest;
}

/* The smallest relative distance it can tell in most rows with a tensor; NaN where it is no digest, or has sketches of
 * fewer than half. */
double digest_precision(const struct dump *d);

#endif
