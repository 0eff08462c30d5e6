/* What a person decided about correspondences, in the order it was decided: an append-only list with a place in it, so
 * that everything can be taken back and done again, also after the program was left. What holds now is read off the
 * list (`ruling`); names are full row names, call names or module paths of either side (pair/decided_pairs.h finds
 * them). */
#ifndef PAIR_DECISION_H
#define PAIR_DECISION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "base/vec.h"

enum decision_kind {
    DECIDE_MARK,     /* these are the same quantity, through `view` where it has one */
    DECIDE_REJECT,   /* these are not; takes a mark of the same two back */
    DECIDE_RULE,     /* patterns instead of names (pair/pair_rule.h) */
    DECIDE_RULE_OFF, /* the rule that decision number `rule` gave no longer holds */
    DECIDE_RULE_ON,
    DECIDE_WITHDRAW, /* decision number `rule` alone no longer holds; those after it stay */
    DECIDE_KINDS
};

struct decision {
    uint8_t kind;
    uint32_t step;       /* those of one step are taken back together */
    uint32_t rule;       /* of those that are about another decision: its index */
    const char *side[2]; /* target, golden; "" with another decision's number */
    const char *view;    /* as view_parse reads it, or "" */
    const char *rest;    /* members of a newer version, as JSON, or NULL */
};

struct decisions {
    VEC(struct decision) log;
    size_t now; /* so many of them hold; those behind were taken back */
};

/* Appends one; what was taken back before is gone. Strings are kept as they are: they must live as long. */
void decisions_add(struct decisions *d, struct decision x);
uint32_t decisions_step(const struct decisions *d); /* the number for a new step */
/* Back or forward by one step; false where there is none. */
bool decisions_undo(struct decisions *d, bool redo);
void decisions_release(struct decisions *d);
const char *decision_name(enum decision_kind k); /* for files */
bool decision_of_another(enum decision_kind k);  /* it has a number instead of names */
/* Whether decision number n holds: neither undone nor withdrawn by a later one that holds. */
bool decision_holds(const struct decisions *d, size_t n);
/* For people, appended: its number, what it is, whether it still holds, what it is about. */
void decision_text(const struct decisions *d, size_t n, struct buf *out);

struct mark {
    uint32_t number; /* its index in the list of decisions */
    const char *side[2];
    const char *view;
};

struct pair_rule {
    uint32_t number;     /* its index in the list of decisions: what it is called by */
    const char *side[2]; /* pattern of target addresses, template of golden ones */
    const char *view;
    bool on;
};

/* What holds. Marks and rejections later in the list overrule earlier ones, whichever list they are of. */
struct decisions_in_force {
    VEC(struct mark) marks;
    VEC(struct mark) rejects;
    VEC(struct pair_rule) rules;
};

void decisions_in_force_read(struct decisions_in_force *r, const struct decisions *d);
void decisions_in_force_release(struct decisions_in_force *r);

#endif
