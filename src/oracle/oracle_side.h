/* One side's calls recomputed: what each recomputed row errs, what arithmetic the side's products run in, how much
 * of the recording that covers. */
#ifndef ORACLE_ORACLE_SIDE_H
#define ORACLE_ORACLE_SIDE_H

#include <stdatomic.h>

#include "base/vec.h"
#include "dump/dump.h"
#include "oracle/error_bound.h"
#include "oracle/unknown.h"

struct call_plan;
struct recomputed_call;

struct oracle_row {
    uint32_t row;
    double error, bound, excess;
    double condition;          /* measured: rel_l2 out per rel_l2 in; NAN: it was not */
    const char *arithmetic;    /* "tf32" */
    const char *rounded;       /* "bfloat16", or NULL */
    const char *operator, *formula;
    double part;               /* of its product's rows, 1: all */
    int vectors;               /* it was tested by that many random ones, 0: element by element */
    bool said;                 /* false: its class turned out to be unknown */
};

struct oracle_cover {
    uint32_t recomputed, calls, wrong; /* calls that compute; rows called wrong */
    uint32_t unknown[UNKNOWN_COUNT];   /* calls that compute and were not recomputed, by the reason */
};

/* Products and convolutions, by element type. */
enum { ORACLE_FAMILIES = 3 };

struct oracle_side {
    const struct dump *dump;
    struct arena arena;
    struct call_plan *plan;     /* per call */
    struct recomputed_call *done; /* per call, until oracle_side_judge */
    bool *begun;                /* per call: within the budget */
    VEC(struct oracle_row) rows; /* in the order of calls */
    uint32_t *of_row;           /* per row of the dump: index of `rows`, or NONE */
    uint8_t *unknown;           /* per call: enum unknown of those looked at and not recomputed */
    enum arithmetic arithmetic[ORACLE_FAMILIES][DTYPE_COUNT];
    bool seen[ORACLE_FAMILIES][DTYPE_COUNT]; /* products of that family and type were recomputed */
    struct oracle_cover cover;
};

/* Plans every call; no tensor is read. The dump is complete and stays. */
void oracle_side_init(struct oracle_side *s, const struct dump *d);
void oracle_side_release(struct oracle_side *s);
/* One call within that many operations; calls may be computed by several threads at once, each once and each with an
 * arena of its own, which keeps nothing of it. */
void oracle_side_recompute(struct oracle_side *s, struct arena *a, uint32_t call, double allowed);
/* Once all that were begun are computed: arithmetic, excesses, classes, coverage. */
void oracle_side_judge(struct oracle_side *s);
/* What was found of a row, or NULL. */
const struct oracle_row *oracle_side_row(const struct oracle_side *s, uint32_t row);
/* Why nothing was found of a row whose call was looked at; UNKNOWN_NOT where nothing is known of it either way. */
enum unknown oracle_side_unknown(const struct oracle_side *s, uint32_t row);
/* Above what honest arithmetic may err by more than rules.oracle_wrong allows. */
bool oracle_row_is_wrong(const struct oracle_row *r);
/* Not all of it was compared. */
bool oracle_row_is_sampled(const struct oracle_row *r);
/* How likely a fault is missed: one in a single row of a product some of whose rows were computed, one of
 * PRODUCT_TEST_TIMES what would be called wrong of one tested by vectors. */
double oracle_row_missed(const struct oracle_row *r);
/* "product float32" of arithmetic[family][type]. */
void oracle_arithmetic_key(int family, enum dtype type, struct buf *out);

#endif
