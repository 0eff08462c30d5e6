/* The only writer of files: what the user keeps, results, caches. A file appears whole or not at all: the bytes go to
 * an unnamed file in the same folder, which is linked under the name once they are on the disk. The earlier file
 * stays until then; its permissions, group and owner are taken over where the system allows it. Links are followed. */
#ifndef BASE_FILE_WRITE_H
#define BASE_FILE_WRITE_H

#include <sys/stat.h>

#include "base/err.h"
#include "base/str.h"

struct file_write {
    char *path;      /* as given, for messages; NULL: not begun */
    char *place;     /* the final path: links at the end of the path are followed */
    char *beside;    /* a path to the unnamed file, for a library that opens files itself */
    int fd;
    bool there;      /* a file exists at `place`; `was` is its stat */
    bool unnamed;    /* it has no name yet and vanishes with the process */
    bool straight;   /* a device or a pipe: written directly */
    struct stat was;
};

/* -1 with e if it cannot be written, also if stat of the existing file fails. */
int file_write_begin(struct file_write *w, const char *path, struct err *e);
int file_write_add(struct file_write *w, struct str bytes, struct err *e);
/* Puts the file into its place and syncs it and its folder. On failure the earlier file stays and nothing else is
 * left. */
int file_write_end(struct file_write *w, struct err *e);
void file_write_drop(struct file_write *w); /* abandons the file instead of ending it; allowed if it was not begun */

/* The path of the file that would be written: links at the end of the path are followed, also into nothing. Owned by
 * the caller; NULL with errno. */
char *file_write_place(const char *path);

/* Writes a whole file at once. */
int file_replace(const char *path, struct str content, struct err *e);

#endif
