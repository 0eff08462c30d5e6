/* A recorded call as formulas take it: its arguments by place and name, parameters, outputs and gradients; sizes
 * first, values when asked for. */
#ifndef ORACLE_RECORDED_CALL_H
#define ORACLE_RECORDED_CALL_H

#include "dump/dump.h"
#include "oracle/formula.h"

struct recorded_call {
    struct call_values values;
    const struct dump *dump;
    uint32_t call;
    const uint32_t *output_row, *result_row, *gradient_row; /* of values.output, .result, .gradient */
    bool default_taken;         /* see call_values */
    int items;                  /* of all lists of its arguments, those by place among them */
    int tensors;                /* among its arguments, lists opened */
    int64_t elements;           /* of all its tensors together */
    int64_t largest;            /* of one */
    uint32_t types;             /* floating types among what is read: bits 1 << enum dtype */
};

/* Everything but the tensors' values. The reason why it cannot be computed is in values.unknown. */
void recorded_call_open(struct recorded_call *r, struct arena *a, const struct dump *d, uint32_t call);
/* The values of all tensors. */
void recorded_call_load(struct recorded_call *r);
/* NaN among what is read, NaN or Inf in the incoming gradient: a reason to say nothing. Values are loaded, the
 * formula has said what it does not read; `types` is found. */
void recorded_call_look(struct recorded_call *r);
/* The coarsest floating type among a judged output and what was read for it; DTYPE_UNKNOWN where there is none.
 * *finer: a finer one is among them, too. */
enum dtype recorded_call_type(const struct recorded_call *r, enum dtype output, bool *finer);

#endif
