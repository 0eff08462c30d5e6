/* What the writers of mapping files share. Remarks in msprobe's files are in English and ASCII
 * whatever the language: msprobe opens them in the encoding of its own locale. */
#ifndef REPORT_MAPPING_OUTPUT_PARTS_H
#define REPORT_MAPPING_OUTPUT_PARTS_H

#include "base/out.h"
#include "compare/comparison.h"

struct mapping_pairs {
    const struct comparison *s;
    const struct dump *d[2];
    const struct pairing *p;
};

/* The line's pair when it is to be written, or NULL. */
const struct pair *mapping_pair(const struct mapping_pairs *x, const struct line *l);
/* Different element counts: one is a part of the other, which msprobe has no word for. */
bool mapping_part(const struct mapping_pairs *x, const struct line *l);

/* A name as YAML, in quotes where it needs them. */
void mapping_scalar(struct buf *out, struct str s);
/* "indent key: value", a line */
void mapping_entry_write(struct buf *out, const char *indent, struct str key, struct str value);

void mapping_write_cells(struct out *o, const struct mapping_pairs *x);
void mapping_write_layers(struct out *o, const struct mapping_pairs *x);
void mapping_write_apis(struct out *o, const struct mapping_pairs *x);

#endif
