/* The procedure of one investigation: its engine runs with the job that executes them, the pages of the panels, and
 * which panel comes next. All functions are called by the one thread that owns it; while it is held, other threads
 * may read it. */
#ifndef PANEL_PROCEDURE_H
#define PANEL_PROCEDURE_H

#include "base/job.h"
#include "compare/comparison.h"
#include "panel/engine_runs.h"
#include "panel/panel.h"
#include "ranks/layout.h"

enum engine_run_state {
    ENGINE_RUN_MISSING, /* an input is missing */
    ENGINE_RUN_WAITING,
    ENGINE_RUN_RUNNING,
    ENGINE_RUN_DONE,
    ENGINE_RUN_FAILED,  /* err gives the reason */
};

struct engine_run {
    enum engine_run_state state;
    uint64_t key;     /* of the case that was run or is to be run */
    uint64_t files;   /* identifies its paths only */
    struct engine_run_case the_case;
    struct engine_run_result result; /* if ENGINE_RUN_DONE */
    struct err err;
    /* for logs that have grown: the old result stays until the new one is ready */
    bool again, lent;           /* again: has to be run again; lent: a run in progress uses the result */
    struct engine_run_case next_case; /* for `again` */
    struct engine_run_result grave;   /* a result to be freed once it is no longer lent */
};

/* A run in progress; owned by the job until it is taken. */
struct engine_run_run {
    int exam;         /* index of engine_run_kinds */
    bool on;          /* continues from the previous result */
    uint64_t key;
    struct engine_run_case of;
    struct engine_run_result result;
    struct figures_watch watch;
};

/* How the recorded ranks of a side are laid out. */
struct ranks_laid {
    struct layout layout;
    size_t ranks; /* that were recorded; 0: of one rank, or not known yet */
};

struct procedure {
    const struct comparison *s; /* the newest comparison, held (reference); never NULL once one was set */
    struct investigation *inv;
    compare_run *compare;       /* function that runs a separate comparison */
    struct ranks_laid laid[2];
    int ranks_status;           /* of the comparison of all these ranks, as judgement_status; -1: none, or not ended */
    struct job job;
    struct engine_run_run run;        /* the run in progress */
    unsigned only;              /* bits of the engine runs that are allowed; 0: all */
    bool follow;                /* growing logs are read on; their results stay meanwhile */
    int held;                   /* number of readers without the lock; nothing changes while it is not 0 */
    bool late;                  /* procedure_look has to be called afterwards */
    struct engine_run exam[ENGINE_RUN_COUNT];
    uint32_t changes;           /* counts changes of the pages' sources */
    struct panel_page page[PANELS];
    struct arena arena;         /* owns `why` */
    int next;                   /* the panel that comes next, 0: all are judged */
    const char *why;            /* the reason, as a sentence */
    /* the state from which the pages were written */
    uint32_t seen;
    const char *language;
    bool written;
};

/* c: the current comparison. notify(ctx) is called by the job's thread when an engine run has ended. */
void procedure_init(struct procedure *g, const struct comparison *c, struct investigation *v, compare_run *compare,
                    void (*notify)(void *ctx), void *ctx);
void procedure_release(struct procedure *g);

/* Takes a newer comparison; pages are rewritten if they change. No effect while held. */
void procedure_see(struct procedure *g, const struct comparison *c);
/* Takes the layouts of a job of several ranks, and the status of its comparison; the same for pages and while held. */
void procedure_see_ranks(struct procedure *g, const struct ranks_laid laid[2], int status);
/* The state of a panel (0: panel 1) when the previous round was closed, or -1. */
int procedure_was(const struct procedure *g, int panel);
/* Checks which inputs are there and whether they have changed, and starts the engine runs needed. */
void procedure_look(struct procedure *g);
/* The same for logs that are being written and followed; other engine runs wait for procedure_look. */
void procedure_follow(struct procedure *g, bool on);
/* Rewrites the pages if something has changed. */
void procedure_write(struct procedure *g);
/* An input, a waiver or an answer was set: looks and rewrites the pages. */
void procedure_tell(struct procedure *g);
bool procedure_busy(struct procedure *g); /* an engine run is waiting or in progress */
/* For a job that reads results and pages: nothing changes until procedure_give, which then applies changes made
 * meanwhile. No engine run may be in progress. */
void procedure_hold(struct procedure *g);
void procedure_give(struct procedure *g);
/* The number of panels shown; the rollout panel counts once an input of it was given. */
int procedure_panels(const struct procedure *g);
bool procedure_begun(const struct procedure *g); /* an input, a waiver or an answer was given */

/* Waits until nothing is waiting or running. each(ctx), unless NULL, is called every `ms` and stops the waiting by
 * returning false. */
void procedure_wait(struct procedure *g, bool (*each)(void *ctx), void *ctx, int ms);

/* ---- for the panels ---- */

/* The result of a finished engine run, otherwise NULL. */
const struct engine_run_result *procedure_result(const struct procedure *g, enum engine_run_id x);
/* What the first deviation of the dumps is, where it is, and what to do: "different rotary table: …, model.py:63.
 * Compute …"; NULL: not diagnosed, or nothing deviates. */
const char *procedure_first_told(const struct procedure *g, struct arena *a);
/* The curves that a page draws, with at least one point, or NULL. */
const struct curves *procedure_curves(const struct procedure *g, const struct panel_page *p);
/* The engine run with the curves of the run, or of the run at learning rate 0: of both sides, or of the only one. */
enum engine_run_id procedure_curve_run(const struct procedure *g, bool frozen);
/* Adds an item if an engine run is in progress, failed, or lacks a file that `need` produces. False if it is done. */
bool procedure_pending(struct panel_page *p, const struct procedure *g, enum engine_run_id x, const char *id,
                       const char *what);
enum step_why { STEP_NOT_FINITE, STEP_FIRST, STEP_APART, STEP_PARTS, STEP_SPIKE };
/* The step that the curves suggest for a dump, -1: none. */
int64_t procedure_step_to_dump(const struct procedure *g, enum step_why *why);

/* Determines which panel comes next and why, from the written pages. */
void next_panel(struct procedure *g);

#endif
