/* What can be opened at or below a folder: recordings, then the files beside them (result tables, weights, logs, settings). A
 * job looks into the files, since the folder may lie on a slow disk; what it has found so far can be shown. One thread owns
 * it: all functions are that thread's. */
#ifndef PANEL_FOLDER_SCAN_H
#define PANEL_FOLDER_SCAN_H

#include "base/arena.h"
#include "base/job.h"
#include "base/vec.h"

struct offer {
    const char *kind; /* the reader's name, or what it is: "log", "settings" */
    const char *path;
};

struct offers {
    struct job job;       /* its lock guards what follows while the job runs */
    struct arena arena;   /* of what was found */
    VEC(struct offer) found; /* no more than OFFERS_MOST, in the order they are to be shown */
    char *folder;         /* looked into; NULL: none */
    char *wanted;         /* the next one, while the job leaves the last; NULL: none */
    struct err err;       /* where the folder is none */
};

#define OFFERS_MOST 500

/* notify(ctx): something more was found, or all; called by the job's thread. */
void offers_init(struct offers *o, void (*notify)(void *ctx), void *ctx);
void offers_release(struct offers *o);

/* What was found in another folder goes. */
void offers_ask(struct offers *o, const char *folder);
void offers_drop(struct offers *o); /* nobody wants to know any more */
bool offers_busy(struct offers *o);
size_t offers_count(struct offers *o); /* found so far */
struct offer offers_at(struct offers *o, size_t i);

void offers_wait(struct offers *o); /* until it has looked everywhere */

#endif
