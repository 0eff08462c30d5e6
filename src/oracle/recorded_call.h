/* A recorded call in the form that formulas take: arguments by position and name, parameters, outputs and gradients;
 * first sizes, values on request. */
#ifndef ORACLE_RECORDED_CALL_H
#define ORACLE_RECORDED_CALL_H

#include "dump/dump.h"
#include "oracle/formula.h"
#include "pair/view.h"

struct recorded_call {
    struct call_values values;
    const struct dump *dump;
    uint32_t call;
    const uint32_t *output_row, *result_row, *gradient_row; /* rows of values.output, .result, .gradient */
    bool default_taken;         /* see call_values */
    int items;                  /* elements of all its list arguments, including positional arguments */
    int tensors;                /* number of tensors among the arguments, including those in lists */
    int64_t elements;           /* of all its tensors */
    int64_t largest;            /* of its largest tensor */
    bool sizes_only;            /* tensors without a file are there as well */
    uint32_t types;             /* floating types among the inputs read: bits 1 << enum dtype */
};

/* The call itself; of a record of parameters' gradients, which are computed where its module's backward call is, that
 * call, or NONE. */
uint32_t recorded_call_made_by(const struct dump *d, uint32_t call);
/* Reads everything but tensor values. If the call cannot be computed, the reason is in values.unknown. */
void recorded_call_open(struct recorded_call *r, struct arena *a, const struct dump *d, uint32_t call);
/* The same for sizes and arguments alone, of tensors without a file as well. */
void recorded_call_sizes(struct recorded_call *r, struct arena *a, const struct dump *d, uint32_t call);
/* A row's `count` elements, in the arena, through a view of the row (NULL: as stored). NULL if its file cannot be read,
 * has another number of elements (nothing is allocated then), or contradicts what the recording says of it. */
double *recorded_values(struct arena *a, const struct dump *d, uint32_t row, const struct view *v, int64_t count);
/* Reads the values of all tensors. */
void recorded_call_load(struct recorded_call *r);
/* Records a reason if NaN is among the inputs read, or NaN or Inf in the incoming gradient; sets `types`. Called when
 * values are loaded and the formula has said what it does not read. */
void recorded_call_look(struct recorded_call *r);
/* The coarsest floating type among a judged output and its inputs; DTYPE_UNKNOWN if there is none. *finer: a finer
 * one occurs too. */
enum dtype recorded_call_type(const struct recorded_call *r, enum dtype output, bool *finer);

#endif
