/* Size, number and newest time of an input's files, and the sentence for an input that has changed. */
#include "base/file_stamp.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/io.h"
#include "base/map.h"
#include "base/msg.h"
#include "base/num.h"
#include "base/threads.h"

#define FILES_MOST 5000 /* the most files of a folder that are examined */
#define TOGETHER 8      /* files per thread task: a stat takes a microsecond locally, much longer on a network */

struct looked_at {
    VEC(char *) paths;
    struct stat *st; /* one per file; st_mode 0: not counted */
};

static void stat_piece(void *ctx, size_t piece)
{
    struct looked_at *l = ctx;
    for (size_t i = piece * TOGETHER; i < (piece + 1) * TOGETHER && i < l->paths.n; i++)
        if (stat(l->paths.v[i], &l->st[i])) {
            l->st[i].st_mode = 0;
            if (errno != ENOENT) /* a dangling link */
                read_failures_note(l->paths.v[i]);
        }
}

static void stamp_add_file(struct file_stamp *x, const struct stat *st)
{
    if (!S_ISREG(st->st_mode))
        return;
    x->bytes += (uint64_t)st->st_size;
    x->files++;
    if (st->st_mtime > 0 && (uint64_t)st->st_mtime > x->time)
        x->time = (uint64_t)st->st_mtime;
}

/* Lists the path itself, or a folder's entries except folders. */
static void list_stamped_files(struct looked_at *l, const char *path)
{
    struct buf name = {0};
    vec_push(&l->paths, mem_strdup(path));
    DIR *dir = opendir(path);
    errno = dir ? 0 : errno;
    for (const struct dirent *e; dir && l->paths.n <= FILES_MOST && (e = readdir(dir)); errno = 0) {
        if (e->d_type == DT_DIR)
            continue;
        path_join(&name, path, e->d_name);
        vec_push(&l->paths, mem_strdup(name.p));
    }
    if (errno)
        read_failures_note(path);
    if (dir)
        closedir(dir);
    buf_release(&name);
}

struct file_stamp file_stamp_of(const char *path)
{
    struct file_stamp x = {0};
    struct looked_at l = {0};
    list_stamped_files(&l, path);
    l.st = mem_zalloc(l.paths.n * sizeof *l.st);
    threads_each((l.paths.n + TOGETHER - 1) / TOGETHER, NULL, stat_piece, &l);
    for (size_t i = 0; i < l.paths.n; i++) {
        stamp_add_file(&x, &l.st[i]);
        free(l.paths.v[i]);
    }
    vec_release(&l.paths);
    free(l.st);
    return x;
}

uint64_t file_stamp_glance(const char *path)
{
    static const char *const rows[] = {NULL, "dump.json", "statistic.csv"}; /* NULL: the path itself */
    uint64_t h = 0;
    struct buf name = {0};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        uint64_t stamp[2];
        if (rows[i])
            path_join(&name, path, rows[i]);
        if (path_changed(rows[i] ? name.p : path, stamp))
            h = hash_bytes(stamp, sizeof stamp, h + i);
    }
    buf_release(&name);
    return h;
}

void file_stamp_text(const struct file_stamp *was, const struct file_stamp *is, struct buf *out)
{
    char a[NUM_MAX], b[NUM_MAX];
    if (!was->bytes || !is->bytes)
        return;
    if (was->bytes != is->bytes || was->files != is->files)
        buf_fmt(out, _("changed since the investigation was closed: was %s, now %s; marks are kept"),
                num_bytes(a, was->bytes), num_bytes(b, is->bytes));
    else if (was->time != is->time)
        buf_cstr(out, _("rewritten since the investigation was closed; marks are kept"));
}
