/* The step's own inputs (token ids, labels, positions, masks), compared exactly and before anything else: if the data
 * differ, no layer is the cause. */
#ifndef JUDGE_STEP_INPUTS_H
#define JUDGE_STEP_INPUTS_H

#include "judge/input_elements.h"
#include "judge/verdict.h"

enum step_input_what { INPUT_IDS, INPUT_LABELS, INPUT_POSITIONS, INPUT_ATTENTION_MASK, INPUT_LOSS_MASK, INPUT_OTHER,
                      INPUT_COUNT };

struct step_input {
    enum step_input_what what;
    uint32_t row[2];  /* NONE if a side has no such input */
    int equal;        /* 1, 0, or -1: unknown */
    bool statistics;  /* decided by recorded figures alone */
    double apart;     /* relative L2 distance of floats that were read; 0: equal, or not read */
    struct input_elements elements; /* if both sides were read */
};
typedef VEC(struct step_input) step_input_list;

/* `state` as for judge_run(). */
void step_inputs_find(const struct measure *m, const uint8_t *state, const struct dataflow flow[2],
                      step_input_list *out);
/* Whether an input without a recorded producer is one of floats: images, mel frames. */
bool step_input_of_samples(const struct dump *d, uint32_t row);
/* "input_ids, labels": those that differ; nothing if none do. */
void step_inputs_differing(const step_input_list *l, struct buf *out);
const char *step_input_name(enum step_input_what w); /* "input_ids" */
void step_input_detail(const struct step_input *x, const struct dump *const side[2], struct buf *out);

#endif
