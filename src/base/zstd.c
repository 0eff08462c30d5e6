/* Two implementations of begin, write or read, and end: with zstd, and without if the library was missing at build
 * time. */
#include "base/zstd.h"

#include "base/mem.h"
#include "base/msg.h"

#define CHUNK (128u << 10)

#ifdef HAVE_ZSTD
#include <zstd.h>
#include <zstd_errors.h>

#define LEVEL 6
#define WINDOW_LOG 25 /* 32 MB: the most memory a hostile frame can make the reader use */

bool zst_there(void)
{
    return true;
}

int zst_write_begin(struct zst_writer *w, struct out *out, bool compress, struct err *e)
{
    *w = (struct zst_writer){.out = out};
    if (!compress)
        return 0;
    w->state = ZSTD_createCCtx();
    if (!w->state)
        mem_failed(0);
    (void)e;
    ZSTD_CCtx_setParameter(w->state, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_CCtx_setParameter(w->state, ZSTD_c_checksumFlag, 1);
    buf_reserve(&w->room, CHUNK);
    return 0;
}

static bool zstd_failed(size_t rc)
{
    if (ZSTD_isError(rc) && ZSTD_getErrorCode(rc) == ZSTD_error_memory_allocation)
        mem_failed(0);
    return ZSTD_isError(rc);
}

static void zst_compress(struct zst_writer *w, const void *p, size_t n, ZSTD_EndDirective how)
{
    ZSTD_inBuffer in = {p, n, 0};
    size_t left = 1;
    while (w->out->err.code == ERR_NONE && (in.pos < in.size || (how == ZSTD_e_end && left))) {
        ZSTD_outBuffer out = {w->room.p, CHUNK, 0};
        left = ZSTD_compressStream2(w->state, &out, &in, how);
        if (zstd_failed(left)) {
            err_set(&w->out->err, ERR_OUTPUT, _("zstd: %s"), ZSTD_getErrorName(left));
            return;
        }
        buf_add(&w->out->buf, w->room.p, out.pos);
        out_flow(w->out);
    }
}

static void zst_finish(struct zst_writer *w)
{
    zst_compress(w, NULL, 0, ZSTD_e_end);
    ZSTD_freeCCtx(w->state);
}

static int begin_reading(struct zst_reader *r, struct err *e)
{
    ZSTD_DCtx *d = ZSTD_createDCtx();
    if (!d)
        mem_failed(0);
    (void)e;
    ZSTD_DCtx_setParameter(d, ZSTD_d_windowLogMax, WINDOW_LOG);
    r->state = d;
    buf_reserve(&r->room, CHUNK);
    return 0;
}

static int zst_fill(struct zst_reader *r, struct err *e)
{
    if (r->used < r->room.n)
        return 0;
    long n = file_read_some(&r->file, r->at, r->room.p, CHUNK, e);
    if (n < 0)
        return -1;
    r->room.n = (size_t)n;
    r->used = 0;
    r->at += (uint64_t)n;
    return 0;
}

/* Up to n bytes; 0 at the end. */
static long zst_expand(struct zst_reader *r, void *p, size_t n, struct err *e)
{
    ZSTD_outBuffer out = {p, n, 0};
    while (!out.pos) {
        if (zst_fill(r, e))
            return -1;
        ZSTD_inBuffer in = {r->room.p, r->room.n, r->used};
        if (in.pos == in.size) {
            size_t was = out.pos; /* data still buffered in the frame */
            size_t left = r->whole ? 0 : ZSTD_decompressStream(r->state, &out, &in);
            if (zstd_failed(left))
                return err_at(e, r->file.name, r->at, _("zstd: %s"), ZSTD_getErrorName(left));
            r->whole = r->whole || !left;
            if (out.pos > was || r->whole)
                break;
            return err_at(e, r->file.name, r->at, _("the compressed data ends early; copy the file again"));
        }
        size_t left = ZSTD_decompressStream(r->state, &out, &in);
        r->used = in.pos;
        if (zstd_failed(left))
            return err_at(e, r->file.name, r->at, _("zstd: %s"), ZSTD_getErrorName(left));
        r->whole = !left;
    }
    return (long)out.pos;
}

static void end_reading(struct zst_reader *r)
{
    ZSTD_freeDCtx(r->state);
}
#else
bool zst_there(void)
{
    return false;
}

static int zst_unavailable(struct err *e)
{
    return err_set(e, ERR_USAGE, "%s", _("built without zstd: .tar can be read and written, .tar.zst cannot"));
}

int zst_write_begin(struct zst_writer *w, struct out *out, bool compress, struct err *e)
{
    *w = (struct zst_writer){.out = out};
    return compress ? zst_unavailable(e) : 0;
}

static void zst_compress(struct zst_writer *w, const void *p, size_t n, int how)
{
    (void)w, (void)p, (void)n, (void)how;
}

static void zst_finish(struct zst_writer *w)
{
    (void)w;
}

static int begin_reading(struct zst_reader *r, struct err *e)
{
    (void)r;
    return zst_unavailable(e);
}

static long zst_expand(struct zst_reader *r, void *p, size_t n, struct err *e)
{
    (void)r, (void)p, (void)n;
    return zst_unavailable(e);
}

static void end_reading(struct zst_reader *r)
{
    (void)r;
}

#define ZSTD_e_continue 0
#endif

void zst_write(struct zst_writer *w, const void *p, size_t n)
{
    if (w->state) {
        zst_compress(w, p, n, ZSTD_e_continue);
        return;
    }
    buf_add(&w->out->buf, p, n);
    out_flow(w->out);
}

void zst_write_end(struct zst_writer *w)
{
    if (w->state)
        zst_finish(w);
    buf_release(&w->room);
    *w = (struct zst_writer){0};
}

int zst_read_begin(struct zst_reader *r, const char *path, struct err *e)
{
    static const unsigned char magic[4] = {0x28, 0xb5, 0x2f, 0xfd};
    unsigned char head[4];
    struct err quiet;
    *r = (struct zst_reader){0};
    if (file_open(&r->file, path, e))
        return -1;
    if (r->file.size >= 4 && file_read(&r->file, 0, head, 4, &quiet) == 0 && memcmp(head, magic, 4) == 0 &&
        begin_reading(r, e)) {
        file_close(&r->file);
        return -1;
    }
    return 0;
}

int zst_read(struct zst_reader *r, void *out, size_t n, struct err *e)
{
    size_t got = 0;
    while (got < n) {
        long k = r->state ? zst_expand(r, (char *)out + got, n - got, e)
                          : file_read_some(&r->file, r->at, (char *)out + got, n - got, e);
        if (k < 0)
            return -1;
        if (!k)
            break;
        if (!r->state)
            r->at += (uint64_t)k;
        got += (size_t)k;
    }
    if (got < n && got)
        return err_at(e, r->file.name, r->at, _("end of file too early; copy the file again"));
    return got < n;
}

void zst_read_end(struct zst_reader *r)
{
    if (r->state)
        end_reading(r);
    if (r->file.name)
        file_close(&r->file);
    buf_release(&r->room);
    *r = (struct zst_reader){0};
}
