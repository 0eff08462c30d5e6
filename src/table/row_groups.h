/* The table's rows grouped under headings: modules, source lines, or floating types. A list of nodes, parents before
 * children, with counts and worst verdicts summed upwards. */
#ifndef TABLE_ROW_GROUPS_H
#define TABLE_ROW_GROUPS_H

#include "compare/comparison.h"

enum row_groups_kind { ROW_GROUPS_MODULES, ROW_GROUPS_FRAMES, ROW_GROUPS_PRECISION, ROW_GROUPS_KINDS };

struct row_groups_node {
    const char *text;      /* in the arena */
    uint32_t parent;       /* NONE at the top */
    uint32_t end;          /* the first node after its descendants */
    uint16_t depth;
    uint8_t worst;         /* enum verdict of the worst line below */
    bool folded, leaf;
    uint32_t by[VERDICT_COUNT]; /* lines below */
    uint32_t lines;
    uint32_t first, first_bad;  /* lines; NONE if none is bad */
};

struct row_groups {
    enum row_groups_kind kind;
    struct arena arena;
    VEC(struct row_groups_node) nodes;
};

/* Uses the judgement of the comparison. Nodes unfolded in `old` (or NULL) stay unfolded. */
void row_groups_build(struct row_groups *o, enum row_groups_kind kind, const struct comparison *s,
                      const struct row_groups *old);
void row_groups_release(struct row_groups *o);
/* The next (previous) visible node after a visible one; NONE at the ends. Nodes below a folded one are not visible. */
uint32_t row_groups_next(const struct row_groups *o, uint32_t node);
uint32_t row_groups_prev(const struct row_groups *o, uint32_t node);
/* The node itself, or its topmost folded ancestor if it is hidden. */
uint32_t row_groups_visible(const struct row_groups *o, uint32_t node);
/* Severity of a verdict, for summing up and for minimaps: 0 skip … */
int verdict_weight(enum verdict v);

#endif
