/* What is in a folder, read once: names and what each is, so that whoever asks next need not ask the disk. */
#ifndef BASE_FOLDER_H
#define BASE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"

enum entry_kind {
    ENTRY_FOLDER,
    ENTRY_FILE,  /* a regular one */
    ENTRY_OTHER, /* a device, a pipe … */
    ENTRY_LINK,  /* or of a kind the system does not give: whoever asks looks at what is behind it */
};

struct folder;

struct folder_entry {
    const char *name;
    enum entry_kind kind;
    struct folder *child; /* that folder, where it was read and kept; owned */
};

struct folder {
    char *path;
    uint64_t id[2]; /* device and inode */
    VEC(struct folder_entry) entries; /* without . and .., sorted as people count (rank2 before rank10) */
    struct buf names;
};

/* Reads at most `limit` names; more of them are an error. A zeroed folder may be released, also after a failure. */
int folder_read(struct folder *f, const char *path, size_t limit, struct err *e);
void folder_release(struct folder *f);
/* The folder that entry i is; it belongs to f until it is given back. NULL where it is none or cannot be read. */
struct folder *folder_child(struct folder *f, size_t i, size_t limit, struct err *e);
/* A child that is not asked for again. */
void folder_child_release(struct folder *f, size_t i);
bool folder_is_folder(const struct folder *f, size_t i); /* links followed */
/* Whether a regular file of that name is in it, links followed. */
bool folder_has_file(const struct folder *f, const char *name);

#endif
