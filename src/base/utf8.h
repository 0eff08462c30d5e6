/* Text as cells of a terminal. Bytes that are no UTF-8 decode as U+FFFD, one at a time, and control
 * characters as visible ones (U+2400 …), so that a hostile name can neither break a line nor send an
 * escape. What nobody sees, or what turns the direction of writing, is U+FFFD in a cell and its number in text
 * (\u200b, \U000e0041), so that no two names look alike. Width comes from utf8proc: 0, 1 or 2 cells. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* Takes one code point off the front of *s (which must not be empty), as a cell shows it. */
uint32_t utf8_next(struct str *s);
/* The same as it is; U+FFFD for a bad byte. */
uint32_t utf8_decode(struct str *s);
/* Nothing of it is seen: C1 controls, marks of direction, of no width, tags, ends of lines other than "\n". */
bool utf8_is_hidden(uint32_t c);
int utf8_width(uint32_t c);
int utf8_cells(struct str s);
size_t utf8_put(char out[4], uint32_t c); /* the count of bytes */
bool utf16_marked(struct str head); /* whether text begins with UTF-16's mark of byte order */

/* Appends s for a terminal, log or message: controls, hidden characters and bad bytes made visible, newlines
 * included. */
void utf8_clean(struct buf *out, struct str s);
/* The same of a text whose lines stay lines; the last one gets its end too. */
void utf8_clean_lines(struct buf *out, struct str text);

/* At most `cells` cells of s, cut in the middle with an ellipsis so that both ends stay
 * ("Module.module.dec…output.0"); `mark` is "…" or "~". Returns the cells used. */
int utf8_middle(struct buf *out, struct str s, int cells, const char *mark);

#endif
