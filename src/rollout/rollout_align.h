/* The selected tokens of one sequence on each side, and their alignment. */
#ifndef ROLLOUT_ROLLOUT_ALIGN_H
#define ROLLOUT_ROLLOUT_ALIGN_H

#include "rollout/rollout.h"
#include "rollout/rollout_columns.h"

/* The columns of one side; NULL: absent. */
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
    struct rollout_place *v; /* the selected tokens in order; owned */
    size_t n, row;           /* row: length of the file's row */
    bool tokens;             /* token ids are known */
    bool masked;             /* selected by a mask or a length */
    size_t dropped;          /* number taken for padding at the end */
};

void rollout_line_make(const struct rollout_table *t, size_t row, struct rollout_line *l);
void rollout_line_release(struct rollout_line *l);
/* A side without a mask uses the other's if their rows have the same length. */
void rollout_lines_share_mask(struct rollout_line l[2]);
/* Adds the common tokens to r->tokens; fills s except its row numbers and figures. */
void rollout_align(struct rollout *r, const struct rollout_line l[2], struct rollout_sequence *s);
/* Compares the recorded experts of its tokens; called after rollout_align. */
void rollout_experts(struct rollout *r, const struct rollout_table t[2], const struct rollout_line l[2],
                     struct rollout_sequence *s);
/* For msprobe's prob_diff_step_N.npy: reads the mask beside it, prob_mask_step_N.npy. */
void rollout_mask_beside(struct rollout *r, struct rollout_columns *c);

#endif
