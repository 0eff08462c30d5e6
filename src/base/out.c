/* A report's bytes on their way: collected in `buf`, written out in large pieces, and at the end a file takes its
 * name. */
#include "base/out.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/msg.h"

#define ENOUGH (256 * 1024)

int out_file(struct out *o, const char *path, struct err *e)
{
    struct buf tmp = {0};
    *o = (struct out){.fd = -1};
    o->fd = file_create_beside(path, &tmp);
    if (o->fd < 0) {
        buf_release(&tmp);
        return err_system(e, path);
    }
    o->path = mem_strdup(path);
    o->tmp = tmp.p;
    return 0;
}

void out_fd(struct out *o, int fd)
{
    *o = (struct out){.fd = fd};
}

void out_memory(struct out *o)
{
    *o = (struct out){.fd = -1};
}

static void drain(struct out *o)
{
    size_t done = 0;
    if (o->fd < 0)
        return;
    if (o->rename) { /* whole records: no name lies across two of these calls */
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
            err_system(&o->err, o->path ? o->path : _("output"));
        else
            done += (size_t)w;
    }
    buf_clear(&o->buf);
}

void out_flow(struct out *o)
{
    if (o->buf.n >= ENOUGH)
        drain(o);
}

int out_close(struct out *o, struct err *e)
{
    drain(o);
    if (o->tmp) {
        if (o->err.code == ERR_NONE && fsync(o->fd) && errno != EINVAL)
            err_system(&o->err, o->path);
        close(o->fd);
        if (o->err.code == ERR_NONE && rename(o->tmp, o->path))
            err_system(&o->err, o->path);
        if (o->err.code != ERR_NONE)
            unlink(o->tmp);
    }
    int rc = o->err.code == ERR_NONE ? 0 : -1;
    if (rc)
        *e = o->err;
    free(o->path);
    free(o->tmp);
    buf_release(&o->buf);
    return rc;
}
