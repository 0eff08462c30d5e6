/* Classifies a given path: a recording, a training log, norms, settings, one optimizer step or log-probabilities of a
 * rollout. */
#ifndef PANEL_PATH_KIND_H
#define PANEL_PATH_KIND_H

#include "base/job.h"
#include "compare/comparison.h"
#include "panel/panel_inputs.h"

enum path_kind { PATH_NOTHING, PATH_DUMP, PATH_WEIGHTS, PATH_LOG, PATH_NORMS, PATH_SETTINGS, PATH_STEP, PATH_ROLLOUT };

/* Examines the files; PATH_NOTHING also if nothing can be read. A log's first record may come after gigabytes of a
 * named file; `cancel` (may be NULL) stops the search. */
enum path_kind path_kind_find(const char *path, const atomic_bool *cancel);

/* Classifies both inputs in the background. Zeroed before use. */
struct path_kind_look {
    struct job job;
    bool started;
    char *path[2];
    enum path_kind what[2];       /* valid once done */
};
/* notify(ctx) is called by the job's thread when it is done. If no thread can be created, it is done synchronously. */
void path_kind_look_start(struct path_kind_look *l, const struct investigation *v, void (*notify)(void *ctx),
                          void *ctx);
bool path_kind_look_done(struct path_kind_look *l);
void path_kind_look_wait(struct path_kind_look *l); /* waits until it is done, if it was started */
void path_kind_look_end(struct path_kind_look *l);  /* cancels it; zeroed afterwards */

/* Gives inputs of the investigation that are no recordings to the panel inputs for their kind. Returns the panel that
 * judges them, or 0 with no change if an input is of another kind. */
int path_kind_give(struct investigation *v, const enum path_kind what[2]);
/* The files that stand for both runs where no recordings are open: those of the first kind that was given, NULL for a
 * side that has none. False: none was. */
bool path_kind_given(const struct investigation *v, const char *path[2]);
/* Whether both sides are checkpoints whose names do not correspond. */
bool path_kind_other_names(const struct comparison *s);
/* Gives two checkpoints whose names do not correspond to panel 2, which knows the names and layouts of frameworks:
 * its number, or 0 if they are no checkpoints or their names correspond. */
int path_kind_give_weights(struct investigation *v, const struct comparison *s);

#endif
