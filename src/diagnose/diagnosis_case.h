/* A line under diagnosis, as detectors see it: its data, and where they add their findings. */
#ifndef DIAGNOSE_DIAGNOSIS_CASE_H
#define DIAGNOSE_DIAGNOSIS_CASE_H

#include "diagnose/diagnose.h"
#include "measure/element_sample.h"

struct diagnosis_case {
    const struct judgement *j;
    const struct measure *m;
    const struct dataflow *flow;
    uint32_t line, row[2], call; /* call of the target */
    const struct dump *side[2];
    const struct row *r[2];
    const struct line_judgement *judged;
    const struct figures *f;        /* computed, or NULL */
    const struct element_sample *spread;  /* elements from the whole tensor; NULL: unreadable */
    const struct element_sample *corner;  /* contiguous elements: whole tensors, or a dense corner */
    bool partly;                    /* the corner is not the whole tensor */
    struct diagnoses *out;
};

/* Runs every detector whose inputs are available and ranks the findings in `out`. */
void diagnosis_case_examine(struct diagnosis_case *p);

#define EPSILON_MOST 0.1 /* the largest epsilon of any norm */

/* The share of a deviation (squares) that an explanation may leave: a tenth, squared. */
#define LEFT_OVER 0.01

/* Adds a finding, unless the same one exists with a better score. */
void case_found(struct diagnosis_case *p, enum diagnosis_id id, int side, double score, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
/* Advice of this case for a finding made before; translated, not copied. */
void case_advise(struct diagnosis_case *p, enum diagnosis_id id, const char *advice);
/* Whether the row's value goes into a root, in its call or the next ones, so that an added constant is a norm's
 * epsilon. */
bool patient_before_root(const struct diagnosis_case *p);
/* Whether a row is integers that are compared with others to give a square of booleans: positions that form a mask. */
bool bounds_mask(const struct dump *d, uint32_t row);
/* The judgement of a side's row, NULL if the table has no line for it; and its partner, or NONE. */
const struct line_judgement *patient_judged(const struct diagnosis_case *p, int side, uint32_t row);
uint32_t patient_partner(const struct diagnosis_case *p, int side, uint32_t row);
/* Whether none of the call's input tensors deviates. */
bool patient_inputs_agree(const struct diagnosis_case *p);
/* Whether one side's module returns what it gets, bit by bit, and the other side's does not; *side: that side. */
bool module_hands_on(const struct diagnosis_case *p, int *side);
enum { NO_SIDE = -1 };
/* The side whose module returns another value than its last inner call, although that call agrees and the other
 * side's module returns it; *inner: that side's row of the call. NO_SIDE otherwise. */
int patient_changed_end(const struct diagnosis_case *p, uint32_t *inner);
/* A recorded or computed figure of a side; NaN if unknown. */
double diagnosis_case_stat(const struct diagnosis_case *p, int side, int stat);
/* Appends a factor with its closed form if it has one: "0.3536 (1/√8)". */
void diagnosis_factor_text(double k, double tolerance, struct buf *out);
/* Appends the logical index as coordinates, "[0,3,12]". */
void diagnosis_place_text(const struct diagnosis_case *p, uint64_t at, struct buf *out);
/* "target side", "golden side": separate messages, so that Chinese sentences do not add 侧 twice. */
const char *diagnosis_side_word(int side);

enum { DIAGNOSIS_LEFT_MAX = 128 };
/* The share of the deviation that an explanation leaves, from 0 (all explained) to 1, as a clause. */
const char *diagnosis_left_text(char out[DIAGNOSIS_LEFT_MAX], double share);

/* The norm epsilons that explain how its outputs differ, from the outputs and the inputs (same number of values), for
 * RMS and centred norms. False if none do. */
struct epsilons {
    double t, g;   /* of the target, and of the golden side */
    double left2;  /* their residual of Σ(t−g)² */
};
bool diagnosis_epsilons(const struct element_sample *s, const double *in, struct epsilons *out);

/* Detectors, grouped by the data they use (diagnose_*.c). */
void detect_nonfinite(struct diagnosis_case *p);
void detect_zero(struct diagnosis_case *p);
void detect_saturated(struct diagnosis_case *p);
void detect_uninitialised(struct diagnosis_case *p);
void detect_dropout(struct diagnosis_case *p);
void detect_rounded(struct diagnosis_case *p);
void detect_denormal(struct diagnosis_case *p);
void detect_sign(struct diagnosis_case *p);
void detect_scale(struct diagnosis_case *p);
void detect_offset_vector(struct diagnosis_case *p);
void detect_dropout_both(struct diagnosis_case *p);
void detect_offset(struct diagnosis_case *p);
void detect_mask_statistics(struct diagnosis_case *p);
void detect_scale_rows(struct diagnosis_case *p);
void detect_untied(struct diagnosis_case *p);
void detect_scale_statistics(struct diagnosis_case *p);
void detect_offset_statistics(struct diagnosis_case *p);
void detect_shifted(struct diagnosis_case *p);
void detect_shifted_lengths(struct diagnosis_case *p);
void detect_shifted_labels(struct diagnosis_case *p);
void detect_order(struct diagnosis_case *p);
void detect_picks(struct diagnosis_case *p);
void detect_partial(struct diagnosis_case *p);
void detect_mask(struct diagnosis_case *p);
void detect_module_around(struct diagnosis_case *p);
void detect_softmax_axis(struct diagnosis_case *p);
void detect_epsilon(struct diagnosis_case *p);
void detect_activation(struct diagnosis_case *p);
void detect_attention(struct diagnosis_case *p);
void detect_window(struct diagnosis_case *p);
void detect_norm(struct diagnosis_case *p);
void detect_temperature(struct diagnosis_case *p);
void detect_rope(struct diagnosis_case *p);
void detect_rope_statistics(struct diagnosis_case *p);
void detect_implied_constant(struct diagnosis_case *p);
void detect_call_arguments(struct diagnosis_case *p);
void detect_argument(struct diagnosis_case *p);
/* For a line without a pair, or without a gradient on one side: `r`, `call` and `f` are not set. */
void detect_fused_scale(struct diagnosis_case *p);
void detect_lost_gradient(struct diagnosis_case *p);
void detect_stale(struct diagnosis_case *p);
void detect_past(struct diagnosis_case *p);
void detect_parts(struct diagnosis_case *p);
void detect_sibling(struct diagnosis_case *p);
void detect_micro_batches(struct diagnosis_case *p);
void detect_contribution(struct diagnosis_case *p);
void detect_weights(struct diagnosis_case *p);
void detect_gap(struct diagnosis_case *p);
void detect_changed_end(struct diagnosis_case *p);
void detect_limited(struct diagnosis_case *p);
void detect_handed_on(struct diagnosis_case *p);
void detect_other_operand(struct diagnosis_case *p);
void detect_term(struct diagnosis_case *p);

#endif
