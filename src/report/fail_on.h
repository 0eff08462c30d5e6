/* Output for scripts: a summary line and the exit status by --fail-on. Both use the same counts: rows with a doubtful
 * pair are counted separately. doc/cli-json.md defines the words of the line, which are stable and English. */
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

/* The commands that count a kind. */
enum { FAIL_ON_COMPARE = 1, FAIL_ON_ROUNDS = 2, FAIL_ON_CHECK = 4 };

struct fail_on {
    bool given;    /* false: the commands' own exit status is used */
    unsigned kinds; /* bits 1 << kind that cause failure; 0: nothing does */
};

struct fail_on_counts {
    uint64_t n[FAIL_ON_KINDS];
    uint64_t rows;
};

/* Parses "deviate,nonfinite,new" or "none". -1 with the list of words. */
int fail_on_parse(struct fail_on *p, struct str list, struct err *e);
/* Whether the commands (FAIL_ON_COMPARE …) can count each of its kinds; -1 with the first that they cannot. */
int fail_on_fits(const struct fail_on *p, unsigned commands, struct err *e);
bool fail_on_of_rounds(const struct fail_on *p); /* some kind compares with the previous round */
void fail_on_count(struct fail_on_counts *c, const struct comparison *s); /* requires a settled and judged comparison */
void fail_on_count_check(struct fail_on_counts *c, const struct dump *d, const struct dump_check *found);
void fail_on_count_log(struct fail_on_counts *c, const struct series *s, const struct log_check *found);
/* The exit status: 1 if a row of its kinds exists, otherwise 5 if the comparison could not be judged, otherwise 0;
 * always 0 for "none". `otherwise` is returned if no policy is given. */
int fail_on_status(const struct fail_on *p, const struct fail_on_counts *c, int otherwise);

/* Appends the line "diverge: deviates first=NAME rel_l2=1.2e-2 rows=1200 …" with its line end. status: the command's
 * own. file: the file written, NULL: none. Names are percent-encoded if they contain a blank. */
void fail_on_line(struct buf *out, const struct comparison *s, int status, const char *file);
void fail_on_line_check(struct buf *out, const struct fail_on_counts *c, int status, const char *first,
                        const char *path, const char *file);

#endif
