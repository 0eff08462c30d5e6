/* Writes the pairs of a comparison as a mapping file: in this program's format, which holds all of them, or in one of
 * msprobe's, which hold what their form can express (doc/formats.md). A comment at the top counts the pairs left out.
 */
#ifndef REPORT_MAPPING_OUTPUT_H
#define REPORT_MAPPING_OUTPUT_H

#include "base/out.h"
#include "compare/comparison.h"

/* The kind for a file name: .json is this program's format; for .yaml and .yml `as` ("cell_mapping"; NULL: not
 * given), otherwise the kind in the name ("x_cell_mapping.yaml"), otherwise a data mapping. -1 for an impossible
 * combination. */
int mapping_kind_for(const char *file, const char *as, enum mapping_kind *kind, struct err *e);

/* Pairs below the threshold "confidence" are left out. The comparison must be complete; -1 if it has only one side,
 * or the kind can only be read. The caller closes out. */
int mapping_write(struct out *out, const struct comparison *s, enum mapping_kind kind, struct err *e);

#endif
