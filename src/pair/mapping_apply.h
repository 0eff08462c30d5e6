/* What a user's file of correspondences says of two dumps: pairs of rows. Files list rows, calls,
 * modules or kinds of operators; each kind has its own way to find a target row's golden one, which
 * is that of the tool the file is made for (msprobe compare, tb_graph_ascend), less its mistakes
 * (doc/formats.md). */
#ifndef PAIR_MAPPING_APPLY_H
#define PAIR_MAPPING_APPLY_H

#include "dump/dump.h"

enum mapping_kind {
    MAPPING_DATA,    /* target row → golden row */
    MAPPING_PAIRS,   /* ours: the same, with views */
    MAPPING_MATCHES, /* tb_graph_ascend's .vis.config: target call → golden call */
    MAPPING_CELL,    /* module path with class → the same, or parts of such names */
    MAPPING_API,     /* kind of operator → the same, with the slots that correspond */
    MAPPING_LAYER,   /* child of a class of modules → child */
    MAPPING_KINDS
};

/* golden.n == 0: the target has no partner. */
struct mapping_entry {
    struct str target, golden;
    struct str within;    /* MAPPING_LAYER: the class whose children they are, or MAPPING_TOP */
    struct str view;      /* MAPPING_PAIRS: as view_parse reads it; may be empty */
    uint32_t slot, slots; /* MAPPING_API: in mapping.slots */
};

/* "0" of the target operator's inputs is "1" of the golden one's. */
struct mapping_slot {
    uint8_t io; /* enum row_io */
    struct str target, golden;
};

struct mapping {
    const char *path;
    enum mapping_kind kind;
    struct arena arena;
    VEC(struct mapping_entry) entries; /* in order; but in MAPPING_PAIRS and _API each target (and class) once */
    VEC(struct mapping_slot) slots;
};

#define MAPPING_TOP "TopLayer" /* what has no module around it */

struct mapping_pair {
    uint32_t t, g;   /* g NONE: t is declared to have no partner */
    struct str view; /* the mapping's */
};

struct mapping_applied {
    VEC(struct mapping_pair) pairs; /* of MAPPING_DATA and MAPPING_PAIRS a row may occur more than once */
    size_t missing;               /* names, or rows the file speaks of, that have nothing on the other side */
    bool derived;                 /* they follow from more general statements and yield to what is listed */
};

/* Both dumps complete. */
void mapping_apply(struct mapping_applied *x, const struct mapping *m, const struct dump *target,
                   const struct dump *golden);
void mapping_applied_release(struct mapping_applied *x);

/* "Cell.net.fc.Dense.forward.0" → "net.fc.Dense" and "forward.0"; false where a name has no such
 * parts. */
bool mapping_apply_cell(struct str call, struct str *cell, struct str *rest);
/* "Functional.mul.0.forward" → "Functional.mul" and "0.forward" */
bool mapping_apply_api(struct str call, struct str *api, struct str *rest);

/* The place of a row in its call's inputs, outputs …: "0" of "input.0" */
struct str mapping_apply_slot(const struct dump *d, uint32_t row);

#endif
