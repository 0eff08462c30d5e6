/* minizip does the archive; this file gives it our file to read from and checks what it says against
 * the file's real size. */
#include "fmt/zip.h"

#include <minizip/unzip.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/msg.h"

#define WINDOW (32 * 1024)

struct zip {
    const struct file *file;
    uint64_t at;
    /* minizip reads byte by byte: it reads from here */
    uint64_t window_at;
    size_t window_n;
    unsigned char window[WINDOW];
    struct err quiet; /* a read error, told when minizip gives up */
    unzFile unz;
};

static voidpf on_open(voidpf opaque, const void *name, int mode)
{
    (void)name;
    (void)mode;
    return opaque;
}

static uLong on_read(voidpf opaque, voidpf stream, void *out, uLong n)
{
    struct zip *z = opaque;
    uLong done = 0;
    (void)stream;
    while (done < n) {
        uint64_t base = z->at / WINDOW * WINDOW;
        if (base != z->window_at || z->at >= base + z->window_n) {
            long got = file_read_some(z->file, base, z->window, WINDOW, &z->quiet);
            z->window_at = base;
            z->window_n = got > 0 ? (size_t)got : 0;
            if (z->at >= base + z->window_n)
                break;
        }
        size_t part = (size_t)(base + z->window_n - z->at);
        if (part > n - done)
            part = n - done;
        memcpy((char *)out + done, z->window + (z->at - base), part);
        z->at += part;
        done += (uLong)part;
    }
    return done;
}

static ZPOS64_T on_tell(voidpf opaque, voidpf stream)
{
    (void)stream;
    return ((struct zip *)opaque)->at;
}

static long on_seek(voidpf opaque, voidpf stream, ZPOS64_T offset, int origin)
{
    struct zip *z = opaque;
    (void)stream;
    uint64_t base = origin == ZLIB_FILEFUNC_SEEK_CUR   ? z->at
                    : origin == ZLIB_FILEFUNC_SEEK_END ? z->file->size
                                                       : 0;
    if (offset > z->file->size || base + offset > z->file->size)
        return -1;
    z->at = base + offset;
    return 0;
}

static int on_close(voidpf opaque, voidpf stream)
{
    (void)opaque;
    (void)stream;
    return 0;
}

static int on_error(voidpf opaque, voidpf stream)
{
    (void)stream;
    return ((struct zip *)opaque)->quiet.code != ERR_NONE;
}

/* Whether the end record is there in full: minizip takes the zip64 one before it and would not miss it. */
static bool whole(const struct file *f)
{
    enum { END = 22 };
    unsigned char tail[4096];
    struct err quiet;
    size_t n = f->size < sizeof tail ? (size_t)f->size : sizeof tail;
    if (n < END || file_read(f, f->size - n, tail, n, &quiet))
        return false;
    for (size_t at = n - END + 1; at-- > 0;)
        if (memcmp(tail + at, "PK\5\6", 4) == 0)
            return at + END + (size_t)(tail[at + 20] | tail[at + 21] << 8) <= n;
    return false;
}

struct zip *zip_open(const struct file *f, struct err *e)
{
    struct zip *z = mem_alloc(sizeof *z);
    zlib_filefunc64_def io = {
        .zopen64_file = on_open,
        .zread_file = on_read,
        .ztell64_file = on_tell,
        .zseek64_file = on_seek,
        .zclose_file = on_close,
        .zerror_file = on_error,
        .opaque = z,
    };
    z->file = f;
    z->at = z->window_at = 0;
    z->window_n = 0;
    z->quiet.code = ERR_NONE;
    z->unz = whole(f) ? unzOpen2_64("", &io) : NULL;
    if (z->unz)
        return z;
    err_at(e, f->name, f->size, _("not a whole zip archive: its directory was expected at the end"));
    free(z);
    return NULL;
}

void zip_close(struct zip *z)
{
    if (!z)
        return;
    unzClose(z->unz);
    free(z);
}

static int damaged(struct zip *z, struct err *e)
{
    return err_at(e, z->file->name, z->at, _("damaged zip directory"));
}

/* The current member, once its local header agrees and its data lies inside the file. */
static int describe(struct zip *z, struct zip_member *m, struct err *e)
{
    unz_file_info64 info;
    if (unzGetCurrentFileInfo64(z->unz, &info, NULL, 0, NULL, 0, NULL, 0) != UNZ_OK ||
        unzOpenCurrentFile2(z->unz, NULL, NULL, 1) != UNZ_OK)
        return damaged(z, e);
    *m = (struct zip_member){
        .offset = unzGetCurrentFileZStreamPos64(z->unz),
        .size = info.uncompressed_size,
        .packed = info.compressed_size,
        .stored = info.compression_method == 0,
    };
    unzCloseCurrentFile(z->unz);
    if (m->offset > z->file->size || info.compressed_size > z->file->size - m->offset ||
        (m->stored && info.compressed_size != info.uncompressed_size))
        return err_at(e, z->file->name, m->offset, _("a zip member that reaches beyond the file's end"));
    return 1;
}

int zip_find_suffix(struct zip *z, const char *suffix, struct zip_member *m, struct buf *name,
                    struct err *e)
{
    char text[512];
    for (int rc = unzGoToFirstFile(z->unz); rc != UNZ_END_OF_LIST_OF_FILE; rc = unzGoToNextFile(z->unz)) {
        if (rc != UNZ_OK || unzGetCurrentFileInfo64(z->unz, NULL, text, sizeof text - 1, NULL, 0, NULL, 0) != UNZ_OK)
            return damaged(z, e);
        text[sizeof text - 1] = 0;
        if (!str_ends(str_of(text), suffix))
            continue;
        if (name) {
            buf_clear(name);
            buf_cstr(name, text);
        }
        return describe(z, m, e);
    }
    return 0;
}

int zip_find(struct zip *z, const char *name, struct zip_member *m, struct err *e)
{
    int rc = unzLocateFile(z->unz, name, 1);
    if (rc == UNZ_END_OF_LIST_OF_FILE)
        return 0;
    return rc == UNZ_OK ? describe(z, m, e) : damaged(z, e);
}

static int by_offset(const void *a, const void *b)
{
    const struct zip_member *x = a, *y = b;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static int apart(struct zip *z, const zip_list *l, struct err *e)
{
    struct zip_member *m = mem_resize_array(NULL, l->n ? l->n : 1, sizeof *m);
    int rc = 0;
    for (size_t i = 0; i < l->n; i++)
        m[i] = l->v[i].m;
    qsort(m, l->n, sizeof *m, by_offset);
    for (size_t i = 1; i < l->n && rc == 0; i++)
        if (m[i].offset - m[i - 1].offset < m[i - 1].packed)
            rc = err_at(e, z->file->name, m[i].offset, _("zip members that overlap; no archiver writes such a file"));
    free(m);
    return rc;
}

int zip_all(struct zip *z, size_t limit, struct arena *a, zip_list *out, struct err *e)
{
    char text[4096];
    for (int rc = unzGoToFirstFile(z->unz); rc != UNZ_END_OF_LIST_OF_FILE; rc = unzGoToNextFile(z->unz)) {
        struct zip_entry x;
        unz_file_info64 info;
        if (rc != UNZ_OK || unzGetCurrentFileInfo64(z->unz, &info, text, sizeof text - 1, NULL, 0, NULL, 0) != UNZ_OK)
            return damaged(z, e);
        if (info.size_filename >= sizeof text || out->n >= limit)
            return err_at(e, z->file->name, z->at, _("more members or longer names than such an archive has"));
        text[info.size_filename] = 0;
        if (describe(z, &x.m, e) < 0)
            return -1;
        x.name = arena_str(a, str_of(text));
        vec_push(out, x);
    }
    return apart(z, out, e);
}

long zip_head(struct zip *z, const struct zip_member *m, void *out, size_t n, struct err *e)
{
    if (n > m->size)
        n = (size_t)m->size;
    if (m->stored)
        return file_read(z->file, m->offset, out, n, e) ? -1 : (long)n;
    if (unzOpenCurrentFile(z->unz) != UNZ_OK)
        return damaged(z, e);
    long got = unzReadCurrentFile(z->unz, out, (unsigned)n);
    unzCloseCurrentFile(z->unz);
    return got < 0 || (size_t)got != n ? damaged(z, e) : got;
}

int zip_read(struct zip *z, const struct zip_member *m, size_t limit, struct buf *out, struct err *e)
{
    if (m->size > limit)
        return err_at(e, z->file->name, m->offset, _("a member of %llu bytes; at most %zu are read of it"),
                      (unsigned long long)m->size, limit);
    buf_reserve(out, (size_t)m->size);
    if (m->stored) {
        if (file_read(z->file, m->offset, out->p + out->n, (size_t)m->size, e))
            return -1;
    } else {
        if (unzOpenCurrentFile(z->unz) != UNZ_OK)
            return damaged(z, e);
        long got = unzReadCurrentFile(z->unz, out->p + out->n, (unsigned)m->size);
        unzCloseCurrentFile(z->unz);
        if (got < 0 || (uint64_t)got != m->size)
            return damaged(z, e);
    }
    out->n += (size_t)m->size;
    out->p[out->n] = 0;
    return 0;
}

int zip_stream(struct zip *z, const struct zip_member *m,
               int (*chunk)(void *ctx, const char *p, size_t n, uint64_t packed, struct err *e), void *ctx, struct err *e)
{
    enum { PIECE = 64 * 1024 };
    char *piece = mem_alloc(PIECE);
    int rc = unzOpenCurrentFile(z->unz) == UNZ_OK ? 0 : damaged(z, e);
    bool open = rc == 0;
    for (uint64_t done = 0; rc == 0;) {
        int got = unzReadCurrentFile(z->unz, piece, PIECE);
        if (got < 0 || (got == 0 && done != m->size)) {
            rc = damaged(z, e);
            break;
        }
        done += (uint64_t)got;
        rc = chunk(ctx, piece, (size_t)got, m->size ? (uint64_t)((double)done / (double)m->size * (double)m->packed) : 0, e);
        if (got == 0)
            break;
    }
    /* the checksum is known where everything was read */
    if (open && unzCloseCurrentFile(z->unz) == UNZ_CRCERROR && rc == 0)
        rc = damaged(z, e);
    free(piece);
    return rc < 0 ? -1 : 0;
}
