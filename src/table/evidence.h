/* Facts about a line that are frozen with a finding, so that they remain without the dumps: both sides' names,
 * figures and frames, the verdict with its reason, the diagnosis, the view, the limit, the inputs. */
#ifndef TABLE_EVIDENCE_H
#define TABLE_EVIDENCE_H

#include "diagnose/diagnose.h"
#include "ticket/finding.h"
#include "compare/comparison.h"

#define EVIDENCE_AROUND 3 /* lines before and after */
#define EVIDENCE_FRAMES 6 /* innermost frames of each side, without the framework's own if there are others */

/* Called with the lock held on a paired comparison. `known`: the line's diagnoses if available, NULL: they are made
 * now. Strings are allocated in `a`; sentences are in the user's language. */
struct evidence evidence_collect(const struct comparison *s, uint32_t line, const struct diagnoses *known,
                                 struct arena *a);
const char *evidence_label(const char *what); /* "rel_l2" in the user's words; unknown labels unchanged */

/* Parts of the evidence, for reports on the current state; each appends. */
void evidence_figures(const struct comparison *s, uint32_t line, struct arena *a, fact_list *out);
void evidence_frames(const struct comparison *s, uint32_t line, int most, struct arena *a, fact_list *out);
/* The neighbouring lines as shown in the table, one fact each. */
void evidence_around(const struct comparison *s, uint32_t line, struct arena *a, fact_list *out);
void evidence_recordings(const struct comparison *s, struct arena *a, fact_list *out); /* describes both inputs */
/* Adds one fact; texts are copied, empty ones are skipped. Numbers keep all their digits. */
void fact_both(fact_list *out, struct arena *a, const char *what, struct str text);
void fact_sides(fact_list *out, struct arena *a, const char *what, const struct buf text[2]);
void fact_number(fact_list *out, struct arena *a, const char *what, double v);

#endif
