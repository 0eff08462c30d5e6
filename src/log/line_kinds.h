/* Of which format a record may begin in a line of a text log. Every line is asked; most differ from one of the lines
 * just before in their digits alone, so what the words of a line allow is remembered. */
#ifndef LOG_LINE_KINDS_H
#define LOG_LINE_KINDS_H

#include <stdint.h>

#include "base/str.h"

struct line_kinds {
    struct {
        struct buf line;
        uint32_t may; /* a bit for each row of log_formats whose words stand in it */
    } seen[8];   /* a power of two, so that `next` may overflow */
    size_t next; /* lines remembered so far: the next one replaces the oldest */
};

/* The first format of log_formats a record of which may begin in the line, or -1. */
int line_kind(struct line_kinds *l, struct str line);
void line_kinds_release(struct line_kinds *l);

#endif
