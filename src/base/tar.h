/* Headers of a tar archive (POSIX.1-1988 "ustar"), as far as packs need them: plain files and folders. Names of at
 * most 99 bytes are written, of at most 255 read. */
#ifndef BASE_TAR_H
#define BASE_TAR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

#define TAR_BLOCK 512

enum tar_kind { TAR_FILE, TAR_FOLDER, TAR_EXTENSION, TAR_OTHER }; /* extension: a pax record about the next entry */

struct tar_entry {
    char name[256];
    uint64_t size; /* bytes that follow, padded to whole blocks */
    enum tar_kind kind;
};

/* Appends the header of a file of `size` bytes that everybody may read. The name has at most 99 bytes. */
void tar_head(struct buf *out, const char *name, uint64_t size, int64_t time);
void tar_fill(struct buf *out, uint64_t size); /* appends the padding after that many bytes */
void tar_end(struct buf *out);
bool tar_is_end(const unsigned char block[TAR_BLOCK]); /* zeros only */
/* 1: x is filled; 0: end of the archive; -1: no header (e says why; `what` and `at` name the place). */
int tar_read(const unsigned char block[TAR_BLOCK], struct tar_entry *x, const char *what, uint64_t at, struct err *e);
/* Whether a name is safe to unpack: relative, without "..", valid text. */
bool tar_name_ok(const char *name);

#endif
