/* Size, number and newest time of an input's files, and the sentence for an input that is no longer what it was. */
#include "base/file_stamp.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

#include "base/io.h"
#include "base/msg.h"
#include "base/num.h"

#define FILES_MOST 5000 /* of a folder that are looked at */

static void add_file(struct file_stamp *x, const char *path)
{
    struct stat st;
    if (stat(path, &st)) {
        if (errno != ENOENT) /* a link to nothing that lies there */
            read_failures_note(path);
        return;
    }
    if (!S_ISREG(st.st_mode))
        return;
    x->bytes += (uint64_t)st.st_size;
    x->files++;
    if (st.st_mtime > 0 && (uint64_t)st.st_mtime > x->time)
        x->time = (uint64_t)st.st_mtime;
}

struct file_stamp file_stamp_of(const char *path)
{
    struct file_stamp x = {0};
    struct buf name = {0};
    add_file(&x, path);
    DIR *dir = opendir(path);
    errno = dir ? 0 : errno;
    for (const struct dirent *e; dir && x.files < FILES_MOST && (e = readdir(dir)); errno = 0) {
        path_join(&name, path, e->d_name);
        add_file(&x, name.p);
    }
    if (errno)
        read_failures_note(path);
    if (dir)
        closedir(dir);
    buf_release(&name);
    return x;
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
