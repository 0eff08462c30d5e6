/* Writes and checks 512-byte headers of tar archives, and decides whether a member's name is safe to unpack. */
#include "base/tar.h"

#include <stdio.h>

#include "base/msg.h"

#define DEEPEST 8 /* the deepest nesting of folders */

/* Offsets and widths of the header's fields. */
enum {
    NAME = 0, NAME_LEN = 100, MODE = 100, UID = 108, GID = 116, SIZE = 124, TIME = 136, SUM = 148, TYPE = 156,
    MAGIC = 257, VERSION = 263, PREFIX = 345, PREFIX_LEN = 155,
};

static void put_octal(unsigned char *at, int width, uint64_t v)
{
    char text[32];
    snprintf(text, sizeof text, "%0*llo", width - 1, (unsigned long long)v);
    memcpy(at, text, (size_t)width - 1);
}

static uint64_t tar_header_sum(const unsigned char *block)
{
    uint64_t sum = 0;
    for (int i = 0; i < TAR_BLOCK; i++)
        sum += i >= SUM && i < SUM + 8 ? ' ' : block[i];
    return sum;
}

void tar_head(struct buf *out, const char *name, uint64_t size, int64_t time)
{
    unsigned char b[TAR_BLOCK] = {0};
    size_t n = strlen(name);
    memcpy(b + NAME, name, n < NAME_LEN ? n : NAME_LEN - 1);
    put_octal(b + MODE, 8, 0644);
    put_octal(b + UID, 8, 0);
    put_octal(b + GID, 8, 0);
    put_octal(b + SIZE, 12, size);
    put_octal(b + TIME, 12, time > 0 ? (uint64_t)time & 077777777777 : 0);
    b[TYPE] = '0';
    memcpy(b + MAGIC, "ustar", 6);
    memcpy(b + VERSION, "00", 2);
    put_octal(b + SUM, 7, tar_header_sum(b));
    b[SUM + 7] = ' ';
    buf_add(out, b, sizeof b);
}

static void add_zeros(struct buf *out, size_t n)
{
    static const char none[TAR_BLOCK];
    for (; n; n -= n < sizeof none ? n : sizeof none)
        buf_add(out, none, n < sizeof none ? n : sizeof none);
}

void tar_fill(struct buf *out, uint64_t size)
{
    add_zeros(out, (size_t)((TAR_BLOCK - size % TAR_BLOCK) % TAR_BLOCK));
}

void tar_end(struct buf *out)
{
    add_zeros(out, 2 * TAR_BLOCK);
}

static bool read_octal(const unsigned char *at, int width, uint64_t *out)
{
    int i = 0;
    *out = 0;
    while (i < width && at[i] == ' ')
        i++;
    for (; i < width && at[i] >= '0' && at[i] <= '7'; i++)
        *out = *out << 3 | (uint64_t)(at[i] - '0');
    return i == width || at[i] == 0 || at[i] == ' ';
}

bool tar_is_end(const unsigned char block[TAR_BLOCK])
{
    for (int i = 0; i < TAR_BLOCK; i++)
        if (block[i])
            return false;
    return true;
}

static enum tar_kind tar_type_kind(char type)
{
    switch (type) {
    case 0:
    case '0':
        return TAR_FILE;
    case '5':
        return TAR_FOLDER;
    case 'x':
    case 'g':
        return TAR_EXTENSION;
    default:
        return TAR_OTHER;
    }
}

int tar_read(const unsigned char block[TAR_BLOCK], struct tar_entry *x, const char *what, uint64_t at, struct err *e)
{
    uint64_t sum;
    if (tar_is_end(block))
        return 0;
    if (!read_octal(block + SUM, 8, &sum) || sum != tar_header_sum(block) || !read_octal(block + SIZE, 12, &x->size))
        return err_at(e, what, at, _("expected a tar header with its checksum and a size in octal digits"));
    x->kind = tar_type_kind((char)block[TYPE]);
    size_t n = strnlen((const char *)block + NAME, NAME_LEN), p = 0;
    if (memcmp(block + MAGIC, "ustar", 5) == 0)
        p = strnlen((const char *)block + PREFIX, memcmp(block + MAGIC, "ustar\0", 6) == 0 ? PREFIX_LEN : 0);
    snprintf(x->name, sizeof x->name, "%.*s%s%.*s", (int)p, (const char *)block + PREFIX, p ? "/" : "", (int)n,
             (const char *)block + NAME);
    return 1;
}

bool tar_name_ok(const char *name)
{
    struct str rest = str_of(name), part;
    int depth = 0;
    for (const char *p = name; *p; p++)
        if ((unsigned char)*p < ' ' || (unsigned char)*p > '~' || *p == '\\')
            return false;
    if (!rest.n || rest.p[0] == '/')
        return false;
    while (rest.n) {
        part = str_next(&rest, '/');
        if (!part.n || str_is(part, ".") || str_is(part, "..") || ++depth > DEEPEST)
            return false;
    }
    return true;
}
