/* The weights of one folder: an index with its parts, numbered parts, or a single file. */
#ifndef FMT_WEIGHT_INDEX_H
#define FMT_WEIGHT_INDEX_H

#include "fmt/weights.h"

/* Adds them to w; missing or damaged parts become problems of w, and the result is still 0. */
int weight_folder_list(struct weights *w, const char *dir, struct err *e);

#endif
