#include "base/msg.h"
#include "panel/guide.h"

const struct panel panels[PANELS] = {
    {"settings", N_("CheckList"), N_("Both runs use the same settings, and those that make them comparable."), 0, panel_settings},
    {"data", N_("Data, weights, determinism"),
     N_("The step's inputs are equal, the weights are the same, and a run repeats itself bit for bit."), 0, panel_data},
    {"first-step", N_("Step 1: loss and forward dump"),
     N_("The first loss agrees within the limits, or the first deviation is found and explained."), 2, panel_first},
    {"local-norm", N_("Backward and local norm"), N_("Every weight's gradient has the same norm on both sides."), 3, panel_norms},
    {"optimizer", N_("Optimizer"), N_("One step of each optimizer does what its settings say, and both say the same."), 4, panel_optimizer},
    {"frozen", N_("lr = 0"), N_("With frozen weights every step's loss and global norm agree: no step stands out."), 5, panel_frozen},
    {"long-run", N_("Long run, acceptance, scaling out"),
     N_("The migration standard is met over the run, and stays so with every feature added."), 6, panel_longrun},
    {"findings", N_("Findings"), N_("The root cause is named, a run without it confirms it, and the report is written."), 0, panel_findings},
};
