/* Packs named on the command line: each is unpacked into a folder of this user's alone, which goes when the program
 * ends. */
#ifndef UI_PACK_ARGUMENTS_H
#define UI_PACK_ARGUMENTS_H

#include "ui/options.h"

/* Puts the investigation inside in the place of each argument that is a pack. Folders that a killed program left are
 * taken away first. */
int pack_arguments_unpack(struct options *o, struct err *e);
/* A text with the packs' names, as JSON writes them, where their folders are named; appended. */
void pack_arguments_names(struct str text, struct buf *out);

#endif
