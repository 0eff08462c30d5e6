/* Parts of a pack: the selection, and its files as text. */
#ifndef REPORT_PACK_PARTS_H
#define REPORT_PACK_PARTS_H

#include "document/sanitize.h"
#include "report/pack_write.h"

struct pack_tensor {
    uint32_t row;      /* of the dump */
    uint8_t side;
    uint64_t bytes;    /* size of the .npy file */
    const char *file;  /* its name in the side's folder */
};

/* The rows, calls, stacks and tensors of both dumps that are packed, with their new numbers (NONE: left out). */
struct pack_choice {
    const struct comparison *s;
    struct arena arena;
    uint32_t *row[2], *call[2], *stack[2];
    uint32_t rows[2], calls[2], stacks[2];
    VEC(uint32_t) told;               /* lines: the first deviation's, then those of findings */
    VEC(struct pack_tensor) tensors;  /* by side, then by row */
    struct nmap looked;               /* rows whose tensors were considered, whether packed or not */
};

/* Tensors that do not fit or cannot be read are listed in said. */
void pack_choose(struct pack_choice *c, const struct comparison *s, const struct pack_options *o,
                 struct pack_said *said);
void pack_choice_release(struct pack_choice *c);
const struct pack_tensor *pack_tensor_of(const struct pack_choice *c, int side, uint32_t row); /* or NULL */

/* Append texts. `clean` shortens paths. */
void pack_rows(const struct pack_choice *c, int side, const char *id, const struct sanitize *clean, struct buf *out);
void pack_pairs(const struct pack_choice *c, struct buf *out);
/* Appends the .npy header for an open tensor. */
void pack_npy_head(const struct tensor *t, struct buf *out);

/* A file that was given to the panels or the comparison. */
struct pack_input {
    const char *path; /* its path */
    const char *what; /* what it was given as */
    const char *file; /* its name in the pack */
};
typedef VEC(struct pack_input) pack_input_list;

struct pack_writing_of {
    const struct comparison *s;
    const struct investigation *inv;
    const struct sanitize *clean;
    bool paths; /* not shortened */
};

/* Appends the investigation as stored in the pack: its inputs are the pack's folders, its files those in `inputs`,
 * which this function fills. Listed in said and left out are files that are too large or not regular, and those that
 * the investigation names although neither its user did nor they lie in its folder or in the two recordings
 * (ticket/named_paths.h). */
void pack_ticket(const struct pack_writing_of *of, struct arena *a, pack_input_list *inputs, struct pack_said *said,
                 struct buf *out);

#endif
