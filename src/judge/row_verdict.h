/* For judge.c and its parts: the state of the pass over the table, and judging one error in it. */
#ifndef JUDGE_ROW_VERDICT_H
#define JUDGE_ROW_VERDICT_H

#include "base/map.h"
#include "judge/verdict.h"
#include "judge/noise_level.h"
#include "judge/value_readers.h"

/* A module of the target whose integer inputs changed by noise (a router's experts). */
struct turned_module {
    uint32_t call;
    uint64_t picks; /* number of integers in its input */
};

/* A pass over all lines in execution order, with the data that earlier lines leave for later ones. */
struct judge_pass {
    struct judgement *j;
    struct whole *wholes; /* per group of the pairing */
    uint32_t *piece;      /* per line of a part: the row that is it on the fused tensor's side (part_role.h) */
    const struct measure *m;
    const uint8_t *state;
    const struct dataflow *flow;
    struct value_readers reads; /* of the target */
    const struct judge_options *o;
    const struct thresholds *tol;
    const struct dump *side[2];
    struct noise_level level;
    float *call_error;   /* per target call: the largest accepted error among its inputs */
    float *call_turned;  /* per target call: the share of integers among its inputs that changed by noise */
    VEC(struct turned_module) turned_modules;
    struct nmap routings; /* line of picked indices → enum routing, once compared */
    bool *multiplies;    /* per target call: it multiplies matrices, or is a module of whose calls none was recorded */
    uint8_t *call_dtype; /* per target call: the coarsest floating type among its inputs */
    enum dtype weights;  /* the coarsest floating type of the agreeing parameters so far */
    bool product;        /* a matmul-like call of the target has been passed */
    bool open_product;   /* the last product's output deviates, is doubtful or absent: later rows may carry its noise */
    bool unread_product; /* the last product's output could not be read: its noise is unknown */
    double largest_step; /* of an optimizer, as far as weights show it (optimizer_noise.h); NaN: not determined yet */
    enum dtype unsaid;   /* what float32 values count as whose arithmetic nothing tells; DTYPE_UNKNOWN: as float32 */
    bool narrow[2];      /* a side recorded floating types of 16 bits or less, from which float32 values may come */
    bool given[RULE_COUNT]; /* the rules of lines so far: what looks at those of one rule need not look for none */
    bool coarse[2];      /* float32 products may use rounded operands (TF32, HF32): convolutions, and others */
};

/* One line being judged. */
struct verdict_case {
    uint32_t i;
    uint32_t row[2], call;
    const struct row *r[2];
    const struct figures *f; /* computed, or NULL */
    struct line_judgement *out;
};

/* The case of a line with both rows; nothing is given yet. */
static inline struct verdict_case verdict_case_of(const struct judge_pass *p, uint32_t i)
{
    const uint32_t *row = p->m->pairing->lines.v[i].row;
    const struct row *r[2] = {&p->side[0]->rows.v[row[0]], &p->side[1]->rows.v[row[1]]};
    return (struct verdict_case){.i = i, .row = {row[0], row[1]}, .call = r[0]->call, .r = {r[0], r[1]},
                                 .f = p->state[i] == MEASURE_DONE ? p->m->figures[i] : NULL, .out = &p->j->line[i]};
}

static inline void verdict_case_give(struct verdict_case *k, enum verdict v, enum verdict_rule r)
{
    k->out->verdict = (uint8_t)v;
    k->out->rule = (uint8_t)r;
}

/* Whether both rows recorded all of these (HAS_…). */
static inline bool verdict_case_has(const struct verdict_case *k, int bits)
{
    return (k->r[TARGET]->has & k->r[GOLDEN]->has & bits) == bits;
}

/* Values of two kinds differ; `alike`: as far as they can be compared, they agree. */
static inline void verdict_case_give_kinds(struct verdict_case *k, bool alike)
{
    verdict_case_give(k, VERDICT_DTYPE, RULE_KINDS);
    if (!alike)
        k->out->flags |= LINE_DOUBTFUL;
}

static inline enum dtype_class row_class(const struct row *r)
{
    return dtype_table[r->dtype].klass;
}

/* Integers and booleans: compared exactly. */
static inline bool class_is_whole(enum dtype_class c)
{
    return c == CLASS_INT || c == CLASS_BOOL;
}

static inline bool verdict_case_both_whole(const struct verdict_case *k)
{
    return class_is_whole(row_class(k->r[TARGET])) && class_is_whole(row_class(k->r[GOLDEN]));
}

/* The relative difference that two equal numbers may have because of the printed digits of the recordings; 0: all
 * digits are printed. */
double row_verdict_printed(const struct judge_pass *p);
/* Sets the line's verdict by an error (rel_l2, or with `stats` the largest relative difference of recorded figures). */
void row_verdict_weigh(struct judge_pass *p, struct verdict_case *k, double error, bool stats);
/* Whether a later row with that error would be accepted at that noise level. */
bool row_verdict_accepts(const struct judge_pass *p, const uint32_t rows[2], double error, double level);
/* Whether an input is the call's weight or bias, by its position. */
bool row_verdict_is_parameter(const struct judge_pass *p, const struct verdict_case *k);
/* Gives RULE_ROUNDED to an accepted output, or an input that was another value before, that only one side rounded to
 * a coarser type. */
void row_verdict_rounded(struct judge_pass *p, struct verdict_case *k);
/* Adds accepted errors to the noise expected by later rows. */
void row_verdict_remember(struct judge_pass *p, const struct verdict_case *k);

/* By how much angles that one side alone holds in 16 bits may be rounded, for a pair of sines or cosines of them: half
 * a unit of the largest. 0: no such pair. *differ, unless NULL: figures of the angles show that they were. */
double row_verdict_angles(const struct measure *m, uint32_t line, bool *differ);

#endif
