/* A call's name without the number that counts the calls of that name: one call more in one recording shifts all
 * numbers behind it, what stands around them stays. */
#ifndef DUMP_CALL_STEM_H
#define DUMP_CALL_STEM_H

#include "dump/dump.h"

/* "Functional.linear.3.forward", "Functional_linear_3_forward", "Module.layers.0.Linear.forward.3": the hash of what
 * stands around the 3. Names without a number are their own stem. Never 0. */
uint64_t call_stem(struct str name);
/* The same of a module's path alone, whatever class stands behind it; 0 where the call is no module with a path. */
uint64_t call_path_stem(const struct dump *d, uint32_t call);

#endif
