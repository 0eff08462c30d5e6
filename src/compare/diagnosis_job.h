/* Diagnoses for a screen: one line at a time, in the background, so that drawing never waits for a disk. The last ones
 * stay at hand. One thread owns it: all functions are that thread's. */
#ifndef COMPARE_DIAGNOSIS_JOB_H
#define COMPARE_DIAGNOSIS_JOB_H

#include "base/job.h"
#include "compare/comparison.h"
#include "diagnose/diagnose.h"

#define WARD_KEPT 64

struct ward_entry {
    uint32_t line;              /* NONE: free */
    uint32_t pairing;           /* which pairing numbered it */
    struct line_judgement of;   /* what it was diagnosed from: another verdict is another case */
    struct diagnoses found;
};

/* A line of a comparison, which is held. */
struct ward_case {
    const struct comparison *c; /* NULL: none */
    uint32_t line;
};

struct ward {
    struct job job;
    struct ward_case now, wanted; /* under way; to come after it */
    struct diagnoses found;       /* what the job finds */
    struct ward_entry kept[WARD_KEPT];
    uint32_t next;                /* the entry to be replaced */
};

/* notify(ctx): a diagnosis that was asked for is there; called by the job's thread. */
void ward_init(struct ward *w, void (*notify)(void *ctx), void *ctx);
void ward_release(struct ward *w);
/* What is known of a line, good until the next call; asks for it where nothing is (NULL). */
const struct diagnoses *ward_ask(struct ward *w, const struct comparison *c, uint32_t line);
void ward_wait(struct ward *w); /* until nothing asked for is still to come */

#endif
