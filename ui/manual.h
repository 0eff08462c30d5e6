/* The man page and the key list, generated from the program's own tables so that they cannot differ from it. */
#ifndef UI_MANUAL_H
#define UI_MANUAL_H

#include "base/str.h"

void manual_troff(struct buf *out); /* doc/diverge.1 */

#endif
