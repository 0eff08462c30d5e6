/* Recomputes one recorded call from its own inputs and compares each output with the candidate that explains it best.
 */
#ifndef ORACLE_RECOMPUTE_H
#define ORACLE_RECOMPUTE_H

#include "oracle/error_bound.h"
#include "oracle/operators.h"
#include "oracle/recorded_call.h"

enum { FORMULA_SHOWN = 64 }; /* longer formulas are cut */

struct recomputed_output {
    uint32_t row;
    struct error_found found;
    enum dtype type;        /* coarsest floating type of the inputs read and the output; DTYPE_UNKNOWN: none */
    /* for a float32 output with only values of this coarser type, if the type explains the error; otherwise
     * DTYPE_UNKNOWN */
    enum dtype rounded;
    bool product;           /* its family's arithmetic is identified */
    bool tf32;              /* to the bound of its own type, the product of operands rounded to TF32; if `few` */
    double part;            /* share of rows computed; 1: all */
    double condition;       /* measured (moved_inputs.h); NAN: not measured */
    int vectors;            /* number of random vectors it was tested with (product_test.h); 0: none */
    int candidate;          /* the formula's candidate that explains it; -1: the unchanged incoming gradient */
    char formula[FORMULA_SHOWN];
};

struct recomputed_call {
    enum unknown unknown;   /* the reason if there are no outputs */
    struct recomputed_output *output; /* the caller frees it */
    int outputs;
    bool assumed;           /* an argument that the recording does not show was taken to be the default */
    uint64_t fitted;        /* of what was fitted to its outputs (struct fits): equal for equal figures */
};

/* The plan for a call of the dump. */
struct call_plan {
    const struct operator *operator; /* NULL: unknown */
    bool looked_at;  /* it has outputs to recompute; otherwise it is not considered */
    bool counted;    /* is a computing call */
    double operations; /* for the whole call */
    double row_operations; /* for one row of a product that may be sampled; 0: it may not */
    double vector_operations; /* for one random vector; 0: it cannot be tested */
    double bytes;      /* about what is held meanwhile */
    uint8_t products;  /* number of products: gradients have several */
    bool moved;      /* its condition is to be measured too; set by the caller that plans */
    bool votes;      /* used to determine the side's arithmetic: not a container */
    bool few;        /* too few calls of its operator vote for errors alone to name it; set by the caller that plans */
    const struct operator *teller; /* of the same family inside of a module; NULL: none. Set by the caller that plans */
    char name[48];   /* the operator's */
    enum unknown unknown; /* as far as known without its values */
};

/* What was recorded inside a call. */
enum { HOLDS_CALLS = 1, HOLDS_COLLECTIVES = 2 };

/* p is zeroed; `holds`: bits for what was recorded inside the call. Reads no tensor. False: it is not considered. */
bool call_plan_make(struct call_plan *p, const struct dump *d, uint32_t call, unsigned holds);
/* Opens a call with its values, without its candidates; a reason why there can be none is in values.unknown. */
void recompute_open(struct recorded_call *r, struct arena *a, const struct dump *d, uint32_t call);
/* Lets the formula of an opened call give its candidates, or say why there are none. */
void recompute_candidates(const struct call_plan *p, struct recorded_call *r);
/* Uses at most `allowed` operations: a product that needs more is sampled by rows. The arena is temporary; *out does
 * not refer to it. */
void recompute_call(const struct call_plan *p, const struct dump *d, struct arena *a, uint32_t call, double allowed,
    struct recomputed_call *out);

#endif
