/* Whether an input has changed since an investigation was left. */
#ifndef BASE_FILE_STAMP_H
#define BASE_FILE_STAMP_H

#include <stdint.h>

#include "base/str.h"

/* Size, number and time of a side's files when they were last compared. */
struct file_stamp {
    uint64_t bytes, files;
    uint64_t time; /* of the newest file, seconds since 1970; 0: not known */
};

/* The stamp of a folder's (or a file's) own files now; all zero if there are none. */
struct file_stamp file_stamp_of(const char *path);
/* A number that differs once the folder's list of files, or a file of rows in it, has changed. Takes a few stats,
 * whatever the folder holds. */
uint64_t file_stamp_glance(const char *path);
/* Appends a sentence that says what has changed; nothing if nothing has or nothing is known. */
void file_stamp_text(const struct file_stamp *was, const struct file_stamp *is, struct buf *out);
#endif
