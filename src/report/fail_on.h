/* What scripts ask: one line that says how it stands, and on what they fail. Both count the same things: rows without those
 * whose pair is doubtful, which are counted by themselves. doc/cli-json.md has the line's words; they are stable and English. */
#ifndef REPORT_FAIL_ON_H
#define REPORT_FAIL_ON_H

#include "dump/dump_check.h"
#include "log/log_check.h"
#include "compare/comparison.h"

enum policy_kind {
    POLICY_DEVIATE, POLICY_NONFINITE, POLICY_SHAPE, POLICY_DTYPE, POLICY_DRIFT, POLICY_ONLY, POLICY_DOUBTFUL, POLICY_UNREAD, POLICY_KNOWN,
    POLICY_FIXED, POLICY_NEW, POLICY_WORSE, POLICY_VANISHED,
    POLICY_NAN, POLICY_INF, POLICY_SATURATED, POLICY_ALL_ZERO, POLICY_CONSTANT, POLICY_DAMAGED, POLICY_MISSING_FILE,
    POLICY_KINDS
};

/* Whom a kind is of. */
enum { POLICY_COMPARE = 1, POLICY_ROUNDS = 2, POLICY_CHECK = 4 };

struct policy {
    bool given;    /* else the commands' own exit status holds */
    unsigned kinds; /* 1 << kind that fails; none: nothing does */
};

struct policy_counts {
    uint64_t n[POLICY_KINDS];
    uint64_t rows;
};

/* "deviate,nonfinite,new" or "none". -1 with the words there are. */
int policy_parse(struct policy *p, struct str list, struct err *e);
/* Whether every kind of it is one of those commands can count (POLICY_…); -1 with the one that is not. */
int policy_fits(const struct policy *p, unsigned commands, struct err *e);
bool policy_of_rounds(const struct policy *p); /* some kind of it is told from the round before */
void policy_count(struct policy_counts *c, const struct comparison *s); /* settled and judged */
void policy_count_check(struct policy_counts *c, const struct dump *d, const struct check *found);
void policy_count_log(struct policy_counts *c, const struct series *s, const struct log_check *found);
/* The exit status by it: 1 where something of its kinds is there, else 5 where the comparison could not be judged, else 0;
 * with none always 0. `otherwise` is the status without one, which holds where no policy is given. */
int policy_status(const struct policy *p, const struct policy_counts *c, int otherwise);

/* "diverge: deviates first=NAME rel_l2=1.2e-2 rows=1200 …", with its end; appends. status: the command's own. file: what was
 * written, NULL: nothing. What is no word of ours is percent-encoded where it holds a blank. */
void policy_line(struct buf *out, const struct comparison *s, int status, const char *file);
void policy_line_check(struct buf *out, const struct policy_counts *c, int status, const char *first, const char *path, const char *file);

#endif
