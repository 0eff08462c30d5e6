/* A line under diagnosis, for the detectors: what is known of it and where they say what they find. */
#ifndef DIAGNOSE_DIAGNOSIS_CASE_H
#define DIAGNOSE_DIAGNOSIS_CASE_H

#include "diagnose/diagnose.h"
#include "measure/element_sample.h"

struct patient {
    const struct judgement *j;
    const struct measure *m;
    const struct flow *flow;
    uint32_t line, row[2], call; /* the target's call */
    const struct dump *side[2];
    const struct row *r[2];
    const struct line_judgement *judged;
    const struct figures *f;        /* computed, or NULL */
    const struct specimen *spread;  /* elements from all over; NULL: none could be read */
    const struct specimen *corner;  /* elements side by side: whole tensors, or a dense corner */
    bool partly;                    /* the corner is not the whole */
    struct diagnoses *out;
};

/* Asks every detector whose needs are met, and ranks what they say into `out`. */
void patient_examine(struct patient *p);

#define EPSILON_MOST 0.1 /* no norm adds more */

/* The share of a deviation (squares) an explanation may leave: a tenth, squared. */
#define LEFT_OVER 0.01

/* Says it, unless the same is said already with a better score. */
void patient_says(struct patient *p, enum diagnosis_id id, int side, double score, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
/* Whether a root is taken of the row's value, in its call or the next ones: what was added to it is a norm's epsilon. */
bool patient_before_root(const struct patient *p);
/* The judgement of a side's row, NULL where the table has no line for it; its partner, or NONE. */
const struct line_judgement *patient_judged(const struct patient *p, int side, uint32_t row);
uint32_t patient_partner(const struct patient *p, int side, uint32_t row);
/* Whether no tensor the row's call was given deviates. */
bool patient_inputs_agree(const struct patient *p);
/* A recorded or computed figure of a side, NaN where there is none. */
double patient_stat(const struct patient *p, int side, int stat);
/* "x = 0.5" with what the number is in round terms: "0.3536 (1/√8)". Appends to out. */
void factor_text(double k, double tolerance, struct buf *out);
/* The logical index as coordinates, "[0,3,12]". Appends. */
void place_text(const struct patient *p, uint64_t at, struct buf *out);
const char *side_word(int side); /* "target", "golden" in the user's language */

/* The epsilons of a norm that explain how its outputs differ, from them and what went in (as many values): of both
 * kinds, root mean square and centred. False where none do. */
struct epsilons {
    double t, g;   /* of the target, of the golden side */
    double left2;  /* what they leave of Σ(t−g)² */
};
bool norm_epsilons(const struct specimen *s, const double *in, struct epsilons *out);

/* Detectors, by what they look at (diagnose_*.c). */
void look_nonfinite(struct patient *p);
void look_zero(struct patient *p);
void look_saturated(struct patient *p);
void look_uninitialised(struct patient *p);
void look_dropout(struct patient *p);
void look_rounded(struct patient *p);
void look_denormal(struct patient *p);
void look_sign(struct patient *p);
void look_scale(struct patient *p);
void look_offset_vector(struct patient *p);
void look_dropout_both(struct patient *p);
void look_offset(struct patient *p);
void look_mask_statistics(struct patient *p);
void look_scale_rows(struct patient *p);
void look_untied(struct patient *p);
void look_scale_statistics(struct patient *p);
void look_offset_statistics(struct patient *p);
void look_shifted(struct patient *p);
void look_shifted_lengths(struct patient *p);
void look_order(struct patient *p);
void look_partial(struct patient *p);
void look_mask(struct patient *p);
void look_epsilon(struct patient *p);
void look_activation(struct patient *p);
void look_attention(struct patient *p);
void look_window(struct patient *p);
void look_norm(struct patient *p);
void look_temperature(struct patient *p);
void look_rope(struct patient *p);
void look_rope_statistics(struct patient *p);
void look_call_arguments(struct patient *p);
void look_argument(struct patient *p);
void look_stale(struct patient *p);
void look_past(struct patient *p);
void look_contribution(struct patient *p);
void look_weights(struct patient *p);
void look_gap(struct patient *p);

#endif
