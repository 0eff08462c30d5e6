/* The number that a call adds to its only tensor, or multiplies it by, read off recorded figures: each side's own
 * maximum and minimum before and after the call give it twice, free of any noise from earlier calls. */
#ifndef JUDGE_IMPLIED_CONSTANT_H
#define JUDGE_IMPLIED_CONSTANT_H

#include "dump/dump.h"

struct implied_constant {
    bool known;        /* both figures gave it */
    bool factor;       /* a factor, otherwise a term */
    double value, off; /* value ± off: the printed resolution of the figures and the rounding of the type */
};

/* For an output row of a forward addition or multiplication with one tensor input of more than one element. */
struct implied_constant implied_constant_of(const struct dump *d, uint32_t row);
/* Whether two known constants of one kind cannot be the same number. */
bool implied_constants_differ(const struct implied_constant *t, const struct implied_constant *g);

#endif
