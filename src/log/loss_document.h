/* Losses as lists or dictionaries in one JSON document: [10.2, 9.8], {"lm loss": [10.2, 9.8]}, {"1": 10.2, "2": 9.8},
 * Megatron's golden_values.json, TensorBoard's download [[time, 1, 10.2], …]; and as columns of numbers in a text. */
#ifndef LOG_LOSS_DOCUMENT_H
#define LOG_LOSS_DOCUMENT_H

#include "log/series_builder.h"

bool loss_document_sniff(struct str head, const char *path);
int loss_document_read(struct series_builder *k, struct err *e);
/* Lines of one number each, or of a growing step and a number, perhaps below a line of names. */
bool loss_columns_sniff(const struct file *f);
int loss_columns_read(struct series_builder *k, struct err *e);

#endif
