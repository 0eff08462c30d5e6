/* Known causes (data/cards.conf), matched by rules with a row, the settings, the norms or the curves. */
#ifndef PANEL_KNOWN_CAUSES_H
#define PANEL_KNOWN_CAUSES_H

#include "diagnose/diagnose.h"
#include "panel/procedure.h"

struct known_cause_facts {
    const struct procedure *g;       /* results for settings, norms, curves */
    const struct diagnoses *found; /* diagnoses of a row, or NULL: no row is given */
    const char *name;            /* the row's */
    uint8_t family;              /* enum family of its call */
    bool backward, dtype_differs;
};

/* The i-th matching cause as "cause (matched: what)"; NULL after the last. With a row, at least one condition must be
 * about the row; without one, none may be. */
const char *known_cause_match(const struct known_cause_facts *f, struct arena *a, size_t i);
/* The sentence of the first cause that matches a line of a comparison by more than its diagnosis, whose advice says as
 * much; NULL. x: its diagnoses, NULL if not known. */
const char *known_cause_at(const struct procedure *g, const struct comparison *c, uint32_t line,
                           const struct diagnoses *x, struct arena *a);
/* Adds causes matched without a row by conditions of this kind ("check:", "norm:", "curve:") as items. */
void page_known_causes(struct panel_page *p, const struct procedure *g, const char *kind);
const char *known_causes_bad(void); /* the first error in the data, or NULL */

#endif
