#ifndef FMT_PTDBG_H
#define FMT_PTDBG_H

#include "fmt/reader.h"

extern const struct reader reader_ptdbg;

/* A row's name in its parts (views of it) and what stands between them; false when it is none. */
bool ptdbg_split(struct str name, struct str *call, struct str *slot, char *joint);
/* The operator in a call's name: "Tensor___add___233_forward" → "__add__". */
struct str ptdbg_operator(struct str call, char joint);

#endif
