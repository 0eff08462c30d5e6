/* Lists and dictionaries of numbers in a text, as Python prints them, as one JSON document. */
#ifndef LOG_PRINTED_LISTS_H
#define LOG_PRINTED_LISTS_H

#include "base/str.h"

/* A text that is one value, or a value a line. False: it is neither. */
bool printed_document(struct str text, struct buf *json);
/* Values behind the name of a series in any text: "losses: [2.5, 2.25]", "steps = [10, 20]". Of several ranks the
 * lowest; what is named twice is left out, since nothing says which is meant. False: there is none. */
bool printed_lists(struct str text, struct buf *json);
/* Whether a list of numbers in the text was shortened when it was printed: "[2.5, 2.25, ..., 2.0]". */
bool printed_lists_shortened(struct str text);

#endif
