/* What a rule would do before it holds: the pairs it makes, and how well their figures agree. */
#ifndef TABLE_RULE_PREVIEW_H
#define TABLE_RULE_PREVIEW_H

#include "compare/comparison.h"

struct rule_preview_row {
    uint32_t t, g;   /* g: NONE where no golden row has the address */
    uint8_t outcome; /* enum pair_rule_outcome */
    bool same;       /* they are paired already */
    bool otherwise;  /* one of the two is paired with another row now */
    bool spoils;     /* … and agrees with it, which the new pair does not, or nothing is known of it */
    double error;    /* as computed where they are paired, else of recorded figures; NaN: not known */
};

struct rule_preview {
    VEC(struct rule_preview_row) rows;
    uint32_t pairs, same, otherwise, held, nobody, spoils;
    uint32_t measured;  /* of the pairs: those whose error is known */
    double least, most; /* of the errors known; NaN: none is */
};

/* Reads the comparison's dumps and pairing (both sides loaded); decisions that hold come before the rule. -1
 * where the rule is no rule, or takes too long. */
int rule_preview_make(struct rule_preview *p, const struct comparison *s, const struct decisions *d,
                      const char *const rule[3], struct err *e);
/* Why it is not to be applied, appended: it pairs nothing, pairs that agree now would deviate, or nothing speaks for
 * it: neither a number in the names of its modules nor figures of the pairs it would make. False: nothing is against
 * it. */
bool rule_preview_refused(const struct rule_preview *p, const char *pattern, struct buf *out);
void rule_preview_release(struct rule_preview *p);
/* "pairs 12 of 12 rows, 3 of them paired so already; error 1e-7 … 3e-7; …" */
void rule_preview_text(const struct rule_preview *p, struct buf *out);

#endif
