/* The order in which the tensors of a step were computed, for files that store them only by name. */
#ifndef FMT_VALUE_ORDER_H
#define FMT_VALUE_ORDER_H

#include "fmt/weights.h"

enum value_order {
    ORDER_SAVED,  /* the order in which they were saved */
    ORDER_LISTED, /* given by a list file beside them */
    ORDER_USUAL,  /* the usual order of a model's parts with such names */
};

/* Sorts pointers to tensors of w; `numbered`: their names begin with numbers that give the order. */
enum value_order value_order_sort(const struct weights *w, bool numbered, const struct weight **list, size_t n);

/* Whether a file name is that of such a list: order.txt (one name per line) or order.json (a list of names). */
bool value_order_file(struct str name);

#endif
