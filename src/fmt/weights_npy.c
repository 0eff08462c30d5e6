/* A folder of .npy files, one array each: gradients or weights saved one by one (numpy.save in a loop). The
 * name is the file's; they stand in the order people count (grad_2 before grad_10). */
#include "base/msg.h"
#include "fmt/npy.h"
#include "fmt/weights.h"

#define ENTRIES 200000

static bool probe(const char *path)
{
    name_list names = {0};
    struct err quiet;
    bool any = false;
    if (path_is_dir(path) && dir_list(path, ENTRIES, &names, &quiet) == 0)
        for (size_t i = 0; i < names.n && !any; i++)
            any = str_ends(str_of(names.v[i]), ".npy");
    name_list_release(&names);
    return any;
}

static int add(struct weights *w, const char *dir, const char *name, struct err *e)
{
    uint32_t file = weights_add_file(w, dir, name);
    struct tensor t = {0};
    struct err why;
    int rc = weights_open_file(w, file, &t.file, &why);
    struct weight_piece p = {.file = file, .size = rc ? 0 : t.file.size};
    if (rc == 0) {
        struct file f = t.file;
        rc = npy_open(&t, &why);
        file_close(&f);
    }
    t.file = (struct file){0};
    return weights_add_read(w, str_n(name, strlen(name) - strlen(".npy")), &t, &p, rc ? &why : NULL, e);
}

static int list(struct weights *w, const char *path, struct err *e)
{
    name_list names = {0};
    int rc = dir_list(path, ENTRIES, &names, e);
    for (size_t i = 0; i < names.n && rc == 0; i++)
        if (str_ends(str_of(names.v[i]), ".npy"))
            rc = add(w, path, names.v[i], e);
    name_list_release(&names);
    return rc;
}

const struct weight_format weights_npy = {.name = "npy", .probe = probe, .list = list};
