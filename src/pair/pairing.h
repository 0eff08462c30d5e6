/* Which rows of the two sides are held to be the same quantity, and the one table that comes of it.
 *
 * A line of the table is one target row with one golden row; either may be absent. A pair says how they
 * came together; pairs that share a row (fused QKV and its parts) make a group. Lines stand in the target's execution
 * order, each golden-only row behind its predecessor on its own side. */
#ifndef PAIR_PAIRING_H
#define PAIR_PAIRING_H

#include "pair/decided_pairs.h"
#include "pair/mapping_apply.h"

enum origin { ORIGIN_NAME, ORIGIN_RULE, ORIGIN_MAPPING, ORIGIN_SEQUENCE, ORIGIN_MARK, ORIGIN_COUNT };

/* What a pair rests on. Packs keep the numbers: new ones go to the end. */
enum pair_why {
    WHY_NAME,
    WHY_MAPPING,      /* `source` names the file */
    WHY_FINGERPRINT,  /* family, count, figures and order agree */
    WHY_BETWEEN,      /* the only candidates between two anchors */
    WHY_INPUTS,       /* the calls' inputs agree, whatever became of them */
    WHY_FLOW,         /* the calls are fed by paired calls */
    WHY_PLACE,        /* the same part of the same layer */
    WHY_ORDER,        /* the order alone */
    WHY_UNLIKELY,     /* the order alone, and nothing agrees where all around agrees */
    WHY_TWIN,         /* the forward calls are paired */
    WHY_FUSED,        /* parts of one fused call */
    WHY_WHOLE,        /* one call against the last of its parts: equal results */
    WHY_SLOT,         /* its call is paired, and so is its place in it */
    WHY_TABLE,        /* the result table both were read from says so */
    WHY_MARK,         /* a person said so */
    WHY_RULE,         /* decision `source` is the rule */
    WHY_WEIGHT,       /* the calls use the same weight */
    WHY_SAMPLE,       /* of all results the calls' are nearest to each other, element by element */
    WHY_PATH,         /* the same call between the same modules, in one framework */
    WHY_LAYOUT,       /* the same row of the whole model, each side joined from its ranks */
    WHY_PARAMETER,    /* the comparison of two checkpoints takes both for the same weight */
    WHY_COUNT
};

struct pair {
    uint8_t origin, why;
    float confidence; /* 0 … 1 */
    uint32_t source;  /* mapping file of ORIGIN_MAPPING, rule's number of ORIGIN_RULE */
    uint32_t group;   /* those of one number share a row; NONE: it stands alone */
    uint32_t view;    /* index of pairing.views: what lays one side on the other; NONE: as they are stored */
};

struct line {
    uint32_t row[2]; /* target, golden; NONE where absent */
    uint32_t pair;   /* NONE on one-sided lines */
};

/* A call whose result is another call's: a product and the addition of its bias, which the other side does in one. */
struct joined_call {
    uint32_t side, call, result;
};

struct pairing {
    VEC(struct joined_call) joined;
    VEC(struct pair) pairs;
    VEC(struct line) lines;
    VEC(struct view) views;
    VEC(struct pair_rule_hit) hits; /* what the rules met */
    uint32_t groups;           /* how many */
    uint32_t *line_of[2]; /* first line of each row of a side, or NONE */
    size_t mapped;        /* pairs of rows the mappings list */
    size_t mapped_missing; /* what they list and these dumps do not have */
    size_t marks_missing; /* marks that name what these dumps do not have */
};

struct pairing_options {
    const struct mapping *maps;
    size_t map_count;
    bool map_only;
    const struct decisions_in_force *ruling; /* a person's decisions; may be NULL */
    const struct line *given; /* pairs already decided elsewhere, or NULL; one-sided ones are passed over */
    size_t given_count;
    enum pair_why given_why; /* what those pairs rest on */
};

/* Both dumps complete. */
void pairing_build(struct pairing *p, const struct dump *target, const struct dump *golden,
                   const struct pairing_options *o);
/* A line for each row of the target alone. */
void pairing_alone(struct pairing *p, const struct dump *target);
void pairing_release(struct pairing *p);
const char *origin_name(enum origin o); /* for files; _() of it for people */
/* What a pair rests on, in a word or two ("figures", "data flow"): for files; _() of it for people. */
const char *pair_why_name(enum pair_why why);
/* A sentence: why these two. side: the dumps they were built of. */
void pairing_why(const struct pairing *p, const struct pairing_options *o, const struct dump *const side[2],
                 uint32_t line, struct buf *out);

#endif
