/* Applies a user's mapping file to two dumps: pairs of rows. Files list rows, calls, modules or kinds of operators;
 * each kind finds the golden row as the tool for which the file is made does (msprobe compare, tb_graph_ascend),
 * without that tool's errors (doc/formats.md). */
#ifndef PAIR_MAPPING_APPLY_H
#define PAIR_MAPPING_APPLY_H

#include "dump/dump.h"

enum mapping_kind {
    MAPPING_DATA,    /* target row → golden row */
    MAPPING_PAIRS,   /* this program's format: the same, with views */
    MAPPING_MATCHES, /* tb_graph_ascend's .vis.config: target call → golden call */
    MAPPING_CELL,    /* module path with class → the same, or parts of such names */
    MAPPING_API,     /* kind of operator → the same, with the slots that correspond */
    MAPPING_LAYER,   /* child of a class of modules → child */
    MAPPING_KINDS
};

/* golden.n == 0: the target row has no partner. */
struct mapping_entry {
    struct str target, golden;
    struct str within;    /* MAPPING_LAYER: the class of the parent module, or MAPPING_TOP */
    struct str view;      /* MAPPING_PAIRS: in the notation of view_parse; may be empty */
    uint32_t slot, slots; /* MAPPING_API: first index in mapping.slots, and count */
};

/* Slot "0" of the target operator's inputs corresponds to "1" of the golden one's. */
struct mapping_slot {
    uint8_t io; /* enum row_io */
    struct str target, golden;
};

struct mapping {
    const char *path;
    enum mapping_kind kind;
    struct arena arena;
    /* in order; each target (and class) once, except in MAPPING_PAIRS and MAPPING_API */
    VEC(struct mapping_entry) entries;
    VEC(struct mapping_slot) slots;
};

#define MAPPING_TOP "TopLayer" /* stands for "outside any module" */

struct mapping_pair {
    uint32_t t, g;   /* g NONE: t has no partner */
    struct str view; /* as in the mapping */
};

struct mapping_applied {
    VEC(struct mapping_pair) pairs; /* in MAPPING_DATA and MAPPING_PAIRS a row may occur more than once */
    size_t missing;               /* names in the file without a row on the other side */
    bool derived;                 /* derived from general rules; explicitly listed pairs take precedence */
};

/* Both dumps are complete. */
void mapping_apply(struct mapping_applied *x, const struct mapping *m, const struct dump *target,
                   const struct dump *golden);
void mapping_applied_release(struct mapping_applied *x);

/* Splits "Cell.net.fc.Dense.forward.0" into "net.fc.Dense" and "forward.0"; false if the name has another form. */
bool mapping_apply_cell(struct str call, struct str *cell, struct str *rest);
/* Splits "Functional.mul.0.forward" into "Functional.mul" and "0.forward". */
bool mapping_apply_api(struct str call, struct str *api, struct str *rest);

/* The position of a row in its call's inputs or outputs: "0" in "input.0". */
struct str mapping_apply_slot(const struct dump *d, uint32_t row);

#endif
