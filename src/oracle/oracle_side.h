/* The recomputed calls of one side: the error of each recomputed row, the arithmetic of the side's products, and the
 * coverage. */
#ifndef ORACLE_ORACLE_SIDE_H
#define ORACLE_ORACLE_SIDE_H

#include <stdatomic.h>

#include "base/vec.h"
#include "dump/dump.h"
#include "oracle/error_bound.h"
#include "oracle/unknown.h"

struct call_plan;
struct operator;
struct recomputed_call;

struct oracle_row {
    uint32_t row;
    double error, bound, excess;
    double condition;          /* measured: rel_l2 of the output per rel_l2 of the inputs; NAN: not measured */
    const char *arithmetic;    /* "tf32" */
    const char *rounded;       /* "bfloat16", or NULL */
    const char *operator, *formula;
    double part;               /* share of the product's rows that was computed; 1: all */
    int candidate;             /* the formula's candidate that explains it; -1: the unchanged incoming gradient */
    uint64_t fitted;           /* of what was fitted to the call's outputs: equal for equal figures; 0: nothing */
    int vectors;               /* number of random vectors it was tested with; 0: compared element by element */
    bool assumed;              /* with an argument that the recording does not show, taken to be the default */
    bool said;                 /* false: its class, or such an argument, turned out to be unknown */
};

struct oracle_cover {
    uint32_t recomputed, calls, wrong; /* computing calls; wrong: number of rows */
    uint32_t unknown[UNKNOWN_COUNT];   /* computing calls that were not recomputed, by reason */
};

/* Other operators, products and convolutions, by element type. */
enum { ORACLE_FAMILIES = 3 };

/* The arithmetic that an operator's own products of a type show. */
struct operator_arithmetic {
    const struct operator *operator;
    enum dtype type;
    uint32_t named[ARITHMETIC_COUNT], all; /* products that show each, and any */
    uint32_t tf32; /* those that are products of operands rounded to TF32 */
};

struct oracle_side {
    const struct dump *dump;
    struct arena arena;
    /* arrays are NULL in a dump without tensors */
    struct call_plan *plan;     /* per call */
    struct recomputed_call *done; /* per call; freed by oracle_side_judge */
    bool *cut;                  /* per call: the other side holds its tensors whole (dump/cut_tensors.h); or NULL */
    bool *begun;                /* per call: started within the budget */
    VEC(struct oracle_row) rows; /* in call order */
    bool any;                   /* a call is considered */
    uint32_t *of_row;           /* per row of the dump: its place in `rows`, from 1, or 0 */
    uint8_t *unknown;           /* per call: enum unknown for those considered and not recomputed */
    enum arithmetic arithmetic[ORACLE_FAMILIES][DTYPE_COUNT];
    VEC(struct operator_arithmetic) by_operator;
    bool seen[ORACLE_FAMILIES][DTYPE_COUNT]; /* products of that family and type were recomputed */
    struct oracle_cover cover;
};

/* Plans every call without reading tensors. The dump must be complete and outlive s. */
void oracle_side_init(struct oracle_side *s, const struct dump *d);
/* A call of which the other side holds tensors whole that this side recorded cut: before oracle_side_judge. */
void oracle_side_cut(struct oracle_side *s, uint32_t call);
void oracle_side_release(struct oracle_side *s);
/* Recomputes one call with at most `allowed` operations. Several threads may do this at once, each call once and each
 * thread with an arena of its own; nothing in the arena is kept. */
void oracle_side_recompute(struct oracle_side *s, struct arena *a, uint32_t call, double allowed);
/* Called when all started calls are computed: determines arithmetic, excesses, classes and coverage. */
void oracle_side_judge(struct oracle_side *s);
/* The arithmetic of a call's products: that of its operator if enough of its calls show one, else of its family. */
enum arithmetic oracle_side_arithmetic(const struct oracle_side *s, const struct call_plan *p, enum dtype type);
/* The result for a row, or NULL. */
const struct oracle_row *oracle_side_row(const struct oracle_side *s, uint32_t row);
/* Why a row whose call was considered has no result; UNKNOWN_NOT if it was not considered. */
enum unknown oracle_side_unknown(const struct oracle_side *s, uint32_t row);
/* Whether the error exceeds the bound of correct arithmetic by more than rules.oracle_wrong allows. */
bool oracle_row_is_wrong(const struct oracle_row *r);
/* Whether it is the gradient of a parameter: the module's call counts, not its record. */
bool oracle_row_is_recorded_gradient(const struct oracle_side *s, const struct oracle_row *r);
/* Whether only part of it was compared. */
bool oracle_row_is_sampled(const struct oracle_row *r);
/* The probability that a fault is missed: a fault in a single row of a product of which some rows were computed, or
 * one of PRODUCT_TEST_TIMES the limit in a product tested by vectors. */
double oracle_row_missed(const struct oracle_row *r);
/* "product float32" of arithmetic[family][type]. */
void oracle_arithmetic_key(int family, enum dtype type, struct buf *out);

#endif
