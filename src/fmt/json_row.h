/* What several recordings write of a row in JSON. */
#ifndef FMT_JSON_ROW_H
#define FMT_JSON_ROW_H

#include "fmt/jsonspan.h"
#include "model/dump.h"

/* [2, 8, 16]: sets the row's shape where it is one; anything else leaves it without. */
void json_row_shape(struct dump *d, struct row *r, const cJSON *v);

#endif
