/* What has to be read from files before a panel can be judged: settings, weights, repeated runs, curves, gradient
 * norms, one optimizer step. An exam runs one of the engines on the paths of its slots, without a lock, and leaves
 * the engine's own result. */
#ifndef PANEL_ENGINE_RUNS_H
#define PANEL_ENGINE_RUNS_H

#include "compare/comparison.h"
#include "config/settings_compare.h"
#include "curves/curves.h"
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
    ENGINE_RUN_COUNT
};

#define ENGINE_RUN_SLOTS 6
#define ENGINE_RUN_WAIVERS 64

/* Runs a whole comparison and hands over what came of it (comparison_drop). Panels are before whoever runs comparisons,
 * so they are given this. */
typedef int compare_run(const struct comparison_options *o, int workers, const struct comparison **out, struct err *e);

/* What an exam is held with; strings are the case's own. */
struct engine_run_case {
    struct arena arena;
    const char *path[ENGINE_RUN_SLOTS]; /* as exam_kind.slot; NULL: not given */
    struct config_waiver waiver[ENGINE_RUN_WAIVERS];
    size_t waivers;
    struct thresholds tol;
    int workers;
    compare_run *compare;
    bool growing;         /* logs are still being written */
    const struct curves *before; /* what the last exam of the same logs read, or NULL; it outlives this one */
    uint64_t files;       /* tells the paths alone, whatever is in them now */
};

/* A dump against itself run again. */
struct repeat {
    enum stage_verdict verdict;
    size_t rows, equal;
    const char *first; /* the first row that is not the same, or NULL */
};

/* One of these, by the exam. */
struct engine_run_result {
    struct arena arena;
    struct config_compare *settings;
    struct weight_compare *weights;
    struct curves *curves;
    struct log_check *log; /* of curves of one run */
    struct norms *norms;
    struct optimizer *step;
    struct rollout *rollout;
    struct repeat repeat;
};

struct engine_run_kind {
    const char *title; /* N_: "settings", for messages */
    enum panel_input_id slot[ENGINE_RUN_SLOTS];
    int slots, must;   /* the first `must` have to be there */
    int (*run)(struct engine_run_result *r, const struct engine_run_case *c, struct figures_watch *watch,
               struct err *e);
    bool alone;        /* only while the last slot is empty */
    bool goes_on;      /* of logs: what they have grown by is read alone */
};

extern const struct engine_run_kind engine_run_kinds[ENGINE_RUN_COUNT];

/* Fills a case from the investigation: paths located, limits, waivers of checks. False where a slot that must be there
 * is empty. *key tells this case from others: paths, what the files are now, limits. */
/* c->files: of its paths */
bool engine_run_prepare(struct engine_run_case *c, enum engine_run_id x, const struct investigation *v, uint64_t *key);
void engine_run_case_release(struct engine_run_case *c);
void engine_run_release(struct engine_run_result *r);

#endif
