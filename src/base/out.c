/* Collects a report's bytes in `buf`, writes them in large pieces, and at the end gives the file its name. */
#include "base/out.h"

#include <errno.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/output.h"

#define ENOUGH (256 * 1024)

int out_file(struct out *o, const char *path, struct err *e)
{
    *o = (struct out){.fd = -1};
    return output_check(path, e) ? -1 : out_own_file(o, path, e);
}

int out_own_file(struct out *o, const char *path, struct err *e)
{
    *o = (struct out){.fd = -1};
    int rc = file_write_begin(&o->file, path, e);
    o->fd = o->file.fd;
    return rc;
}

void out_fd(struct out *o, int fd)
{
    *o = (struct out){.fd = fd};
}

void out_memory(struct out *o)
{
    *o = (struct out){.fd = -1};
}

static void write_out_buffer(struct out *o)
{
    size_t done = 0;
    if (o->fd < 0)
        return;
    if (o->rename) { /* callers flush between records, so no name is split between two calls */
        struct buf named = {0};
        o->rename(buf_view(&o->buf), &named);
        buf_release(&o->buf);
        o->buf = named;
    }
    while (o->err.code == ERR_NONE && done < o->buf.n) {
        ssize_t w = write(o->fd, o->buf.p + done, o->buf.n - done);
        if (w < 0 && errno == EINTR)
            continue;
        if (w < 0)
            err_output(&o->err, o->file.path ? o->file.path : _("standard output"));
        else
            done += (size_t)w;
    }
    buf_clear(&o->buf);
}

void out_flow(struct out *o)
{
    if (o->buf.n >= ENOUGH)
        write_out_buffer(o);
}

int out_close(struct out *o, struct err *e)
{
    write_out_buffer(o);
    if (o->err.code != ERR_NONE)
        file_write_drop(&o->file);
    else if (o->file.path)
        file_write_end(&o->file, &o->err);
    int rc = o->err.code == ERR_NONE ? 0 : -1;
    if (rc)
        *e = o->err;
    buf_release(&o->buf);
    return rc;
}
