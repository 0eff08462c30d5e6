/* The destination of a report: a file that appears whole or not at all, or a descriptor such as standard output.
 * Writers append to `buf` and call out_flow regularly, so that a table of a million rows is never held in memory. */
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
    /* appends a text with names replaced for the reader; NULL: text is written unchanged */
    void (*rename)(struct str text, struct buf *out);
};

/* A file that a user named: -1 also if base/output.h refuses it. */
int out_file(struct out *o, const char *path, struct err *e);
/* A file that the program keeps for itself, which may exist. */
int out_own_file(struct out *o, const char *path, struct err *e);
void out_fd(struct out *o, int fd); /* not closed by out_close */
void out_memory(struct out *o);     /* writes nowhere: everything stays in `buf` until out_close */
/* Writes the contents of `buf` if they are large enough. */
void out_flow(struct out *o);
/* Writes the rest; a file is put in its place. On failure the file is not created. */
int out_close(struct out *o, struct err *e);

#endif
