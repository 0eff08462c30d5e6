/* One recorded call recomputed from its own inputs, each output compared with the candidate that explains it best. */
#ifndef ORACLE_RECOMPUTE_H
#define ORACLE_RECOMPUTE_H

#include "oracle/error_bound.h"
#include "oracle/operators.h"
#include "oracle/recorded_call.h"

struct recomputed_output {
    uint32_t row;
    struct error_found found;
    enum dtype type;        /* coarsest floating type of what was read and the output; DTYPE_UNKNOWN: none */
    enum dtype rounded;     /* a float32 output that holds this type's numbers only, by an error that type explains;
                               DTYPE_UNKNOWN */
    bool product;           /* whose arithmetic is read off its family */
    double part;            /* of the rows, 1: all */
    double condition;       /* measured (moved_inputs.h); NAN: it was not */
    int vectors;            /* it was tested by that many random ones (product_test.h); 0: it was not */
    int candidate;          /* which of the formula's explains it, -1: the incoming gradient handed on */
    char formula[64];
};

struct recomputed_call {
    enum unknown unknown;   /* why there are no outputs */
    struct recomputed_output *output; /* the caller frees it */
    int outputs;
};

/* What a call of the dump is: */
struct call_plan {
    const struct operator *operator; /* NULL: none known */
    bool looked_at;  /* it has outputs to recompute; else nothing is said of it */
    bool counted;    /* among the calls that compute */
    double operations; /* of the whole */
    double row_operations; /* of one row of a product, which may be sampled; 0: it may not */
    double vector_operations; /* of one random vector through it; 0: it takes none */
    uint8_t products;  /* computed for it: gradients are several */
    bool moved;      /* its condition is to be measured, too; set by who plans */
    bool votes;      /* tells its side's arithmetic: no container */
    char name[48];   /* the operator's */
    enum unknown unknown; /* known without its values */
};

/* What is recorded inside a call. */
enum { HOLDS_CALLS = 1, HOLDS_COLLECTIVES = 2 };

/* p is zeroed; `holds`: bits of what is recorded inside the call. Reads no tensor. */
void call_plan_make(struct call_plan *p, const struct dump *d, uint32_t call, unsigned holds);
/* At most `allowed` operations: a product that needs more is sampled by rows. The arena holds what it needs meanwhile;
 * nothing of it is in *out. */
void recompute_call(const struct call_plan *p, const struct dump *d, struct arena *a, uint32_t call, double allowed,
    struct recomputed_call *out);

#endif
