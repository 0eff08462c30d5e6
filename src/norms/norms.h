/* The gradient norm of every weight on both sides in one table ("local norm", the first check of the backward pass),
 * from training logs, msprobe monitor's tables, event files, saved gradients or a dump.
 *
 * Sources differ in what they print: the norm or its square, one fused weight or its parts, names or only an order.
 * All are converted to norms of named weights, and the conversions are recorded. */
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
    const char *name;    /* as in the source; "#7": the eighth of a list without names */
    double value;        /* as in the source */
    double max, min;     /* of the tensor if available; otherwise NaN */
    uint64_t elements;   /* 0: unknown */
    struct weight_id id; /* for its name, or for the name that its position in the list stands for */
    bool named;
    bool unread;         /* present but unreadable: in no pair, and not counted as one-sided */
};

/* The norm of a weight on a further rank. */
struct norm_replica {
    const char *name;
    struct weight_id id;
    int rank;
    double value;
};

/* The evidence for whether values are norms or squares, weakest first. */
enum norm_unit {
    UNIT_USUAL,  /* values with names are norms */
    UNIT_FORM,   /* lists without names contain squares */
    UNIT_FIGURES, /* follows from the other side's values */
    UNIT_GLOBAL, /* they add up to the global norm printed at the same step */
    UNIT_TENSOR, /* computed here */
};

struct norm_side {
    struct arena arena;
    const char *path, *format;
    const struct norms_format *kind;
    int64_t base;        /* number of the first training step: monitors and dumps count from 0 */
    int64_t step;        /* -1: not in the source */
    bool square;         /* values are sums of squares */
    enum norm_unit unit; /* evidence for `square` */
    double digit;        /* all values from `digit_from` on are multiples of this (printed resolution); 0: not coarse */
    double digit_from;
    const char *order;   /* the order by which its values were named, or NULL */
    VEC(int64_t) steps;  /* steps with norms, ascending */
    VEC(const char *) unread; /* sentences: unreadable parts of the source, without those of its log */
    VEC(struct norm_value) values; /* for the chosen step, in the source's order */
    VEC(struct norm_replica) replicas; /* likewise; by rank, then as printed */
    /* private data of the source kind */
    struct series log;
    place_list places;
    bool opened;
};

/* One weight, or a fused one beside its parts. */
struct norm_pair {
    uint32_t part[2][3]; /* indices of the sides' values */
    uint8_t parts[2];
    double norm[2], rel; /* |t − g| / |g| */
    double unseen;       /* the part of rel that may be due to the printed resolution */
    bool outlier;
};

struct norm_options {
    int64_t step[2];      /* -1: the first common step */
    int rank;             /* for a dump; -1: the first */
    const char *weights;  /* a checkpoint for names and sizes, or NULL */
    int workers;
    const struct kern *kern;
    struct log_options log;
    struct figures_watch *watch; /* may be NULL */
};

struct norms {
    struct arena arena;
    struct norm_side side[2];
    struct weights checkpoint;        /* listed if options.weights is given */
    VEC(struct norm_value) reference; /* its parameters */
    VEC(struct norm_pair) pairs;      /* largest difference first */
    VEC(uint32_t) only[2];
    double median;                    /* of the finite differences; NaN if there are none */
    enum stage_verdict verdict;
    bool not_gradients;               /* a side's files contain weights, not gradients */
    double factor;                    /* of the target's norms; 0: they have none in common */
    const char *outlier;              /* the weight that stands out most, where few do; NULL: none */
    const char *factor_kind;          /* the kind of weight that alone has it; NULL: all */
    bool judged;                      /* judged at least once: the warnings are complete */
    VEC(const char *) unread;         /* sentences; if not empty, nothing passes */
    VEC(const char *) warnings, next; /* sentences */
};

int norms_open(struct norms *n, const char *target, const char *golden, const struct norm_options *o, struct err *e);
void norms_judge(struct norms *n, const struct thresholds_norms *t);
void norms_release(struct norms *n);

/* The value as a norm. */
double norm_of_value(const struct norm_side *s, uint32_t i);
/* Half a unit of its last printed digit, as a norm. */
double norm_half_digit(const struct norm_side *s, uint32_t i);
/* Replaces out by the pair's name, from a side that has names; parts as "layers.0.w{1,3}.weight". */
void norm_pair_name(const struct norms *n, const struct norm_pair *p, struct buf *out);

/* ---- for files of this folder ---- */

/* A source of norms. open: 1 if it finds some at s->path, 0 if not. */
struct norms_format {
    const char *name;
    int (*open)(struct norm_side *s, const struct norm_options *o, struct err *e);
    int (*load)(struct norm_side *s, const struct norm_options *o, struct err *e); /* for s->step */
    void (*close)(struct norm_side *s);
};

extern const struct norms_format norm_sources[]; /* in the order of trying; ends with name NULL */
/* Adds all tensors of a set of weights as values; `gradients`: files with one array each may have only numbers as
 * names. */
int norms_of_weights(const struct weights *w, const struct norm_options *o, bool gradients, struct arena *a,
                     struct norm_side *out,
                     struct err *e);
/* Names unnamed values, from a checkpoint or the other side. */
void names_by_order(struct norms *n);
void norms_pair(struct norms *n);
/* How finely each side's values are printed. */
void norms_resolution(struct norms *n);
/* Checks whether a side's values are squares: by the global norm of its step, and, once they are paired, by the other
 * side. */
void norms_units_by_step(struct norms *n);
void norms_units(struct norms *n);
/* Compares the norms of further ranks, which `pairs` do not hold, with those of the same rank on the other side. What
 * one side lacks there is unread. Returns whether one fails. */
bool norms_replicas_fail(struct norms *n, const struct thresholds_norms *t);
void norms_warn(struct norms *n, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
