/* Writes one report or result at a time in the background, because a table of a million rows takes seconds. It writes
 * the comparison it is given; later changes (limits, findings, decisions) are not included. All functions are called
 * by the one thread that owns it. */
#ifndef REPORT_REPORT_JOB_H
#define REPORT_REPORT_JOB_H

#include "base/job.h"
#include "report/compare.h"
#include "ticket/investigation.h"

enum report_job_state { REPORT_JOB_IDLE, REPORT_JOB_WRITING, REPORT_JOB_WRITTEN, REPORT_JOB_FAILED };

struct report_job {
    struct procedure *guide;
    struct job job;
    bool asked, held;        /* asked: a request is pending; held: the procedure is held for it */
    const struct comparison *c; /* the comparison to be written; held (reference) */
    struct investigation inv; /* a copy from the start of writing */
    struct report_watch watch;
    char *path;
    bool report;             /* with the findings; false: only the comparison */
    uint64_t pack;           /* write a pack: limit for its tensors in bytes; 0: no pack */
    char *told;              /* with REPORT_JOB_WRITTEN: additional remarks, or NULL */
    struct report_options opt, now; /* as given; as used for writing */
    VEC(uint32_t) lines;     /* a copy of those that were given */
    struct err err;          /* if REPORT_JOB_FAILED */
};

/* g: the procedure, which must outlive k. notify(ctx) is called by the job's thread at the end. */
void report_job_init(struct report_job *k, struct procedure *g, void (*notify)(void *ctx), void *ctx);
void report_job_release(struct report_job *k); /* cancels writing */

/* Starts writing; false if something is being written. c and o->inv are taken as of now, o->guide once no engine run
 * is in progress. */
bool report_job_begin(struct report_job *k, const struct comparison *c, const char *path, bool report,
                      const struct report_options *o);
/* Writes a pack (report/pack_write.h) with at most `limit` bytes of tensors. */
bool report_job_pack(struct report_job *k, const struct comparison *c, const char *path, uint64_t limit,
                     const struct report_options *o);
void report_job_cancel(struct report_job *k);
bool report_job_busy(struct report_job *k);
double report_job_share(const struct report_job *k); /* progress, 0 … 1 */
/* The result of the last one, once: REPORT_JOB_WRITTEN, or REPORT_JOB_FAILED with err; REPORT_JOB_IDLE if there is
 * none. */
enum report_job_state report_job_take(struct report_job *k);

void report_job_wait(struct report_job *k); /* waits until nothing is being written */
/* For a process about to exit, after a cancel: waits at most ms for writing to stop. */
void report_job_leave(struct report_job *k, int ms);

#endif
