/* Files of a dump, which may still grow, shrink or be something else by now: everything is read by
 * position (pread), nothing is mapped, and only regular files are opened. */
#ifndef BASE_IO_H
#define BASE_IO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"

struct file {
    int fd;
    uint64_t size; /* when opened */
    char *name;    /* for messages; owned, NULL when not open */
    struct file_span *span; /* of a file put together (file_join); owned, NULL for a plain one */
    size_t spans;
};

/* A stretch of a file or of memory. */
struct file_span {
    int fd;            /* -1: the bytes are in memory */
    uint64_t at, size; /* in that file */
    char *memory;      /* owned; freed with free() */
    uint64_t start;    /* where it begins in the whole; file_join fills it */
};

int file_open(struct file *f, const char *path, struct err *e);
void file_close(struct file *f); /* a zeroed one is fine */
/* Exactly n bytes from `at`, or -1: a file that ends early is an error that says so. */
int file_read(const struct file *f, uint64_t at, void *out, size_t n, struct err *e);
/* The first bytes of the file at path, up to n, in `out`: what tells a format. p is NULL where it cannot be opened. */
struct str file_head(const char *path, char *out, size_t n);
/* Stretches laid end to end and read as one file: a tensor cut into records, shards in several files.
 * The spans are copied; their descriptors (one may serve several spans in a row) and memory become f's. */
void file_join(struct file *f, const char *name, const struct file_span *span, size_t n);
/* Gives the descriptor of a plain file away and closes the rest of it. */
int file_detach(struct file *f);
/* Up to n bytes; the count, 0 at the end, -1 on error. */
long file_read_some(const struct file *f, uint64_t at, void *out, size_t n, struct err *e);
/* Tells the system that the file will be read from front to back, so that it fetches more, and earlier, than is asked
 * for. (Asking for the very bytes, POSIX_FADV_WILLNEED, halved the speed of files already in the page cache.) */
void file_sequential(const struct file *f);
/* Asks for these bytes: for those read here and there. */
void file_ahead(const struct file *f, uint64_t at, uint64_t n);
/* Appends what tells these bytes from any others (device, inode, size, times). False where nothing does: bytes in memory,
 * or a file changed so lately that another change might leave the same times. */
bool file_identity(const struct file *f, struct buf *out);
/* A whole small file, appended to out; refuses more than `limit` bytes. */
int file_slurp(const char *path, size_t limit, struct buf *out, struct err *e);

/* Opens `name` inside folder `dir` without leaving it: no '/', no "..", no link whose end lies outside. */
int file_open_inside(struct file *f, const char *dir, const char *name, struct err *e);

/* Writes beside the path, then renames over it: readers see the old or the new file, never half. */
int file_replace(const char *path, struct str content, struct err *e);
/* A file of this process's own beside the path, to be renamed over it; its name is put into `name`. What lies there is taken
 * away first: a link somebody put there would lead the writing elsewhere. -1 and errno on failure. */
int file_create_beside(const char *path, struct buf *name);

bool path_is_dir(const char *path);
bool path_is_file(const char *path);
bool path_changed(const char *path, uint64_t stamp[2]); /* time of the last change and size; false: not there */
bool path_identity(const char *path, uint64_t id[2]); /* device and inode, links followed */
void path_make(const char *path); /* the folder and those it lies in, where they are not there */
void path_join(struct buf *out, const char *dir, const char *name); /* replaces out's content */
struct str path_base(struct str path);   /* last component, without trailing '/' */
struct str path_parent(struct str path); /* what is before it, "" when nothing is */

typedef VEC(char *) name_list;

/* Names in a folder except . and .., sorted as people count (rank2 before rank10).
 * At most `limit` of them, then an error. */
int dir_list(const char *path, size_t limit, name_list *out, struct err *e);
void name_list_release(name_list *l);
int name_cmp(const char *a, const char *b); /* digits compared as numbers */

#endif
