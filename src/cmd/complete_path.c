/* Completes a path with the entries of its folder. */
#include "cmd/complete_path.h"

#include <stdlib.h>
#include <string.h>

#include "base/folder.h"
#include "base/mem.h"

#define ENTRIES 100000

static bool is_hidden_entry(const char *name, struct str begun)
{
    return *name == '.' && !(begun.n && *begun.p == '.');
}

static void add_path_entry(name_list *out, struct str before, const char *name, bool is_folder)
{
    struct buf path = {0};
    buf_str(&path, before);
    buf_cstr(&path, name);
    if (is_folder)
        buf_char(&path, '/');
    vec_push(out, path.p);
}

void complete_path(struct str stem, name_list *out)
{
    ptrdiff_t slash = str_rfind(stem, '/');
    struct str before = str_n(stem.p, (size_t)(slash + 1)), begun = str_cut(stem, (size_t)(slash + 1));
    char *dir = before.n ? str_dup(before) : mem_strdup(".");
    struct folder f = {0};
    struct err quiet;
    if (folder_read(&f, dir, ENTRIES, &quiet) == 0)
        for (size_t i = 0; i < f.entries.n; i++) {
            const char *name = f.entries.v[i].name;
            if (strncmp(name, begun.p, begun.n) == 0 && !is_hidden_entry(name, begun))
                add_path_entry(out, before, name, folder_is_folder(&f, i));
        }
    folder_release(&f);
    free(dir);
}
