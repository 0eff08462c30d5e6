/* Kinds of checksums by length and prefix: CRC-32, msprobe's XOR of words, MD5, SHA-1, other kinds. */
#include "dump/checksum.h"

#include <string.h>

#define XOR_NOTHING "0x0000000000000000"

bool checksum_is_xor(const char *text)
{
    return strncmp(text, "0x", 2) == 0 && strlen(text) == strlen(XOR_NOTHING);
}

enum checksum_answer checksum_compare(const char *a, const char *b)
{
    size_t n = strlen(a);
    bool hex = strncmp(a, "0x", 2) == 0;
    if (n != strlen(b) || hex != (strncmp(b, "0x", 2) == 0))
        return CHECKSUM_OTHER;
    if (strcmp(a, b) != 0)
        return CHECKSUM_DIFFER;
    return strcmp(a, XOR_NOTHING) == 0 ? CHECKSUM_OTHER : CHECKSUM_SAME;
}
