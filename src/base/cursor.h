/* A place in a text that is parsed: what the small languages (filters, the checklist, sums of scripts, lists) are read
 * by. */
#ifndef BASE_CURSOR_H
#define BASE_CURSOR_H

#include "base/str.h"

struct cursor {
    struct str rest;    /* what is still to be read */
    const char *blanks; /* characters that say nothing; peek and take go over them */
};

char cursor_peek(struct cursor *c);                    /* the next character, not taken; 0 at the end */
bool cursor_take(struct cursor *c, const char *token); /* whether the text goes on with it, which is taken */
/* The text between the next character, whatever it is, and the next like it. False, nothing taken, where there is
 * none. */
bool cursor_quoted(struct cursor *c, struct str *text);
struct str cursor_skip(struct cursor *c, size_t n); /* takes n characters as they are and returns them */

#endif
