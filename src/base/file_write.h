/* The one writer of files: what a person keeps, results, caches. A file appears whole or not at all: its bytes go to a
 * file without a name in the same folder, which takes the name once they are on the disk. What was there stays until
 * then, and its permissions, group and owner (where the system allows it) go on; where links lead, it is written. */
#ifndef BASE_FILE_WRITE_H
#define BASE_FILE_WRITE_H

#include <sys/stat.h>

#include "base/err.h"
#include "base/str.h"

struct file_write {
    char *path;      /* as given, for sentences; NULL: not begun */
    char *place;     /* where it will be: links at the end of the path are followed */
    char *beside;    /* a path to it until then, for a library that opens files itself */
    int fd;
    bool there;      /* something is in that place; `was` is what */
    bool unnamed;    /* it has no name yet, and is gone with the process */
    bool straight;   /* a device or a pipe: written into as it is */
    struct stat was;
};

/* -1 with a sentence where it cannot be written: also where the system does not say what is there now. */
int file_write_begin(struct file_write *w, const char *path, struct err *e);
int file_write_add(struct file_write *w, struct str bytes, struct err *e);
/* Puts it into its place, on the disk with its folder. On failure what was there stays, and nothing else does. */
int file_write_end(struct file_write *w, struct err *e);
void file_write_drop(struct file_write *w); /* instead of the end; also of one that was not begun */

/* All of it at once. */
int file_replace(const char *path, struct str content, struct err *e);

#endif
