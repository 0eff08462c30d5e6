/* The weights of one folder: an index with its parts, a series of parts, or the one file that is meant. */
#ifndef FMT_WEIGHT_INDEX_H
#define FMT_WEIGHT_INDEX_H

#include "fmt/weights.h"

/* Adds them to w; parts that are missing or damaged are problems of w, 0 all the same. */
int weight_folder_list(struct weights *w, const char *dir, struct err *e);

#endif
