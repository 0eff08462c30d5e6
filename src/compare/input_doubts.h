/* What is open to doubt about two recordings before their numbers are looked at: sentences for the
 * intake. */
#ifndef COMPARE_INPUT_DOUBTS_H
#define COMPARE_INPUT_DOUBTS_H

#include "compare/comparison.h"

struct input_doubt {
    int side;         /* TARGET, GOLDEN, or -1: the two together */
    bool question;    /* the user should decide something; else it is good to know */
    bool passing;     /* of the moment it is looked at */
    const char *text; /* in the arena, or as long-lived as the dump */
};
typedef VEC(struct input_doubt) input_doubt_list;

/* Lock held; both sides loaded as far as they are. */
void input_doubts_find(const struct comparison *s, struct arena *a, input_doubt_list *out);
/* Of one side alone, loaded: what is not among its problems, which whoever asks has. */
void input_doubts_alone(const struct comparison *s, struct arena *a, input_doubt_list *out);
/* With the side it speaks of: "target: dropout is on …". */
const char *input_doubts_sentence(const struct input_doubt *x, struct arena *a);
/* Different steps found on a side, and the span of its ranks. */
void input_doubts_extent(const struct recording *x, int *steps, int *ranks);
/* Why the first side is held to be the target, in a sentence. */
const char *input_doubts_target(const struct comparison *s);

#endif
