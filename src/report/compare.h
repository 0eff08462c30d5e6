/* A finished comparison as JSON (the contract: doc/cli-json.md), as a table of all rows (CSV, XLSX: msprobe's columns
 * beside ours) and, with what people found, as a report (Markdown, HTML, JSON). The session must be settled; nothing
 * here computes but diagnoses of the rows that are told. */
#ifndef REPORT_COMPARE_H
#define REPORT_COMPARE_H

#include "base/out.h"
#include "model/investigation.h"
#include "model/session.h"

enum report_rows { ROWS_NONE, ROWS_DEVIATING, ROWS_ALL };

struct report_options {
    enum report_rows rows;
    const char *tool; /* "diverge 0.1.0" */
    const struct investigation *inv; /* findings and decisions; NULL: none */
    int64_t date;     /* of a report, seconds since 1970; 0: it bears none */
    bool paths;       /* a report shows paths as they are */
};

struct writer {
    const char *ext;  /* ".json" */
    const char *name; /* for --format */
    bool file;        /* into a file only */
    /* The comparison, and the findings report of it. A failure is in o->err. */
    void (*compare)(struct out *o, const struct session *s, const struct report_options *opt);
    void (*report)(struct out *o, const struct session *s, const struct report_options *opt);
};

extern const struct writer writers[]; /* ext NULL at the end */
const struct writer *writer_for(const char *path); /* by extension, or NULL */
const struct writer *writer_named(const char *name); /* "html" …, or NULL */
void writer_endings(struct buf *out); /* " .json .csv …"; appends */

#endif
