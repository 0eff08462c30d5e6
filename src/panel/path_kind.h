/* What somebody was handed: a path that may be a recording, a training log, norms, settings, one
 * optimizer step or log-probabilities of a rollout. */
#ifndef PANEL_PATH_KIND_H
#define PANEL_PATH_KIND_H

#include "base/job.h"
#include "compare/comparison.h"
#include "panel/panel_inputs.h"

enum path_kind { PATH_NOTHING, PATH_DUMP, PATH_WEIGHTS, PATH_LOG, PATH_NORMS, PATH_SETTINGS, PATH_STEP, PATH_ROLLOUT };

/* Looks at the files; PATH_NOTHING also where nothing can be read. Of a named file gigabytes may have to be read before
 * a log's first record; `cancel` (may be NULL) ends that. */
enum path_kind path_kind_find(const char *path, const atomic_bool *cancel);

/* Both inputs looked at in the background. Zeroed before. */
struct path_kind_look {
    struct job job;
    bool started;
    char *path[2];
    enum path_kind what[2];       /* once it is done */
};
/* notify(ctx): it is done; called by the job's thread. Without one to be had it is done at once. */
void path_kind_look_start(struct path_kind_look *l, const struct investigation *v, void (*notify)(void *ctx),
                          void *ctx);
bool path_kind_look_done(struct path_kind_look *l);
void path_kind_look_wait(struct path_kind_look *l); /* until it is done, where it was started */
void path_kind_look_end(struct path_kind_look *l);  /* breaks it off; zeroed again */

/* Inputs of the investigation that are no recordings are given to the panels' slots they are for, by what they were
 * found to be. The panel that judges them, or 0 where an input is something else and all stays. */
int path_kind_give(struct investigation *v, const enum path_kind what[2]);
/* The files that stand for both runs where no recordings are open: those of the first kind that was given, NULL for a
 * side that has none. False: none was. */
bool path_kind_given(const struct investigation *v, const char *path[2]);
/* Whether both sides are checkpoints whose names say nothing to each other. */
bool path_kind_other_names(const struct comparison *s);
/* Two checkpoints whose names say nothing to each other are given to the panel that knows how frameworks call and lay
 * out weights: its number, or 0 where they are no checkpoints or their names agree. */
int path_kind_give_weights(struct investigation *v, const struct comparison *s);

#endif
