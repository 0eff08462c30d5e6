/* What the calls of a step's tensors are, of which only names are known: families and the modules they lie in. */
#ifndef FMT_VALUE_CALLS_H
#define FMT_VALUE_CALLS_H

#include "dump/dump.h"

/* Gives every call its family by its name ("layers.0.mlp.act_fn": activation), FAMILY_MODULE where the name does not
 * tell, and the module that its name lies in, if that was recorded too. */
void value_calls_name(struct dump *d);

#endif
