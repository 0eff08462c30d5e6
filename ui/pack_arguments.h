/* Packs given on the command line: each is unpacked into a private folder, which is removed when the program ends. */
#ifndef UI_PACK_ARGUMENTS_H
#define UI_PACK_ARGUMENTS_H

#include "ui/options.h"

/* Replaces each argument that is a pack by the investigation inside. Removes folders left by killed programs first. */
int pack_arguments_unpack(struct options *o, struct err *e);
/* Appends a text in which the temporary folders are replaced by the packs' names, as JSON writes them. */
void pack_arguments_names(struct str text, struct buf *out);

#endif
