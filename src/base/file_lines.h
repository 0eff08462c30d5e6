/* The lines of a text file around one of them, read in the background: a disk may be slow. One thread owns it: all
 * functions are that thread's. */
#ifndef BASE_FILE_LINES_H
#define BASE_FILE_LINES_H

#include <stdint.h>

#include "base/job.h"
#include "base/str.h"

#define FILE_LINES_AROUND 40 /* lines read before and behind it, at most */

enum file_lines_state { FILE_LINES_READING, FILE_LINES_HERE, FILE_LINES_ABSENT };

/* Zeroed before. */
struct file_lines {
    struct job job;
    char *path;        /* asked for last, with its line; NULL: nothing was */
    uint32_t line;
    char *reading;     /* what the job reads, or has read, with its line */
    uint32_t reading_line;
    enum file_lines_state state; /* of `reading` */
    struct buf text;   /* its lines from `first` on */
    uint32_t first;
};

/* notify(ctx): what was asked for is read; called by the job's thread. */
void file_lines_init(struct file_lines *f, void (*notify)(void *ctx), void *ctx);
void file_lines_release(struct file_lines *f);
/* Starts reading unless that place is read already; numbers count from 1. ABSENT: no regular file is there, it is too
 * large, or has fewer lines. */
enum file_lines_state file_lines_ask(struct file_lines *f, const char *path, uint32_t line);
/* Once file_lines_ask says HERE for this path: line `number`, false where it was not read. Good until the next ask. */
bool file_lines_at(const struct file_lines *f, uint32_t number, struct str *out);
void file_lines_wait(struct file_lines *f); /* until nothing asked for is still to come */

#endif
