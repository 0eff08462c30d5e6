/* What is open to doubt about two recordings before their numbers are looked at: sentences for the
 * intake. */
#ifndef COMPARE_INPUT_DOUBTS_H
#define COMPARE_INPUT_DOUBTS_H

#include "compare/comparison.h"

struct doubt {
    int side;         /* TARGET, GOLDEN, or -1: the two together */
    bool question;    /* the user should decide something; else it is good to know */
    const char *text; /* in the arena, or as long-lived as the dump */
};
typedef VEC(struct doubt) doubt_list;

/* Lock held; both sides loaded as far as they are. */
void lint_find(const struct comparison *s, struct arena *a, doubt_list *out);
/* Of one side alone, loaded: what is not among its problems, which whoever asks has. */
void lint_alone(const struct comparison *s, struct arena *a, doubt_list *out);
/* With the side it speaks of: "target: dropout is on …". */
const char *lint_sentence(const struct doubt *x, struct arena *a);
/* Different steps found on a side, and the span of its ranks. */
void lint_extent(const struct recording *x, int *steps, int *ranks);
/* Why the first side is held to be the target, in a sentence. */
const char *lint_target(const struct comparison *s);

#endif
