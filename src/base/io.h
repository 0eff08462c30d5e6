/* Files of a dump, which may still grow, shrink or be replaced: everything is read by position (pread), nothing is
 * mapped, and only regular files are opened. */
#ifndef BASE_IO_H
#define BASE_IO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"

/* Bytes generated on demand. read returns up to n bytes from `at`: their count, -1 on error; several threads may call
 * it at once. */
struct file_source {
    long (*read)(void *of, uint64_t at, void *out, size_t n, struct err *e);
    void (*close)(void *of);
};

struct file {
    int fd;
    uint64_t size; /* when opened */
    char *name;    /* for messages; owned, NULL if not open */
    char *held;    /* all bytes of a small file inside a dump; owned, NULL for others */
    struct file_span *span; /* of a file joined from spans (file_join); owned, NULL for a plain one */
    size_t spans;
    const struct file_source *source; /* of a generated file (file_made); NULL for others */
    void *made_of;
};

/* A range of a file or of memory. */
struct file_span {
    int fd;            /* -1: the bytes are in memory */
    uint64_t at, size; /* in that file */
    char *memory;      /* owned; freed with free() */
    uint64_t start;    /* its offset in the joined file; set by file_join */
};

int file_open(struct file *f, const char *path, struct err *e);
void file_close(struct file *f); /* a zeroed file is allowed */
/* Exactly n bytes from `at`, or -1: a file that ends early is an error. */
int file_read(const struct file *f, uint64_t at, void *out, size_t n, struct err *e);
/* The current size; the size when opened if the system does not report it. */
uint64_t file_size_now(const struct file *f);
/* The first bytes of the file at path, up to n, in `out`, to detect its format. p is NULL if it cannot be opened. */
struct str file_head(const char *path, char *out, size_t n);
/* Spans one after the other, read as one file: a tensor cut into records, shards in several files. The spans are
 * copied; f takes over their descriptors (one may serve several spans in a row) and memory. */
void file_join(struct file *f, const char *name, const struct file_span *span, size_t n);
/* A file of `size` bytes that a source generates; f takes over `of`. */
void file_made(struct file *f, const char *name, uint64_t size, const struct file_source *source, void *of);
/* Returns the descriptor of a plain file, which the caller now owns, and closes the rest. */
int file_detach(struct file *f);
/* Up to n bytes; returns the count, 0 at the end, -1 on error. */
long file_read_some(const struct file *f, uint64_t at, void *out, size_t n, struct err *e);
/* Tells the system that the file will be read from front to back, so that it fetches more, and earlier, than is asked
 * for. (Asking for the very bytes, POSIX_FADV_WILLNEED, halved the speed of files already in the page cache.) */
void file_sequential(const struct file *f);
/* Prefetches these bytes, for reads at scattered offsets. */
void file_ahead(const struct file *f, uint64_t at, uint64_t n);
/* Appends an identity of the file's content (device, inode, size, times). False if there is none: bytes in memory, or
 * a file changed so recently that another change might leave the same times. */
bool file_identity(const struct file *f, struct buf *out);
/* Appends a whole small file to out; refuses more than `limit` bytes. */
int file_slurp(const char *path, size_t limit, struct buf *out, struct err *e);

/* A file or folder that exists but could not be opened, listed or read. */
struct read_failure {
    char *path, *text; /* text: a sentence with the path */
    bool opened;       /* opening it had succeeded */
    bool said;         /* of those kept: already printed (read_failures_printed) */
};
typedef VEC(struct read_failure) read_failures;

/* From here on every such failure in this thread is added to `into` (each path once). Returns the previous list,
 * which the caller sets again afterwards. Needed where formats are detected: an unreadable file looks like one of
 * unknown format. */
read_failures *read_failures_gather(read_failures *into);
/* Adds the failure of the current errno to the lists in force; errno stays. */
void read_failures_note(const char *path);
/* The same for a file that had been opened, with the reason. */
void read_failures_say(const char *path, const char *text);
/* From here on the failures of all threads, gathered or not, are also added to `into`, so that the program knows at
 * its end whether its result covers everything. Called once, before threads start; read when they have ended. */
void read_failures_keep(read_failures *into);
/* Marks the kept failures whose sentence is contained in the printed text as said. */
void read_failures_printed(struct str text);
/* True: from here on failures in this thread are not kept, because no result depends on them. Returns the previous
 * setting. */
bool read_failures_unimportant(bool from_here);
/* Adds the failures of another list, each path once. */
void read_failures_add(read_failures *into, const read_failures *from);
/* Sets e to the first failure and returns -1; the list stays. */
int read_failures_error(const read_failures *l, struct err *e);
void read_failures_release(read_failures *l);

/* Opens `name` inside folder `dir` without leaving it: no '/', no "..", no link that leads outside. */
int file_open_inside(struct file *f, const char *dir, const char *name, struct err *e);

/* realpath, or NULL. The caller frees the result. */
char *path_resolve(const char *path);
char *path_full(const char *path); /* the same; a failure is noted */

enum path_what { PATH_ABSENT, PATH_FILE, PATH_FOLDER, PATH_OTHER };

/* What is at a path, links followed. -1 if the system does not say: that does not mean absent, and nothing may be
 * written there. */
int path_look(const char *path, enum path_what *what, struct err *e);
/* The same for readers: false also if the system does not say. */
bool path_is_dir(const char *path);
bool path_is_file(const char *path);
bool path_changed(const char *path, uint64_t stamp[2]); /* time of the last change and size; false: absent */
bool path_identity(const char *path, uint64_t id[2]); /* device and inode, links followed */
bool path_same(const char *a, const char *b); /* one file: by their text, or by that identity */
int path_make(const char *path); /* creates the folder and its parents if missing; -1 and errno */
void path_join(struct buf *out, const char *dir, const char *name); /* replaces out's content */
struct str path_base(struct str path);   /* last component, without trailing '/' */
struct str path_parent(struct str path); /* the part before the last component, "" if none */
struct str path_folder(struct str path); /* the folder that contains it: like path_parent, but "." if there is none */

bool path_lies_in(struct str path, struct str folder); /* at or below it; both resolved */

typedef VEC(char *) name_list;

/* Names in a folder except . and .., in natural order (rank2 before rank10). More than `limit` are an error. */
int dir_list(const char *path, size_t limit, name_list *out, struct err *e);
void name_list_release(name_list *l);
int name_cmp(const char *a, const char *b); /* digits compared as numbers */

#endif
