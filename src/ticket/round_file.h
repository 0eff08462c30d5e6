/* A round in a file of its own, NAME.round-N.gz beside NAME.investigation.json: gzip of one JSON line (everything but
 * the rows), one line of seven columns per row, and a final line with their number. See doc/investigation.md. */
#ifndef TICKET_ROUND_FILE_H
#define TICKET_ROUND_FILE_H

#include "ticket/round.h"

#define ROUND_ENDING ".gz"

/* Members of a round, of a side, and of the verdict counts, shared with results of compare --json. */
struct member;
extern const struct member *const round_side_members[2], *const round_summary_members;

/* Writes the file atomically. *fingerprint: a hash of its contents. */
int round_write(const struct round *r, const char *path, uint64_t *fingerprint, struct err *e);
/* r is initialised and empty; release it in any case. dir: the folder that the name must not leave; NULL: `path` is a
 * path. -1 if the file is incomplete or of another kind; the message gives the place. */
int round_read(struct round *r, const char *dir, const char *path, uint64_t *fingerprint, struct err *e);

/* The round file that an investigation refers to. */
struct round_place {
    const char *beside, *file; /* the investigation's path, and a name in its folder */
    uint64_t fingerprint;
    uint32_t number;
};
/* Reads it, and checks that it is the one referred to. */
int round_open(struct round *r, const struct round_place *p, struct err *e);
/* Copies the file referred to, if it is complete and the right one. */
int round_copy(const struct round_place *p, const char *to, struct err *e);
/* Whether a path is such a file, by its extension and first bytes. */
bool round_is(const char *path);

#endif
