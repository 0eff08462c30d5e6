/* What a rule would do before it holds: the pairs it makes, and how well their figures agree. */
#ifndef TABLE_RULE_PREVIEW_H
#define TABLE_RULE_PREVIEW_H

#include "compare/comparison.h"

struct rule_preview_row {
    uint32_t t, g;   /* g: NONE where no golden row has the address */
    uint8_t outcome; /* enum pair_rule_outcome */
    bool same;       /* they are paired already */
    bool otherwise;  /* one of the two is paired with another row now */
    double error;    /* as computed where they are paired, else of recorded figures; NaN: not known */
};

struct rule_preview {
    VEC(struct rule_preview_row) rows;
    uint32_t pairs, same, otherwise, held, nobody;
    double least, most; /* of the errors known; NaN: none is */
};

/* Reads the comparison's dumps and pairing (both sides loaded); decisions that hold come before the rule. -1
 * where the rule is no rule, or takes too long. */
int rule_preview_make(struct rule_preview *p, const struct comparison *s, const struct decisions *d,
                      const char *const rule[3], struct err *e);
void rule_preview_release(struct rule_preview *p);
/* "pairs 12 of 12 rows, 3 of them paired so already; error 1e-7 … 3e-7; …" */
void rule_preview_text(const struct rule_preview *p, struct buf *out);

#endif
