/* Reads a user's mapping files, recognised by content: msprobe's data, cell, api and layer mappings (YAML),
 * tb_graph_ascend's saved matches (.vis.config) and this program's JSON. Meaning: pair/mapping_apply.h; formats:
 * doc/formats.md. */
#ifndef PAIR_MAPPING_FILE_H
#define PAIR_MAPPING_FILE_H

#include "base/err.h"
#include "pair/mapping_apply.h"

/* -1 with file and line (JSON: the member) and what was expected; m is then empty. Nothing in a file is expanded:
 * YAML aliases are refused, texts are limited to 4096 bytes. */
int mapping_load(struct mapping *m, const char *path, struct err *e);
void mapping_release(struct mapping *m);

enum { MAPPING_TEXT_MOST = 4096 };

/* For the readers. A golden text without meaning ("N/A", "-", "~", "") is stored as empty. */
struct mapping_entry mapping_entry_of(struct mapping *m, struct str target, struct str golden);
int mapping_yaml(struct mapping *m, struct str text, struct err *e); /* m->path is set already */

#endif
