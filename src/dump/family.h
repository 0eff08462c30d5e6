/* Operator families: the kind of computation a call does, found from its name (data/families.tsv). Pairing, coverage,
 * noise limits and gaps use the family, never a framework's name. */
#ifndef DUMP_FAMILY_H
#define DUMP_FAMILY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum family {
    FAMILY_OTHER,
    FAMILY_LINEAR, /* linear, matmul, bmm, addmm, einsum: a product and a sum */
    FAMILY_CONV,
    FAMILY_ATTENTION, /* fused: products and a softmax in one call */
    FAMILY_NORM,
    FAMILY_EMBEDDING,
    FAMILY_SOFTMAX,
    FAMILY_ACTIVATION,
    FAMILY_LOSS,
    FAMILY_ADD,
    FAMILY_MUL,
    FAMILY_ELEMENTWISE, /* other arithmetic element by element */
    FAMILY_REDUCE,
    FAMILY_ROPE,
    FAMILY_VIEW,
    FAMILY_CAST,
    FAMILY_COPY,
    FAMILY_RANDOM, /* dropout and generators */
    FAMILY_COLLECTIVE,
    FAMILY_OPTIMIZER,
    FAMILY_MODULE, /* a container of other modules */
    FAMILY_COUNT
};

const char *family_name(enum family f);
/* By an operator's or a class's bare name: "linear", "__mul__", "BatchMatMul", "LlamaRMSNorm". */
enum family family_find(struct str op);
/* The same number for all names of one operator ("Square" and "pow"): finer than the family. */
uint32_t family_operator(struct str op);
/* A name as the table compares it: lower case, without underscores ("__mul__" and "Mul" are equal). Stored in `out`. */
enum { FAMILY_PLAIN = 128 };
struct str family_plain(struct str op, char out[FAMILY_PLAIN]);
bool family_is_compute(enum family f); /* does arithmetic of its own (coverage) */
bool family_hands_on(enum family f); /* a view, a cast or a copy: it returns what it gets */
bool family_is_product(enum family f); /* matmul-like: its noise limit is higher */

#endif
