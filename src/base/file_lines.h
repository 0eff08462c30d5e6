/* The lines of a text file around a given one, read in the background because the disk may be slow. All functions are
 * called by the one thread that owns it. */
#ifndef BASE_FILE_LINES_H
#define BASE_FILE_LINES_H

#include <stdint.h>

#include "base/job.h"
#include "base/str.h"

#define FILE_LINES_AROUND 40 /* lines read before and after the given line, at most */

enum file_lines_state { FILE_LINES_READING, FILE_LINES_HERE, FILE_LINES_ABSENT };

/* Zeroed before. */
struct file_lines {
    struct job job;
    char *path;        /* the path asked for last, with its line; NULL: none */
    uint32_t line;
    char *reading;     /* the path that the job reads or has read, with its line */
    uint32_t reading_line;
    enum file_lines_state state; /* of `reading` */
    struct buf text;   /* its lines from `first` on */
    uint32_t first;
};

/* notify(ctx) is called by the job's thread when reading has finished. */
void file_lines_init(struct file_lines *f, void (*notify)(void *ctx), void *ctx);
void file_lines_release(struct file_lines *f);
/* Starts reading unless those lines are read already; numbers count from 1. ABSENT: no regular file at the path, too
 * large, or fewer lines. */
enum file_lines_state file_lines_ask(struct file_lines *f, const char *path, uint32_t line);
/* Once file_lines_ask has returned HERE for this path: line `number`; false if it was not read. Valid until the next
 * ask. */
bool file_lines_at(const struct file_lines *f, uint32_t number, struct str *out);
void file_lines_wait(struct file_lines *f); /* waits until everything asked for is read */

#endif
