/* Paths of modules without wrappers that compute nothing: one side may train data-parallel, sharded or compiled and the
 * other not. */
#ifndef DUMP_MODULE_PATH_H
#define DUMP_MODULE_PATH_H

#include "base/str.h"

/* "module.model.layers.0._orig_mod.mlp": "model.layers.0.mlp". Replaces out. */
void module_path_plain(struct str path, struct buf *out);

#endif
