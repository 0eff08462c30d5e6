/* What a recorded checksum is, by how it is written: tools have several, and one kind says nothing of another. */
#ifndef DUMP_CHECKSUM_H
#define DUMP_CHECKSUM_H

#include <stdbool.h>

enum checksum_answer {
    CHECKSUM_OTHER,  /* of different kinds, or of a kind that cannot tell these two apart: nothing is known */
    CHECKSUM_DIFFER,
    CHECKSUM_SAME,
};

/* Two checksums of tensors of one type. msprobe's `xor` (16 digits behind 0x: all 8-byte words, XORed) is 0 for equal
 * values that cancel each other in pairs, whatever they are: two zeros tell nothing. */
enum checksum_answer checksum_compare(const char *a, const char *b);
bool checksum_is_xor(const char *text);

#endif
