/* Streams bytes into and out of a file, compressed with zstd if this program was built with it, otherwise plain.
 * Input is hostile: the caller bounds how much it reads. */
#ifndef BASE_ZSTD_H
#define BASE_ZSTD_H

#include "base/io.h"
#include "base/out.h"

bool zst_there(void); /* whether this program was built with zstd */

struct zst_writer {
    struct out *out;
    void *state; /* NULL: not compressed */
    struct buf room;
};

/* Writes to `out`, which the caller closes. -1 if `compress` is set and not available. */
int zst_write_begin(struct zst_writer *w, struct out *out, bool compress, struct err *e);
void zst_write(struct zst_writer *w, const void *p, size_t n); /* a failure is in out->err */
void zst_write_end(struct zst_writer *w);                      /* writes the rest; to be called also after a failure */

struct zst_reader {
    struct file file;
    uint64_t at;     /* in the file */
    void *state;     /* NULL: not compressed */
    struct buf room; /* compressed bytes; `used` of them are consumed */
    size_t used;
    bool whole;      /* the last frame is complete */
};

/* Detects by the first bytes whether the file is compressed. */
int zst_read_begin(struct zst_reader *r, const char *path, struct err *e);
/* Exactly n bytes: 0; 1 at the end of the data; -1 with e. */
int zst_read(struct zst_reader *r, void *out, size_t n, struct err *e);
void zst_read_end(struct zst_reader *r); /* a zeroed reader is allowed */

#endif
