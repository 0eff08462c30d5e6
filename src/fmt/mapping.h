/* Files of correspondences a user gives: msprobe's data mapping (YAML, "target row: golden row") and
 * our own JSON ({"schema":1,"pairs":[{"target":"…","golden":"…"}]}). */
#ifndef FMT_MAPPING_H
#define FMT_MAPPING_H

#include "model/pairing.h"

int mapping_load(struct mapping *m, const char *path, struct err *e);
void mapping_release(struct mapping *m);

#endif
