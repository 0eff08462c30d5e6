/* Writes a pack: the evidence of one investigation in one file, for people without access to the dumps. The archive
 * (doc/formats.md) contains the investigation, both sides' rows, figures and stacks around the findings, their
 * tensors up to a limit, the report, and the panels' inputs. It can be opened like the dumps (fmt/pack_read.h). */
#ifndef REPORT_PACK_WRITE_H
#define REPORT_PACK_WRITE_H

#include "ticket/investigation.h"
#include "compare/comparison.h"
#include "panel/procedure.h"

#define PACK_LIMIT (200u << 20) /* default limit for tensors, in bytes */

struct pack_options {
    const struct investigation *inv;
    const struct procedure *guide; /* the panels, for the report in it, or NULL */
    int64_t date;      /* date in the pack, seconds since 1970: same inputs and date give the same bytes */
    bool paths;        /* paths are not shortened */
    uint64_t limit;    /* limit for tensors, in bytes */
    size_t all_rows;   /* larger dumps are only packed around the findings; 0: the default */
};

/* A summary of what is included and what is not, for people. */
struct pack_said {
    struct arena arena;
    size_t rows, of, tensors, scripts, inputs;
    uint64_t bytes;            /* of tensors */
    VEC(const char *) files;   /* that are taken beside the recordings: path, use, name in the pack */
    VEC(const char *) left;    /* a sentence each: name, size, reason */
};

/* The comparison must be complete and judged, with two sides. Written whole or not at all; .tar.zst or .tar by the
 * path's extension. Release said in any case. */
int pack_write(const char *path, const struct comparison *s, const struct pack_options *o, struct pack_said *said,
               struct err *e);
/* Lists in `said` what a pack would take beside the recordings, and what not; nothing is written. */
void pack_files(const struct comparison *s, const struct investigation *inv, struct pack_said *said);
void pack_said_release(struct pack_said *said);

#endif
