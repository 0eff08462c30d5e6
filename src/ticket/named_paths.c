/* Decides which files an investigation may name, and remembers those that its user named. */
#include "ticket/named_paths.h"

#include <stdlib.h>

#include "base/file_write.h"
#include "base/io.h"
#include "base/json_write.h"
#include "ticket/investigation.h"

#define FILE_NAME "named-paths"
#define MOST (1u << 20) /* bytes of it; the oldest half goes when it is full */

static const char *folder;

void named_paths_in(const char *state_folder)
{
    folder = state_folder;
}

/* Its resolved path, also if the file is still to be written; NULL if its folder is absent. Freed by the caller. */
static char *own_path(const struct investigation *v)
{
    char *full = path_resolve(v->path);
    if (full)
        return full;
    char *name = str_dup(path_folder(str_of(v->path)));
    struct buf b = {0};
    full = path_resolve(name);
    if (full)
        path_join(&b, full, path_base(str_of(v->path)).p);
    free(full);
    free(name);
    return b.p;
}

/* ["INVESTIGATION","PATH"]; empty if one of them is not there. */
static void write_named_line(const struct investigation *v, const char *path, struct buf *out)
{
    char *own = v->path ? own_path(v) : NULL, *full = path_resolve(path);
    struct jsonw w;
    if (own && full) {
        jw_init(&w, out, false);
        jw_array(&w);
        jw_cstr(&w, own);
        jw_cstr(&w, full);
        jw_end_array(&w);
        buf_char(out, '\n');
    }
    free(own);
    free(full);
}

static void read_named_lines(struct buf *text)
{
    struct buf at = {0};
    struct err quiet;
    bool was = read_failures_unimportant(true);
    if (folder)
        path_join(&at, folder, FILE_NAME);
    if (at.n && path_is_file(at.p) && file_slurp(at.p, MOST * 2, text, &quiet))
        buf_clear(text);
    read_failures_unimportant(was);
    buf_release(&at);
}

/* line: ends with its newline */
static bool has_named_line(struct str text, const struct buf *line)
{
    bool found = false;
    while (text.n && !found) {
        found = str_starts(text, line->p);
        str_next(&text, '\n');
    }
    return found;
}

void named_paths_add(const struct investigation *v, const char *path)
{
    struct buf line = {0}, text = {0}, at = {0};
    struct err quiet;
    write_named_line(v, path, &line);
    read_named_lines(&text);
    if (folder && line.n && !has_named_line(buf_view(&text), &line)) {
        struct str rest = buf_view(&text);
        while (rest.n > MOST / 2 && text.n + line.n > MOST)
            str_next(&rest, '\n');
        path_join(&at, folder, FILE_NAME);
        struct buf all = {0};
        buf_str(&all, rest);
        buf_str(&all, buf_view(&line));
        if (path_make(folder) == 0)
            file_replace(at.p, buf_view(&all), &quiet);
        buf_release(&all);
    }
    buf_release(&line);
    buf_release(&text);
    buf_release(&at);
}

static bool is_path_named(const struct investigation *v, const char *path)
{
    struct buf line = {0}, text = {0};
    write_named_line(v, path, &line);
    read_named_lines(&text);
    bool is = line.n && has_named_line(buf_view(&text), &line);
    buf_release(&line);
    buf_release(&text);
    return is;
}

/* Whether a path is at or below a folder, once the links of both are followed. */
static bool is_below(const char *path, const char *where)
{
    char *full = path_resolve(path), *own = path_resolve(where);
    bool is = full && own && path_lies_in(str_of(full), str_of(own));
    free(full);
    free(own);
    return is;
}

static bool is_below_folder_of(const char *path, const char *file)
{
    char *own = path_resolve(file), *where = own ? str_dup(path_folder(str_of(own))) : NULL;
    bool is = where && is_below(path, where);
    free(own);
    free(where);
    return is;
}

bool named_paths_allow(const struct investigation *v, const char *path)
{
    if (!v->path || v->allow_paths || is_below_folder_of(path, v->path))
        return true;
    return (folder && is_below(v->path, folder)) || is_path_named(v, path);
}
