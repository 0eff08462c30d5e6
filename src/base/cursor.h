/* A position in a text that is being parsed; the parsers of small languages (filters, the checklist, arithmetic in
 * launch scripts, lists) use it. */
#ifndef BASE_CURSOR_H
#define BASE_CURSOR_H

#include "base/str.h"

struct cursor {
    struct str rest;    /* the text not read yet */
    const char *blanks; /* characters without meaning; peek and take skip them */
};

char cursor_peek(struct cursor *c);                    /* the next character, not taken; 0 at the end */
/* if the text continues with `token`, consumes it and returns true */
bool cursor_take(struct cursor *c, const char *token);
/* Text in quotes: the next character is the quote, whatever it is, and the text ends at the next one like it. False,
 * nothing consumed, when there is no second one. */
bool cursor_quoted(struct cursor *c, struct str *text);
struct str cursor_skip(struct cursor *c, size_t n); /* takes n characters as they are and returns them */

#endif
