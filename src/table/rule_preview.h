/* The effect of a rule before it is applied: the pairs it makes, and how well their figures agree. */
#ifndef TABLE_RULE_PREVIEW_H
#define TABLE_RULE_PREVIEW_H

#include "compare/comparison.h"

struct rule_preview_row {
    uint32_t t, g;   /* g: NONE if no golden row has the address */
    uint8_t outcome; /* enum pair_rule_outcome */
    bool same;       /* they are paired already */
    bool otherwise;  /* one of the two is now paired with another row */
    bool spoils;     /* … and agrees with it, while the new pair does not or is unknown */
    /* the rule would pair these, but another row near by agrees far better with one of them: a pair with `nearby`
     * follows */
    bool dropped;
    bool nearby;     /* not of the rule: a row without a partner near the one that the rule names */
    double error;    /* computed from both tensors, or else from recorded figures; NaN: unknown */
};

struct rule_preview {
    VEC(struct rule_preview_row) rows;
    uint32_t pairs, same, otherwise, held, nobody, spoils;
    uint32_t nearby;    /* pairs found near by, in place of the rule's: counted in `pairs`, and marked */
    uint32_t measured;  /* number of pairs with a known error */
    double least, most; /* of the known errors; NaN: there are none */
};

/* Uses the comparison's dumps and pairing (both sides loaded); existing decisions take precedence over the rule. Reads
 * the tensors of new pairs as far as they are small. -1 if the rule is invalid or takes too long. */
int rule_preview_make(struct rule_preview *p, const struct comparison *s, const struct decisions *d,
                      const char *const rule[3], struct err *e);
/* Appends why it must not be applied: it pairs nothing, agreeing pairs would deviate, or it has no evidence (neither
 * numbers in module names nor figures of the new pairs). False: no objection. */
bool rule_preview_refused(const struct rule_preview *p, const char *pattern, struct buf *out);
/* Adds the marks of the pairs that were found near by to the decisions, as the step of the latest one. Names are kept
 * in the arena. */
void rule_preview_mark(const struct rule_preview *p, const struct comparison *s, struct decisions *d, struct arena *a);
void rule_preview_release(struct rule_preview *p);
/* "pairs 12 of 12 rows, 3 of them paired so already; error 1e-7 … 3e-7; …" */
void rule_preview_text(const struct rule_preview *p, struct buf *out);

#endif
