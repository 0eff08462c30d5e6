/* In which order the tensors of a step were computed, where they come by their names alone. */
#ifndef FMT_VALUE_ORDER_H
#define FMT_VALUE_ORDER_H

#include "fmt/weights.h"

enum value_order {
    ORDER_SAVED,  /* as they were saved */
    ORDER_LISTED, /* as a list beside them says */
    ORDER_USUAL,  /* as the parts of a model with such names usually follow each other */
};

/* Sorts pointers to tensors of w; `numbered`: their names begin with numbers, which count as the order. */
enum value_order value_order_sort(const struct weights *w, bool numbered, const struct weight **list, size_t n);

/* Whether a file of a folder is such a list: order.txt (a name a line) or order.json (a list of names). */
bool value_order_file(struct str name);

#endif
