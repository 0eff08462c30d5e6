/* CRC-32 of ranges of files, as zip archives, digests and packs store it. */
#ifndef BASE_CHECKSUM_RANGE_H
#define BASE_CHECKSUM_RANGE_H

#include "base/io.h"

/* A range of a file whose CRC-32 was stored beside it; size 0: none was. */
struct sealed {
    uint64_t at, size; /* bytes */
    uint32_t crc;
};

uint32_t crc_of(uint32_t before, const void *p, size_t n); /* before: of the bytes in front, 0 at the start */
/* Whether a stored checksum is that of the bytes. A fuzzer's build takes any: no mutation would come behind it. */
bool crc_same(uint32_t stored, uint32_t of_bytes);
/* Reads the eight lower-case digits in which digests and packs write a CRC-32; false: text is anything else. */
bool crc_parse(struct str text, uint32_t *crc);
/* -1 with a sentence that names file and place if the range does not have its CRC-32, or cannot be read. */
int sealed_verify(const struct file *f, const struct sealed *s, struct err *e);

#endif
