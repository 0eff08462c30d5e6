/* Writes digests (fmt/digest.h, doc/formats.md). */
#ifndef REPORT_DIGEST_WRITE_H
#define REPORT_DIGEST_WRITE_H

#include "base/out.h"
#include "dump/dump.h"

struct digest_place {
    int step, rank;
    uint64_t from, bytes;
    uint32_t crc;
};
struct digest_writing {
    struct out *out;
    uint64_t written; /* bytes written to `out` */
    size_t summed;    /* bytes of its buffer that the checksum includes */
    uint32_t crc;     /* of the place so far, then of their list */
    VEC(struct digest_place) places;
};

void digest_begin(struct digest_writing *w, struct out *out);
/* Adds one step's recording of one rank, with its sketches (dump/computed_sketches.h). */
void digest_add(struct digest_writing *w, const struct dump *d);
void digest_end(struct digest_writing *w);

#endif
