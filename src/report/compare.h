/* A finished comparison as JSON (the contract: doc/cli-json.md) and as CSV (msprobe's columns beside
 * ours). The session must be settled; nothing here computes but the diagnoses of
 * the first rows written. */
#ifndef REPORT_COMPARE_H
#define REPORT_COMPARE_H

#include "base/out.h"
#include "model/session.h"

enum report_rows { ROWS_NONE, ROWS_DEVIATING, ROWS_ALL };

struct report_options {
    enum report_rows rows;
    const char *tool; /* "diverge 0.1.0" */
};

struct writer {
    const char *ext;  /* ".json" */
    const char *name; /* for --format */
    void (*compare)(struct out *o, const struct session *s, const struct report_options *opt);
};

extern const struct writer writers[]; /* ext NULL at the end */
const struct writer *writer_for(const char *path); /* by extension, or NULL */

#endif
