/* What a filter or a search would find while it is still being typed: counted in small pieces between keys. */
#ifndef CMD_TRIAL_H
#define CMD_TRIAL_H

#include "table/row_order.h"
#include "table/search.h"

struct trial {
    struct row_order order; /* the filters in force and the one that is typed */
    struct search search;
    char *error;            /* why it cannot be run as it stands, or NULL */
};

/* A line that begins with "&" (a filter beside those in force) or "/" (a search); any other, or an empty one, ends
 * it. */
void trial_set(struct trial *t, char kind, struct str text, const struct row_order *in_force);
void trial_release(struct trial *t);
/* As row_order_step. */
bool trial_step(struct trial *t, const struct comparison *c, uint32_t lines);
/* Rows found so far; false where nothing is tried. `done`: of all rows. */
bool trial_found(const struct trial *t, uint32_t lines, uint32_t *found, bool *done);

#endif
