/* .npy files as weights or gradients saved one by one: a single file, or a folder of them (numpy.save in a loop), one
 * array each. In a folder the file name is the tensor's name, in natural order (grad_2 before grad_10). */
#include "base/msg.h"
#include "fmt/npy.h"
#include "fmt/weights.h"

#define ENTRIES 200000

static bool weights_npy_probe(const char *path)
{
    char head[6];
    return !path_is_dir(path) && str_ends(str_of(path), ".npy") &&
           str_is(file_head(path, head, sizeof head), "\x93NUMPY");
}

static bool weights_npy_probe_folder(struct folder *f)
{
    for (size_t i = 0; i < f->entries.n; i++)
        if (str_ends(str_of(f->entries.v[i].name), ".npy"))
            return true;
    return false;
}

static int weights_npy_add(struct weights *w, uint32_t file, struct str name, struct err *e)
{
    struct tensor t = {0};
    struct buf type = {0};
    struct err why;
    int rc = weights_open_file(w, file, &t.file, &why);
    struct weight_piece p = {.file = file, .size = rc ? 0 : t.file.size};
    if (rc == 0) {
        struct file f = t.file;
        rc = f.size ? npy_open_at(&t, 0, f.size, &type, &why)
                    : err_set(&why, ERR_DATA, _("%s: empty file; expected a tensor"), f.name);
        file_close(&f);
    }
    t.file = (struct file){0};
    rc = weights_add_read(w, name, buf_view(&type), &t, &p, rc ? &why : NULL, e);
    buf_release(&type);
    return rc;
}

/* The tensor is named like that of a single-tensor torch file: two such files hold the same quantity, whatever their
 * names. */
static int weights_npy_list(struct weights *w, uint32_t file, struct err *e)
{
    return weights_npy_add(w, file, STR("tensor"), e);
}

static int weights_npy_list_folder(struct weights *w, const char *path, struct err *e)
{
    name_list names = {0};
    w->by_name = true;
    int rc = dir_list(path, ENTRIES, &names, e);
    for (size_t i = 0; i < names.n && rc == 0; i++)
        if (str_ends(str_of(names.v[i]), ".npy"))
            rc = weights_npy_add(w, weights_add_file(w, path, names.v[i]),
                                 str_n(names.v[i], strlen(names.v[i]) - strlen(".npy")), e);
    name_list_release(&names);
    return rc;
}

const struct weight_format weights_npy = {.name = "npy", .probe = weights_npy_probe, .list_file = weights_npy_list};
const struct weight_format weights_npy_folder =
    {.name = "npy", .probe_folder = weights_npy_probe_folder, .list = weights_npy_list_folder};
