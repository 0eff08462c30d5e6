/* The gradient norm of every weight on both sides in one table ("local norm", the first judgement of the
 * backward pass), from training logs, msprobe monitor's tables, event files, saved gradients or a dump.
 *
 * Sources disagree about what they print: a root or its square, one fused weight or its parts, a name or only
 * an order. Here everything becomes norms of named weights, and what was done to get there is said. */
#ifndef NORMS_NORMS_H
#define NORMS_NORMS_H

#include "base/stage_verdict.h"
#include "judge/thresholds.h"
#include "dump/reader.h"
#include "fmt/weight_names.h"
#include "fmt/weights.h"
#include "log/series.h"
#include "num/figures.h"

struct norm_value {
    const char *name;    /* as the source has it; "#7": the eighth of a list without names */
    double value;        /* as the source has it */
    double max, min;     /* of the tensor, where there is one; else NaN */
    uint64_t elements;   /* 0: not known */
    struct weight_id id; /* of its name, or of the one its place in the list stands for */
    bool named;
    bool unread;         /* it is there and could not be read: it is in no pair, and alone on no side */
};

/* How it is known whether values are norms or their squares, the weakest first. */
enum norm_unit {
    UNIT_USUAL,  /* what carries a name is a norm */
    UNIT_FORM,   /* lists without names hold squares */
    UNIT_FIGURES, /* the other side's figures say so */
    UNIT_GLOBAL, /* they add up to the global norm printed at the same step */
    UNIT_TENSOR, /* computed here */
};

struct norm_side {
    struct arena arena;
    const char *path, *format;
    const struct norms_format *kind;
    int64_t base;        /* the number of the first training step: monitors and dumps count from 0 */
    int64_t step;        /* -1: the source tells none */
    bool square;         /* values are sums of squares */
    enum norm_unit unit; /* how that is known */
    double digit;        /* what all its values are multiples of, 0: nothing as coarse as is printed */
    const char *order;   /* the arrangement that named its values, or NULL */
    VEC(int64_t) steps;  /* with norms, rising */
    VEC(const char *) unread; /* sentences: what of the source could not be read, its log's apart */
    VEC(struct norm_value) values; /* of the step chosen, in the source's order */
    /* the kind's own */
    struct series log;
    place_list places;
    bool opened;
};

/* One weight, or a fused one beside its parts. */
struct norm_pair {
    uint32_t part[2][3]; /* indices of the sides' values */
    uint8_t parts[2];
    double norm[2], rel; /* |t − g| / |g| */
    double unseen;       /* how much of rel the digits printed cannot tell */
    bool outlier;
};

struct norm_options {
    int64_t step[2];      /* -1: the first both have */
    int rank;             /* of a dump; -1: the first */
    const char *weights;  /* a checkpoint that tells names and sizes, or NULL */
    int workers;
    const struct kern *kern;
    struct log_options log;
    struct figures_watch *watch; /* may be NULL */
};

struct norms {
    struct arena arena;
    struct norm_side side[2];
    struct weights checkpoint;        /* listed when options name one */
    VEC(struct norm_value) reference; /* its parameters */
    VEC(struct norm_pair) pairs;      /* largest difference first */
    VEC(uint32_t) only[2];
    double median;                    /* of the finite differences; NaN without one */
    enum stage_verdict verdict;
    bool not_gradients;               /* a side's files are weights */
    bool judged;                      /* once at least: the warnings are complete */
    VEC(const char *) unread;         /* sentences: then nothing passes */
    VEC(const char *) warnings, next; /* the same */
};

int norms_open(struct norms *n, const char *target, const char *golden, const struct norm_options *o, struct err *e);
void norms_judge(struct norms *n, const struct thresholds_norms *t);
void norms_release(struct norms *n);

/* The value as a norm. */
double norm_of(const struct norm_side *s, uint32_t i);
/* What the pair is called, by a side that has names: parts as "layers.0.w{1,3}.weight". Replaces out's content. */
void norm_pair_name(const struct norms *n, const struct norm_pair *p, struct buf *out);

/* ---- for files of this folder ---- */

/* Where norms come from: 1 when there are some at s->path, 0 when this kind finds none there. */
struct norms_format {
    const char *name;
    int (*open)(struct norm_side *s, const struct norm_options *o, struct err *e);
    int (*load)(struct norm_side *s, const struct norm_options *o, struct err *e); /* of s->step */
    void (*close)(struct norm_side *s);
};

extern const struct norms_format norm_sources[]; /* name NULL at the end, in the order they are tried */
/* All tensors of a set of weights as values; `gradients`: files of one array each may be numbered only. */
int norms_of_weights(const struct weights *w, const struct norm_options *o, bool gradients, struct arena *a,
                     struct norm_side *out,
                     struct err *e);
/* Names values that have none, by a checkpoint or the other side. */
void names_by_order(struct norms *n);
void norms_pair(struct norms *n);
/* Sees whether a side's values are squares after all, by the global norm of its step or by the other side. */
void norms_units(struct norms *n);
void norms_warn(struct norms *n, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
