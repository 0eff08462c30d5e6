/* Losses as lists or dictionaries in one document of JSON or as Python prints it: [10.2, 9.8], {"lm loss": [10.2]},
 * {"1": 10.2, "2": 9.8}, Megatron's golden_values.json, TensorBoard's download [[time, 1, 10.2], …]; and as columns of
 * numbers in a text. */
#ifndef LOG_LOSS_DOCUMENT_H
#define LOG_LOSS_DOCUMENT_H

#include "log/series_builder.h"

bool loss_document_sniff(struct str head, const char *path);
int loss_document_read(struct series_builder *k, struct err *e);
/* Takes the losses of a JSON document; false, with nothing taken: it has none. */
bool loss_document_take(struct series_builder *k, struct str json);
/* Lists with a name in any text: "losses: [10.2, 9.8]". */
bool printed_lists_sniff(const char *path);
int printed_lists_read(struct series_builder *k, struct err *e);
/* Lines of one number each, or of a growing step and a number, perhaps below a line of names. */
bool loss_columns_sniff(const struct file *f);
/* The number of columns of a text that begins with a row of numbers, dates and times; 0: it begins with something else,
 * or they are too few to need names. */
size_t loss_columns_unnamed(struct str head);
/* Whether a list of numbers in the text was cut in its middle by "...". */
bool printed_lists_shortened_in(const char *path);
int loss_columns_read(struct series_builder *k, struct err *e);

#endif
