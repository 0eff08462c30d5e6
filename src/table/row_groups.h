/* The table's rows put together under headings: the modules they belong to, the source lines they come
 * from, the floating types they are held in. One list of nodes, parents before children, with counts
 * and the worst verdict carried up. */
#ifndef TABLE_ROW_GROUPS_H
#define TABLE_ROW_GROUPS_H

#include "compare/comparison.h"

enum outline_kind { OUTLINE_MODULES, OUTLINE_FRAMES, OUTLINE_PRECISION, OUTLINE_KINDS };

struct outline_node {
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

struct outline {
    enum outline_kind kind;
    struct arena arena;
    VEC(struct outline_node) nodes;
};

/* From the newest judgement; lock held. What `old` (or NULL) had unfolded stays so. */
void outline_build(struct outline *o, enum outline_kind kind, const struct comparison *s, const struct outline *old);
void outline_release(struct outline *o);
/* Nodes below a folded one are not shown. The shown one after, or before, a shown one; NONE at the ends. */
uint32_t outline_next(const struct outline *o, uint32_t node);
uint32_t outline_prev(const struct outline *o, uint32_t node);
/* The node itself, or where it is hidden its topmost folded ancestor. */
uint32_t outline_visible(const struct outline *o, uint32_t node);
/* How bad a verdict is, for carrying up and for minimaps: 0 skip … */
int verdict_weight(enum verdict v);

#endif
