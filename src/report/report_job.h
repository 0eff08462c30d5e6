/* Writes one report or result at a time in the background: a table of a million rows takes seconds, in which the screen
 * must not wait. It looks at what was known when it began; what changes meanwhile (limits, findings, other decisions) is
 * not in it. The session's lock guards everything here. */
#ifndef REPORT_REPORT_JOB_H
#define REPORT_REPORT_JOB_H

#include "report/compare.h"

enum scribe_state { SCRIBE_IDLE, SCRIBE_WRITING, SCRIBE_WRITTEN, SCRIBE_FAILED };

struct scribe {
    struct session *s;
    struct guide *guide;
    pthread_t thread;
    bool running;             /* the thread is to be waited for */
    enum scribe_state state;  /* of the last one, until it is taken */
    struct report_watch watch;
    char *path;
    bool report;              /* with what people found; else the comparison alone */
    uint64_t pack;            /* of the evidence, packed: bytes of its tensors; 0: none of it */
    char *told;               /* of SCRIBE_WRITTEN what there is to tell beside, or NULL */
    struct report_options opt;
    struct err err;           /* of SCRIBE_FAILED */
};

/* g: the procedure's, which must outlive it, as the session must. */
void scribe_init(struct scribe *k, struct session *s, struct guide *g);
void scribe_release(struct scribe *k); /* what is being written is given up; the lock not held */

/* All with the session's lock held. */
/* False while something is written. o's inv and guide are looked at as they are now. */
bool scribe_begin(struct scribe *k, const char *path, bool report, const struct report_options *o);
/* The evidence instead (report/pack_write.h), at most so many bytes of tensors. */
bool scribe_pack(struct scribe *k, const char *path, uint64_t limit, const struct report_options *o);
void scribe_cancel(struct scribe *k);
bool scribe_busy(const struct scribe *k);
double scribe_share(const struct scribe *k); /* 0 … 1 of what is being written */
/* How the last one ended, once: SCRIBE_WRITTEN, SCRIBE_FAILED with err; SCRIBE_IDLE where there is nothing to tell. */
enum scribe_state scribe_take(struct scribe *k);

void scribe_wait(struct scribe *k); /* until nothing is being written; the lock not held */

#endif
