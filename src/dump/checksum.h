/* The kind of a recorded checksum, detected from its form: tools use several kinds, which cannot be compared with
 * each other. */
#ifndef DUMP_CHECKSUM_H
#define DUMP_CHECKSUM_H

#include <stdbool.h>

#include "base/str.h"

enum checksum_answer {
    CHECKSUM_OTHER,  /* different kinds, or a kind that cannot decide this case: unknown */
    CHECKSUM_DIFFER,
    CHECKSUM_SAME,
};

/* Compares two checksums of tensors of one type. msprobe's `xor` (0x and 16 digits: the XOR of all 8-byte words) is 0
 * whenever words cancel in pairs: two zeros prove nothing. */
enum checksum_answer checksum_compare(const char *a, const char *b);
bool checksum_is_xor(const char *text);
/* Whether a text has the form of a checksum of bits: hexadecimal digits, behind 0x or not. TorchTitan's hashes are
 * norms, "1.2345e+03", and one kind among themselves. */
bool checksum_is_one(struct str text);

/* Appends a digest of any form as one that can be compared: hexadecimal digits as they are, anything else (a number,
 * base 64, "sha256:…") by 64 bits that its characters give, so that all of one form have one length. */
void checksum_write(struct str digest, struct buf *out);

#endif
