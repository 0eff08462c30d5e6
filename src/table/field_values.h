/* How often each value of a field occurs among some lines, and how many of these deviate: which operator, module,
 * layer or type the deviations share. */
#ifndef TABLE_FIELD_VALUES_H
#define TABLE_FIELD_VALUES_H

#include "table/field.h"

struct field_value {
    const char *text;   /* as a filter takes it */
    uint32_t lines, bad;
    const struct comparison *of; /* of `line` */
    uint32_t line;      /* the first that is bad, else the first */
    float worst;        /* the largest error, NaN if there is none */
};

struct field_values {
    struct arena arena;
    struct map at;      /* text → value */
    VEC(struct field_value) v;
};

/* Lines of several comparisons may be added; they must outlive the values. */
void field_values_add(struct field_values *x, const struct comparison *s, const struct field *f, uint32_t line);
/* Most deviating lines first, of as many the largest error; then most lines. */
void field_values_sort(struct field_values *x);
void field_values_release(struct field_values *x);

#endif
