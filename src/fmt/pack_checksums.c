/* Verifies the files of an unpacked pack against the checksums that it holds. */
#include "base/lines.h"
#include "base/msg.h"
#include "base/tar.h"
#include "fmt/pack_read.h"

#define LIST_MOST (64u << 20)
#define END "end "

static int verify_file(const char *folder, struct str name, uint64_t size, uint32_t crc, struct err *e)
{
    struct buf dir = {0}, base = {0};
    struct str parent = path_parent(name);
    struct file f;
    buf_cstr(&dir, folder);
    if (parent.n)
        buf_fmt(&dir, "/%.*s", STR_ARG(parent));
    buf_str(&base, path_base(name));
    int rc = file_open_inside(&f, dir.p, base.p, e);
    if (rc == 0) {
        rc = f.size == size ? 0 : err_set(e, ERR_DATA, _("%s: %llu bytes, was written with %llu"), f.name,
                                          (unsigned long long)f.size, (unsigned long long)size);
        if (rc == 0)
            rc = sealed_verify(&f, &(struct sealed){0, size, crc}, e);
        file_close(&f);
    }
    buf_release(&dir);
    buf_release(&base);
    return rc;
}

/* "CRC size name" */
static int one_line(const char *folder, const char *path, uint64_t number, struct str line, struct err *e)
{
    struct str digits, size, name = {0};
    struct buf plain = {0};
    unsigned long long bytes;
    uint32_t crc;
    bool fits = str_split(line, ' ', &digits, &line) && crc_parse(digits, &crc) && str_split(line, ' ', &size, &name) &&
                str_u64(size, &bytes);
    buf_str(&plain, name);
    fits = fits && tar_name_ok(plain.p);
    buf_release(&plain);
    return fits ? verify_file(folder, name, bytes, crc, e)
                : err_line(e, path, number, "%s", _("expected a record as diverge writes it"));
}

static int verify_list(const char *folder, const char *path, struct str all, struct err *e)
{
    uint32_t crc;
    ptrdiff_t end = str_rfind(str_n(all.p, all.n ? all.n - 1 : 0), '\n');
    struct str last = str_trim(str_cut(all, (size_t)(end + 1)));
    bool whole = str_starts(last, END) && crc_parse(str_cut(last, sizeof END - 1), &crc) &&
                 crc_same(crc, crc_of(0, all.p, (size_t)(end + 1)));
    if (!whole)
        return err_set(e, ERR_DATA, _("%s: damaged or cut off: it does not end with its own checksum"), path);
    struct str rest = str_n(all.p, (size_t)(end + 1)), line;
    int rc = 0;
    for (uint64_t number = 1; rc == 0 && rest.n; number++) {
        str_split(rest, '\n', &line, &rest);
        rc = one_line(folder, path, number, line, e);
    }
    return rc;
}

int pack_verify(const char *folder, struct err *e)
{
    struct buf path = {0}, text = {0};
    path_join(&path, folder, PACK_CHECKSUMS);
    int rc = 1;
    if (path_is_file(path.p)) {
        rc = file_slurp(path.p, LIST_MOST, &text, e);
        rc = rc == 0 ? verify_list(folder, path.p, buf_view(&text), e) : -1;
    }
    buf_release(&path);
    buf_release(&text);
    return rc;
}
