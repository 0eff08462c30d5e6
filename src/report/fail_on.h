/* What scripts ask: one line that says how it stands, and on what they fail. Both count the same things: rows without
 * those whose pair is doubtful, which are counted by themselves. doc/cli-json.md has the line's words; they are stable
 * and English. */
#ifndef REPORT_FAIL_ON_H
#define REPORT_FAIL_ON_H

#include "dump/dump_check.h"
#include "log/log_check.h"
#include "compare/comparison.h"

enum fail_on_kind {
    FAIL_ON_DEVIATE, FAIL_ON_NONFINITE, FAIL_ON_SHAPE, FAIL_ON_DTYPE, FAIL_ON_DRIFT, FAIL_ON_ONLY, FAIL_ON_DOUBTFUL,
        FAIL_ON_UNREAD, FAIL_ON_KNOWN,
    FAIL_ON_FIXED, FAIL_ON_NEW, FAIL_ON_WORSE, FAIL_ON_VANISHED,
    FAIL_ON_NAN, FAIL_ON_INF, FAIL_ON_SATURATED, FAIL_ON_ALL_ZERO, FAIL_ON_CONSTANT, FAIL_ON_DAMAGED,
    FAIL_ON_MISSING_FILE, FAIL_ON_KINDS
};

/* Whom a kind is of. */
enum { FAIL_ON_COMPARE = 1, FAIL_ON_ROUNDS = 2, FAIL_ON_CHECK = 4 };

struct fail_on {
    bool given;    /* else the commands' own exit status holds */
    unsigned kinds; /* 1 << kind that fails; none: nothing does */
};

struct fail_on_counts {
    uint64_t n[FAIL_ON_KINDS];
    uint64_t rows;
};

/* "deviate,nonfinite,new" or "none". -1 with the words there are. */
int fail_on_parse(struct fail_on *p, struct str list, struct err *e);
/* Whether every kind of it is one of those commands can count (POLICY_…); -1 with the one that is not. */
int fail_on_fits(const struct fail_on *p, unsigned commands, struct err *e);
bool fail_on_of_rounds(const struct fail_on *p); /* some kind of it is told from the round before */
void fail_on_count(struct fail_on_counts *c, const struct comparison *s); /* settled and judged */
void fail_on_count_check(struct fail_on_counts *c, const struct dump *d, const struct dump_check *found);
void fail_on_count_log(struct fail_on_counts *c, const struct series *s, const struct log_check *found);
/* The exit status by it: 1 where something of its kinds is there, else 5 where the comparison could not be judged, else
 * 0; with none always 0. `otherwise` is the status without one, which holds where no policy is given. */
int fail_on_status(const struct fail_on *p, const struct fail_on_counts *c, int otherwise);

/* "diverge: deviates first=NAME rel_l2=1.2e-2 rows=1200 …", with its end; appends. status: the command's own. file:
 * what was written, NULL: nothing. What is no word of ours is percent-encoded where it holds a blank. */
void fail_on_line(struct buf *out, const struct comparison *s, int status, const char *file);
void fail_on_line_check(struct buf *out, const struct fail_on_counts *c, int status, const char *first,
                        const char *path, const char *file);

#endif
