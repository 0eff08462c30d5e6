/* A row's name as the table shows it: the words every name has are short, so that what tells it from others fits.
 * Searches look in both, files and marks know the full name alone. */
#ifndef TABLE_SHOWN_NAME_H
#define TABLE_SHOWN_NAME_H

#include "base/str.h"

/* "Functional.linear.0.forward.input.1" becomes "Functional.linear.0.fwd.in.1"; added behind what is in out. */
void shown_name(struct str name, struct buf *out);

#endif
