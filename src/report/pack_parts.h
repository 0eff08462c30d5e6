/* The parts a pack is made of: what is chosen, and each of its files as text. */
#ifndef REPORT_PACK_PARTS_H
#define REPORT_PACK_PARTS_H

#include "document/sanitize.h"
#include "report/pack_write.h"

struct pack_tensor {
    uint32_t row;      /* of the dump */
    uint8_t side;
    uint64_t bytes;    /* the .npy's */
    const char *file;  /* its name in the side's folder */
};

/* Which rows, calls, stacks and tensors of the two dumps are packed, each with its new number (NONE: left out). */
struct pack_choice {
    const struct comparison *s;
    struct arena arena;
    uint32_t *row[2], *call[2], *stack[2];
    uint32_t rows[2], calls[2], stacks[2];
    VEC(uint32_t) told;               /* lines: the first deviation's, then the findings' */
    VEC(struct pack_tensor) tensors;  /* by side, then by row */
    struct nmap looked;               /* at these rows' tensors, in or not */
};

/* What does not fit in or cannot be read is told in said. */
void pack_choose(struct pack_choice *c, const struct comparison *s, const struct pack_options *o,
                 struct pack_said *said);
void pack_choice_release(struct pack_choice *c);
const struct pack_tensor *pack_tensor_of(const struct pack_choice *c, int side, uint32_t row); /* or NULL */

/* Texts, appended. `clean` shortens paths. */
void pack_rows(const struct pack_choice *c, int side, const char *id, const struct sanitize *clean, struct buf *out);
void pack_pairs(const struct pack_choice *c, struct buf *out);
/* The header of the .npy of a tensor that is open. */
void pack_npy_head(const struct tensor *t, struct buf *out);

/* A file the panels or the comparison were given. */
struct pack_input {
    const char *path; /* where it lies */
    const char *file; /* its name in the pack */
};
typedef VEC(struct pack_input) pack_input_list;

/* The investigation as the pack has it: its inputs are the pack's folders, its files those in `inputs`, which it fills.
 * What is too large or no plain file is told in said and left out. */
void pack_ticket(const struct investigation *inv, const struct sanitize *clean, bool paths, struct arena *a,
                 pack_input_list *inputs, struct pack_said *said, struct buf *out);

#endif
