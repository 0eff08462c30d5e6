#ifndef FMT_PTDBG_H
#define FMT_PTDBG_H

#include "dump/reader.h"

extern const struct reader reader_ptdbg, reader_ptdbg_text;

/* Whether a line is a row of 2022, with the tensor's values in it (ptdbg_text.c). Of a long one its beginning will
 * do. */
bool ptdbg_is_text_row(struct str line);

/* A row's name in its parts (views of it) and what stands between them; false when it is none. */
bool ptdbg_split(struct str name, struct str *call, struct str *slot, char *joint);
/* The operator in a call's name: "Tensor___add___233_forward" → "__add__". */
struct str ptdbg_operator(struct str call, char joint);

#endif
