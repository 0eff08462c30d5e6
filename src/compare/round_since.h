/* An open comparison seen from the round before: what each of its rows was then, and what has changed since. */
#ifndef COMPARE_ROUND_SINCE_H
#define COMPARE_ROUND_SINCE_H

#include "ticket/round_changes.h"
#include "ticket/round_file.h"

struct session;

struct since {
    struct round before;
    bool there;             /* before was read; else, where there should be one, err says why not */
    struct err err;
    struct round_join join; /* of the lines; was NULL: not looked up yet */
    struct changes changes; /* without its list */
    bool told;              /* they are of the newest judgement, and that is of everything */
};

/* What since_look found, to be taken under the session's lock. */
struct since_news {
    bool joined, told;
    struct round_join join;
    struct changes changes;
};

void since_read(struct since *x, const struct round_place *p);
void since_release(struct since *x);
void since_forget(struct since *x); /* lines are numbered anew */
/* Without the lock, by the one who makes judgements; `whole`: j is of everything there is to judge. */
void since_look(const struct since *x, const struct session *s, const struct judgement *j, bool whole, struct since_news *out);
void since_take(struct since *x, struct since_news *n);

/* With the lock: the row a line was, NULL: it was not there, or nothing is known (since_knows). */
const struct round_row *since_row(const struct since *x, uint32_t line);
bool since_knows(const struct since *x, uint32_t line);
/* What became of a line; CHANGE_KINDS: nothing to speak of, or nothing is known. */
enum change_kind since_change(const struct session *s, uint32_t line);
/* "was deviate 0.031, now match 2.0e-7 (round 1 -> 2)" of a line; nothing where nothing is known. Appends. */
void since_line(const struct session *s, uint32_t line, struct buf *out);
/* The line rows of these names stand in, NONE: neither is recorded. */
uint32_t since_find(const struct session *s, const char *const name[2]);
/* The same as since_line of the line these rows stand in; that they are not recorded any more. */
void since_named(const struct session *s, const char *const name[2], struct buf *out);
/* What changed, as a sentence; nothing while that is not known. Appends. */
void since_sentence(const struct session *s, struct buf *out);

#endif
