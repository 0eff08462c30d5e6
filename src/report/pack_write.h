/* The evidence of one ticket in one file, for people without access to the dumps: an archive (doc/formats.md) of the
 * investigation, both sides' rows, figures and stacks around what was found, the tensors of it up to a limit, the
 * report, and what the panels were given. It opens like the dumps themselves (fmt/pack_read.h). */
#ifndef REPORT_PACK_WRITE_H
#define REPORT_PACK_WRITE_H

#include "ticket/investigation.h"
#include "compare/comparison.h"
#include "panel/procedure.h"

#define PACK_LIMIT (200u << 20) /* bytes of tensors, where nothing else is said */

struct pack_options {
    const struct investigation *inv;
    const struct procedure *guide; /* the panels, for the report in it, or NULL */
    int64_t date;      /* it bears, seconds since 1970: same inputs and date, same bytes */
    bool paths;        /* paths stay as they are */
    uint64_t limit;    /* bytes of tensors */
    size_t all_rows;   /* dumps of more rows are packed around what was found only; 0: the default */
};

/* What is in it and what is not, for people. */
struct pack_said {
    struct arena arena;
    size_t rows, of, tensors, scripts, inputs;
    uint64_t bytes;            /* of tensors */
    VEC(const char *) left;    /* a sentence each: name, size, why */
};

/* The comparison complete and judged, of two sides. Written whole or not at all; .tar.zst or .tar by the path's end.
 * said is to be released in any case. */
int pack_write(const char *path, const struct comparison *s, const struct pack_options *o, struct pack_said *said,
               struct err *e);
void pack_said_release(struct pack_said *said);

#endif
