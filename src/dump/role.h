/* What a module is for ("q", "down", "norm1"), found from its path through the vocabularies of data/roles.tsv.
 * A role is a small number; 0 is none known. */
#ifndef DUMP_ROLE_H
#define DUMP_ROLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum { ROLE_MAX = 64 };

/* Of a path like "model.layers.0.attention.wq": the innermost segment that has one. */
uint8_t role_find(struct str path);
const char *role_name(uint8_t role); /* "" of none */
/* The tensor of one is a part of the other's: q of qkv. */
bool role_part(uint8_t part, uint8_t whole);
/* Two weights of which neither can stand for the other. */
bool role_conflict(uint8_t a, uint8_t b);

/* Whether it is the loss: what stands in it works on labels. */
bool role_is_loss(uint8_t role);

#endif
