/* Writers of a finished comparison: JSON (doc/cli-json.md), a table of all rows (CSV, XLSX, with msprobe's columns),
 * and, with the findings, a report (Markdown, HTML, JSON). The comparison must be complete; nothing is computed here
 * except diagnoses of reported rows. */
#ifndef REPORT_COMPARE_H
#define REPORT_COMPARE_H

#include <stdatomic.h>

#include "base/out.h"
#include "ticket/investigation.h"
#include "compare/comparison.h"
#include "compare/job_result.h"
#include "panel/procedure.h"

/* Progress of writing, and a request to stop it. */
struct report_watch {
    atomic_bool cancel;
    atomic_uint share; /* in thousandths */
};

enum report_rows { ROWS_NONE, ROWS_DEVIATING, ROWS_ALL };

struct report_options {
    enum report_rows rows;
    const uint32_t *lines; /* a table of rows holds only these lines, in this order */
    size_t line_count;     /* 0: all */
    const struct investigation *inv; /* findings and decisions; NULL: none */
    int64_t date;     /* date of a report, seconds since 1970; 0: none */
    bool paths;       /* a report shows paths unchanged */
    const char *source; /* identifies the state of the inputs for which a result is valid; NULL: not written */
    bool lasting;     /* the same bytes at any time: nothing that depends on the moment */
    const struct job_result *job; /* a complete job of several ranks; NULL: one rank, or job_busy */
    bool job_busy;    /* the ranks are still being compared */
    /* the panels with finished engine runs and written pages; NULL: nothing was given to them */
    const struct procedure *guide;
    struct report_watch *watch; /* may be NULL */
};

/* Reports progress. False: writing has to stop, and o->err says so. o may be NULL. */
bool report_goes_on(const struct report_options *opt, struct out *o, uint64_t done, uint64_t all);
/* The lines that a table of rows holds: how many of those there are, and the i-th. */
uint32_t report_lines(const struct report_options *opt, uint32_t lines);
uint32_t report_line(const struct report_options *opt, uint32_t i);

/* Whether the investigation has content of its own without dumps: findings, decisions, answers to panels. */
bool report_holds(const struct report_options *o);

struct writer {
    const char *ext;  /* ".json" */
    const char *name; /* for --format */
    bool file;        /* writes files only, not standard output */
    bool rows_only;   /* writes only rows: useless without two dumps */
    /* Write the comparison, and the findings report. A failure is in o->err. */
    void (*compare)(struct out *o, const struct comparison *s, const struct report_options *opt);
    void (*report)(struct out *o, const struct comparison *s, const struct report_options *opt);
};

extern const struct writer writers[]; /* ends with ext NULL */
const struct writer *writer_for(const char *path); /* by extension, or NULL */
const struct writer *writer_named(const char *name); /* "html" …, or NULL */
void writer_endings(struct buf *out); /* appends " .json .csv …" */

#endif
