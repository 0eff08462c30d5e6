/* The procedure of one ticket: its exams with the job that runs them, the eight pages, and which panel comes next and
 * why. One thread owns it: all functions are that thread's; what is held may be read by others. */
#ifndef PANEL_PROCEDURE_H
#define PANEL_PROCEDURE_H

#include "base/job.h"
#include "compare/comparison.h"
#include "panel/engine_runs.h"
#include "panel/panel.h"

enum engine_run_state {
    ENGINE_RUN_MISSING, /* an input is not there */
    ENGINE_RUN_WAITING,
    ENGINE_RUN_RUNNING,
    ENGINE_RUN_DONE,
    ENGINE_RUN_FAILED,  /* err says why */
};

struct engine_run {
    enum engine_run_state state;
    uint64_t key;     /* of the case it was held on, or is to be */
    uint64_t files;   /* of its paths alone */
    struct engine_run_case the_case;
    struct engine_run_result result; /* of ENGINE_RUN_DONE */
    struct err err;
    /* the same logs have grown: the result stays until there is a new one */
    bool again, lent;           /* to be held again; being held, from what the result read */
    struct engine_run_case next_case; /* of `again` */
    struct engine_run_result grave;   /* a result that was to go while it was lent */
};

/* An exam under way; the job's own until it is taken. */
struct engine_run_run {
    int exam;         /* of engine_run_kinds */
    bool on;          /* goes on from the result there is */
    uint64_t key;
    struct engine_run_case of;
    struct engine_run_result result;
    struct figures_watch watch;
};

struct procedure {
    const struct comparison *s; /* the newest one seen, held; never NULL once one was */
    struct investigation *inv;
    compare_run *compare;       /* what runs a comparison of its own */
    struct job job;
    struct engine_run_run run;        /* what the job is at */
    unsigned only;              /* bits of the exams that are held; 0: all */
    bool follow;                /* logs that grow are read on, their results stay meanwhile */
    int held;                   /* by who looks without the lock; nothing changes meanwhile */
    bool late;                  /* it is to be looked at when that is over */
    struct engine_run exam[ENGINE_RUN_COUNT];
    uint32_t changes;           /* counts what pages are written from */
    struct panel_page page[PANELS];
    struct arena arena;         /* of `why` */
    int next;                   /* the panel that comes next, 0: all are judged */
    const char *why;            /* a sentence */
    /* what the pages were written from */
    uint32_t seen;
    const char *language;
    bool written;
};

/* c: the comparison as it is now. notify(ctx): an exam has ended; called by the job's thread. */
void procedure_init(struct procedure *g, const struct comparison *c, struct investigation *v, compare_run *compare,
                    void (*notify)(void *ctx), void *ctx);
void procedure_release(struct procedure *g);

/* A newer comparison; pages are written again where it says something else. Nothing while it is held. */
void procedure_see(struct procedure *g, const struct comparison *c);
/* How a panel (0: panel 1) stood when the round before was left, or -1. */
int procedure_was(const struct procedure *g, int panel);
/* Looks which inputs are there and what they are now, and starts what has to be examined. */
void procedure_look(struct procedure *g);
/* The same of logs that are being written, while they are followed; what else is made of them waits until it is looked
 * at. */
void procedure_follow(struct procedure *g, bool on);
/* Writes the pages again where something has changed since. */
void procedure_write(struct procedure *g);
/* Something was told (an input, a waiver, an answer): looks, and pages are written again. */
void procedure_tell(struct procedure *g);
bool procedure_busy(struct procedure *g); /* an exam waits or is under way */
/* For a job that reads results and pages: they stay until they are given back, and what is told meanwhile is looked at
 * then. No exam may be under way. */
void procedure_hold(struct procedure *g);
void procedure_give(struct procedure *g);
/* How many panels there are: the one of rollouts once something of one was given. */
int procedure_panels(const struct procedure *g);
bool procedure_begun(const struct procedure *g); /* something was told to a panel */

/* Until nothing is waiting or running; each(ctx), unless NULL, is called every `ms` meanwhile and gives up by returning
 * false. */
void procedure_wait(struct procedure *g, bool (*each)(void *ctx), void *ctx, int ms);

/* ---- for the panels ---- */

/* The result of an exam that is done, else NULL. */
const struct engine_run_result *procedure_result(const struct procedure *g, enum engine_run_id x);
/* The curves a page draws, with one point at least, or NULL. */
const struct curves *procedure_curves(const struct procedure *g, const struct panel_page *p);
/* Where a step of the run, or of the run at learning rate 0, is looked up: of both sides, or of the one there is. */
enum engine_run_id procedure_curve_run(const struct procedure *g, bool frozen);
/* An item that says an exam is under way, failed, or lacks a file that `need` produces. False where it is done. */
bool procedure_pending(struct panel_page *p, const struct procedure *g, enum engine_run_id x, const char *id,
                       const char *what);
enum step_why { STEP_NOT_FINITE, STEP_FIRST, STEP_APART, STEP_PARTS, STEP_SPIKE };
/* The step at which the curves say to look, -1: none. */
int64_t procedure_step_to_dump(const struct procedure *g, enum step_why *why);

/* Which panel comes next and why, from pages that are written. */
void next_panel(struct procedure *g);

#endif
