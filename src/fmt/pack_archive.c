/* Unpacks an archive, whose names and sizes are untrusted. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/num.h"
#include "base/tar.h"
#include "base/zstd.h"
#include "fmt/pack_read.h"

#define ENTRIES 200000
#define RATIO 100
#define EXTENSION_MOST (64u << 10)
#define CHUNK (64u << 10)

struct pack_unpacking {
    struct zst_reader in;
    const char *folder;
    uint64_t taken, room; /* bytes */
    size_t entries;
};

bool pack_is(const char *path)
{
    struct str p = str_of(path);
    return (str_ends(p, ".tar.zst") || str_ends(p, ".tar")) && path_is_file(path);
}

/* The next n bytes, which are to be there. */
static int unpack_bytes(struct pack_unpacking *u, void *out, size_t n, struct err *e)
{
    int rc = zst_read(&u->in, out, n, e);
    return rc == 1 ? err_set(e, ERR_DATA, _("%s: truncated archive: it ends inside a file"), u->in.file.name) : rc;
}

static int count_unpacked(struct pack_unpacking *u, uint64_t n, struct err *e)
{
    char most[NUM_MAX];
    if (n > u->room || u->taken > u->room - n)
        return err_set(e, ERR_DATA, _("%s: unpacked size above %s, the limit for a file of this size; --pack-limit "
                                      "raises it"),
                       u->in.file.name, num_bytes(most, u->room));
    u->taken += n;
    return 0;
}

/* Names of a pack that exclude each other, or that this file system cannot hold, are its fault, not the output's. */
static int not_made(const struct pack_unpacking *u, const char *name, const char *path, struct err *e)
{
    bool bad_name = errno == ENOTDIR || errno == EISDIR || errno == ENAMETOOLONG || errno == EINVAL || errno == EILSEQ;
    return bad_name ? err_set(e, ERR_DATA, _("%s: the name %s cannot be unpacked: it is too long, or is both a file "
                                             "and a folder"), u->in.file.name, name)
                    : err_output(e, path);
}

/* The folders a name lies in. */
static int make_folders(const struct pack_unpacking *u, const char *name, struct buf *path, struct err *e)
{
    for (const char *p = strchr(name, '/'); p; p = strchr(p + 1, '/')) {
        buf_clear(path);
        buf_fmt(path, "%s/%.*s", u->folder, (int)(p - name), name);
        if (mkdir(path->p, 0700) && errno != EEXIST)
            return not_made(u, name, path->p, e);
    }
    return 0;
}

static int write_all(int fd, const char *p, size_t n, const char *path, struct err *e)
{
    while (n) {
        ssize_t w = write(fd, p, n);
        if (w < 0 && errno == EINTR)
            continue;
        if (w < 0)
            return err_output(e, path);
        p += w;
        n -= (size_t)w;
    }
    return 0;
}

static int copy_member(struct pack_unpacking *u, int fd, uint64_t size, const char *path, struct err *e)
{
    char chunk[CHUNK];
    uint64_t padded = (size + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
    for (uint64_t at = 0; at < padded; at += CHUNK) {
        size_t n = padded - at < CHUNK ? (size_t)(padded - at) : CHUNK;
        size_t mine = at >= size ? 0 : size - at < n ? (size_t)(size - at) : n;
        if (unpack_bytes(u, chunk, n, e) || write_all(fd, chunk, mine, path, e))
            return -1;
    }
    return 0;
}

static int one_file(struct pack_unpacking *u, const char *name, uint64_t size, struct err *e)
{
    struct buf path = {0};
    int rc = make_folders(u, name, &path, e), fd = -1;
    buf_clear(&path);
    buf_fmt(&path, "%s/%s", u->folder, name);
    if (rc == 0) {
        fd = open(path.p, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd < 0)
            rc = errno == EEXIST ? err_set(e, ERR_DATA, _("%s: the name %s occurs twice"), u->in.file.name, name)
                                 : not_made(u, name, path.p, e);
    }
    if (rc == 0)
        rc = copy_member(u, fd, size, path.p, e);
    if (fd >= 0 && close(fd) && rc == 0)
        rc = err_output(e, path.p);
    buf_release(&path);
    return rc;
}

/* A pax record is skipped, unless it changes what the next header says. */
static int skip_extension(struct pack_unpacking *u, uint64_t size, struct err *e)
{
    static const char *const changes[] = {" path=", " size=", " linkpath="};
    char text[EXTENSION_MOST + TAR_BLOCK];
    if (size > EXTENSION_MOST)
        return err_set(e, ERR_DATA, _("%s: a tar extension of %llu bytes; packs have no such records"), u->in.file.name,
                       (unsigned long long)size);
    if (unpack_bytes(u, text, (size_t)((size + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK), e))
        return -1;
    for (size_t i = 0; i < ARRAY_LEN(changes); i++)
        if (str_has(str_n(text, (size_t)size), changes[i]))
            return err_set(e, ERR_DATA, _("%s: a tar extension changes a name or size; packs have no such records"),
                           u->in.file.name);
    return 0;
}

static int one_entry(struct pack_unpacking *u, const struct tar_entry *x, struct err *e)
{
    const char *name = str_starts(str_of(x->name), "./") ? x->name + 2 : x->name;
    if (++u->entries > ENTRIES)
        return err_set(e, ERR_DATA, _("%s: more than %d files"), u->in.file.name, ENTRIES);
    if (count_unpacked(u, x->size, e))
        return -1;
    if (x->kind == TAR_EXTENSION)
        return skip_extension(u, x->size, e);
    if (x->kind == TAR_FOLDER)
        return 0; /* made where something lies in it */
    if (x->kind != TAR_FILE)
        return err_set(e, ERR_DATA, _("%s: %s is not a regular file; packs hold only regular files"), u->in.file.name,
                       x->name);
    if (!tar_name_ok(name))
        return err_set(e, ERR_DATA, _("%s: the name %s leads outside the pack, or is "
                                      "invalid"), u->in.file.name, x->name);
    return one_file(u, name, x->size, e);
}

static int verify_unpacked(const char *path, const char *folder, struct err *e)
{
    static const char *const part[] = {"", "target", "golden"};
    struct buf dir = {0};
    int rc = 0;
    for (size_t i = 0; i < ARRAY_LEN(part) && rc >= 0; i++) {
        path_join(&dir, folder, part[i]);
        rc = pack_verify(*part[i] ? dir.p : folder, e);
        if (rc < 0)
            err_prefix(e, "%s", path);
    }
    buf_release(&dir);
    return rc < 0 ? -1 : 0;
}

/* Behind the last file there are zeros only, up to the end of the stream, where its checksum is compared. */
static int read_rest(struct pack_unpacking *u, struct err *e)
{
    unsigned char block[TAR_BLOCK];
    int rc;
    while ((rc = zst_read(&u->in, block, sizeof block, e)) == 0)
        if (!tar_is_end(block))
            return err_set(e, ERR_DATA, _("%s: more bytes follow the end of the archive"), u->in.file.name);
        else if (count_unpacked(u, sizeof block, e))
            return -1;
    return rc < 0 ? -1 : 0;
}

int pack_unpack(const char *path, const char *folder, uint64_t room, struct err *e)
{
    struct pack_unpacking u = {.folder = folder};
    unsigned char block[TAR_BLOCK];
    struct tar_entry x;
    uint64_t at = 0;
    int rc;
    if (zst_read_begin(&u.in, path, e))
        return -1;
    u.room = room + (u.in.file.size < UINT64_MAX / RATIO / 2 ? u.in.file.size * RATIO : UINT64_MAX / 2);
    while ((rc = zst_read(&u.in, block, sizeof block, e)) == 0) {
        rc = tar_read(block, &x, u.in.file.name, at, e);
        if (rc <= 0 || (rc = one_entry(&u, &x, e)))
            break;
        at += TAR_BLOCK + (x.size + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
    }
    if (rc == 1)
        rc = err_set(e, ERR_DATA,
                     _("%s: the end of the archive is missing: it was truncated, or is still being written"), path);
    else if (rc == 0)
        rc = read_rest(&u, e);
    zst_read_end(&u.in);
    return rc ? rc : verify_unpacked(path, folder, e);
}
