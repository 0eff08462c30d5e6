/* Finds what can be opened at or below a folder: recordings, then other files (result tables, weights, logs,
 * settings). A job examines the files, because the folder may be on a slow disk; results are available as they are
 * found. All functions are called by the one thread that owns it. */
#ifndef PANEL_FOLDER_SCAN_H
#define PANEL_FOLDER_SCAN_H

#include "base/arena.h"
#include "base/job.h"
#include "base/vec.h"

struct openable {
    const char *kind; /* the reader's name, or "log", "settings" … */
    const char *path;
};

struct folder_scan {
    struct job job;       /* its lock guards the members below while the job runs */
    struct arena arena;   /* owns what was found */
    VEC(struct openable) found; /* at most OFFERS_MOST, in display order */
    char *folder;         /* the folder being searched; NULL: none */
    char *wanted;         /* the next folder, while the job ends the current one; NULL: none */
    struct err err;       /* if the folder cannot be read */
};

#define OFFERS_MOST 500

/* notify(ctx) is called by the job's thread when something was found or the search has ended. */
void folder_scan_init(struct folder_scan *o, void (*notify)(void *ctx), void *ctx);
void folder_scan_release(struct folder_scan *o);

/* Starts a search; results for another folder are dropped. */
void folder_scan_ask(struct folder_scan *o, const char *folder);
void folder_scan_drop(struct folder_scan *o); /* stops the search */
bool folder_scan_busy(struct folder_scan *o);
size_t folder_scan_count(struct folder_scan *o); /* found so far */
struct openable folder_scan_at(struct folder_scan *o, size_t i);

void folder_scan_wait(struct folder_scan *o); /* waits for the end of the search */

#endif
