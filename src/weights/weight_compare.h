/* Compares two checkpoints: which weights correspond, under which view, and whether their values agree. Every weight
 * of both sides is in a pair, in `only`, or, if it is no parameter of the model, in `aside`; none is dropped
 * silently. */
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
    WEIGHT_SHAPE,   /* no view makes the shapes equal */
    WEIGHT_UNREAD,  /* a side's elements could not be read, or their layout is unknown */
};

struct weight_pair {
    uint32_t weight[2];  /* target, golden */
    uint8_t part[2];     /* 0: the whole; otherwise 1 + the index of the part of a fused weight */
    uint8_t origin, verdict;
    int32_t expert[2];   /* 0: the whole; otherwise 1 + the index of the expert in a stacked weight */
    bool turned[2];      /* the matrix is stored (in, out), and read transposed; for an expert: all of its stack */
    bool stacks;         /* both hold all experts of a layer */
    bool transpose;      /* requested by the user's map */
    bool read;           /* fig is valid */
    bool padded;         /* one has more rows, which are padding (a vocabulary) */
    struct figures fig;  /* fig.two is false if elements are non-finite on one side only */
    double norm[2];
    int ndim[2];         /* shapes as compared, with parts cut out */
    int64_t shape[2][TENSOR_DIMS];
    const char *view;    /* how one was made comparable with the other, or NULL */
    const char *why;     /* the reason, as a sentence, unless equal */
};

/* Whether a pair is of two whole weights: neither a part of a fused one nor an expert of a stack. */
static inline bool weight_pair_is_whole(const struct weight_pair *p)
{
    return !p->part[0] && !p->part[1] && !p->expert[0] && !p->expert[1];
}

/* A weight that several ranks of a side hold (weights.h). */
struct weight_replica {
    uint32_t copy;    /* of side[].copies */
    uint8_t side, verdict;
    bool read;        /* fig is valid */
    struct figures fig;
    const char *why;  /* WEIGHT_UNREAD, WEIGHT_SHAPE: the reason */
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
    int heads, kv_heads;  /* known so far; 0: unknown */
    int blocks[2];        /* tensor-parallel blocks of fused rows, for files that do not record them */
    struct arena arena;
    VEC(struct weight_pair) pairs; /* in the target's order */
    VEC(struct weight_replica) replicas;
    VEC(uint32_t) only[2], aside[2];
    size_t dtype_diff;    /* number of pairs whose element types differ */
    VEC(const char *) unread;  /* sentences about contents of the files that could not be read */
    VEC(const char *) warnings;
};

/* Lists both sides and pairs them; release c also after a failure. */
int weight_compare_open(struct weight_compare *c, const char *target, const char *golden,
                        const struct weight_options *opt, struct err *e);
/* Compares the pairs' values with `workers` threads. watch (may be NULL) counts elements and may cancel. -1 only if
 * cancelled. */
int weight_compare_run(struct weight_compare *c, const struct kern *k, int workers, struct figures_watch *watch,
                       struct err *e);
void weight_compare_release(struct weight_compare *c);

/* Pass: all pairs and replicas are equal and no weight is one-sided. Unknown: nothing was paired, or everything read
 * agrees but part could not be read; an unpaired weight then proves nothing if parts of the other side could not be
 * listed. */
enum stage_verdict weight_compare_verdict(const struct weight_compare *c);
/* The number of replicas that are not equal; `certain`: only those that must be. */
size_t weight_replicas_off(const struct weight_compare *c, bool certain);
const char *weight_verdict_name(enum weight_verdict v);
/* The row or block of a fused weight: "q", "gate"; "" for the whole. */
const char *weight_part_name(const struct weight_compare *c, const struct weight_pair *p, int side);
/* The module's name in a weight's: "a.b.weight" → "a.b". */
struct str weight_module(struct str name);

#endif
