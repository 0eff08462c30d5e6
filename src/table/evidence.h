/* What can be said of a line now, as facts that stay when the dumps are gone: both sides' names, figures and frames,
 * the verdict with its reason, the diagnosis, the view, the limit, what the inputs were. */
#ifndef TABLE_EVIDENCE_H
#define TABLE_EVIDENCE_H

#include "diagnose/diagnose.h"
#include "ticket/finding.h"
#include "compare/comparison.h"

#define EVIDENCE_AROUND 3 /* lines before and after, as a screen shows them */
#define EVIDENCE_FRAMES 6 /* innermost ones of each side, a framework's own left out where there are others */

/* Lock held; paired. `known`: the line's diagnoses where they are at hand, NULL: they are made now. Strings in `a`;
 * sentences are in the user's language. */
struct evidence evidence_collect(const struct comparison *s, uint32_t line, const struct diagnoses *known,
                                 struct arena *a);
const char *evidence_label(const char *what); /* "rel_l2" in the user's words; itself where it is not known */

/* The pieces, for reports of what holds now; each appends. */
void evidence_figures(const struct comparison *s, uint32_t line, struct arena *a, fact_list *out);
void evidence_frames(const struct comparison *s, uint32_t line, int most, struct arena *a, fact_list *out);
/* The lines around it as the table shows them, one fact each. */
void evidence_around(const struct comparison *s, uint32_t line, struct arena *a, fact_list *out);
void evidence_recordings(const struct comparison *s, struct arena *a, fact_list *out); /* what both inputs were */
/* One fact; texts are copied, nothing is added where they are empty. Numbers with all their digits. */
void fact_both(fact_list *out, struct arena *a, const char *what, struct str text);
void fact_sides(fact_list *out, struct arena *a, const char *what, const struct buf text[2]);
void fact_number(fact_list *out, struct arena *a, const char *what, double v);

#endif
