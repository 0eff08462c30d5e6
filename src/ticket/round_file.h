/* A round in a file of its own, NAME.round-N.gz beside NAME.investigation.json: gzip of one line of JSON (everything
 * but the rows) and a line of seven columns a row, ended by a line that counts them. doc/investigation.md describes
 * it. */
#ifndef TICKET_ROUND_FILE_H
#define TICKET_ROUND_FILE_H

#include "ticket/round.h"

#define ROUND_ENDING ".gz"

/* Members of a round, a side's and what the verdicts count: results of compare --json have them too. */
struct member;
extern const struct member *const round_side_members[2], *const round_summary_members;

/* In one piece or not at all. *fingerprint: a number of all that is in it. */
int round_write(const struct round *r, const char *path, uint64_t *fingerprint, struct err *e);
/* r is initialised and empty, and to be released in any case. dir: the folder the name must not lead out of; NULL: path
 * is a path. -1 where it is not whole or not such a file; the message says where. */
int round_read(struct round *r, const char *dir, const char *path, uint64_t *fingerprint, struct err *e);

/* A round an investigation refers to: a file in its folder, and what must be in it. */
struct round_place {
    const char *beside, *file; /* the investigation's path, a name in its folder */
    uint64_t fingerprint;
    uint32_t number;
};
/* The same of a file that has to be the one referred to. */
int round_open(struct round *r, const struct round_place *p, struct err *e);
/* The file referred to, if it is whole and the one, also under another path. */
int round_copy(const struct round_place *p, const char *to, struct err *e);
/* Whether a path names such a file, by its ending and its first bytes. */
bool round_is(const char *path);

#endif
