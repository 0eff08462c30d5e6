/* An open comparison relative to the previous round: the earlier state of each row, and the changes. */
#ifndef COMPARE_ROUND_SINCE_H
#define COMPARE_ROUND_SINCE_H

#include "ticket/round_changes.h"
#include "ticket/round_file.h"

struct comparison;

struct round_since {
    const struct round *before;
    bool there;             /* `before` was read; otherwise err says why not, if it should exist */
    struct err err;
    const struct round_join *join; /* matches the lines; NULL: not done */
    struct changes changes; /* without its list */
    bool told;              /* `changes` is complete: everything is judged */
};

/* Matches the rows of a comparison under construction with the previous round, once per pairing; `whole`: everything
 * is judged, so that changes are counted too. */
void round_since_find_changes(struct comparison *c, bool whole);

/* The earlier row of a line; NULL: none, or unknown (see round_since_knows). */
const struct round_row *round_since_row(const struct round_since *x, uint32_t line);
bool round_since_knows(const struct round_since *x, uint32_t line);
/* The change of a line; CHANGE_KINDS: no relevant change, or unknown. */
enum change_kind round_since_change(const struct comparison *s, uint32_t line);
/* Appends "was deviate 0.031, now match 2.0e-7 (round 1 -> 2)" for a line; nothing if unknown. */
void round_since_line(const struct comparison *s, uint32_t line, struct buf *out);
/* The line with rows of these names; NONE: neither is recorded. */
uint32_t round_since_find(const struct comparison *s, const char *const name[2]);
/* The same as round_since_line for the line with these rows, or that they are no longer recorded. */
void round_since_named(const struct comparison *s, const char *const name[2], struct buf *out);
/* Appends the changes as a sentence; nothing if unknown. */
void round_since_sentence(const struct comparison *s, struct buf *out);

#endif
