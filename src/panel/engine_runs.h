/* The analyses needed to judge panels: settings, weights, repeated runs, curves, gradient norms, one optimizer step,
 * what the first deviation of the dumps is. An engine run processes the paths of its inputs without a lock and returns
 * the engine's own result. */
#ifndef PANEL_ENGINE_RUNS_H
#define PANEL_ENGINE_RUNS_H

#include "compare/comparison.h"
#include "config/settings_compare.h"
#include "curves/curves.h"
#include "diagnose/diagnose.h"
#include "log/log_check.h"
#include "norms/norms.h"
#include "optimizer/optimizer.h"
#include "panel/panel_inputs.h"
#include "rollout/rollout.h"
#include "weights/weight_compare.h"

enum engine_run_id {
    ENGINE_RUN_SETTINGS,
    ENGINE_RUN_WEIGHTS,
    ENGINE_RUN_REPEAT_TARGET,
    ENGINE_RUN_REPEAT_GOLDEN,
    ENGINE_RUN_CURVES,
    ENGINE_RUN_LOG,
    ENGINE_RUN_NORMS,
    ENGINE_RUN_STEP,
    ENGINE_RUN_FROZEN,
    ENGINE_RUN_ROLLOUT,
    ENGINE_RUN_SYNC,
    ENGINE_RUN_FIRST,
    ENGINE_RUN_COUNT
};

#define ENGINE_RUN_SLOTS 6
#define ENGINE_RUN_LOGS 4 /* of the slots, where logs are compared */
#define ENGINE_RUN_WAIVERS 64

/* Runs a whole comparison and returns it (to be released with comparison_drop). Panels cannot include the session, so
 * they receive this function. */
typedef int compare_run(const struct comparison_options *o, int workers, const struct comparison **out, struct err *e);

/* The inputs of an engine run; it owns its strings. */
struct engine_run_case {
    struct arena arena;
    const char *path[ENGINE_RUN_SLOTS]; /* in the order of engine_run_kind.slot; NULL: not given */
    struct config_waiver waiver[ENGINE_RUN_WAIVERS];
    size_t waivers;
    struct thresholds tol;
    int workers;
    compare_run *compare;
    bool growing;         /* logs may still be growing */
    const struct curves *before; /* the previous result for the same logs, or NULL; it outlives this run */
    const struct comparison *first; /* whose first deviation is diagnosed; held while it is */
    uint64_t files;       /* identifies the paths, regardless of their contents */
};

/* Result of comparing a dump with a repetition of the same run. */
struct repeat {
    enum stage_verdict verdict;
    size_t rows, equal;
    const char *first; /* the first row that differs, or NULL */
};

/* The result of an engine run; one member is set. */
struct engine_run_result {
    struct arena arena;
    struct config_compare *settings;
    struct weight_compare *weights;
    struct curves *curves;
    struct log_check *log; /* for a single run's curves */
    struct norms *norms;
    struct optimizer *step;
    struct rollout *rollout;
    struct repeat repeat;
    struct diagnoses *first; /* of the first deviation */
};

struct engine_run_kind {
    const char *title; /* N_: "settings", for messages */
    enum panel_input_id slot[ENGINE_RUN_SLOTS];
    int slots, must;   /* number of inputs; the first `must` are required */
    int (*run)(struct engine_run_result *r, const struct engine_run_case *c, struct figures_watch *watch,
               struct err *e);
    bool alone;        /* only if the last input is not given */
    bool goes_on;      /* for logs: only what was appended since is read */
};

extern const struct engine_run_kind engine_run_kinds[ENGINE_RUN_COUNT];

/* Fills a case from the investigation: located paths, limits, waivers of checks. False if a required input is
 * missing. *key identifies the case: paths, current state of the files, limits. */
/* c->files identifies its paths */
bool engine_run_prepare(struct engine_run_case *c, enum engine_run_id x, const struct investigation *v, uint64_t *key);
void engine_run_case_release(struct engine_run_case *c);
void engine_run_release(struct engine_run_result *r);

#endif
