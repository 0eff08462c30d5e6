/* An open comparison seen from the round before: what each of its rows was then, and what has changed since. */
#ifndef COMPARE_ROUND_SINCE_H
#define COMPARE_ROUND_SINCE_H

#include "ticket/round_changes.h"
#include "ticket/round_file.h"

struct comparison;

struct round_since {
    const struct round *before;
    bool there;             /* before was read; else, where there should be one, err says why not */
    struct err err;
    const struct round_join *join; /* of the lines; NULL: not looked up */
    struct changes changes; /* without its list */
    bool told;              /* they are there: the judgement is of everything */
};

/* Looks up the rows of a comparison that is being made in the round before, once per pairing; `whole`: everything there
 * is to judge is judged, so what changed is counted too. */
void round_since_find_changes(struct comparison *c, bool whole);

/* The row a line was, NULL: it was not there, or nothing is known (round_since_knows). */
const struct round_row *round_since_row(const struct round_since *x, uint32_t line);
bool round_since_knows(const struct round_since *x, uint32_t line);
/* What became of a line; CHANGE_KINDS: nothing to speak of, or nothing is known. */
enum change_kind round_since_change(const struct comparison *s, uint32_t line);
/* "was deviate 0.031, now match 2.0e-7 (round 1 -> 2)" of a line; nothing where nothing is known. Appends. */
void round_since_line(const struct comparison *s, uint32_t line, struct buf *out);
/* The line rows of these names stand in, NONE: neither is recorded. */
uint32_t round_since_find(const struct comparison *s, const char *const name[2]);
/* The same as round_since_line of the line these rows stand in; that they are not recorded any more. */
void round_since_named(const struct comparison *s, const char *const name[2], struct buf *out);
/* What changed, as a sentence; nothing while that is not known. Appends. */
void round_since_sentence(const struct comparison *s, struct buf *out);

#endif
