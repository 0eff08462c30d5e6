/* The content of a zip member: stored bytes, or deflated ones unpacked by zlib, with the length and checksum from the
 * directory. (torch.save may omit checksums of stored members.) */
#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/mem.h"
#include "base/msg.h"
#include "fmt/zip.h"

struct unpacking {
    const struct file *file;
    const struct zip_member *m;
    z_stream s;
    uint64_t taken, given; /* bytes consumed from the file, bytes returned */
    uint32_t crc;
    unsigned char *in; /* a part of what is packed; NULL of a stored member */
};

#define PART (32 * 1024)

static int member_damaged(const struct unpacking *u, struct err *e)
{
    return err_at(e, u->file->name, u->m->offset + u->taken, _("a damaged zip member"));
}

static struct unpacking *unpacking_open(const struct file *f, const struct zip_member *m)
{
    struct unpacking *u = mem_alloc(sizeof *u);
    *u = (struct unpacking){.file = f, .m = m};
    if (m->stored)
        return u;
    u->s.zalloc = mem_for_zlib;
    if (inflateInit2(&u->s, -MAX_WBITS) != Z_OK)
        mem_failed(0);
    u->in = mem_alloc(PART);
    return u;
}

static void unpacking_close(struct unpacking *u)
{
    if (u->in)
        inflateEnd(&u->s);
    free(u->in);
    free(u);
}

static long copy_stored(struct unpacking *u, void *out, size_t n, struct err *e)
{
    if (file_read(u->file, u->m->offset + u->taken, out, n, e))
        return -1;
    u->taken += n;
    return (long)n;
}

/* Fills out; the member is long enough. */
static long inflate_part(struct unpacking *u, void *out, size_t n, struct err *e)
{
    u->s.next_out = out;
    u->s.avail_out = (uInt)n;
    while (u->s.avail_out) {
        uint64_t left = u->m->packed - u->taken;
        if (!u->s.avail_in && left) {
            size_t part = left < PART ? (size_t)left : PART;
            if (file_read(u->file, u->m->offset + u->taken, u->in, part, e))
                return -1;
            u->taken += part;
            u->s.next_in = u->in;
            u->s.avail_in = (uInt)part;
        }
        int rc = inflate(&u->s, Z_NO_FLUSH);
        if (rc != Z_OK && !(rc == Z_STREAM_END && !u->s.avail_out))
            return member_damaged(u, e);
    }
    return (long)n;
}

/* Up to n more bytes; 0 at the end, after checking the checksum, -1 with e. */
static long member_unpack(struct unpacking *u, void *out, size_t n, struct err *e)
{
    uint64_t left = u->m->size - u->given;
    if (n > left)
        n = (size_t)left;
    if (n > INT_MAX) /* zlib counts in unsigned int */
        n = INT_MAX;
    if (!n)
        return (u->m->stored && !u->m->crc) || crc_same(u->m->crc, u->crc) ? 0 : member_damaged(u, e);
    long got = u->m->stored ? copy_stored(u, out, n, e) : inflate_part(u, out, n, e);
    if (got < 0)
        return -1;
    u->given += (uint64_t)got;
    u->crc = crc_of(u->crc, out, (size_t)got);
    return got;
}

long zip_head(const struct file *f, const struct zip_member *m, void *out, size_t n, struct err *e)
{
    struct unpacking *u = unpacking_open(f, m);
    size_t done = 0, all = n < m->size ? n : (size_t)m->size;
    long got = 0;
    while (got >= 0 && done < all) {
        got = member_unpack(u, (char *)out + done, all - done, e);
        done += got > 0 ? (size_t)got : 0;
    }
    unpacking_close(u);
    return got < 0 ? -1 : (long)done;
}

int zip_read(const struct file *f, const struct zip_member *m, size_t limit, struct buf *out, struct err *e)
{
    if (m->size > limit)
        return err_at(e, f->name, m->offset, _("a member of %llu bytes; at most %zu bytes of it are read"),
                      (unsigned long long)m->size, limit);
    struct unpacking *u = unpacking_open(f, m);
    buf_reserve(out, (size_t)m->size);
    long got = 1;
    for (size_t done = 0; got > 0; done += (size_t)got)
        got = member_unpack(u, out->p + out->n + done, (size_t)m->size - done, e);
    unpacking_close(u);
    if (got < 0)
        return -1;
    out->n += (size_t)m->size;
    out->p[out->n] = 0;
    return 0;
}

int zip_stream(const struct file *f, const struct zip_member *m,
               int (*chunk)(void *ctx, const char *p, size_t n, uint64_t packed, struct err *e), void *ctx,
               struct err *e)
{
    enum { PIECE = 64 * 1024 };
    struct unpacking *u = unpacking_open(f, m);
    char *piece = mem_alloc(PIECE);
    int rc = 0;
    for (long got = 1; rc == 0 && got > 0;) {
        got = member_unpack(u, piece, PIECE, e);
        uint64_t packed = m->size ? (uint64_t)((double)u->given / (double)m->size * (double)m->packed) : 0;
        rc = got < 0 ? -1 : chunk(ctx, piece, (size_t)got, packed, e);
    }
    free(piece);
    unpacking_close(u);
    return rc < 0 ? -1 : 0;
}
