/* The table of panels, in the order of the procedure, and the names of their items. */
#include <stdio.h>

#include "base/msg.h"
#include "config/checklist.h"
#include "judge/step_inputs.h"
#include "panel/procedure.h"

const struct panel panels[PANELS] = {
    {"settings", N_("CheckList"), N_("Both runs use the same settings, and settings that make them "
                                     "comparable."), 0, panel_settings},
    {"data", N_("Data, weights, determinism"),
     N_("Step inputs and weights are equal, and a run is bitwise reproducible."), 0, panel_data},
    {"first-step", N_("Step 1: loss and forward dump"),
     N_("The first loss agrees within the limits, or the first deviation is found and explained."), 2,
     panel_first_loss},
    {"local-norm", N_("Backward and local norm"), N_("The gradient of every weight has the same norm on both "
                                                     "sides."), 3, panel_norms},
    {"optimizer", N_("Optimizer"), N_("One step of each optimizer matches its settings, and both settings agree."), 4, panel_optimizer},
    {"frozen", N_("lr = 0"), N_("With frozen weights, loss and global norm agree at every step, without "
                                "outliers."), 5, panel_lr0},
    {"long-run", N_("Long run, acceptance, scaling out"),
     N_("The run meets the migration standard, also after each feature is added."), 6, panel_long_run},
    {"findings", N_("Findings"), N_("The root cause is named and confirmed by a run without it, and the report is "
                                    "written."), 0, panel_findings},
    {"rollout", N_("Trainer and rollout"), N_("Reinforcement learning: trainer and rollout engine compute the same "
                                              "log-probabilities for the same tokens."), 0,
     panel_rollout},
};

/* Names of the panels' items other than checks, inputs, features and steps. */
static const char *const items[] = {
    "settings",      "inputs",        "id-range",  "weights", "repeat", "target-repeat", "golden-repeat", "first-loss",
    "first-deviation", "label-position", "batch-logged", "shared-gate",
    "local-norm",    "gradients",     "step",      "frozen",  "curves", "mean-loss",     "global-norm",   "steps",
    "divergence", "apart", "factor", "shift", "auxiliary", "length",
    "target-dump-run", "golden-dump-run", "learning-rate", "target-replay", "golden-replay", "scaling", "root-cause",
    "confirmed",
    "rollout", "rollout-first", "sync",
};

bool panel_knows(struct str id)
{
    unsigned long long n;
    if (str_u64(id, &n))
        return n >= 1 && n <= PANELS;
    if (checklist_find(id))
        return true;
    for (size_t i = 0; i < ARRAY_LEN(items); i++)
        if (str_is(id, items[i]))
            return true;
    for (int w = 0; w < INPUT_COUNT; w++)
        if (str_is(id, step_input_name((enum step_input_what)w)))
            return true;
    char name[64];
    snprintf(name, sizeof name, "%.*s", STR_ARG(id));
    return panel_is_feature(name) || (str_starts(id, "step-") && str_u64(str_n(id.p + 5, id.n - 5), &n));
}
