/* Text as terminal cells. Invalid bytes decode as U+FFFD, one at a time, and control characters as visible ones
 * (U+2400 …), so that a hostile name can neither break a line nor send an escape sequence. Invisible characters and
 * bidirectional controls are U+FFFD in a cell and an escape in text (\u200b, \U000e0041), so that no two names look
 * alike. Width comes from utf8proc: 0, 1 or 2 cells. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* Removes the first code point of *s (which must not be empty) and returns it as a cell shows it. */
uint32_t utf8_next(struct str *s);
/* The same without replacements; U+FFFD for an invalid byte. */
uint32_t utf8_decode(struct str *s);
/* Whether it is invisible: C1 controls, bidirectional controls, zero-width characters, tags, line separators other
 * than "\n". */
bool utf8_is_hidden(uint32_t c);
int utf8_width(uint32_t c);
int utf8_cells(struct str s);
size_t utf8_put(char out[4], uint32_t c); /* returns the number of bytes */
bool utf16_marked(struct str head); /* whether text begins with a UTF-16 byte order mark */

/* Appends s for a terminal, log or message: controls (newlines included), hidden characters and invalid bytes are
 * made visible. */
void utf8_clean(struct buf *out, struct str s);
/* The same, but newlines stay; one is added at the end if missing. */
void utf8_clean_lines(struct buf *out, struct str text);

/* At most `cells` cells of s, cut in the middle with an ellipsis so that both ends stay
 * ("Module.module.dec…output.0"); `mark` is "…" or "~". Returns the cells used. */
int utf8_middle(struct buf *out, struct str s, int cells, const char *mark);

#endif
