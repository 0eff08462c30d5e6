/* Kinds of checksums by length and prefix: CRC-32, msprobe's XOR of words, MD5, SHA-1, other kinds; norms that
 * TorchTitan calls hashes. */
#include "dump/checksum.h"

#include <stdint.h>
#include <string.h>

#define XOR_NOTHING "0x0000000000000000"
#define DECIMAL_DIGITS 20 /* of 64 bits */
#define CRC32_DIGITS 8
#define WORD_DIGITS 16

bool checksum_is_xor(const char *text)
{
    return strncmp(text, "0x", 2) == 0 && strlen(text) == strlen(XOR_NOTHING);
}

bool checksum_is_one(struct str text)
{
    if (str_starts(text, "0x"))
        text = str_cut(text, 2);
    for (size_t i = 0; i < text.n; i++)
        if (!strchr("0123456789abcdefABCDEF", text.p[i]) || !text.p[i])
            return false;
    return text.n > 0;
}

/* A number of up to 64 bits without leading zeros, or decimal, as PyTorch's hashes: its length says nothing. */
static bool is_unpadded(const char *text)
{
    size_t n = strlen(text);
    return n <= DECIMAL_DIGITS && n != CRC32_DIGITS && n != WORD_DIGITS;
}

enum checksum_answer checksum_compare(const char *a, const char *b)
{
    bool sum[2] = {checksum_is_one(str_of(a)), checksum_is_one(str_of(b))};
    bool hex = strncmp(a, "0x", 2) == 0;
    bool lengths = strlen(a) == strlen(b) || is_unpadded(a) || is_unpadded(b);
    if (sum[0] != sum[1] || (sum[0] && (!lengths || hex != (strncmp(b, "0x", 2) == 0))))
        return CHECKSUM_OTHER;
    if (sum[0] ? !str_ieq(str_of(a), str_of(b)) : strcmp(a, b) != 0)
        return CHECKSUM_DIFFER;
    return strcmp(a, XOR_NOTHING) == 0 ? CHECKSUM_OTHER : CHECKSUM_SAME;
}

void checksum_write(struct str digest, struct buf *out)
{
    if (checksum_is_one(digest)) {
        buf_str(out, digest);
        return;
    }
    uint64_t h = 0xcbf29ce484222325u; /* FNV-1a */
    for (size_t i = 0; i < digest.n; i++)
        h = (h ^ (unsigned char)digest.p[i]) * 0x100000001b3u;
    if (digest.n)
        buf_fmt(out, "%016llx", (unsigned long long)h);
}
