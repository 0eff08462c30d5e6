/* Writes one report or result at a time in the background: a table of a million rows takes seconds, in which the screen
 * must not wait. It writes of the comparison it is given; what changes meanwhile (limits, findings, other decisions) is
 * not in it. One thread owns it: all functions are that thread's. */
#ifndef REPORT_REPORT_JOB_H
#define REPORT_REPORT_JOB_H

#include "base/job.h"
#include "report/compare.h"
#include "ticket/investigation.h"

enum scribe_state { SCRIBE_IDLE, SCRIBE_WRITING, SCRIBE_WRITTEN, SCRIBE_FAILED };

struct scribe {
    struct guide *guide;
    struct job job;
    bool asked, held;        /* something is to be written; the guide is held for it */
    const struct comparison *c; /* written of; held */
    struct investigation inv; /* as it was when the writing began */
    struct report_watch watch;
    char *path;
    bool report;             /* with what people found; else the comparison alone */
    uint64_t pack;           /* of the evidence, packed: bytes of its tensors; 0: none of it */
    char *told;              /* of SCRIBE_WRITTEN what there is to tell beside, or NULL */
    struct report_options opt, now; /* as given; as written from */
    struct err err;          /* of SCRIBE_FAILED */
};

/* g: the procedure's, which must outlive it. notify(ctx): it has ended; called by the job's thread. */
void scribe_init(struct scribe *k, struct guide *g, void (*notify)(void *ctx), void *ctx);
void scribe_release(struct scribe *k); /* what is being written is given up */

/* False while something is written. c, and o's inv, are looked at as they are now; its guide once no exam is under way. */
bool scribe_begin(struct scribe *k, const struct comparison *c, const char *path, bool report, const struct report_options *o);
/* The evidence instead (report/pack_write.h), at most so many bytes of tensors. */
bool scribe_pack(struct scribe *k, const struct comparison *c, const char *path, uint64_t limit, const struct report_options *o);
void scribe_cancel(struct scribe *k);
bool scribe_busy(struct scribe *k);
double scribe_share(const struct scribe *k); /* 0 … 1 of what is being written */
/* How the last one ended, once: SCRIBE_WRITTEN, SCRIBE_FAILED with err; SCRIBE_IDLE where there is nothing to tell. */
enum scribe_state scribe_take(struct scribe *k);

void scribe_wait(struct scribe *k); /* until nothing is being written */

#endif
