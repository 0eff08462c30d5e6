/* The user's decisions about correspondences, in the order they were made: an append-only list with a position, so
 * that everything can be undone and redone, also after a restart. The decisions in force are derived from the list
 * (`decisions_in_force`). Names are full row names, call names or module paths of either side (pair/decided_pairs.h
 * resolves them). */
#ifndef PAIR_DECISION_H
#define PAIR_DECISION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "base/vec.h"

enum decision_kind {
    DECIDE_MARK,     /* these are the same quantity, compared through `view` if given */
    DECIDE_REJECT,   /* these are not; cancels a mark of the same two */
    DECIDE_RULE,     /* patterns instead of names (pair/pair_rule.h) */
    DECIDE_RULE_OFF, /* disables the rule of decision number `rule` */
    DECIDE_RULE_ON,
    DECIDE_WITHDRAW, /* decision number `rule` alone is withdrawn; later ones stay */
    DECIDE_KINDS
};

struct decision {
    uint8_t kind;
    uint32_t step;       /* decisions of one step are undone together */
    uint32_t rule;       /* index of the decision it refers to, for the last three kinds */
    const char *side[2]; /* target, golden; "" if it refers to another decision */
    const char *view;    /* in the notation of view_parse, or "" */
    const char *rest;    /* members written by a newer version, as JSON, or NULL */
};

struct decisions {
    VEC(struct decision) log;
    size_t now; /* the number in force; later ones are undone */
};

/* Appends one and drops undone ones. Strings are not copied: they must outlive d. */
void decisions_add(struct decisions *d, struct decision x);
uint32_t decisions_step(const struct decisions *d); /* the number for a new step */
/* Moves back or forward by one step; false if there is none. */
bool decisions_undo(struct decisions *d, bool redo);
void decisions_release(struct decisions *d);
const char *decision_name(enum decision_kind k); /* for files */
bool decision_of_another(enum decision_kind k);  /* whether it refers to another decision instead of names */
/* Whether decision number n is in force: neither undone nor withdrawn by a later one in force. */
bool decision_holds(const struct decisions *d, size_t n);
/* The same of each decision of the list; the caller frees it. */
bool *decisions_holding(const struct decisions *d);
/* Appends a description: number, kind, whether it is in force (`holds`), and its names. */
void decision_text(const struct decisions *d, size_t n, bool holds, struct buf *out);

struct mark {
    uint32_t number; /* its index in the list of decisions */
    const char *side[2];
    const char *view;
};

struct pair_rule {
    uint32_t number;     /* its index in the list of decisions, shown as its number */
    const char *side[2]; /* pattern of target addresses, template of golden ones */
    const char *view;
    bool on;
};

/* The decisions in force. Later marks and rejections override earlier ones of either list. */
struct decisions_in_force {
    VEC(struct mark) marks;
    VEC(struct mark) rejects;
    VEC(struct pair_rule) rules;
};

void decisions_in_force_read(struct decisions_in_force *r, const struct decisions *d);
void decisions_in_force_release(struct decisions_in_force *r);

#endif
