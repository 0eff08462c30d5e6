/* What can be opened at or below a folder: recordings, then the files beside them (result tables, weights, logs, settings). A
 * thread of its own looks into the files, since the folder may lie on a slow disk; what it has found so far can be shown. The
 * session's lock guards everything here. */
#ifndef PANEL_FOLDER_SCAN_H
#define PANEL_FOLDER_SCAN_H

#include "session/session.h"

struct offer {
    const char *kind; /* the reader's name, or what it is: "log", "settings" */
    const char *path;
};

struct offers {
    struct session *s;
    pthread_t thread;
    bool running;         /* the thread is there */
    bool busy, stop;      /* it is looking; it is to end */
    atomic_bool anew;     /* it is to leave the folder it is at */
    char *folder;         /* asked for; NULL: none */
    struct arena arena;   /* of what was found */
    VEC(struct offer) found; /* no more than OFFERS_MOST, in the order they are to be shown */
    struct err err;       /* where the folder is none */
};

#define OFFERS_MOST 500

void offers_init(struct offers *o, struct session *s);
void offers_release(struct offers *o); /* the lock not held */

/* With the lock held. What was found in another folder goes. */
void offers_ask(struct offers *o, const char *folder);
void offers_drop(struct offers *o); /* nobody wants to know any more */
bool offers_busy(const struct offers *o);

void offers_wait(struct offers *o); /* until it has looked everywhere; the lock not held */

#endif
