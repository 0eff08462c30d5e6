/* A check of a recording's tensor files before the comparison: do they exist, are they complete, and do they have the
 * recorded type? Of files that nothing else opens while the recording is loaded it reads the headers, and only of an
 * evenly spread sample if there are very many. */
#ifndef DUMP_TENSOR_FILES_H
#define DUMP_TENSOR_FILES_H

#include "base/err.h"
#include "dump/reader.h"

struct broken_file {
    uint32_t row;
    char *why; /* owned */
};

struct tensor_files {
    uint32_t looked; /* number checked */
    uint32_t missing;
    struct err first_missing;
    VEC(struct broken_file) broken; /* damaged, or not what was recorded of them */
    bool far;            /* to open one takes long: as on a network file system */
};

#define TENSOR_FILES_FAR 16 /* as many wait for files that are far away, and not for one that a disk had to look for */

/* A file that a worker tried to open, kept until the rows' order counts. */
struct tensor_file {
    bool tried;
    struct err *failed; /* owned; NULL: no error */
};

/* Opens the row's tensor; false: it could not be, and `f` has the reason. */
bool tensor_file_open(struct tensor_file *f, const struct dump *d, uint32_t row, struct tensor *t);
void tensor_file_release(struct tensor_file *f);

/* The dump is open and no longer appended to. opened: whether something else opens the row's file; may be NULL, as
 * `cancel`. */
void tensor_files_look(struct tensor_files *s, const struct dump *d,
                       bool (*opened)(const struct dump *d, uint32_t row), const atomic_bool *cancel);
/* Counts a file, unless nobody tried to open it. Rows come in their order. */
void tensor_files_count(struct tensor_files *s, uint32_t row, const struct tensor_file *f);
/* Adds a warning to the dump for each kind of finding, and what tensor_files_tell adds. The lock is held. */
void tensor_files_warn(const struct tensor_files *s, struct dump *d);
/* Adds a problem for each row whose file is broken, with or without a partner. */
void tensor_files_tell(const struct tensor_files *s, struct dump *d);
void tensor_files_release(struct tensor_files *s);

#endif
