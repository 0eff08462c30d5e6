/* What the words of a name say of a value: whether it is the loss of a training step, and which of several. */
#ifndef LOG_LOSS_WORDS_H
#define LOG_LOSS_WORDS_H

#include "base/str.h"

#define LOSS_TOTAL 0 /* the rank of a loss that is called the total */
#define LOSS_OWN 1   /* of one that is called neither that nor a part */
#define LOSS_MEAN 10 /* the rank from which on a loss is called a mean */

/* Names are in lower case, their words divided by '_' or '/'. The last word, taken from the name. */
struct str name_last_word(struct str *name);
/* -1: not the loss. Otherwise what it goes by, lower ranks first: the total before the step's own, that before a part
 * of it or a mean. *named: the word for a loss is in it. */
int loss_words_rank(struct str name, bool *named);
/* Whether a word says that something is of validation or a test; whether one of a name's words does. */
bool word_is_judged(struct str word);
bool name_is_judged(struct str name);

#endif
