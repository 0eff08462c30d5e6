/* Makes text from dumps and people fit for a document that others read: it cannot steer a terminal or change the
 * direction of writing, and paths do not reveal where on a machine a file was. */
#ifndef DOCUMENT_SANITIZE_H
#define DOCUMENT_SANITIZE_H

#include <stdbool.h>

#include "base/str.h"

struct sanitize {
    bool paths;       /* paths are not shortened */
    char *path[2];    /* the inputs as given */
    char *brief[2];   /* their short forms: from the component where the two paths differ */
};

/* Paths of target and golden (NULL: none). */
void sanitize_init(struct sanitize *c, const char *target, const char *golden, bool paths);
void sanitize_release(struct sanitize *c);

enum {
    SANITIZE_NAME = 1,  /* the text contains no path; harmless bytes are unchanged */
    SANITIZE_LINES = 2, /* newlines stay */
    SANITIZE_JSON = 4,  /* hidden characters stay, because the JSON writer escapes them */
};
/* Appends. Control characters become visible ones, invalid bytes U+FFFD; invisible characters and bidirectional
 * controls are written as escapes (utf8_clean). c may be NULL: paths stay. */
void sanitize_text(const struct sanitize *c, struct str s, int how, struct buf *out);
/* The same for a path; an input, or a folder above it, gets its short form. */
void sanitize_path(const struct sanitize *c, const char *path, struct buf *out);

#endif
