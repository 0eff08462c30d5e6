/* Writes one report or result at a time in the background: a table of a million rows takes seconds, in which the screen
 * must not wait. It writes of the comparison it is given; what changes meanwhile (limits, findings, other decisions) is
 * not in it. One thread owns it: all functions are that thread's. */
#ifndef REPORT_REPORT_JOB_H
#define REPORT_REPORT_JOB_H

#include "base/job.h"
#include "report/compare.h"
#include "ticket/investigation.h"

enum report_job_state { REPORT_JOB_IDLE, REPORT_JOB_WRITING, REPORT_JOB_WRITTEN, REPORT_JOB_FAILED };

struct report_job {
    struct procedure *guide;
    struct job job;
    bool asked, held;        /* something is to be written; the guide is held for it */
    const struct comparison *c; /* written of; held */
    struct investigation inv; /* as it was when the writing began */
    struct report_watch watch;
    char *path;
    bool report;             /* with what people found; else the comparison alone */
    uint64_t pack;           /* of the evidence, packed: bytes of its tensors; 0: none of it */
    char *told;              /* of REPORT_JOB_WRITTEN what there is to tell beside, or NULL */
    struct report_options opt, now; /* as given; as written from */
    struct err err;          /* of REPORT_JOB_FAILED */
};

/* g: the procedure's, which must outlive it. notify(ctx): it has ended; called by the job's thread. */
void report_job_init(struct report_job *k, struct procedure *g, void (*notify)(void *ctx), void *ctx);
void report_job_release(struct report_job *k); /* what is being written is given up */

/* False while something is written. c, and o's inv, are looked at as they are now; its guide once no exam is under
 * way. */
bool report_job_begin(struct report_job *k, const struct comparison *c, const char *path, bool report,
                      const struct report_options *o);
/* The evidence instead (report/pack_write.h), at most so many bytes of tensors. */
bool report_job_pack(struct report_job *k, const struct comparison *c, const char *path, uint64_t limit,
                     const struct report_options *o);
void report_job_cancel(struct report_job *k);
bool report_job_busy(struct report_job *k);
double report_job_share(const struct report_job *k); /* 0 … 1 of what is being written */
/* How the last one ended, once: REPORT_JOB_WRITTEN, REPORT_JOB_FAILED with err; REPORT_JOB_IDLE where there is nothing
 * to tell. */
enum report_job_state report_job_take(struct report_job *k);

void report_job_wait(struct report_job *k); /* until nothing is being written */
/* Cancelled before, the process about to end: what is being written has at most ms to be given up. */
void report_job_leave(struct report_job *k, int ms);

#endif
