/* The pictures of compared curves. */
#ifndef REPORT_CURVES_PICTURE_H
#define REPORT_CURVES_PICTURE_H

#include "curves/curves.h"
#include "document/picture.h"

#define CURVES_PICTURES 4 /* loss, its difference, global norm, its difference */

/* The picture i of joined curves, its strings and data in the arena; the prefix begins its id. False: there is nothing
 * to draw. */
bool curves_picture(struct picture *p, struct arena *a, const struct curves *c, int i, const char *prefix);
/* All of them as one SVG file. result: struct curves. */
void curves_svg(struct buf *b, const void *result);

#endif
