/* Where a report goes: a file that appears whole or not at all, or a descriptor such as standard
 * output. Writers append to `buf` and call out_flow now and then, so that a table of a million rows
 * needs no memory of its size. */
#ifndef BASE_OUT_H
#define BASE_OUT_H

#include "base/err.h"
#include "base/file_write.h"
#include "base/str.h"

struct out {
    struct buf buf;
    int fd;
    struct file_write file; /* path NULL for a descriptor */
    struct err err;   /* the first failure; later calls do nothing */
    /* text as it is to be read, appended; or NULL: as it was written */
    void (*rename)(struct str text, struct buf *out);
};

int out_file(struct out *o, const char *path, struct err *e);
void out_fd(struct out *o, int fd); /* stays open */
void out_memory(struct out *o);     /* nowhere: all of it stays in `buf`, until out_close */
/* Passes on what has gathered once it is worth a write. */
void out_flow(struct out *o);
/* Writes the rest; a file is put in its place. On failure nothing of it stays. */
int out_close(struct out *o, struct err *e);

#endif
