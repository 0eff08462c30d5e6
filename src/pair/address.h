/* The address of a row: its place in the model, without call numbers, which one extra call would shift. Patterns of
 * pairing rules match addresses.
 *
 *   model.layers.0.attention.wq/MatMul@0/forward.output.0         the module path, if the dump has one
 *   rope.py:42<attention.py:88<block.py:30/mul@1/forward.output.0 else the lines it was called from, innermost first
 *   [2,8,16]/linear@3/forward.output.0                            else the shape of its output
 *
 * "@" is followed by the call's number among those of the same place, operator and phase. */
#ifndef PAIR_ADDRESS_H
#define PAIR_ADDRESS_H

#include "dump/dump.h"

struct addresses {
    const struct dump *d;
    uint32_t *ordinal;    /* per call */
    struct nmap calls;    /* hash of a call's address → call */
    struct nmap counts;   /* hash of place, operator and phase → number of calls */
};

void addresses_build(struct addresses *a, const struct dump *d); /* the dump is complete */
void addresses_release(struct addresses *a);
/* Replaces the content of out. */
void address_of_call(const struct addresses *a, uint32_t call, struct buf *out);
void address_of_row(const struct addresses *a, uint32_t row, struct buf *out);
const char *address_phase(const struct call *c); /* "forward", "backward", "optimizer", "gradient" */
/* The number of calls with this one's place, operator and phase. */
uint32_t address_count(const struct addresses *a, uint32_t call);
/* The row at an address, or NONE. */
uint32_t address_find(const struct addresses *a, struct str address);

#endif
