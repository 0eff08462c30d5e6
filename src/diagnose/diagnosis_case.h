/* A line under diagnosis, for the detectors: what is known of it and where they say what they find. */
#ifndef DIAGNOSE_DIAGNOSIS_CASE_H
#define DIAGNOSE_DIAGNOSIS_CASE_H

#include "diagnose/diagnose.h"
#include "measure/element_sample.h"

struct diagnosis_case {
    const struct judgement *j;
    const struct measure *m;
    const struct dataflow *flow;
    uint32_t line, row[2], call; /* the target's call */
    const struct dump *side[2];
    const struct row *r[2];
    const struct line_judgement *judged;
    const struct figures *f;        /* computed, or NULL */
    const struct element_sample *spread;  /* elements from all over; NULL: none could be read */
    const struct element_sample *corner;  /* elements side by side: whole tensors, or a dense corner */
    bool partly;                    /* the corner is not the whole */
    struct diagnoses *out;
};

/* Asks every detector whose needs are met, and ranks what they say into `out`. */
void diagnosis_case_examine(struct diagnosis_case *p);

#define EPSILON_MOST 0.1 /* no norm adds more */

/* The share of a deviation (squares) an explanation may leave: a tenth, squared. */
#define LEFT_OVER 0.01

/* Says it, unless the same is said already with a better score. */
void case_found(struct diagnosis_case *p, enum diagnosis_id id, int side, double score, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
/* Whether a root is taken of the row's value, in its call or the next ones: what was added to it is a norm's
 * epsilon. */
bool patient_before_root(const struct diagnosis_case *p);
/* The judgement of a side's row, NULL where the table has no line for it; its partner, or NONE. */
const struct line_judgement *patient_judged(const struct diagnosis_case *p, int side, uint32_t row);
uint32_t patient_partner(const struct diagnosis_case *p, int side, uint32_t row);
/* Whether no tensor the row's call was given deviates. */
bool patient_inputs_agree(const struct diagnosis_case *p);
enum { NO_SIDE = -1 };
/* The side whose module puts out another value than the last call in it, though that call agrees and the other side's
 * module puts its value out; *inner: that side's row of it. NO_SIDE where it is not so. */
int patient_changed_end(const struct diagnosis_case *p, uint32_t *inner);
/* A recorded or computed figure of a side, NaN where there is none. */
double diagnosis_case_stat(const struct diagnosis_case *p, int side, int stat);
/* "x = 0.5" with what the number is in round terms: "0.3536 (1/√8)". Appends to out. */
void diagnosis_factor_text(double k, double tolerance, struct buf *out);
/* The logical index as coordinates, "[0,3,12]". Appends. */
void diagnosis_place_text(const struct diagnosis_case *p, uint64_t at, struct buf *out);
/* "target side", "golden side": messages of their own, so that a sentence adds no 侧 behind the word. */
const char *diagnosis_side_word(int side);

enum { DIAGNOSIS_LEFT_MAX = 128 };
/* What an explanation leaves of the deviation, a share from 0 (all explained) to 1, as a clause. */
const char *diagnosis_left_text(char out[DIAGNOSIS_LEFT_MAX], double share);

/* The epsilons of a norm that explain how its outputs differ, from them and what went in (as many values): of both
 * kinds, root mean square and centred. False where none do. */
struct epsilons {
    double t, g;   /* of the target, of the golden side */
    double left2;  /* what they leave of Σ(t−g)² */
};
bool diagnosis_epsilons(const struct element_sample *s, const double *in, struct epsilons *out);

/* Detectors, by what they look at (diagnose_*.c). */
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
void detect_partial(struct diagnosis_case *p);
void detect_mask(struct diagnosis_case *p);
void detect_epsilon(struct diagnosis_case *p);
void detect_activation(struct diagnosis_case *p);
void detect_attention(struct diagnosis_case *p);
void detect_window(struct diagnosis_case *p);
void detect_norm(struct diagnosis_case *p);
void detect_temperature(struct diagnosis_case *p);
void detect_rope(struct diagnosis_case *p);
void detect_rope_statistics(struct diagnosis_case *p);
void detect_call_arguments(struct diagnosis_case *p);
void detect_argument(struct diagnosis_case *p);
/* Of a line without a pair: `r`, `call` and `f` are not set. */
void detect_fused_scale(struct diagnosis_case *p);
void detect_stale(struct diagnosis_case *p);
void detect_past(struct diagnosis_case *p);
void detect_parts(struct diagnosis_case *p);
void detect_sibling(struct diagnosis_case *p);
void detect_micro_batches(struct diagnosis_case *p);
void detect_contribution(struct diagnosis_case *p);
void detect_weights(struct diagnosis_case *p);
void detect_gap(struct diagnosis_case *p);
void detect_changed_end(struct diagnosis_case *p);

#endif
