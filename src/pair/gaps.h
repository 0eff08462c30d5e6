/* What only one side has: runs of calls without a partner between two paired ones, and all such calls put together by
 * the function they were called in (a helper under torch.jit.script records nothing: its other side shows as one
 * group). */
#ifndef PAIR_GAPS_H
#define PAIR_GAPS_H

#include "pair/pairing.h"

struct gap {
    uint32_t first, end;    /* lines [first, end); rows of paired calls may lie between */
    uint32_t before, after; /* the paired lines next to it, or NONE */
    uint32_t calls[2], compute[2]; /* one-sided calls of each side, and how many of them do arithmetic */
};

#define GAP_OPERATORS 6 /* named of a group */

struct gap_group {
    uint8_t side;
    uint32_t frame, caller; /* index of dump.frames: where the calls stand and who called that; NONE: no stack */
    uint32_t calls, compute;
    uint32_t line;          /* of the first of them */
    struct str op[GAP_OPERATORS]; /* names, in order of appearance; points into the dump */
    uint32_t ops;           /* how many different ones, also those not named */
};

typedef VEC(struct gap) gap_list;
typedef VEC(struct gap_group) gap_group_list;

/* Both append, in the table's order; groups with most arithmetic, then with most calls first. Both dumps complete. */
void gaps_find(const struct pairing *p, const struct dump *const side[2], gap_list *out);
void gaps_group(const struct pairing *p, const struct dump *const side[2], gap_group_list *out);
/* The gap that holds this line, found in the list by its order; NULL where none does. */
const struct gap *gaps_at(const gap_list *l, uint32_t line);
/* "12 target only: transpose, neg, cat  in apply_rotary_emb, rope.py:40 called at attention.py:88" */
void gap_group_text(const struct gap_group *g, const struct dump *const side[2], struct buf *out);

/* What the last of several parts hides: the calls of its side that stand before it and have no partner, named in their
 * order ("mul, rsqrt, mul"). For a pair of one call with the last of its parts (WHY_WHOLE); appends nothing
 * otherwise. */
void gaps_parts(const struct pairing *p, const struct dump *const side[2], uint32_t line, struct buf *out);

#endif
