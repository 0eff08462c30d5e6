/* Headers of a tar archive (POSIX.1-1988 "ustar"): as much of it as packs need. Plain files and folders only; names of
 * at most 99 bytes are written, and of at most 255 read. */
#ifndef BASE_TAR_H
#define BASE_TAR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

#define TAR_BLOCK 512

enum tar_kind { TAR_FILE, TAR_FOLDER, TAR_EXTENSION, TAR_OTHER }; /* extension: a pax record about what follows */

struct tar_entry {
    char name[256];
    uint64_t size; /* bytes that follow, padded to whole blocks */
    enum tar_kind kind;
};

/* The block for a file of `size` bytes that everybody may read, appended. The name has at most 99 bytes. */
void tar_head(struct buf *out, const char *name, uint64_t size, int64_t time);
void tar_fill(struct buf *out, uint64_t size); /* what completes the last block of that many bytes */
void tar_end(struct buf *out);
/* 1: x is filled; 0: the end of the archive; -1: no header (e says why; `what` and `at` name the place). */
int tar_read(const unsigned char block[TAR_BLOCK], struct tar_entry *x, const char *what, uint64_t at, struct err *e);
/* Whether a name leads to a place inside the folder it is unpacked in: relative, no "..", nothing that is no text. */
bool tar_name_ok(const char *name);

#endif
