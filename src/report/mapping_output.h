/* Writes the pairs of a session as a file of correspondences: ours, which holds all of them, or one
 * of msprobe's, which holds what can be said in its terms (doc/formats.md). What cannot be said is
 * counted in a comment at its top. */
#ifndef REPORT_MAPPING_OUTPUT_H
#define REPORT_MAPPING_OUTPUT_H

#include "base/out.h"
#include "compare/comparison.h"

/* Which kind a file name stands for: .json is ours; .yaml and .yml are `as` ("cell_mapping"; NULL:
 * not given), else what the name says ("x_cell_mapping.yaml"), else a data mapping. -1 where that
 * makes no sense. */
int mapping_kind_for(const char *file, const char *as, enum mapping_kind *kind, struct err *e);

/* Pairs below the threshold "confidence" are left out. The comparison must be complete; -1 where it has
 * no two sides, or where the kind is one that is only read. The caller closes out. */
int mapping_write(struct out *out, const struct comparison *s, enum mapping_kind kind, struct err *e);

#endif
