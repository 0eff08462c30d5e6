/* A module's role ("q", "down", "norm1"), found from its path with the names in data/roles.tsv. A role is a small
 * number; 0: unknown. */
#ifndef DUMP_ROLE_H
#define DUMP_ROLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum { ROLE_MAX = 64 };

/* Of a path like "model.layers.0.attention.wq": the innermost component that has a role. */
uint8_t role_find(struct str path);
const char *role_name(uint8_t role); /* "" for 0 */
/* Whether a tensor of role `part` is contained in one of role `whole`: q in qkv. */
bool role_part(uint8_t part, uint8_t whole);
/* Whether two weights with these roles cannot correspond. */
bool role_conflict(uint8_t a, uint8_t b);

/* Whether it is the loss: modules inside it work on labels. */
/* Whether parts of this role have a weight of their own: a layer has one of them. */
bool role_has_weight(uint8_t role);
bool role_is_loss(uint8_t role);

#endif
