/* What the hostile cases are made of: files, .npy tensors, zip archives, pickles. */
#ifndef TESTS_HOSTILE_H
#define TESTS_HOSTILE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define MB (1u << 20)
#define LONG (100 * 1000 * 1000) /* bytes of one line */
#define MANY 1000000             /* equal keys */
#define DEEP 1000000             /* brackets in brackets */

static const char *root;

/* ---- files ---- */

static inline FILE *create(const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", root, name);
    for (char *p = path + strlen(root) + 1; (p = strchr(p, '/')); *p++ = '/') {
        *p = 0;
        mkdir(path, 0755);
    }
    FILE *f = fopen(path, "wb");
    if (!f) {
        perror(path);
        exit(2);
    }
    return f;
}

static inline void text(const char *name, const char *s)
{
    FILE *f = create(name);
    fputs(s, f);
    fclose(f);
}

static inline void repeat(FILE *f, const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        fputs(s, f);
}

static inline void fill(FILE *f, char c, size_t n)
{
    static char block[65536];
    memset(block, c, sizeof block);
    for (; n > sizeof block; n -= sizeof block)
        fwrite(block, 1, sizeof block, f);
    fwrite(block, 1, n, f);
}

static inline void le(FILE *f, uint64_t v, int bytes)
{
    for (int i = 0; i < bytes; i++)
        fputc((int)(v >> (8 * i) & 255), f);
}

static inline void symlink_to(const char *target, const char *name)
{
    char path[4096];
    fclose(create(name)); /* its folders */
    snprintf(path, sizeof path, "%s/%s", root, name);
    unlink(path);
    if (symlink(target, path))
        perror(path);
}

static const char npy_head[] = "\x93NUMPY\1\0\x76\0{'descr': '<f4', 'fortran_order': False, 'shape': ";

/* An .npy of float32, all of one value. `shape` is what its header says, n what it holds. */
static inline void npy(const char *name, const char *shape, size_t n, float v)
{
    FILE *f = create(name);
    size_t head = sizeof npy_head - 1 - 10 + strlen(shape) + 1;
    fwrite(npy_head, 1, sizeof npy_head - 1, f);
    fprintf(f, "%s}", shape);
    fill(f, ' ', 118 - head - 1);
    fputc('\n', f);
    for (size_t i = 0; i < n; i++)
        fwrite(&v, 4, 1, f);
    fclose(f);
}

static inline void outside(void)
{
    npy("outside/secret.npy", "(4,)", 4, 1337.25f);
    npy("outside/dump_tensor_data/secret.npy", "(4,)", 4, 1337.25f);
    text("outside/secret.json", "{\"task\": \"statistics\", \"level\": \"debug\", \"data\": {\"secret.0.debug\": "
                                "{\"type\": \"float\", \"value\": 1337.25}}}");
    text("outside/secret.txt", "1337.25\n");
}

/* ---- zip archives ---- */

struct member {
    const char *name, *bytes;
    size_t n;        /* of the bytes in the file */
    uint64_t size;   /* claimed, unpacked */
    uint32_t crc;
    int deflated;
    long at;         /* of its header; -1: written behind the one before */
};

static inline void local_header(FILE *f, const struct member *m)
{
    fwrite("PK\3\4", 1, 4, f);
    le(f, 20, 2);
    le(f, 0, 2);
    le(f, m->deflated ? 8 : 0, 2);
    le(f, 0, 4);
    le(f, m->crc, 4);
    le(f, m->n, 4);
    le(f, m->size, 4);
    le(f, strlen(m->name), 2);
    le(f, 0, 2);
    fputs(m->name, f);
    fwrite(m->bytes, 1, m->n, f);
}

static inline void zip(const char *name, struct member *m, size_t n)
{
    FILE *f = create(name);
    for (size_t i = 0; i < n; i++)
        if (m[i].at < 0) {
            m[i].at = ftell(f);
            local_header(f, &m[i]);
        }
    long dir = ftell(f);
    for (size_t i = 0; i < n; i++) {
        fwrite("PK\1\2", 1, 4, f);
        le(f, 20, 2);
        le(f, 20, 2);
        le(f, 0, 2);
        le(f, m[i].deflated ? 8 : 0, 2);
        le(f, 0, 4);
        le(f, m[i].crc, 4);
        le(f, m[i].n, 4);
        le(f, m[i].size, 4);
        le(f, strlen(m[i].name), 2);
        le(f, 0, 8);
        le(f, 0, 4);
        le(f, (uint64_t)m[i].at, 4);
        fputs(m[i].name, f);
    }
    long end = ftell(f);
    fwrite("PK\5\6", 1, 4, f);
    le(f, 0, 4);
    le(f, n, 2);
    le(f, n, 2);
    le(f, (uint64_t)(end - dir), 4);
    le(f, (uint64_t)dir, 4);
    le(f, 0, 2);
    fclose(f);
}

/* `head`, then zeros up to `size`, then `tail`, deflated: a thousand to one. */
static inline struct member bomb(const char *name, const char *head, size_t head_n, char filling, uint64_t size,
                          const char *tail)
{
    static unsigned char block[MB], *out; /* one a process */
    z_stream z = {0};
    size_t cap = (size_t)(size / 500 + MB), left;
    out = malloc(cap);
    struct member m = {.name = name, .deflated = 1, .at = -1, .size = head_n + size + strlen(tail)};
    deflateInit2(&z, 9, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY);
    z.next_out = out;
    z.avail_out = (uInt)cap;
    memset(block, filling, sizeof block);
    m.crc = (uint32_t)crc32(0, (const Bytef *)head, (uInt)head_n);
    z.next_in = (Bytef *)(uintptr_t)head;
    z.avail_in = (uInt)head_n;
    deflate(&z, Z_NO_FLUSH);
    for (uint64_t done = 0; done < size; done += left) {
        left = size - done < sizeof block ? (size_t)(size - done) : sizeof block;
        z.next_in = block;
        z.avail_in = (uInt)left;
        deflate(&z, Z_NO_FLUSH);
        m.crc = (uint32_t)crc32(m.crc, block, (uInt)left);
    }
    m.crc = (uint32_t)crc32(m.crc, (const Bytef *)tail, (uInt)strlen(tail));
    z.next_in = (Bytef *)(uintptr_t)tail;
    z.avail_in = (uInt)strlen(tail);
    deflate(&z, Z_FINISH);
    m.n = z.total_out;
    deflateEnd(&z);
    m.bytes = (const char *)out;
    return m;
}

static inline struct member stored(const char *name, const char *bytes, size_t n)
{
    return (struct member){.name = name,
                           .bytes = bytes,
                           .n = n,
                           .size = n,
                           .crc = (uint32_t)crc32(0, (const Bytef *)bytes, (uInt)n),
                           .at = -1};
}

/* A tensor's pickle: storage 0 of `count` floats, one axis of `count`. */
#define PICKLE(count) \
    "\x80\x02" \
    "ctorch._utils\n_rebuild_tensor_v2\n((X\x07\0\0\0storagectorch\nFloatStorage\nX\x01\0\0\0" \
    "0X\x03\0\0\0cpu" count "tQK\0" count "\x85K\x01\x85\x89" \
    "ccollections\nOrderedDict\n)RtR."
static const char four[] = PICKLE("K\x04"), huge[] = PICKLE("\x8a\x07\0\0\0\0\0\0\x10");

#endif
