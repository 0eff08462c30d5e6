/* A text file line by line, whatever its size: only one line and one chunk are held in memory. */
#ifndef BASE_LINES_H
#define BASE_LINES_H

#include "base/io.h"

struct lines {
    struct file file;
    struct buf window;
    uint64_t base;   /* file offset of the window's first byte */
    size_t at;       /* next byte of the window */
    size_t longest;  /* a longer line is an error, or cut where `cut` is set */
    uint64_t number; /* of the line returned last, from 1 */
    uint64_t offset; /* of that line in the file */
    uint64_t end;    /* no line that begins here or behind is returned; 0: the file's end */
    bool newline;    /* that line ends with a newline */
    bool cut, ended;
};

/* `longest`: the longest line in bytes; a longer one is an error, or with `cut` only its beginning is returned. */
int lines_open(struct lines *l, const char *path, size_t longest, bool cut, struct err *e);
void lines_take(struct lines *l, struct file f, size_t longest, bool cut); /* for an open file, which l takes over */
/* Goes to a line that begins at `from` and has so many before it; no line that begins at `end` or behind is
 * returned. */
void lines_between(struct lines *l, uint64_t from, uint64_t end, uint64_t before);
/* 1: `line` is the next one without its end ("\n" or "\r\n"), valid until the next call; 0: end of file; -1: e says
 * where. */
int lines_next(struct lines *l, struct str *line, struct err *e);
/* The line returned last is the file's last and has no line end, where others have one: it may be cut off. */
bool lines_unended(const struct lines *l);
void lines_close(struct lines *l); /* a zeroed struct is allowed */

#endif
