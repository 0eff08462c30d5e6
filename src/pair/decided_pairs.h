/* The user's decisions applied to two dumps: marks and rules as pairs of rows and calls, and the rows that rules
 * match. */
#ifndef PAIR_DECIDED_PAIRS_H
#define PAIR_DECIDED_PAIRS_H

#include "pair/decision.h"
#include "dump/dump.h"
#include "pair/view.h"

struct decided_pair {
    uint32_t t, g;
    uint32_t rule; /* number of the rule, or NONE: a mark */
    uint32_t view; /* index of decided_pairs.views, or NONE */
};

struct decided_calls {
    uint32_t t, g;
};

enum pair_rule_outcome {
    HIT_PAIRS,
    HIT_SAME,   /* already paired by a mark or an earlier rule */
    HIT_HELD,   /* one of the two is paired with another row by a mark or an earlier rule */
    HIT_NOBODY, /* no golden row has the address */
    HIT_SIZES,  /* the element counts do not fit */
};

/* The result for one target row that a rule matches. */
struct pair_rule_hit {
    uint32_t t, g;   /* g: NONE if no row has that address */
    uint32_t rule;
    uint8_t outcome; /* enum pair_rule_outcome */
};

struct decided_pairs {
    VEC(struct decided_pair) pairs;  /* marks first */
    VEC(struct decided_calls) calls; /* to be aligned with each other: from marked calls and rows */
    VEC(struct pair_rule_hit) hits;     /* for all rules, in the target's order */
    struct nmap denied_rows, denied_calls; /* key: decided_pairs_key */
    VEC(struct view) views;
    size_t missing; /* marks that name something that these dumps do not contain */
    /* number of the last rule given up because its pattern took too many steps, so that it pairs nothing; NONE */
    uint32_t spent;
};

static inline uint64_t decided_pairs_key(uint32_t t, uint32_t g)
{
    return (uint64_t)t << 32 | g;
}

/* Whether the user says that two calls are no pair. */
static inline bool decided_pairs_deny(const struct decided_pairs *r, uint32_t t, uint32_t g)
{
    return r->denied_calls.n && nmap_get(&r->denied_calls, decided_pairs_key(t, g)) != MAP_NONE;
}

/* Both dumps are complete. Rules that do not compile are ignored. */
void decided_pairs_find(struct decided_pairs *r, const struct decisions_in_force *ruling, const struct dump *t,
                        const struct dump *g);
void decided_pairs_release(struct decided_pairs *r);

/* What a name refers to on a side: a row, a call, or the calls of a module path. */
enum named { NAMED_NOTHING, NAMED_ROW, NAMED_CALL, NAMED_MODULE };
enum named decided_pairs_name(const struct dump *d, struct str name, uint32_t *row_or_call);
/* Whether a target and a golden name can be paired, and their kind; -1 with e if one is unknown or the kinds differ. */
int decided_pairs_names(const struct dump *const side[2], const char *const name[2], enum named *sort, struct err *e);

#endif
