/* What can be opened at or below a folder: recordings, then the files beside them (result tables, weights, logs,
 * settings). A job looks into the files, since the folder may lie on a slow disk; what it has found so far can be
 * shown. One thread owns it: all functions are that thread's. */
#ifndef PANEL_FOLDER_SCAN_H
#define PANEL_FOLDER_SCAN_H

#include "base/arena.h"
#include "base/job.h"
#include "base/vec.h"

struct openable {
    const char *kind; /* the reader's name, or what it is: "log", "settings" */
    const char *path;
};

struct folder_scan {
    struct job job;       /* its lock guards what follows while the job runs */
    struct arena arena;   /* of what was found */
    VEC(struct openable) found; /* no more than OFFERS_MOST, in the order they are to be shown */
    char *folder;         /* looked into; NULL: none */
    char *wanted;         /* the next one, while the job leaves the last; NULL: none */
    struct err err;       /* where the folder is none */
};

#define OFFERS_MOST 500

/* notify(ctx): something more was found, or all; called by the job's thread. */
void folder_scan_init(struct folder_scan *o, void (*notify)(void *ctx), void *ctx);
void folder_scan_release(struct folder_scan *o);

/* What was found in another folder goes. */
void folder_scan_ask(struct folder_scan *o, const char *folder);
void folder_scan_drop(struct folder_scan *o); /* nobody wants to know any more */
bool folder_scan_busy(struct folder_scan *o);
size_t folder_scan_count(struct folder_scan *o); /* found so far */
struct openable folder_scan_at(struct folder_scan *o, size_t i);

void folder_scan_wait(struct folder_scan *o); /* until it has looked everywhere */

#endif
