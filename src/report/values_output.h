/* Writers of the values of a field: how many rows and how many deviating ones each has (doc/cli-json.md). */
#ifndef REPORT_VALUES_OUTPUT_H
#define REPORT_VALUES_OUTPUT_H

#include "base/json_write.h"
#include "base/out.h"
#include "table/field_values.h"

struct values_report {
    const struct field *field;
    struct field_values values; /* sorted */
};

/* result: a struct values_report */
void values_text(struct buf *b, const void *result);
void values_json(struct jsonw *w, struct out *o, const void *result);
void values_csv(struct out *o, const void *result);

#endif
