/* Two checkpoints compared with each other: which weight is which, under which view, and whether the values
 * agree. Every weight of both sides is in a pair, in `only` or, where it is no parameter of the model, in
 * `aside`: nothing is passed over in silence. */
#ifndef WEIGHTS_WEIGHT_COMPARE_H
#define WEIGHTS_WEIGHT_COMPARE_H

#include "base/stage_verdict.h"
#include "fmt/weight_names.h"
#include "fmt/weights.h"
#include "num/figures.h"

enum weight_origin { PAIR_BY_NAME, PAIR_BY_RULE, PAIR_BY_MAP, PAIR_TIED, PAIR_BY_VALUE, PAIR_BY_ORDER };

enum weight_verdict {
    WEIGHT_PENDING,
    WEIGHT_EQUAL,   /* within the rounding of the coarser type */
    WEIGHT_DIFFERS,
    WEIGHT_SHAPE,   /* no view makes the shapes one */
    WEIGHT_UNREAD,  /* a side's elements could not be read, or how they lie is not known */
};

struct weight_pair {
    uint32_t weight[2];  /* target, golden */
    uint8_t part[2];     /* 0: all of it; else 1 + the number of the part of a fused weight */
    uint8_t origin, verdict;
    int32_t expert[2];   /* 0: all of it; else 1 + the expert of a weight that holds a layer's */
    bool turned[2];      /* of an expert: the stack holds its matrices transposed */
    bool stacks;         /* both hold all experts of a layer */
    bool transpose;      /* asked for by the user's map */
    bool read;           /* fig is there */
    struct figures fig;  /* fig.two is false where elements are non-finite on one side only */
    double norm[2];
    int ndim[2];         /* shapes as compared, parts cut out */
    int64_t shape[2][TENSOR_DIMS];
    const char *view;    /* what was done to lay one on the other, or NULL */
    const char *why;     /* a sentence unless equal */
};

struct weight_options {
    int heads, kv_heads, tp; /* 0: not given */
    const char *const *map;  /* files */
    int maps;
    bool map_only, exact;
};

struct weight_compare {
    struct weights side[2];
    struct weight_id *id[2];
    struct weight_options opt;
    int heads, kv_heads;  /* what is known by now; 0: nothing */
    int blocks[2];        /* tensor-parallel blocks of fused rows in files that do not say */
    struct arena arena;
    VEC(struct weight_pair) pairs; /* in the target's order */
    VEC(uint32_t) only[2], aside[2];
    size_t dtype_diff;    /* pairs whose element types differ */
    VEC(const char *) unread;  /* sentences: what the files hold and could not be read */
    VEC(const char *) warnings;
};

/* Lists both sides and pairs them; release c also after a failure. */
int weight_compare_open(struct weight_compare *c, const char *target, const char *golden,
                        const struct weight_options *opt, struct err *e);
/* Compares the pairs' values with so many threads. watch counts elements and may cancel; may be NULL.
 * -1 only when cancelled. */
int weight_compare_run(struct weight_compare *c, const struct kern *k, int workers, struct figures_watch *watch,
                       struct err *e);
void weight_compare_release(struct weight_compare *c);

/* Pass: all pairs equal and nothing one-sided. Unknown: nothing was paired, or what was read agrees but part of it
 * could not be read. A weight without a partner says nothing where the other side has parts that nobody could list. */
enum stage_verdict weight_compare_verdict(const struct weight_compare *c);
const char *weight_verdict_name(enum weight_verdict v);
/* The row or block of a fused weight: "q", "gate"; "" for the whole. */
const char *weight_part_name(const struct weight_compare *c, const struct weight_pair *p, int side);

#endif
