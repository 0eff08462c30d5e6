/* A zip archive inside an open file, read with pread, of any size (zip64). Stored members can be read in place. */
#ifndef FMT_ZIP_H
#define FMT_ZIP_H

#include "base/arena.h"
#include "base/checksum_range.h"
#include "base/io.h"

struct zip_member {
    uint64_t offset, size; /* of the data in the file; size uncompressed */
    uint64_t packed;       /* bytes it takes in the file */
    uint32_t crc;          /* of the uncompressed bytes */
    bool stored;           /* else deflated */
};

struct zip_entry {
    struct str name;
    struct zip_member m;
};
typedef VEC(struct zip_entry) zip_list;

struct zip; /* the archive's directory; the file is not owned and must stay open */

struct zip *zip_open(const struct file *f, struct err *e);
void zip_close(struct zip *z);
/* The first member whose name ends with `suffix`; `name` (may be NULL) receives its full name. 1 found, 0 absent, -1
 * damaged. */
int zip_find_suffix(struct zip *z, const char *suffix, struct zip_member *m, struct buf *name,
                    struct err *e);
int zip_find(struct zip *z, const char *name, struct zip_member *m, struct err *e);
/* All members in the directory's order, at most `limit`, names in `a`. Refuses overlapping members: no archiver
 * writes them, but zip bombs consist of them. The caller releases the list. */
int zip_all(struct zip *z, size_t limit, struct arena *a, zip_list *out, struct err *e);

/* A member stored in place with its checksum, which torch.save may leave out. */
static inline struct sealed zip_sealed(const struct zip_member *m)
{
    return (struct sealed){m->offset, m->stored && m->crc ? m->size : 0, m->crc};
}

/* The first bytes of a member, unpacked, at most n; returns the count or -1. f is the archive's file. */
long zip_head(const struct file *f, const struct zip_member *m, void *out, size_t n, struct err *e);
/* All of it, chunk by chunk, then an empty chunk; `packed` is the number of the file's bytes consumed. chunk returns
 * 0: continue, 1: enough (zip_stream then returns 0), -1 with e. */
int zip_stream(const struct file *f, const struct zip_member *m,
               int (*chunk)(void *ctx, const char *p, size_t n, uint64_t packed, struct err *e), void *ctx,
               struct err *e);
/* Appends all of it; refuses more than limit bytes. */
int zip_read(const struct file *f, const struct zip_member *m, size_t limit, struct buf *out, struct err *e);

#endif
