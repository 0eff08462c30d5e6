/* Losses in lines of text that no known tool prints: by the user's patterns and names, otherwise by words that repeat:
 * a number after "loss", and a count of steps that grows. What was taken for what is a note of the series. */
#ifndef LOG_LEARNED_LINES_H
#define LOG_LEARNED_LINES_H

#include "log/series_builder.h"

#define LEARN_LINES 400 /* with a loss, from which the words are learned */

struct lines_learnt;

/* Whether the file can be read so, by its first `limit` bytes; sure: only by lines that say their step, of which there
 * are several, as where nobody named the file as a log. */
bool learned_lines_sniff(const struct file *f, uint64_t limit, bool sure, const atomic_bool *cancel);
/* Reads all records; none is no error. */
int learned_lines_read(struct series_builder *k, struct err *e);
/* The same by the user's patterns alone. */
int pattern_lines_read(struct series_builder *k, struct err *e);

#endif
