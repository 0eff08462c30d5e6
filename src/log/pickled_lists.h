/* Lists and dictionaries of numbers in a pickle (torch.save, pickle.dump, numpy.save of a dictionary), as JSON. */
#ifndef LOG_PICKLED_LISTS_H
#define LOG_PICKLED_LISTS_H

#include "base/err.h"
#include "base/str.h"

/* Appends what the file holds to `json`, numbers with all their digits; tensors and objects become null. The pickle is
 * read as data. -1: there is none, or it is damaged. */
int pickled_document(const char *path, struct buf *json, struct err *e);

#endif
