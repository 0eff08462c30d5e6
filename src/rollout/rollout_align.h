/* One sequence of each side as the tokens that count, and the two laid beside each other. */
#ifndef ROLLOUT_ROLLOUT_ALIGN_H
#define ROLLOUT_ROLLOUT_ALIGN_H

#include "rollout/rollout.h"
#include "rollout/rollout_columns.h"

/* Columns of one side; NULL: it has none. */
struct rollout_table {
    struct rollout_columns *c;
    const char *log_probs, *tokens, *mask, *attention, *length, *index, *round, *experts;
    size_t rows;
};

struct rollout_place {
    double lp;
    int64_t id;
    uint32_t at, round;
};

struct rollout_line {
    struct rollout_place *v; /* tokens that count, in order; owned */
    size_t n, row;           /* row: numbers in the file's row */
    bool tokens;             /* ids are known */
    bool masked;             /* a mask or a length said which count */
    size_t dropped;          /* taken for padding at the end */
};

void rollout_line_make(const struct rollout_table *t, size_t row, struct rollout_line *l);
void rollout_line_release(struct rollout_line *l);
/* A side without mask takes the other's, where their rows are as long. */
void rollout_lines_share_mask(struct rollout_line l[2]);
/* Adds the tokens both have to r->tokens; fills s but for its row numbers and figures. */
void rollout_align(struct rollout *r, const struct rollout_line l[2], struct rollout_sequence *s);
/* Compares the experts recorded of its tokens; after rollout_align. */
void rollout_experts(struct rollout *r, const struct rollout_table t[2], const struct rollout_line l[2],
                     struct rollout_sequence *s);
/* Of msprobe's prob_diff_step_N.npy: the mask beside it, prob_mask_step_N.npy. */
void rollout_mask_beside(struct rollout *r, struct rollout_columns *c);

#endif
