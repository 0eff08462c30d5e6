/* A side's calls as the aligner sees them: operator, size, figures, place, and the earlier calls that produced the
 * inputs. */
#ifndef PAIR_ALIGN_ITEM_H
#define PAIR_ALIGN_ITEM_H

#include "dump/dump.h"

enum { ITEM_INPUTS = 3 }; /* the most inputs considered per call */

/* A compact summary for telling values apart. */
struct fingerprint {
    float max, min, norm;
    /* element count (folded), HAS_MAX … HAS_NORM as bits 0 … 2, 16-bit float */
    uint32_t size : 28, has : 3, coarse : 1;
};

enum likeness { LIKE_NOT = -1, LIKE_UNKNOWN, LIKE_NEAR, LIKE_SAME };

/* Only items of the same class are aligned with each other. A module that multiplies two inputs by itself, without a
 * recorded call (MindSpore's Dense, called with its weight), is one of the calls. */
enum align_item_class { ITEMS_MODULES, ITEMS_CALLS, ITEMS_GRADIENTS };

enum align_item_set {
    SET_NOT,
    SET_MATCH, /* `match` stays */
    SET_PART,  /* it is a part of a call on the other side, or contains parts: it has no equal */
};

struct align_item {
    uint32_t call;
    uint32_t out;   /* its first tensor output with more than one element, otherwise its first output */
    uint32_t match; /* index among the other side's items, or NONE */
    uint32_t op;    /* family_operator of its name */
    uint32_t group; /* the fused call it is part of, or whose parts it contains; or NONE */
    uint64_t numel; /* of out */
    int32_t layer;  /* or -1 */
    uint8_t family, role, inputs;
    uint8_t why;
    uint8_t set; /* enum align_item_set: the user's decision */
    bool whole;  /* its result consists of integers or booleans */
    float confidence;
    struct fingerprint value;
    struct fingerprint in[ITEM_INPUTS];
    uint32_t in_row[ITEM_INPUTS]; /* of a product: the operands first, whatever is added to it last */
};
typedef VEC(struct align_item) align_item_list;

/* Whether forward calls of a recording have inputs and no outputs (MindSpore's input_output 1); parameters, which it
 * lists as outputs of their own, are no such calls. */
bool align_inputs_alone(const struct dump *d);
/* The items of one class and one phase, in order. MindSpore's graph dumps are in launch order: equal operators of one
 * scope are sorted by their numbers, which are in source order. by_input: the first input stands for the result, which
 * one of the sides did not record. */
void align_items_collect(const struct dump *d, enum call_phase phase, enum align_item_class klass, bool by_input,
                         align_item_list *out);
struct fingerprint fingerprint_of(const struct dump *d, uint32_t row);
enum likeness fingerprint_compare(const struct fingerprint *a, const struct fingerprint *b);
/* Whether a backward call returns here, as it is, a gradient that came in: what a sum or a view makes of it. */
bool align_item_hands_on(const struct dump *d, uint32_t row);
/* The bare operator name: "Mul", "__mul__", "RMSNorm". */
struct str align_item_operator(const struct dump *d, uint32_t call);
/* Whether a product also adds a term: addmm, baddbmm. */
bool align_item_adds_term(const struct dump *d, uint32_t call);
/* Whether a call is this operator under any of its names (data/families.tsv). */
bool align_item_does(const struct dump *d, uint32_t call, struct str operator);

/* Per row of a side: the first earlier output with the same value, or NONE; the caller frees it. Views change neither
 * count nor extremes, so values are followed through views. */
uint32_t *align_items_producers(const struct dump *d);

#endif
