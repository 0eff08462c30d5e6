#ifndef FMT_MSPROBE_H
#define FMT_MSPROBE_H

#include "fmt/reader.h"

extern const struct reader reader_msprobe;

/* Adds a call by msprobe's name for it: kind, phase, family and scope follow from the name. `offset` is
 * its place in the file. */
uint32_t msprobe_add_call(struct dump *d, struct str name, uint64_t offset);

#endif
