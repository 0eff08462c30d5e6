/* Finding entries of a list by what is typed, as fzf and k9s do. */
#ifndef BASE_FUZZY_H
#define BASE_FUZZY_H

#include <stdbool.h>

#include "base/str.h"

/* How well a text matches words separated by spaces, each of which it must hold, upper or lower case (ASCII):
 * -1 not at all, else more is better. A word that begins a word of the text counts most, then one inside it, then one
 * whose characters merely come in order. No words match everything, by 0. */
int fuzzy_score(struct str text, struct str words);
/* Whether every word stands in the text as it is: for long texts, in which characters in order say nothing. */
bool fuzzy_inside(struct str text, struct str words);

#endif
