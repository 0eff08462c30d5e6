/* Calls that only one side has: runs of unpaired calls between two paired ones, and all such calls grouped by the
 * function they were called in (a helper under torch.jit.script records nothing, so the other side's calls form one
 * group). */
#ifndef PAIR_GAPS_H
#define PAIR_GAPS_H

#include "pair/pairing.h"

struct gap {
    uint32_t first, end;    /* lines [first, end); may contain rows of paired calls */
    uint32_t before, after; /* the paired lines next to it, or NONE */
    uint32_t calls[2], compute[2]; /* one-sided calls of each side, and those that compute */
};

#define GAP_OPERATORS 6 /* operators named per group */

struct gap_group {
    uint8_t side;
    uint32_t frame, caller; /* index of dump.frames: the function of the calls and its caller; NONE: no stack */
    uint32_t calls, compute;
    uint32_t line;          /* of the first call */
    struct str op[GAP_OPERATORS]; /* names, in order of appearance; points into the dump */
    uint32_t ops;           /* number of different operators, including unnamed ones */
};

typedef VEC(struct gap) gap_list;
typedef VEC(struct gap_group) gap_group_list;

/* Both append, in table order; groups with most computing calls first, then with most calls. Both dumps are complete.
 */
void gaps_find(const struct pairing *p, const struct dump *const side[2], gap_list *out);
void gaps_group(const struct pairing *p, const struct dump *const side[2], gap_group_list *out);
/* The gap that contains this line (binary search); NULL if none does. */
const struct gap *gaps_at(const gap_list *l, uint32_t line);
/* "12 target only: transpose, neg, cat  in apply_rotary_emb, rope.py:40 called at attention.py:88" */
void gap_group_text(const struct gap_group *g, const struct dump *const side[2], struct buf *out);

/* "in apply_rotary_emb, rope.py:40 called at attention.py:88": where the call was made; nothing without a stack. */
void gap_place(const struct dump *d, uint32_t call, struct buf *out);

/* The unpaired calls of its side that precede the last of several parts, in order ("mul, rsqrt, mul"). For a pair of
 * one call with the last of its parts (WHY_WHOLE); appends nothing otherwise. */
void gaps_parts(const struct pairing *p, const struct dump *const side[2], uint32_t line, struct buf *out);

#endif
