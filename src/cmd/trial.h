/* Counts the matches of a filter or search while it is being typed, in small steps between keys. */
#ifndef CMD_TRIAL_H
#define CMD_TRIAL_H

#include "table/row_order.h"
#include "table/search.h"

struct trial {
    struct row_order order; /* the filters in force and the one being typed */
    struct search search;
    char *error;            /* why it is not valid yet, or NULL */
};

/* A line that begins with "&" (an additional filter) or "/" (a search); any other or empty line ends the trial. */
void trial_set(struct trial *t, char kind, struct str text, const struct row_order *in_force);
void trial_release(struct trial *t);
/* As row_order_step. */
bool trial_step(struct trial *t, const struct comparison *c, uint32_t lines);
/* Rows found so far; false if there is no trial. `done`: all rows were counted. */
bool trial_found(const struct trial *t, uint32_t lines, uint32_t *found, bool *done);

#endif
