/* Doubts about two recordings, found before their numbers are compared: sentences for the intake. */
#ifndef COMPARE_INPUT_DOUBTS_H
#define COMPARE_INPUT_DOUBTS_H

#include "compare/comparison.h"

struct input_doubt {
    int side;         /* TARGET, GOLDEN, or -1: both together */
    bool question;    /* needs a decision by the user; otherwise for information */
    bool passing;     /* true only at the moment of the check */
    const char *text; /* in the arena, or with the dump's lifetime */
    uint32_t row;     /* what it names: a row of its side; NONE */
    const char *opens; /* otherwise the command that shows what it names or settles it, or NULL */
};
typedef VEC(struct input_doubt) input_doubt_list;

/* Called with the lock held; both sides loaded as far as they are. */
void input_doubts_find(const struct comparison *s, struct arena *a, input_doubt_list *out);
/* The same for a single loaded side, without its problems, which the caller has already. */
void input_doubts_alone(const struct comparison *s, struct arena *a, input_doubt_list *out);
/* With its side in front: "target: dropout is on …". */
const char *input_doubts_sentence(const struct input_doubt *x, struct arena *a);
/* The number of different steps found on a side, and of ranks. */
void input_doubts_extent(const struct recording *x, int *steps, int *ranks);
/* A sentence that says why the first side is taken as the target. */
const char *input_doubts_target(const struct comparison *s);

#endif
