/* The kind of deviation of a line: all zero, scaled, reordered, rounded … A table of detectors, each with its
 * evidence and advice (doc/diagnosis.md has the rules). A detector reports only an explanation that leaves at most a
 * tenth of the deviation. Nothing is stored: a line is diagnosed on request. */
#ifndef DIAGNOSE_DIAGNOSE_H
#define DIAGNOSE_DIAGNOSE_H

#include "judge/verdict.h"

enum diagnosis_id { /* the order of equally good explanations */
    DIAGNOSIS_NONFINITE,
    DIAGNOSIS_WRONG_SHARD,
    DIAGNOSIS_WRONG_POSITIONS,
    DIAGNOSIS_WRONG_LAYER,
    DIAGNOSIS_WRONG_EXPERT,
    DIAGNOSIS_MICRO_BATCH_SCALE,
    DIAGNOSIS_ALL_ZERO,
    DIAGNOSIS_ZERO_GRADIENT,
    DIAGNOSIS_SATURATED,
    DIAGNOSIS_UNINITIALISED,
    DIAGNOSIS_DROPOUT,
    DIAGNOSIS_MASK,
    DIAGNOSIS_EPSILON,
    DIAGNOSIS_ACTIVATION,
    DIAGNOSIS_ARGUMENT,
    DIAGNOSIS_UNTIED,
    DIAGNOSIS_ROPE,
    DIAGNOSIS_ROUNDED,
    DIAGNOSIS_DENORMAL,
    DIAGNOSIS_SIGN,
    DIAGNOSIS_SCALE,
    DIAGNOSIS_OFFSET,
    DIAGNOSIS_SHIFTED,
    DIAGNOSIS_LAYOUT,
    DIAGNOSIS_PERMUTED,
    DIAGNOSIS_STALE,
    DIAGNOSIS_WEIGHTS_FIRST,
    DIAGNOSIS_PARTIAL,
    DIAGNOSIS_GAP,
    DIAGNOSIS_UNREAD,
    DIAGNOSIS_COUNT
};

#define DIAGNOSES_MOST 3
#define BOTH_SIDES (-1)

struct diagnosis {
    uint8_t id;
    int8_t side;    /* TARGET or GOLDEN (the side with the faulty values), or BOTH_SIDES */
    float score;    /* 0 … 1: how much it explains, and how certain it is */
    char *evidence; /* a sentence without a full stop, in the user's language */
    const char *advice; /* of this case, in the user's language; NULL: that of the id */
};

struct diagnoses { /* best first */
    int n;
    struct diagnosis v[DIAGNOSIS_COUNT];
};

/* Diagnoses a line. Empty for a match, a doubtful line (except for the reasons of the doubt) or a one-sided one. `m`
 * and `flow` as given to judge_run(); they are not changed. Reads at most a few ELEMENT_SAMPLE_MOST elements;
 * unreadable tensors are diagnosed by their figures, and the last diagnosis says that they were not read.
 * Deterministic. */
void diagnose_line(struct diagnoses *out, const struct judgement *j, const struct measure *m,
                   const struct dataflow flow[2], uint32_t line);
void diagnoses_release(struct diagnoses *x);
bool diagnose_possible(const struct judgement *j, const struct measure *m, uint32_t line);
const char *diagnosis_name(enum diagnosis_id id);   /* "all-zero" …, for files */
const char *diagnosis_advice(const struct diagnosis *d); /* a sentence about where to look */
/* Appends "label: evidence." for the i-th diagnosis. */
void diagnosis_text(const struct diagnoses *x, int i, struct buf *out);

#endif
