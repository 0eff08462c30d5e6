/* A digest: a reduced recording for places where tensors cannot be copied to. It holds calls and rows with their
 * figures, and a sketch of each tensor (num/sketch.h), of all ranks and steps in one file (doc/formats.md). Written
 * by report/digest_write.h. */
#ifndef FMT_DIGEST_H
#define FMT_DIGEST_H

#include "dump/reader.h"

#define DIGEST_VERSION 1
/* Begins the last line; then the offset of the list of places, 20 digits, and the list's CRC-32, 8 of base 16. */
#define DIGEST_INDEX "digest index "

extern const struct reader reader_digest;

static inline bool dump_is_digest(const struct dump *d)
{
    return d->reader == &reader_digest;
}

/* The smallest relative distance that can be detected in most rows with a tensor; NaN if d is no digest or fewer than
 * half have sketches. */
double digest_precision(const struct dump *d);

#endif
