/* Recordings that are known by sight and not read: binary forms only their own tools unpack, databases and
 * results without the figures a comparison needs. A row of the table each. */
#ifndef FMT_UNREADABLE_H
#define FMT_UNREADABLE_H

#include "base/io.h"

struct unreadable {
    const char *name;   /* "cann-dump": in `diverge formats` */
    const char *title;  /* what it is, for people */
    const char *what;   /* the files it is made of */
    const char *advice; /* how to make it readable; follows "recognised, but not read; " */
    /* Whether this file (`name` is its last component) is one of it. */
    bool (*is)(const char *path, struct str name);
    bool named; /* only where it was given itself: too common to tell what a folder is */
    bool single; /* the one file is wrong, not what it lies in: the sentence names it */
};

extern const struct unreadable unreadable_formats[]; /* the clearest signs first, a row without a name at the end */

/* The first of them at or below path; NULL when there is none. Where `found` is not NULL it gets the path the
 * sentence names: this one, or that of a `single` file below it. */
const struct unreadable *unreadable_find(const char *path, struct buf *found);
/* "PATH: title: recognised, but not read; advice" */
int unreadable_error(const struct unreadable *r, const char *path, struct err *e);

#endif
