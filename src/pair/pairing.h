/* The pairs of rows of both sides, and the table made from them.
 *
 * A line of the table has one target row and one golden row; either may be absent. A pair records how it was found;
 * pairs that share a row (fused QKV and its parts) form a group. Lines are in the target's execution order, each
 * golden-only row after its predecessor on its own side. */
#ifndef PAIR_PAIRING_H
#define PAIR_PAIRING_H

#include "dump/dataflow.h"
#include "pair/decided_pairs.h"
#include "pair/mapping_apply.h"

enum origin { ORIGIN_NAME, ORIGIN_RULE, ORIGIN_MAPPING, ORIGIN_SEQUENCE, ORIGIN_MARK, ORIGIN_COUNT };

/* The evidence for a pair. Packs store the numbers: append new ones. */
enum pair_why {
    WHY_NAME,
    WHY_MAPPING,      /* `source` names the file */
    WHY_FINGERPRINT,  /* family, count, figures and order agree */
    WHY_BETWEEN,      /* the only candidates between two anchors */
    WHY_INPUTS,       /* the calls' inputs agree, their outputs may not */
    WHY_FLOW,         /* paired calls produce their inputs */
    WHY_PLACE,        /* the same place in the same layer */
    WHY_ORDER,        /* only their order */
    WHY_UNLIKELY,     /* only their order, and nothing agrees although everything around agrees */
    WHY_TWIN,         /* the forward calls are paired */
    WHY_FUSED,        /* parts of one fused call */
    WHY_WHOLE,        /* one call with the last of its parts: equal results */
    WHY_SLOT,         /* the calls are paired and the slots correspond */
    WHY_TABLE,        /* given by the result table from which both were read */
    WHY_MARK,         /* marked by the user */
    WHY_RULE,         /* decision `source` is the rule */
    WHY_WEIGHT,       /* the calls use the same weight */
    WHY_SAMPLE,       /* their results are nearest to each other in sampled elements */
    WHY_PATH,         /* the same call between the same modules, in one framework */
    WHY_LAYOUT,       /* the same row of the whole model, joined from each side's ranks */
    WHY_PARAMETER,    /* the comparison of two checkpoints takes both for the same weight */
    WHY_MADE,         /* a paired input holds this result, and neither call has another partner */
    WHY_COUNT
};

/* Whether one side of a pair was cut before it was recorded: told: values show which part it is. */
enum pair_cut { CUT_NO, CUT_GUESSED, CUT_TOLD };

struct pair {
    uint8_t origin, why, cut;
    float confidence; /* 0 … 1 */
    uint32_t source;  /* index of the mapping file for ORIGIN_MAPPING, the rule's number for ORIGIN_RULE */
    uint32_t group;   /* pairs with one number share a row; NONE: no group */
    uint32_t view;    /* index of pairing.views: the view that makes one side comparable; NONE: as stored */
};

struct line {
    uint32_t row[2]; /* target, golden; NONE if absent */
    uint32_t pair;   /* NONE on one-sided lines */
};

/* Two calls treated as one: a product and the addition of its bias, which the other side does in one call. */
struct joined_call {
    uint32_t side, call, result;
};

struct pairing {
    VEC(struct joined_call) joined;
    VEC(struct pair) pairs;
    VEC(struct line) lines;
    VEC(struct view) views;
    VEC(struct pair_rule_hit) hits; /* rows that rules match */
    uint32_t groups;           /* number of groups */
    uint32_t *line_of[2]; /* first line of each row of a side, or NONE */
    size_t mapped;        /* pairs listed in the mappings */
    size_t mapped_missing; /* entries of the mappings that these dumps do not contain */
    struct nmap alone;    /* rows that should have a partner and are given without one; read by pairing_lacks_partner */
    size_t marks_missing; /* marks whose names these dumps do not contain */
};

struct pairing_options {
    const struct mapping *maps;
    size_t map_count;
    bool map_only;
    const struct decisions_in_force *ruling; /* the user's decisions; may be NULL */
    const struct line *given; /* pairs already decided elsewhere, or NULL; of a one-sided line: see pairing.alone */
    const struct view *given_views; /* of each; without steps: as stored. NULL: all are */
    size_t given_count;
    enum pair_why given_why; /* what those pairs rest on */
};

/* Both dumps are complete. */
void pairing_build(struct pairing *p, const struct dump *target, const struct dump *golden,
                   const struct pairing_options *o);
/* One line for each row of the target. */
void pairing_alone(struct pairing *p, const struct dump *target);
/* Whether the pairs that were given leave this row without a partner, though it should have one. */
bool pairing_lacks_partner(const struct pairing *p, int side, uint32_t row);
void pairing_release(struct pairing *p);
/* The line of a side's row, or NONE: the row is NONE, or has no partner. */
uint32_t pairing_paired_line(const struct pairing *p, int side, uint32_t row);
/* The line of the nearest earlier row of a side that holds a row's value and has a partner, because one side may cast
 * or reshape where the other does not; else of the nearest, and NONE if none holds it. */
uint32_t pairing_held_line(const struct pairing *p, const struct dataflow *flow, int side, uint32_t row);
const char *origin_name(enum origin o); /* for files; _() translates it */
/* The evidence in a word or two ("figures", "data flow"): for files; _() translates it. */
const char *pair_why_name(enum pair_why why);
/* A sentence that says why these two are paired. side: the dumps. */
void pairing_why(const struct pairing *p, const struct pairing_options *o, const struct dump *const side[2],
                 uint32_t line, struct buf *out);

#endif
