/* Sets the rule for outputs (base/output.h) from the command line. */
#ifndef UI_OWN_OUTPUTS_H
#define UI_OWN_OUTPUTS_H

#include "ui/options.h"

/* Names the inputs of the command line and checks its outputs before anything is read. -1 with e if one of them may
 * not be written. */
int own_outputs_begin(const struct options *o, const struct subcommand *c, struct err *e);

#endif
