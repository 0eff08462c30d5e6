/* A check of a recording's tensor files before the comparison: do they exist, are they complete, and do they have the
 * recorded type? Reads headers only, and only a sample if there are very many files. */
#ifndef DUMP_TENSOR_FILES_H
#define DUMP_TENSOR_FILES_H

#include "base/err.h"
#include "dump/reader.h"

struct tensor_files {
    uint32_t files;  /* rows that name a file */
    uint32_t looked; /* number checked, evenly spread */
    uint32_t missing, broken, types;
    struct err first_missing, first_broken;
    uint32_t first_type; /* the row of the first wrong type */
    enum dtype in_file;  /* its type in the file */
    bool far;            /* to open one takes long: as on a network file system */
};

/* The dump is open and no longer appended to. `cancel` may be NULL. */
void tensor_files_look(struct tensor_files *s, const struct dump *d, const atomic_bool *cancel);
/* Adds a warning to the dump for each finding. The lock is held. */
void tensor_files_warn(const struct tensor_files *s, struct dump *d);

/* Whether a file may have this type where `recorded` was recorded: MindSpore saves bfloat16 as float32. */
bool tensor_files_type_agrees(enum dtype in_file, enum dtype recorded);

#endif
