/* Text from dumps and people, made fit for a document that others read: nothing in it can steer a terminal or turn the
 * direction of writing, and no path tells where on whose machine something lay. */
#ifndef DOCUMENT_SANITIZE_H
#define DOCUMENT_SANITIZE_H

#include <stdbool.h>

#include "base/str.h"

struct sanitize {
    bool paths;       /* paths stay whole */
    char *path[2];    /* the inputs as they were given */
    char *brief[2];   /* and what stands for them: from where the two part */
};

/* Paths of target and golden (NULL: none). */
void sanitize_init(struct sanitize *c, const char *target, const char *golden, bool paths);
void sanitize_release(struct sanitize *c);

enum {
    SANITIZE_NAME = 1,  /* no path in it: every byte that is not dangerous stays */
    SANITIZE_LINES = 2, /* its ends of lines stay */
    SANITIZE_JSON = 4,  /* hidden characters stay: who writes JSON gives their numbers, and the name is the dump's */
};
/* Appends. Control characters become visible ones; bad bytes U+FFFD; what nobody sees, and marks that turn
 * the direction of writing, stand with their numbers (utf8_clean).
 * c may be NULL: paths stay. */
void sanitize_text(const struct sanitize *c, struct str s, int how, struct buf *out);
/* The same of a path; an input, or a folder above it, is called as the reports call it. */
void sanitize_path(const struct sanitize *c, const char *path, struct buf *out);

#endif
