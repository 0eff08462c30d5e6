/* A call's name without its running number: one more call in a recording shifts all later numbers, but not the rest
 * of the names. */
#ifndef DUMP_CALL_STEM_H
#define DUMP_CALL_STEM_H

#include "dump/dump.h"

/* Of "Functional.linear.3.forward", "Functional_linear_3_forward", "Module.layers.0.Linear.forward.3": a hash of the
 * name without the 3. A name without a number is used whole. Never 0. */
uint64_t call_stem(struct str name);
/* The same for a module's path without wrappers (module_path.h) and without the class that follows it; 0 if the call is
 * no module with a path. */
uint64_t call_path_stem(const struct dump *d, uint32_t call);

#endif
