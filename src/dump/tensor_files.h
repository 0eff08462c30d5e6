/* A look at a recording's tensor files before anything is compared: are they there, whole, and of the type that
 * was recorded? Their headers only, and of very many files only a share. */
#ifndef DUMP_TENSOR_FILES_H
#define DUMP_TENSOR_FILES_H

#include "base/err.h"
#include "dump/reader.h"

struct tensor_files {
    uint32_t files;  /* rows that name one */
    uint32_t looked; /* of them, evenly spread */
    uint32_t missing, broken, types;
    struct err first_missing, first_broken;
    uint32_t first_type; /* row */
    enum dtype in_file;  /* of that row */
};

/* The dump is open and nobody appends to it. `cancel` may be NULL. */
void tensor_files_look(struct tensor_files *s, const struct dump *d, const atomic_bool *cancel);
/* Adds a warning to the dump for each thing found. Lock held. */
void tensor_files_warn(const struct tensor_files *s, struct dump *d);

/* Whether a file may hold this type where that one was recorded: MindSpore saves bfloat16 as float32. */
bool tensor_files_type_agrees(enum dtype in_file, enum dtype recorded);

#endif
