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
#include "weights/weight_compare.h"

enum exam_id {
    EXAM_SETTINGS,
    EXAM_WEIGHTS,
    EXAM_REPEAT_TARGET,
    EXAM_REPEAT_GOLDEN,
    EXAM_CURVES,
    EXAM_LOG,
    EXAM_NORMS,
    EXAM_STEP,
    EXAM_FROZEN,
    EXAM_COUNT
};

#define EXAM_SLOTS 6
#define EXAM_WAIVERS 64

/* Runs a whole comparison and hands over what came of it (comparison_drop). Panels are before whoever runs comparisons, so
 * they are given this. */
typedef int compare_run(const struct comparison_options *o, int workers, const struct comparison **out, struct err *e);

/* What an exam is held with; strings are the case's own. */
struct exam_case {
    struct arena arena;
    const char *path[EXAM_SLOTS]; /* as exam_kind.slot; NULL: not given */
    struct config_waiver waiver[EXAM_WAIVERS];
    size_t waivers;
    struct tol tol;
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
struct exam_result {
    struct arena arena;
    struct config_compare *settings;
    struct weight_compare *weights;
    struct curves *curves;
    struct log_check *log; /* of curves of one run */
    struct norms *norms;
    struct optimizer *step;
    struct repeat repeat;
};

struct exam_kind {
    const char *title; /* N_: "settings", for messages */
    enum slot_id slot[EXAM_SLOTS];
    int slots, must;   /* the first `must` have to be there */
    int (*run)(struct exam_result *r, const struct exam_case *c, struct figures_watch *watch, struct err *e);
    bool alone;        /* only while the last slot is empty */
    bool goes_on;      /* of logs: what they have grown by is read alone */
};

extern const struct exam_kind exam_kinds[EXAM_COUNT];

/* Fills a case from the investigation: paths located, limits, waivers of checks. False where a slot that must be there
 * is empty. *key tells this case from others: paths, what the files are now, limits. */
bool exam_prepare(struct exam_case *c, enum exam_id x, const struct investigation *v, uint64_t *key); /* c->files: of its paths */
void exam_case_release(struct exam_case *c);
void exam_release(struct exam_result *r);

#endif
