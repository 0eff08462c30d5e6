/* The man page and the key list, made from the tables the program runs by, so that they cannot differ
 * from it. */
#ifndef UI_MANUAL_H
#define UI_MANUAL_H

#include "base/str.h"

void manual_troff(struct buf *out); /* doc/diverge.1 */

#endif
