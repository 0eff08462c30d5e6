/* Recomputes both sides' calls in float64, each from its own recorded inputs, within a budget of operations: which
 * side is wrong (doc/oracle.md); and the golden calls' functions on the target's inputs, from which the causes of rows
 * follow (judge/cause.h). */
#ifndef ORACLE_ORACLE_H
#define ORACLE_ORACLE_H

#include "judge/summed_gradient.h"
#include "judge/verdict.h"
#include "oracle/oracle_side.h"

enum oracle_mode { ORACLE_OFF, ORACLE_AUTO, ORACLE_ALL };
#define ORACLE_BUDGET 2e9 /* operations of ORACLE_AUTO: multiply-adds, elements */

struct oracle_options {
    enum oracle_mode mode;
    double budget;
    int workers; /* 0: one per processor; results do not depend on it */
};

enum oracle_which { ORACLE_NOBODY_KNOWS, ORACLE_TARGET, ORACLE_GOLDEN, ORACLE_BOTH, ORACLE_NEITHER };

struct oracle {
    struct oracle_options of;
    double spent;
    struct oracle_side side[2];
    float *residual;          /* per line: the crossed residual of an output (crossed.h); NAN: not judged; or NULL */
    bool *by_rows;            /* per line: the residual is of paired rows (crossed_rows.h); or NULL */
    /* per line: the relative error of the side that alone is wrong by its own inputs, 0: there is none; without a pair
     * only where another call of the same operator is explained by the formula; or NULL */
    float *own_wrong;
    uint8_t *misfit;          /* per line: misfits_find */
    VEC(struct summed_gradient) sums; /* in the order of the lines, of those that deviate (gradient_sum.h) */
    uint32_t sides;           /* 1: one side alone */
    uint32_t wrong[3];        /* lines where the target, the golden side, both are wrong */
};

/* golden and j are NULL for one side alone. NULL if *cancel (may be NULL) was set meanwhile. The dumps must outlive
 * the result. */
struct oracle *oracle_run(const struct measure *m, const struct judgement *j, const struct oracle_options *o,
    const atomic_bool *cancel);
struct oracle *oracle_run_alone(const struct dump *d, const struct oracle_options *o, const atomic_bool *cancel);
void oracle_free(struct oracle *o); /* NULL: nothing */

const char *oracle_mode_name(enum oracle_mode m);
int oracle_mode_find(struct str name); /* -1: none */
enum oracle_which oracle_which(const struct oracle *o, const uint32_t row[2]);
/* Whether a side is wrong: target, golden or both. */
bool oracle_which_is_wrong(enum oracle_which w);
const char *oracle_which_name(enum oracle_which w); /* NULL: not known */

/* A line's amplification of noise, if its verdict uses an estimate and the golden side's call was also recomputed
 * with perturbed inputs; false otherwise. */
struct oracle_condition {
    double measured, estimated;
    bool disagree; /* they differ by more than rules.oracle_condition */
};
bool oracle_condition_of(const struct oracle *o, const struct measure *m, const struct judgement *j, uint32_t line,
    struct oracle_condition *out);

/* Why outputs differ although neither side is wrong: the first difference among the call's arguments, element types
 * and inputs. */
enum oracle_reason { ORACLE_REASON_NONE, ORACLE_REASON_ARGUMENT, ORACLE_REASON_DTYPE, ORACLE_REASON_INPUT };
struct oracle_because {
    enum oracle_reason kind;
    uint32_t row[2];          /* one may be NONE: the argument was omitted */
    char name[48];            /* "" if it has none */
    char left_out[48];        /* the default on the side without a row; "": unknown */
};
const char *oracle_reason_name(enum oracle_reason r);
void oracle_because_find(const struct oracle *o, const struct measure *m, const struct judgement *j, uint32_t line,
    struct oracle_because *out);

#endif
