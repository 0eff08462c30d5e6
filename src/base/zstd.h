/* Bytes streamed into a file and out of one, compressed with zstd where this program was built with it, as they are
 * otherwise. What is read is hostile: the caller bounds how much it takes. */
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

/* Into `out`, which stays the caller's to close. -1 where `compress` is asked for and cannot be done. */
int zst_write_begin(struct zst_writer *w, struct out *out, bool compress, struct err *e);
void zst_write(struct zst_writer *w, const void *p, size_t n); /* a failure is in out->err */
void zst_write_end(struct zst_writer *w);                      /* writes the rest; also after a failure */

struct zst_reader {
    struct file file;
    uint64_t at;     /* in the file */
    void *state;     /* NULL: not compressed */
    struct buf room; /* compressed bytes, of which `used` are used up */
    size_t used;
    bool whole;      /* the last frame has ended */
};

/* By its first bytes compressed or not. */
int zst_read_begin(struct zst_reader *r, const char *path, struct err *e);
/* Exactly n bytes: 0; 1 where the end comes before the first of them; -1 with e. */
int zst_read(struct zst_reader *r, void *out, size_t n, struct err *e);
void zst_read_end(struct zst_reader *r); /* a zeroed one is fine */

#endif
