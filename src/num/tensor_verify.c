/* The CRC-32 that an archive stores of a tensor's bytes, against the bytes. */
#include <stdlib.h>
#include <zlib.h>

#include "base/mem.h"
#include "base/msg.h"
#include "num/tensor.h"

#define PIECE (256u << 10)

int tensor_verify(const struct tensor *t, struct err *e)
{
    if (!t->stored_size)
        return 0;
    uint32_t crc = (uint32_t)crc32(0, NULL, 0);
    unsigned char *piece = mem_alloc(PIECE);
    int rc = 0;
    for (uint64_t at = 0; at < t->stored_size && rc == 0; at += PIECE) {
        size_t n = t->stored_size - at < PIECE ? (size_t)(t->stored_size - at) : PIECE;
        rc = file_read(&t->file, t->stored_at + at, piece, n, e);
        crc = rc ? crc : (uint32_t)crc32(crc, piece, (uInt)n);
    }
    free(piece);
    if (rc == 0 && crc != t->crc)
        rc = err_at(e, t->file.name, t->stored_at,
                    _("the stored bytes do not have the checksum that the archive gives"));
    return rc;
}
