/* A view makes the two sides of a pair comparable: it slices, reorders or splits one side's tensor without a copy.
 * Views are found (pair/axis_order.h, pair/fused_parts.h), given by the user with a mark, or part of a rule.
 *
 * As text: "golden reshape 2,8,2,3,8 slice 3 0:1". First the side, then steps in order: "reshape SIZES" (one may be
 * -1), "permute AXES", "transpose" (the last two axes), "slice AXIS FROM:TO" (TO may be left out), "split AXIS PIECES
 * FROM:TO", which divides an axis into PIECES pieces and keeps FROM:TO of each (a part of a fused tensor, in one piece
 * or interleaved by head group), and "repeat AXIS TIMES", which repeats an axis of size 1 (a table for the whole batch
 * against one per sample). Negative axes count from the end: -1 is the last. */
#ifndef PAIR_VIEW_H
#define PAIR_VIEW_H

#include "base/err.h"
#include "base/str.h"
#include "num/tensor.h"

#define VIEW_STEPS 4

enum view_op { VIEW_RESHAPE, VIEW_PERMUTE, VIEW_TRANSPOSE, VIEW_SLICE, VIEW_SPLIT, VIEW_REPEAT, VIEW_OPS };

struct view_step {
    uint8_t op, n;           /* n: used elements of v */
    int64_t v[TENSOR_DIMS];  /* reshape: sizes; permute: axes; slice: axis, from, to; split: axis, pieces, from, to;
                              repeat: axis, times */
};

struct view {
    uint8_t side;  /* whose tensor it applies to: TARGET 0, GOLDEN 1 */
    uint8_t count; /* steps; 0: elements in their order, whatever the shape */
    struct view_step step[VIEW_STEPS];
};

/* Parses text as above; without a side it applies to the golden one. -1 with what was expected. */
int view_parse(struct view *v, struct str text, struct err *e);
bool view_same(const struct view *a, const struct view *b); /* either may be NULL */
void view_write(const struct view *v, struct buf *out); /* the text that view_parse reads */
/* for people: "permuted (0,2,1,3)", "reshaped"; NULL: nothing */
void view_text(const struct view *v, struct buf *out);
/* Applies the view to that side's tensor: sets shape, strides, offset and numel. -1 if the shape does not allow it; t
 * is then unchanged. */
int view_apply(const struct view *v, struct tensor *t, struct err *e);

#endif
