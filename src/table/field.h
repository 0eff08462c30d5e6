/* What can be asked of a line of the table, by name: the columns that can be shown, sorted by and
 * filtered on are one list. A field is a number or a text; either may be absent on a line. */
#ifndef TABLE_FIELD_H
#define TABLE_FIELD_H

#include "compare/comparison.h"

/* A line with everything a field may need, gathered once. */
struct field_line {
    const struct comparison *s;
    uint32_t line, row[2];
    const struct line_judgement *j; /* NULL before the first judgement */
    const struct figures *f;        /* NULL unless computed */
};

struct field {
    const char *name;  /* in filters, sort and columns: "rel_l2" */
    const char *head;  /* column title */
    const char *help;
    int width;         /* of its column */
    /* One of the two. NaN or an empty text: absent. Texts replace what is in out. */
    double (*number)(const struct field_line *l);
    void (*text)(const struct field_line *l, struct buf *out);
    bool error;        /* a number shown as an error (two digits, scientific) */
};

extern const struct field fields[]; /* name NULL at the end */

const struct field *field_find(struct str name); /* or NULL */
/* A number field's value; false where it is absent. A recorded NaN is there: NaN is data. */
bool field_value(const struct field_line *l, const struct field *f, double *v);
struct field_line field_line(const struct comparison *s, uint32_t line);

#endif
