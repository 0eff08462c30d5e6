/* Known causes (data/cards.conf), matched by rule to what a row, the settings, the norms or the curves show. */
#ifndef PANEL_KNOWN_CAUSES_H
#define PANEL_KNOWN_CAUSES_H

#include "diagnose/diagnose.h"
#include "panel/procedure.h"

struct known_cause_facts {
    const struct procedure *g;       /* settings, norms, curves: from its exams */
    const struct diagnoses *found; /* of a row, or NULL: no row is looked at */
    const char *name;            /* the row's */
    uint8_t family;              /* enum family of its call */
    bool backward, dtype_differs;
};

/* The i-th card that matches: "cause (matched: what)"; NULL behind the last. Cards are matched to what is looked at:
 * with a row at least one condition has to be the row's own; without one none is. */
const char *known_cause_match(const struct known_cause_facts *f, struct arena *a, size_t i);
/* Cards matched without a row by conditions of this kind ("check:", "norm:", "curve:") as items. */
void page_known_causes(struct panel_page *p, const struct procedure *g, const char *kind);
const char *known_causes_bad(void); /* the first mistake in the data, or NULL */

#endif
