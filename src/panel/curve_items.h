/* Items of the panels that judge curves. */
#ifndef PANEL_CURVE_ITEMS_H
#define PANEL_CURVE_ITEMS_H

#include "panel/procedure.h"

/* Outlier steps of one log alone. */
void curve_items_spikes(struct panel_page *p, const struct curves *c);
/* Steps that are not finite or outliers; they decide where no step may. */
void curve_items_marks(struct panel_page *p, const struct curves *c, bool decides);

#endif
