/* CRC-32 of ranges of files. */
#include "base/checksum_range.h"

#include <stdlib.h>
#include <zlib.h>

#include "base/mem.h"
#include "base/msg.h"

#define PIECE (256u << 10) /* stays in the second cache */

uint32_t crc_of(uint32_t before, const void *p, size_t n)
{
    return (uint32_t)crc32_z(before, p, n);
}

bool crc_same(uint32_t stored, uint32_t of_bytes)
{
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
    (void)stored;
    (void)of_bytes;
    return true;
#else
    return stored == of_bytes;
#endif
}

bool crc_parse(struct str text, uint32_t *crc)
{
    *crc = 0;
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
        if (digit < 0)
            return false;
        *crc = *crc << 4 | (uint32_t)digit;
    }
    return text.n == 8;
}

/* Reads the whole range. */
static int crc_of_range(const struct file *f, uint64_t at, uint64_t size, uint32_t *crc, struct err *e)
{
    unsigned char *piece = mem_alloc(PIECE);
    int rc = 0;
    *crc = 0;
    for (uint64_t done = 0; done < size && rc == 0; done += PIECE) {
        size_t n = size - done < PIECE ? (size_t)(size - done) : PIECE;
        rc = file_read(f, at + done, piece, n, e);
        *crc = rc ? 0 : crc_of(*crc, piece, n);
    }
    free(piece);
    return rc;
}

int sealed_verify(const struct file *f, const struct sealed *s, struct err *e)
{
    uint32_t crc;
    if (!s->size)
        return 0;
    if (crc_of_range(f, s->at, s->size, &crc, e))
        return -1;
    return crc_same(s->crc, crc) ? 0 : err_at(e, f->name, s->at,
                                      _("these bytes do not have the checksum stored with them"));
}
