/* The table's rows put together under headings: the modules they belong to, the source lines they come
 * from, the floating types they are held in. One list of nodes, parents before children, with counts
 * and the worst verdict carried up. */
#ifndef TABLE_ROW_GROUPS_H
#define TABLE_ROW_GROUPS_H

#include "compare/comparison.h"

enum row_groups_kind { ROW_GROUPS_MODULES, ROW_GROUPS_FRAMES, ROW_GROUPS_PRECISION, ROW_GROUPS_KINDS };

struct row_groups_node {
    const char *text;      /* in the outline's arena */
    uint32_t parent;       /* NONE at the top */
    uint32_t end;          /* the first node behind its descendants */
    uint16_t depth;
    uint8_t worst;         /* enum verdict of the worst line below */
    bool folded, leaf;
    uint32_t by[VERDICT_COUNT]; /* lines below */
    uint32_t lines;
    uint32_t first, first_bad;  /* lines; NONE when there is none that is bad */
};

struct row_groups {
    enum row_groups_kind kind;
    struct arena arena;
    VEC(struct row_groups_node) nodes;
};

/* From the judgement of the comparison. What `old` (or NULL) had unfolded stays so. */
void row_groups_build(struct row_groups *o, enum row_groups_kind kind, const struct comparison *s,
                      const struct row_groups *old);
void row_groups_release(struct row_groups *o);
/* Nodes below a folded one are not shown. The shown one after, or before, a shown one; NONE at the ends. */
uint32_t row_groups_next(const struct row_groups *o, uint32_t node);
uint32_t row_groups_prev(const struct row_groups *o, uint32_t node);
/* The node itself, or where it is hidden its topmost folded ancestor. */
uint32_t row_groups_visible(const struct row_groups *o, uint32_t node);
/* How bad a verdict is, for carrying up and for minimaps: 0 skip … */
int verdict_weight(enum verdict v);

#endif
