/* An open comparison seen from the round before: what each of its rows was then, and what has changed since. */
#ifndef COMPARE_ROUND_SINCE_H
#define COMPARE_ROUND_SINCE_H

#include "ticket/round_changes.h"
#include "ticket/round_file.h"

struct comparison;

struct since {
    const struct round *before;
    bool there;             /* before was read; else, where there should be one, err says why not */
    struct err err;
    const struct round_join *join; /* of the lines; NULL: not looked up */
    struct changes changes; /* without its list */
    bool told;              /* they are there: the judgement is of everything */
};

/* Looks up the rows of a comparison that is being made in the round before, once per pairing; `whole`: everything there is
 * to judge is judged, so what changed is counted too. */
void since_find_changes(struct comparison *c, bool whole);

/* The row a line was, NULL: it was not there, or nothing is known (since_knows). */
const struct round_row *since_row(const struct since *x, uint32_t line);
bool since_knows(const struct since *x, uint32_t line);
/* What became of a line; CHANGE_KINDS: nothing to speak of, or nothing is known. */
enum change_kind since_change(const struct comparison *s, uint32_t line);
/* "was deviate 0.031, now match 2.0e-7 (round 1 -> 2)" of a line; nothing where nothing is known. Appends. */
void since_line(const struct comparison *s, uint32_t line, struct buf *out);
/* The line rows of these names stand in, NONE: neither is recorded. */
uint32_t since_find(const struct comparison *s, const char *const name[2]);
/* The same as since_line of the line these rows stand in; that they are not recorded any more. */
void since_named(const struct comparison *s, const char *const name[2], struct buf *out);
/* What changed, as a sentence; nothing while that is not known. Appends. */
void since_sentence(const struct comparison *s, struct buf *out);

#endif
