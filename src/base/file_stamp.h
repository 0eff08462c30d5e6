/* Whether an input is still what it was when an investigation was left. */
#ifndef BASE_FILE_STAMP_H
#define BASE_FILE_STAMP_H

#include <stdint.h>

#include "base/str.h"

/* What the files of a side were when they were last compared. */
struct file_stamp {
    uint64_t bytes, files;
    uint64_t time; /* of the newest, seconds since 1970; 0: not known */
};

/* What a folder's (or a file's) own files are now; all zero where there are none. */
struct file_stamp file_stamp_of(const char *path);
/* Appends what has changed since, as a sentence; nothing where nothing has or nothing is known. */
void file_stamp_text(const struct file_stamp *was, const struct file_stamp *is, struct buf *out);
#endif
