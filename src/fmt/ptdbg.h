#ifndef FMT_PTDBG_H
#define FMT_PTDBG_H

#include "dump/reader.h"

extern const struct reader reader_ptdbg, reader_ptdbg_text;

/* Whether a line is a row in the format of 2022, with the tensor's values in it (ptdbg_text.c). The beginning of a
 * long line suffices. */
bool ptdbg_is_text_row(struct str line);

/* Splits a row's name into call and slot (views of it) and the separator between them; false if it has another form. */
bool ptdbg_split(struct str name, struct str *call, struct str *slot, char *joint);
/* The operator in a call's name: "Tensor___add___233_forward" → "__add__". */
struct str ptdbg_operator(struct str call, char joint);

#endif
