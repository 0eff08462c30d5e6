/* Diagnoses lines for the screen in the background, one at a time, so that drawing never waits for a disk. The most
 * recent results are cached. All functions are called by the one thread that owns it. */
#ifndef COMPARE_DIAGNOSIS_JOB_H
#define COMPARE_DIAGNOSIS_JOB_H

#include "base/job.h"
#include "compare/comparison.h"
#include "diagnose/diagnose.h"

#define DIAGNOSIS_JOB_KEPT 64

struct diagnosis_job_entry {
    uint32_t line;              /* NONE: unused */
    uint32_t pairing;           /* the pairing that numbered the line */
    struct line_judgement of;   /* the judgement it was made from; another verdict needs another diagnosis */
    const char *language;       /* of its texts (msg_current); static */
    struct diagnoses found;
};

/* A line of a comparison, with a reference to the comparison. */
struct diagnosis_job_case {
    const struct comparison *c; /* NULL: none */
    uint32_t line;
    const char *language;
};

struct diagnosis_job {
    struct job job;
    struct diagnosis_job_case now, wanted; /* the running one; the next one */
    struct diagnoses found;       /* the job's result */
    struct diagnosis_job_entry kept[DIAGNOSIS_JOB_KEPT];
    uint32_t next;                /* index of the entry to be replaced */
};

/* notify(ctx) is called by the job's thread when a requested diagnosis is ready. */
void diagnosis_job_init(struct diagnosis_job *w, void (*notify)(void *ctx), void *ctx);
void diagnosis_job_release(struct diagnosis_job *w);
/* Takes a finished result and starts on this line if it has none. */
void diagnosis_job_ask(struct diagnosis_job *w, const struct comparison *c, uint32_t line);
/* The diagnoses of a line, valid until the next diagnosis_job_ask; NULL: not ready. */
const struct diagnoses *diagnosis_job_known(const struct diagnosis_job *w, const struct comparison *c, uint32_t line);
bool diagnosis_job_waits(const struct diagnosis_job *w); /* whether one was asked for that is not ready */
void diagnosis_job_wait(struct diagnosis_job *w); /* waits until all requested ones are ready */

#endif
