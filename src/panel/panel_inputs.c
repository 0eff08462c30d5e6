/* The table of the panels' inputs, with lookup and assignment. */
#include "panel/panel_inputs.h"

#include "base/msg.h"
#include "dump/dump.h"

const struct panel_input panel_inputs[PANEL_INPUT_COUNT] = {
    [PANEL_INPUT_TARGET] = {"target", "dump", N_("dump of step 1, target"), TARGET},
    [PANEL_INPUT_GOLDEN] = {"golden", "dump", N_("dump of step 1, golden run"), GOLDEN},
    [PANEL_INPUT_TARGET_SETTINGS] =
    {"target-settings", "settings", N_("settings of the target: yaml, launch script, printed arguments"), TARGET},
    [PANEL_INPUT_GOLDEN_SETTINGS] = {"golden-settings", "settings", N_("settings of the golden run"), GOLDEN},
    [PANEL_INPUT_TARGET_ENV] = {"target-env", "env", N_("environment variables of the target: output of env, or the "
                                                        "launch script"), TARGET},
    [PANEL_INPUT_GOLDEN_ENV] = {"golden-env", "env", N_("environment variables of the golden run"), GOLDEN},
    [PANEL_INPUT_TARGET_WEIGHTS] = {"target-weights", "weights", N_("initial weights of the target"), TARGET},
    [PANEL_INPUT_GOLDEN_WEIGHTS] = {"golden-weights", "weights", N_("initial weights of the golden run"), GOLDEN},
    [PANEL_INPUT_TARGET_REPEAT] = {"target-repeat", "repeat", N_("second dump of the target without changes"),
                                   TARGET},
    [PANEL_INPUT_GOLDEN_REPEAT] = {"golden-repeat", "repeat", N_("second dump of the golden run without changes"),
                                   GOLDEN},
    [PANEL_INPUT_TARGET_LOG] = {"target-log", "log", N_("training log of the target"), TARGET},
    [PANEL_INPUT_GOLDEN_LOG] = {"golden-log", "log", N_("training log of the golden run"), GOLDEN},
    [PANEL_INPUT_GOLDEN_LOG2] =
    {"golden-log2", "spread", N_("log of a second golden run, determinism off: shows the spread of golden "
                                 "runs"), GOLDEN},
    [PANEL_INPUT_GOLDEN_LOG3] = {"golden-log3", "spread", N_("log of a third golden run"), GOLDEN},
    [PANEL_INPUT_TARGET_NORMS] = {"target-norms", "norms", N_("gradient norm of every weight, target"), TARGET},
    [PANEL_INPUT_GOLDEN_NORMS] = {"golden-norms", "norms", N_("gradient norm of every weight, golden run"),
                                  GOLDEN},
    [PANEL_INPUT_TARGET_STEP] = {"target-step", "step", N_("one optimizer step of the target: before, grad, after"),
                                 TARGET},
    [PANEL_INPUT_GOLDEN_STEP] =
    {"golden-step", "step", N_("one optimizer step of the golden run: before, grad, after"), GOLDEN},
    [PANEL_INPUT_TARGET_FROZEN] = {"target-frozen", "frozen", N_("log of the target with learning rate 0"), TARGET},
    [PANEL_INPUT_GOLDEN_FROZEN] = {"golden-frozen", "frozen", N_("log of the golden run with learning rate 0"), GOLDEN},
    [PANEL_INPUT_GOLDEN_FROZEN2] = {"golden-frozen2", "frozen", N_("log of a second golden run with learning rate 0"),
                                    GOLDEN},
    [PANEL_INPUT_TRAIN_PROBS] =
    {"train-logprobs", "rollout", N_("log-probabilities of the tokens by the trainer, or one file with both "
                                     "sides"), TARGET},
    [PANEL_INPUT_ROLLOUT_PROBS] = {"rollout-logprobs", "rollout", N_("log-probabilities by the rollout "
                                                                     "engine"), GOLDEN},
    [PANEL_INPUT_TRAIN_SYNC] = {"train-sync", "sync", N_("weights of the trainer at the sync"), TARGET},
    [PANEL_INPUT_ROLLOUT_SYNC] = {"rollout-sync", "sync", N_("weights of the rollout engine after the sync"), GOLDEN},
};

enum panel_input_id panel_input_find(struct str name)
{
    int i = 0;
    while (i < PANEL_INPUT_COUNT && !str_is(name, panel_inputs[i].name))
        i++;
    return (enum panel_input_id)i;
}

const char *panel_input_path(const struct investigation *v, enum panel_input_id s)
{
    return s <= PANEL_INPUT_GOLDEN ? v->input[s] : investigation_text(&v->given, panel_inputs[s].name);
}

int panel_input_give(struct investigation *v, enum panel_input_id s, struct str path, struct err *e)
{
    if (s > PANEL_INPUT_GOLDEN) {
        investigation_tell(v, &v->given, str_of(panel_inputs[s].name), path);
        return 0;
    }
    if (!path.n)
        return err_set(e, ERR_USAGE, _("%s is already one of the compared dumps: give a different one"),
                       panel_inputs[s].name);
    if (s == PANEL_INPUT_GOLDEN && !v->input[0])
        return err_set(e, ERR_USAGE, "%s", _("give the target's dump first: give target PATH"));
    v->input[s] = arena_cstr(&v->arena, path);
    v->step[s] = v->rank[s] = -1;
    v->state[s] = (struct file_stamp){0};
    return 0;
}
