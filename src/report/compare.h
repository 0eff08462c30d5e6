/* A finished comparison as JSON (the contract: doc/cli-json.md), as a table of all rows (CSV, XLSX: msprobe's columns
 * beside ours) and, with what people found, as a report (Markdown, HTML, JSON). The comparison must be complete;
 * nothing here computes but diagnoses of the rows that are told. */
#ifndef REPORT_COMPARE_H
#define REPORT_COMPARE_H

#include <stdatomic.h>

#include "base/out.h"
#include "ticket/investigation.h"
#include "compare/comparison.h"
#include "compare/job_result.h"
#include "panel/procedure.h"

/* How far writing has come, and whether it is to end; for whoever waits for it. */
struct report_watch {
    atomic_bool cancel;
    atomic_uint share; /* of 1000 */
};

enum report_rows { ROWS_NONE, ROWS_DEVIATING, ROWS_ALL };

struct report_options {
    enum report_rows rows;
    const struct investigation *inv; /* findings and decisions; NULL: none */
    int64_t date;     /* of a report, seconds since 1970; 0: it bears none */
    bool paths;       /* a report shows paths as they are */
    const char *source; /* what tells whether a result is of the inputs as they are; NULL: not written */
    bool lasting;     /* the same bytes whenever it is written: nothing of the moment */
    const struct job_result *job; /* of several ranks, all of it compared; NULL: one rank, or job_busy */
    bool job_busy;    /* they are still being compared */
    const struct procedure *guide; /* the panels, their exams held and pages written; NULL: nothing was told to them */
    struct report_watch *watch; /* may be NULL */
};

/* So much is done. False: writing is to end, and o->err says so. o may be NULL. */
bool report_goes_on(const struct report_options *opt, struct out *o, uint64_t done, uint64_t all);

/* Whether the investigation has anything to tell without its dumps: findings, decisions, what the panels were told. */
bool report_holds(const struct report_options *o);

struct writer {
    const char *ext;  /* ".json" */
    const char *name; /* for --format */
    bool file;        /* into a file only */
    bool rows_only;   /* rows are all it has: nothing without two dumps */
    /* The comparison, and the findings report of it. A failure is in o->err. */
    void (*compare)(struct out *o, const struct comparison *s, const struct report_options *opt);
    void (*report)(struct out *o, const struct comparison *s, const struct report_options *opt);
};

extern const struct writer writers[]; /* ext NULL at the end */
const struct writer *writer_for(const char *path); /* by extension, or NULL */
const struct writer *writer_named(const char *name); /* "html" …, or NULL */
void writer_endings(struct buf *out); /* " .json .csv …"; appends */

#endif
