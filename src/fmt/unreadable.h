/* Recordings that are recognised but not read: binary forms that only their own tools unpack, databases, and results
 * without the figures a comparison needs. One table row each. */
#ifndef FMT_UNREADABLE_H
#define FMT_UNREADABLE_H

#include "base/io.h"

struct unreadable {
    const char *name;   /* "cann-overflow": as shown by `diverge formats` */
    const char *title;  /* what it is, for people */
    const char *what;   /* the files it consists of */
    const char *advice; /* how to make it readable; follows "recognised, but not read; " */
    /* Whether this file (`name` is its last component) belongs to it. */
    bool (*is)(const char *path, struct str name);
    bool named; /* checked only for a path given directly: such names are too common to classify a folder */
    bool single; /* the message names the file itself, not its folder */
};

extern const struct unreadable unreadable_formats[]; /* the most specific first; ends with a row without a name */

/* The first of them at or below path; NULL if there is none. `found` (may be NULL) receives the path for the message:
 * this one, or that of a `single` file below it. */
const struct unreadable *unreadable_find(const char *path, struct buf *found);
/* "PATH: title: recognised, but not read; advice" */
int unreadable_error(const struct unreadable *r, const char *path, struct err *e);

#endif
