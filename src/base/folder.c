/* Reads a folder in one pass, with the kind of each entry as reported by readdir. */
#include "base/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/msg.h"

static enum entry_kind dirent_kind(const struct dirent *it)
{
    switch (it->d_type) {
    case DT_DIR:
        return ENTRY_FOLDER;
    case DT_REG:
        return ENTRY_FILE;
    case DT_LNK:
    case DT_UNKNOWN:
        return ENTRY_LINK;
    default:
        return ENTRY_OTHER;
    }
}

static int by_entry_name(const void *a, const void *b)
{
    const struct folder_entry *x = a, *y = b;
    int c = name_cmp(x->name, y->name);
    return c ? c : strcmp(x->name, y->name);
}

/* Sets name pointers after all names were read, because the buffer moves while it grows. */
static void point_at_names(struct folder *f)
{
    const char *name = f->names.p;
    for (size_t i = 0; i < f->entries.n; i++) {
        f->entries.v[i].name = name;
        name += strlen(name) + 1;
    }
}

static int failed_to_read(const char *path, struct err *e)
{
    read_failures_note(path);
    return err_system(e, path);
}

static int read_folder_entries(struct folder *f, DIR *d, size_t limit, struct err *e)
{
    for (;;) {
        errno = 0;
        const struct dirent *it = readdir(d);
        if (!it) /* a truncated listing is an error */
            return errno ? failed_to_read(f->path, e) : 0;
        if (strcmp(it->d_name, ".") == 0 || strcmp(it->d_name, "..") == 0)
            continue;
        if (f->entries.n >= limit)
            return err_set(e, ERR_DATA, _("%s: more than %zu entries; choose a folder with fewer"), f->path, limit);
        struct folder_entry x = {.kind = dirent_kind(it)};
        buf_add(&f->names, it->d_name, strlen(it->d_name) + 1);
        vec_push(&f->entries, x);
    }
}

int folder_read(struct folder *f, const char *path, size_t limit, struct err *e)
{
    struct stat st;
    *f = (struct folder){.path = mem_strdup(path)};
    DIR *d = opendir(path);
    if (!d)
        return failed_to_read(path, e);
    int rc = fstat(dirfd(d), &st) ? failed_to_read(path, e) : read_folder_entries(f, d, limit, e);
    if (rc == 0) {
        f->id[0] = (uint64_t)st.st_dev;
        f->id[1] = (uint64_t)st.st_ino;
    }
    closedir(d);
    point_at_names(f);
    vec_sort(&f->entries, by_entry_name);
    return rc;
}

void folder_release(struct folder *f)
{
    for (size_t i = 0; i < f->entries.n; i++)
        folder_child_release(f, i);
    vec_release(&f->entries);
    buf_release(&f->names);
    free(f->path);
    *f = (struct folder){.path = NULL};
}

struct folder *folder_child(struct folder *f, size_t i, size_t limit, struct err *e)
{
    struct folder_entry *x = &f->entries.v[i];
    if (x->child)
        return x->child;
    if (!folder_is_folder(f, i)) {
        err_set(e, ERR_IO, _("%s: expected a folder"), x->name);
        return NULL;
    }
    struct buf path = {0};
    path_join(&path, f->path, x->name);
    x->child = mem_alloc(sizeof *x->child);
    if (folder_read(x->child, path.p, limit, e))
        folder_child_release(f, i);
    buf_release(&path);
    return x->child;
}

void folder_child_release(struct folder *f, size_t i)
{
    struct folder *child = f->entries.v[i].child;
    if (!child)
        return;
    folder_release(child);
    free(child);
    f->entries.v[i].child = NULL;
}

/* Calls `is` for an entry whose kind the listing does not give. */
static bool is_behind(const struct folder *f, size_t i, bool (*is)(const char *path))
{
    struct buf path = {0};
    path_join(&path, f->path, f->entries.v[i].name);
    bool yes = is(path.p);
    buf_release(&path);
    return yes;
}

bool folder_is_folder(const struct folder *f, size_t i)
{
    enum entry_kind kind = f->entries.v[i].kind;
    return kind == ENTRY_FOLDER || (kind == ENTRY_LINK && is_behind(f, i, path_is_dir));
}

bool folder_has_file(const struct folder *f, const char *name)
{
    const struct folder_entry wanted = {.name = name};
    const struct folder_entry *x = f->entries.n
        ? bsearch(&wanted, f->entries.v, f->entries.n, sizeof wanted, by_entry_name) : NULL;
    if (!x)
        return false;
    return x->kind == ENTRY_FILE || (x->kind == ENTRY_LINK && is_behind(f, (size_t)(x - f->entries.v), path_is_file));
}
