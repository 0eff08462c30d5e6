/* The directory of a zip archive, including zip64 fields: where each member's bytes are. Everything is checked
 * against the file's real size. */
#include "fmt/zip.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/msg.h"

enum {
    END = 22,          /* bytes of the end record, before its comment */
    LOCATOR = 20,      /* bytes of the zip64 locator before it */
    END64 = 56,
    LISTED = 46,       /* bytes of a directory entry, before name and extra fields */
    LOCAL = 30,        /* bytes of a local header, the same */
    WINDOW = 192 << 10 /* more than a directory entry with the longest name, extra fields and comment */
};
#define MEMBERS_MAX (1u << 20)
#define SATURATED 0xffffffffu /* the value is in a zip64 field */

/* A member's directory entry. */
struct listed {
    struct str name;
    uint64_t header; /* where its local header begins */
    uint64_t size, packed;
    uint32_t crc;
    unsigned flags, method;
};

struct zip {
    const struct file *file;
    struct arena arena;
    VEC(struct listed) members;
    struct map names; /* the first member of each name */
};

static uint64_t little_endian_number(const unsigned char *p, int bytes)
{
    uint64_t v = 0;
    for (int i = bytes; i-- > 0;)
        v = v << 8 | p[i];
    return v;
}

static int zip_damaged(const struct file *f, uint64_t at, struct err *e)
{
    return err_at(e, f->name, at, _("damaged zip directory"));
}

/* ---- where the directory is ---- */

struct extent {
    uint64_t at, size, members;
    uint64_t shift; /* bytes before the archive, which its offsets do not count */
};

/* Searches the file's last n bytes: 1 with the position of the end record, which must be complete with its comment. */
static int find_end_in(const struct file *f, size_t n, uint64_t *at, struct err *e)
{
    unsigned char *tail = mem_alloc(n + 1);
    int rc = file_read(f, f->size - n, tail, n, e);
    for (size_t i = n < END ? 0 : n - END + 1; rc == 0 && i-- > 0;)
        if (memcmp(tail + i, "PK\5\6", 4) == 0) {
            *at = f->size - n + i;
            rc = i + END + little_endian_number(tail + i + 20, 2) <= n;
            break;
        }
    free(tail);
    return rc;
}

static int find_end(const struct file *f, uint64_t *at, struct err *e)
{
    static const size_t most[] = {1024, END + 65535}; /* hardly any archive has a comment */
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < ARRAY_LEN(most); i++)
        rc = find_end_in(f, f->size < most[i] ? (size_t)f->size : most[i], at, e);
    if (rc == 0)
        rc = err_at(e, f->name, f->size, _("incomplete zip archive: the directory at its end is missing"));
    return rc < 0 ? -1 : 0;
}

/* Reads the zip64 record if a locator before the end record refers to one; its position in *end. 0 also if there is
 * none. */
static int read_end64(const struct file *f, uint64_t *end, struct extent *x, uint64_t *offset, struct err *e)
{
    unsigned char b[END64];
    if (*end < LOCATOR)
        return 0;
    if (file_read(f, *end - LOCATOR, b, LOCATOR, e))
        return -1;
    if (memcmp(b, "PK\6\7", 4) != 0)
        return 0;
    uint64_t at = little_endian_number(b + 8, 8);
    if (at > f->size || f->size - at < END64)
        return zip_damaged(f, *end - LOCATOR, e);
    if (file_read(f, at, b, END64, e))
        return -1;
    if (memcmp(b, "PK\6\6", 4) != 0)
        return zip_damaged(f, at, e);
    x->members = little_endian_number(b + 32, 8);
    x->size = little_endian_number(b + 40, 8);
    *offset = little_endian_number(b + 48, 8);
    *end = at;
    return 0;
}

static int find_directory(const struct file *f, struct extent *x, struct err *e)
{
    unsigned char b[END];
    uint64_t end = 0, offset = 0;
    if (find_end(f, &end, e) || file_read(f, end, b, END, e))
        return -1;
    x->members = little_endian_number(b + 10, 2);
    x->size = little_endian_number(b + 12, 4);
    offset = little_endian_number(b + 16, 4);
    if (read_end64(f, &end, x, &offset, e))
        return -1;
    if (x->size > end || offset > end - x->size)
        return zip_damaged(f, end, e);
    x->at = end - x->size;
    x->shift = x->at - offset;
    return 0;
}

/* ---- the members it lists ---- */

struct listing {
    const struct file *file;
    uint64_t at, end;        /* bytes not read yet */
    uint64_t from;           /* file offset of the window */
    size_t have;             /* bytes in the window */
    unsigned char *window;
    struct err *e;
};

/* The next n bytes, at most a window of them; NULL with a message. */
static const unsigned char *listing_take(struct listing *l, size_t n)
{
    if (n > l->end - l->at) {
        zip_damaged(l->file, l->at, l->e);
        return NULL;
    }
    if (l->at + n > l->from + l->have) {
        size_t want = l->end - l->at < WINDOW ? (size_t)(l->end - l->at) : WINDOW;
        if (file_read(l->file, l->at, l->window, want, l->e))
            return NULL;
        l->from = l->at;
        l->have = want;
    }
    const unsigned char *p = l->window + (l->at - l->from);
    l->at += n;
    return p;
}

/* Values that did not fit are in extra field 1, in this order. False if one is missing. */
static bool widen_member(struct listed *m, const unsigned char *extra, size_t n)
{
    uint64_t *const wide[] = {&m->size, &m->packed, &m->header};
    const unsigned char *p = extra, *end = extra + n;
    size_t length = 0;
    for (; end - p >= 4; p += 4 + length) {
        length = (size_t)little_endian_number(p + 2, 2);
        if (length > (size_t)(end - p) - 4)
            break;
        if (little_endian_number(p, 2) == 1)
            break;
    }
    bool there = end - p >= 4 && little_endian_number(p, 2) == 1 && length <= (size_t)(end - p) - 4;
    end = there ? p + 4 + length : p;
    p += there ? 4 : 0;
    for (size_t i = 0; i < ARRAY_LEN(wide); i++) {
        if (*wide[i] != SATURATED)
            continue;
        if (end - p < 8)
            return false;
        *wide[i] = little_endian_number(p, 8);
        p += 8;
    }
    return true;
}

static int read_listed(struct zip *z, struct listing *l, uint64_t shift)
{
    uint64_t began = l->at;
    const unsigned char *p = listing_take(l, LISTED);
    if (!p)
        return -1;
    if (memcmp(p, "PK\1\2", 4) != 0)
        return zip_damaged(l->file, began, l->e);
    struct listed m = {
        .flags = (unsigned)little_endian_number(p + 8, 2),
        .method = (unsigned)little_endian_number(p + 10, 2),
        .crc = (uint32_t)little_endian_number(p + 16, 4),
        .packed = little_endian_number(p + 20, 4),
        .size = little_endian_number(p + 24, 4),
        .header = little_endian_number(p + 42, 4),
    };
    size_t name = (size_t)little_endian_number(p + 28, 2), extra = (size_t)little_endian_number(p + 30, 2),
        comment = (size_t)little_endian_number(p + 32, 2);
    p = listing_take(l, name + extra);
    if (!p)
        return -1;
    if (!widen_member(&m, p + name, extra) || m.header > UINT64_MAX - shift)
        return zip_damaged(l->file, began, l->e);
    m.header += shift;
    m.name = arena_str(&z->arena, str_n((const char *)p, name));
    if (!listing_take(l, comment))
        return -1;
    map_add(&z->names, m.name, (uint32_t)z->members.n);
    vec_push(&z->members, m);
    return 0;
}

static int zip_list_members(struct zip *z, const struct extent *x, struct err *e)
{
    struct listing l = {.file = z->file, .at = x->at, .end = x->at + x->size, .e = e};
    l.window = mem_alloc(x->size < WINDOW ? (size_t)x->size + 1 : WINDOW);
    int rc = 0;
    if (x->members > MEMBERS_MAX)
        rc = err_at(e, z->file->name, x->at, _("more than a million members, or a name of more than 4096 bytes"));
    for (uint64_t i = 0; i < x->members && rc == 0; i++)
        rc = read_listed(z, &l, x->shift);
    free(l.window);
    return rc;
}

struct zip *zip_open(const struct file *f, struct err *e)
{
    struct extent x = {0};
    if (find_directory(f, &x, e))
        return NULL;
    struct zip *z = mem_zalloc(sizeof *z);
    z->file = f;
    if (zip_list_members(z, &x, e) == 0)
        return z;
    zip_close(z);
    return NULL;
}

void zip_close(struct zip *z)
{
    if (!z)
        return;
    map_release(&z->names);
    vec_release(&z->members);
    arena_release(&z->arena);
    free(z);
}

/* ---- members ---- */

/* Describes a directory entry after checking that its local header agrees and its data is inside the file. */
static int zip_describe(const struct zip *z, const struct listed *x, struct zip_member *m, struct err *e)
{
    const struct file *f = z->file;
    unsigned char b[LOCAL];
    enum { ENCRYPTED = 1, DEFLATED = 8 };
    if (x->header > f->size || f->size - x->header < LOCAL)
        return zip_damaged(f, x->header, e);
    if (file_read(f, x->header, b, LOCAL, e))
        return -1;
    if (memcmp(b, "PK\3\4", 4) != 0 || little_endian_number(b + 8, 2) != x->method)
        return zip_damaged(f, x->header, e);
    if (x->flags & ENCRYPTED || (x->method != 0 && x->method != DEFLATED))
        return err_at(e, f->name, x->header,
                      _("a zip member that is encrypted, or compressed by an unsupported method"));
    *m = (struct zip_member){
        .offset = x->header + LOCAL + little_endian_number(b + 26, 2) + little_endian_number(b + 28, 2),
        .size = x->size,
        .packed = x->packed,
        .crc = x->crc,
        .stored = x->method == 0,
    };
    if (m->offset > f->size || m->packed > f->size - m->offset || (m->stored && m->packed != m->size))
        return err_at(e, f->name, m->offset, _("a zip member that extends beyond the end of the file"));
    return 1;
}

int zip_find_suffix(struct zip *z, const char *suffix, struct zip_member *m, struct buf *name,
                    struct err *e)
{
    for (size_t i = 0; i < z->members.n; i++) {
        const struct listed *x = &z->members.v[i];
        if (!str_ends(x->name, suffix))
            continue;
        if (name) {
            buf_clear(name);
            buf_str(name, x->name);
        }
        return zip_describe(z, x, m, e);
    }
    return 0;
}

int zip_find(struct zip *z, const char *name, struct zip_member *m, struct err *e)
{
    uint32_t at = map_get(&z->names, str_of(name));
    return at == MAP_NONE ? 0 : zip_describe(z, &z->members.v[at], m, e);
}

static int by_offset(const void *a, const void *b)
{
    const struct zip_member *x = a, *y = b;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static int zip_members_apart(struct zip *z, const zip_list *l, struct err *e)
{
    struct zip_member *m = mem_resize_array(NULL, l->n ? l->n : 1, sizeof *m);
    int rc = 0;
    for (size_t i = 0; i < l->n; i++)
        m[i] = l->v[i].m;
    qsort(m, l->n, sizeof *m, by_offset);
    for (size_t i = 1; i < l->n && rc == 0; i++)
        if (m[i].offset - m[i - 1].offset < m[i - 1].packed)
            rc = err_at(e, z->file->name, m[i].offset, _("overlapping zip members; not a valid archive"));
    free(m);
    return rc;
}

int zip_all(struct zip *z, size_t limit, struct arena *a, zip_list *out, struct err *e)
{
    enum { NAME_MAX_BYTES = 4096 };
    for (size_t i = 0; i < z->members.n; i++) {
        const struct listed *x = &z->members.v[i];
        struct zip_entry entry;
        if (x->name.n >= NAME_MAX_BYTES || out->n >= limit)
            return err_at(e, z->file->name, x->header, _("more than a million members, or a name of more than 4096 "
                                                         "bytes"));
        if (zip_describe(z, x, &entry.m, e) < 0)
            return -1;
        entry.name = arena_str(a, x->name);
        vec_push(out, entry);
    }
    return zip_members_apart(z, out, e);
}
