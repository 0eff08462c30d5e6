/* Files of a dump, which may still grow, shrink or be something else by now: everything is read by
 * position (pread), nothing is mapped, and only regular files are opened. */
#ifndef BASE_IO_H
#define BASE_IO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"

/* Bytes that are made when they are asked for. read may be called from several threads at once: n bytes from `at`, the
 * count, -1 on error. */
struct file_source {
    long (*read)(void *of, uint64_t at, void *out, size_t n, struct err *e);
    void (*close)(void *of);
};

struct file {
    int fd;
    uint64_t size; /* when opened */
    char *name;    /* for messages; owned, NULL when not open */
    char *held;    /* all bytes of a small one inside a dump; owned, NULL for others */
    struct file_span *span; /* of a file put together (file_join); owned, NULL for a plain one */
    size_t spans;
    const struct file_source *source; /* of a file that is made (file_made); NULL for others */
    void *made_of;
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
/* How many bytes it has by now; those it had when the system does not tell. */
uint64_t file_size_now(const struct file *f);
/* The first bytes of the file at path, up to n, in `out`: what tells a format. p is NULL where it cannot be opened. */
struct str file_head(const char *path, char *out, size_t n);
/* Stretches laid end to end and read as one file: a tensor cut into records, shards in several files.
 * The spans are copied; their descriptors (one may serve several spans in a row) and memory become f's. */
void file_join(struct file *f, const char *name, const struct file_span *span, size_t n);
/* A file of `size` bytes that a source makes; `of` becomes f's. */
void file_made(struct file *f, const char *name, uint64_t size, const struct file_source *source, void *of);
/* Gives the descriptor of a plain file away and closes the rest of it. */
int file_detach(struct file *f);
/* Up to n bytes; the count, 0 at the end, -1 on error. */
long file_read_some(const struct file *f, uint64_t at, void *out, size_t n, struct err *e);
/* Tells the system that the file will be read from front to back, so that it fetches more, and earlier, than is asked
 * for. (Asking for the very bytes, POSIX_FADV_WILLNEED, halved the speed of files already in the page cache.) */
void file_sequential(const struct file *f);
/* Asks for these bytes: for those read here and there. */
void file_ahead(const struct file *f, uint64_t at, uint64_t n);
/* Appends what tells these bytes from any others (device, inode, size, times). False where nothing does: bytes in
 * memory, or a file changed so lately that another change might leave the same times. */
bool file_identity(const struct file *f, struct buf *out);
/* A whole small file, appended to out; refuses more than `limit` bytes. */
int file_slurp(const char *path, size_t limit, struct buf *out, struct err *e);

/* What could not be opened, listed or read, though it is there. */
struct read_failure {
    char *path, *text; /* text: a sentence with the path */
    bool opened;       /* it had been opened */
    bool said;         /* of those kept: it was printed (read_failures_printed) */
};
typedef VEC(struct read_failure) read_failures;

/* From here on every such failure in this thread is added to `into` (each path once), until the one before, which this
 * returns, is set again: where formats are told apart, a file that cannot be read looks like one of no known format. */
read_failures *read_failures_gather(read_failures *into);
/* Adds the failure errno tells of, where failures are gathered or kept; errno stays. */
void read_failures_note(const char *path);
/* The same of a file that had been opened, with its reason. */
void read_failures_say(const char *path, const char *text);
/* Of all threads all failures, gathered or not, are added to `into` as well: whoever ends the program learns that what
 * it found is not of everything. Called once, before threads start; read when they have ended. */
void read_failures_keep(read_failures *into);
/* Those kept whose sentence stands in what was printed are said. */
void read_failures_printed(struct str text);
/* True: from here on in this thread what fails is not kept, as no result depends on it; what held before. */
bool read_failures_unimportant(bool from_here);
/* Adds the failures of another list, each path once. */
void read_failures_add(read_failures *into, const read_failures *from);
/* Of the first of them an error; they stay. -1. */
int read_failures_error(const read_failures *l, struct err *e);
void read_failures_release(read_failures *l);

/* Opens `name` inside folder `dir` without leaving it: no '/', no "..", no link whose end lies outside. */
int file_open_inside(struct file *f, const char *dir, const char *name, struct err *e);

/* realpath, whose failure is noted; caller frees. */
char *path_full(const char *path);

enum path_what { PATH_ABSENT, PATH_FILE, PATH_FOLDER, PATH_OTHER };

/* What lies at a path, links followed. -1 where the system does not say: that is not the same as nothing, and nothing
 * may be written there. */
int path_look(const char *path, enum path_what *what, struct err *e);
/* The same where it only matters that something is to be read: false also where the system does not say. */
bool path_is_dir(const char *path);
bool path_is_file(const char *path);
bool path_changed(const char *path, uint64_t stamp[2]); /* time of the last change and size; false: not there */
bool path_identity(const char *path, uint64_t id[2]); /* device and inode, links followed */
int path_make(const char *path); /* the folder and those it lies in, where they are not there; -1 and errno */
void path_join(struct buf *out, const char *dir, const char *name); /* replaces out's content */
struct str path_base(struct str path);   /* last component, without trailing '/' */
struct str path_parent(struct str path); /* what is before it, "" when nothing is */
struct str path_folder(struct str path); /* the folder it lies in: the same, "." when nothing is */

typedef VEC(char *) name_list;

/* Names in a folder except . and .., sorted as people count (rank2 before rank10).
 * At most `limit` of them, then an error. */
int dir_list(const char *path, size_t limit, name_list *out, struct err *e);
void name_list_release(name_list *l);
int name_cmp(const char *a, const char *b); /* digits compared as numbers */

#endif
