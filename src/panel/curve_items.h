/* Items shared by the panels that judge curves. */
#ifndef PANEL_CURVE_ITEMS_H
#define PANEL_CURVE_ITEMS_H

#include "panel/procedure.h"

/* Adds the outlier steps of a single log. */
void curve_items_spikes(struct panel_page *p, const struct curves *c);
/* Adds non-finite steps and outliers; `decides`: they make the panel fail. */
void curve_items_marks(struct panel_page *p, const struct curves *c, bool decides);

/* What the curves' comparison says is to be done first, as a sentence of a panel; there must be one. */
const char *curve_items_next(struct panel_page *p, const struct curves *c);

#endif
