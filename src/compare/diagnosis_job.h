/* Diagnoses for a screen: one line at a time, by a thread of its own, so that drawing never waits for a disk. The
 * last ones stay at hand. */
#ifndef COMPARE_DIAGNOSIS_JOB_H
#define COMPARE_DIAGNOSIS_JOB_H

#include "diagnose/diagnose.h"
#include "session/session.h"

#define WARD_KEPT 64

struct ward_entry {
    uint32_t line;              /* NONE: free */
    uint32_t pairing;           /* which pairing numbered it */
    struct line_judgement of;   /* what it was diagnosed from: another verdict is another case */
    struct diagnoses found;
};

struct ward {
    struct session *s;          /* its lock guards everything here */
    pthread_t thread;
    bool running, stop, busy;
    uint32_t wanted;            /* or NONE */
    struct ward_entry kept[WARD_KEPT];
    uint32_t next;              /* the entry to be replaced */
};

void ward_init(struct ward *w, struct session *s);
void ward_release(struct ward *w); /* before session_stop, the lock not held */
/* With the session's lock held: what is known of a line, good until it is given back; asks for it where nothing is (NULL). */
const struct diagnoses *ward_ask(struct ward *w, uint32_t line);
void ward_wait(struct ward *w); /* until nothing asked for is still to come; the lock not held */

#endif
