/* .npz: a zip of .npy members, one named array each; np.savez stores them, np.savez_compressed deflates. */
#include <stdlib.h>

#include "fmt/npy.h"
#include "fmt/weights.h"
#include "fmt/zip.h"

#define HEAD (64u << 10) /* bytes of a compressed member unpacked for its header */
#define MEMBERS_MAX (1u << 20)

/* Reads a compressed member's header from its first bytes; elements are unpacked on demand. */
static int header_of(const struct file *f, const struct zip_entry *x, struct tensor *t, struct buf *type, struct err *e)
{
    struct file_span s = {.fd = -1, .memory = mem_alloc(HEAD)};
    long n = zip_head(f, &x->m, s.memory, HEAD, e);
    if (n < 0) {
        free(s.memory);
        return -1;
    }
    s.size = (uint64_t)n;
    file_join(&t->file, x->name.p, &s, 1);
    /* the elements extend to the member's end, which is not unpacked */
    int rc = npy_open_at(t, 0, x->m.size, type, e);
    file_close(&t->file);
    return rc;
}

static int npz_add(struct weights *w, uint32_t file, const struct file *f, const struct zip_entry *x, struct err *e)
{
    struct str name = str_n(x->name.p, x->name.n - strlen(".npy"));
    struct tensor t = {0};
    struct err why;
    struct weight_piece p = {.file = file, .at = x->m.stored ? x->m.offset : 0, .size = x->m.size};
    struct buf type = {0};
    int rc;
    p.sealed = zip_sealed(&x->m);
    if (x->m.stored) {
        t.file = *f;
        rc = npy_open_at(&t, x->m.offset, x->m.offset + x->m.size, &type, &why);
        t.offset -= rc || t.dtype == DTYPE_UNKNOWN ? 0 : x->m.offset;
    } else {
        p.member = arena_cstr(&w->arena, x->name);
        rc = header_of(f, x, &t, &type, &why);
    }
    if (rc && !x->m.stored) /* the message already names the member */
        err_prefix(&why, "%s", f->name);
    rc = weights_add_read(w, name, buf_view(&type), &t, &p, rc ? &why : NULL, e);
    buf_release(&type);
    return rc;
}

static int npz_list(struct weights *w, uint32_t file, struct err *e)
{
    struct file f;
    struct arena names = {0};
    zip_list members = {0};
    if (weights_open_file(w, file, &f, e))
        return -1;
    struct zip *z = zip_open(&f, e);
    int rc = z ? zip_all(z, MEMBERS_MAX, &names, &members, e) : -1;
    for (size_t i = 0; rc == 0 && i < members.n; i++)
        if (str_ends(members.v[i].name, ".npy"))
            rc = npz_add(w, file, &f, &members.v[i], e);
    zip_close(z);
    vec_release(&members);
    arena_release(&names);
    file_close(&f);
    return rc;
}

static bool npz_probe(const char *path)
{
    char head[4];
    if (path_is_dir(path) || !str_ends(str_of(path), ".npz"))
        return false;
    struct str s = file_head(path, head, sizeof head);
    return s.n == sizeof head && str_starts(s, "PK");
}

const struct weight_format weights_npz = {.name = "npz", .probe = npz_probe, .list_file = npz_list};
