/* Finds list entries by typed words, as fzf and k9s do. */
#ifndef BASE_FUZZY_H
#define BASE_FUZZY_H

#include <stdbool.h>

#include "base/str.h"

/* How well a text matches words separated by spaces; it must contain each of them (ASCII case ignored). -1: no match,
 * otherwise more is better: a match at the start of a word scores most, then one inside a word, then characters that
 * merely occur in order. No words: 0, everything matches. */
int fuzzy_score(struct str text, struct str words);
/* Whether the text contains every word literally: for long texts, where characters in order mean nothing. */
bool fuzzy_inside(struct str text, struct str words);

#endif
