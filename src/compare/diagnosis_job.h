/* Diagnoses for a screen: one line at a time, in the background, so that drawing never waits for a disk. The last ones
 * stay at hand. One thread owns it: all functions are that thread's. */
#ifndef COMPARE_DIAGNOSIS_JOB_H
#define COMPARE_DIAGNOSIS_JOB_H

#include "base/job.h"
#include "compare/comparison.h"
#include "diagnose/diagnose.h"

#define DIAGNOSIS_JOB_KEPT 64

struct diagnosis_job_entry {
    uint32_t line;              /* NONE: free */
    uint32_t pairing;           /* which pairing numbered it */
    struct line_judgement of;   /* what it was diagnosed from: another verdict is another case */
    const char *language;       /* of its texts (msg_current); static */
    struct diagnoses found;
};

/* A line of a comparison, which is held. */
struct diagnosis_job_case {
    const struct comparison *c; /* NULL: none */
    uint32_t line;
    const char *language;
};

struct diagnosis_job {
    struct job job;
    struct diagnosis_job_case now, wanted; /* under way; to come after it */
    struct diagnoses found;       /* what the job finds */
    struct diagnosis_job_entry kept[DIAGNOSIS_JOB_KEPT];
    uint32_t next;                /* the entry to be replaced */
};

/* notify(ctx): a diagnosis that was asked for is there; called by the job's thread. */
void diagnosis_job_init(struct diagnosis_job *w, void (*notify)(void *ctx), void *ctx);
void diagnosis_job_release(struct diagnosis_job *w);
/* Takes what was found and starts on a line of which nothing is known. */
void diagnosis_job_ask(struct diagnosis_job *w, const struct comparison *c, uint32_t line);
/* What is known of a line, good until the next diagnosis_job_ask; NULL: nothing yet. */
const struct diagnoses *diagnosis_job_known(const struct diagnosis_job *w, const struct comparison *c, uint32_t line);
void diagnosis_job_wait(struct diagnosis_job *w); /* until nothing asked for is still to come */

#endif
