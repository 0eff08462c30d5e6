/* Shared by the writers of mapping files. Comments in msprobe's files are English and ASCII in any language, because
 * msprobe opens them in the encoding of its own locale. */
#ifndef REPORT_MAPPING_OUTPUT_PARTS_H
#define REPORT_MAPPING_OUTPUT_PARTS_H

#include "base/out.h"
#include "compare/comparison.h"

struct mapping_pairs {
    const struct comparison *s;
    const struct dump *d[2];
    const struct pairing *p;
};

/* The line's pair if it is to be written, or NULL. */
const struct pair *mapping_pair(const struct mapping_pairs *x, const struct line *l);
/* Whether the element counts differ, so that one is a part of the other, which msprobe's formats cannot express. */
bool mapping_part(const struct mapping_pairs *x, const struct line *l);

/* A name as YAML, quoted if needed. */
void mapping_scalar(struct buf *out, struct str s);
/* One line "indent key: value". */
void mapping_entry_write(struct buf *out, const char *indent, struct str key, struct str value);

void mapping_write_cells(struct out *o, const struct mapping_pairs *x);
void mapping_write_layers(struct out *o, const struct mapping_pairs *x);
void mapping_write_apis(struct out *o, const struct mapping_pairs *x);

#endif
