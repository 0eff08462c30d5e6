/* For judge.c: the state of its pass over the table, and the weighing of one error in it. */
#ifndef JUDGE_ROW_VERDICT_H
#define JUDGE_ROW_VERDICT_H

#include "base/map.h"
#include "judge/verdict.h"
#include "judge/noise_level.h"
#include "judge/value_readers.h"

/* A module of the target's that is given whole numbers which turned by noise (a router's experts). */
struct turned_module {
    uint32_t call;
    uint64_t picks; /* how many numbers it is given */
};

/* The judging of all lines in execution order, and what the ones passed leave for those behind. */
struct judge_pass {
    struct judgement *j;
    struct whole *wholes; /* per group of the pairing */
    const struct measure *m;
    const uint8_t *state;
    const struct dataflow *flow;
    struct value_readers reads; /* of the target */
    const struct judge_options *o;
    const struct thresholds *tol;
    const struct dump *side[2];
    struct noise_level level;
    float *call_error;   /* per target call: the largest accepted error among its inputs */
    float *call_turned;  /* per target call: the share of whole numbers among its inputs that turned by noise */
    VEC(struct turned_module) turned_modules;
    struct nmap routings; /* line of picked numbers → enum routing, of those that were compared */
    float *unseen;       /* per line: an error its recorded figures do not show, and that comes down to it; 0: none */
    float *call_unseen;  /* per target call: the largest of its inputs */
    uint8_t *call_dtype; /* per target call: the coarsest floating type among its inputs */
    enum dtype weights;  /* the coarsest floating type of the parameters passed that agreed */
    bool product;        /* a matmul-like call of the target has been passed */
    bool open_product;   /* the last one's output deviates, is doubtful or absent: what follows may carry its noise */
    bool unread_product; /* it could not be read: whether what follows carries any is not known */
    bool narrow[2];      /* a side recorded floating types of 16 bits or less: what float32 holds may come of these */
    bool coarse[2];      /* float32 products may run with rounded operands (TF32, HF32) here: others, convolutions */
};

/* One line being judged. */
struct verdict_case {
    uint32_t i;
    uint32_t row[2], call;
    const struct row *r[2];
    const struct figures *f; /* computed, or NULL */
    struct line_judgement *out;
};

static inline void verdict_case_give(struct verdict_case *k, enum verdict v, enum verdict_rule r)
{
    k->out->verdict = (uint8_t)v;
    k->out->rule = (uint8_t)r;
}

static inline enum dtype_class row_class(const struct row *r)
{
    return dtype_table[r->dtype].klass;
}

/* Integers and booleans: they agree or they do not. */
static inline bool class_is_whole(enum dtype_class c)
{
    return c == CLASS_INT || c == CLASS_BOOL;
}

/* How far two equal numbers may be apart by the digits the sides' recordings print, relative; 0: they print all. */
double row_verdict_printed(const struct judge_pass *p);
/* Gives the line its verdict by an error (rel_l2, or the largest relative difference of recorded figures: stats). */
void row_verdict_weigh(struct judge_pass *p, struct verdict_case *k, double error, bool stats);
/* Whether compared elements of a row that is yet to come would be accepted with that error, at that level of noise. */
bool row_verdict_accepts(const struct judge_pass *p, const uint32_t rows[2], double error, double level);
/* Whether an input is the call's weight or bias: by its place in the calls that have one. */
bool row_verdict_is_parameter(const struct judge_pass *p, const struct verdict_case *k);
/* A deviation that is no more than what its operator makes of noise is held apart (RULE_ILL). */
void row_verdict_excuse(struct judge_pass *p, struct verdict_case *k);
/* A gradient of absolute differences whose figures agree, but for the mean, has turned signs: it is held apart too. */
void row_verdict_signs(struct judge_pass *p, struct verdict_case *k);
/* An accepted output, or an input that was another value before, that one side alone rounded to a coarser type deviates
 * (RULE_ROUNDED). */
void row_verdict_rounded(struct judge_pass *p, struct verdict_case *k);
/* Accepted errors become the noise of what comes after. */
void row_verdict_remember(struct judge_pass *p, const struct verdict_case *k);

#endif
