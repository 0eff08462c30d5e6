/* The contents of a folder, read once: names and kinds, so that later questions need no system call. */
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
    ENTRY_LINK,  /* a link, or a kind the system does not report: the caller follows it */
};

struct folder;

struct folder_entry {
    const char *name;
    enum entry_kind kind;
    struct folder *child; /* that folder, once it was read and is kept; owned */
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
/* The folder of entry i; it belongs to f until folder_child_release. NULL if the entry is no folder or cannot be
 * read. */
struct folder *folder_child(struct folder *f, size_t i, size_t limit, struct err *e);
/* Releases a child that is not needed again. */
void folder_child_release(struct folder *f, size_t i);
bool folder_is_folder(const struct folder *f, size_t i); /* links followed */
/* Whether the folder contains a regular file of that name, links followed. */
bool folder_has_file(const struct folder *f, const char *name);

#endif
