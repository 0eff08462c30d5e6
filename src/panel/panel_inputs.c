/* The table of inputs the panels take, and how one is looked up and given. */
#include "panel/panel_inputs.h"

#include "base/msg.h"
#include "dump/dump.h"

const struct panel_input panel_inputs[PANEL_INPUT_COUNT] = {
    [PANEL_INPUT_TARGET] = {"target", "dump", N_("the target's dump of step 1"), TARGET},
    [PANEL_INPUT_GOLDEN] = {"golden", "dump", N_("the golden run's dump of step 1"), GOLDEN},
    [PANEL_INPUT_TARGET_SETTINGS] =
    {"target-settings", "settings", N_("the target's settings: yaml, launch script, printed arguments"), TARGET},
    [PANEL_INPUT_GOLDEN_SETTINGS] = {"golden-settings", "settings", N_("the golden run's settings"), GOLDEN},
    [PANEL_INPUT_TARGET_ENV] = {"target-env", "env", N_("the target's environment: the output of env, or its launch "
                                                        "script"), TARGET},
    [PANEL_INPUT_GOLDEN_ENV] = {"golden-env", "env", N_("the golden run's environment"), GOLDEN},
    [PANEL_INPUT_TARGET_WEIGHTS] = {"target-weights", "weights", N_("the initial weights of the target"), TARGET},
    [PANEL_INPUT_GOLDEN_WEIGHTS] = {"golden-weights", "weights", N_("the initial weights of the golden run"), GOLDEN},
    [PANEL_INPUT_TARGET_REPEAT] = {"target-repeat", "repeat", N_("the target's dump again, nothing changed"),
                                   TARGET},
    [PANEL_INPUT_GOLDEN_REPEAT] = {"golden-repeat", "repeat", N_("the golden run's dump again, nothing changed"),
                                   GOLDEN},
    [PANEL_INPUT_TARGET_LOG] = {"target-log", "log", N_("the target's training log"), TARGET},
    [PANEL_INPUT_GOLDEN_LOG] = {"golden-log", "log", N_("the golden run's training log"), GOLDEN},
    [PANEL_INPUT_GOLDEN_LOG2] =
    {"golden-log2", "spread", N_("second golden run's log, determinism off: its own spread"), GOLDEN},
    [PANEL_INPUT_GOLDEN_LOG3] = {"golden-log3", "spread", N_("third golden run's log"), GOLDEN},
    [PANEL_INPUT_TARGET_NORMS] = {"target-norms", "norms", N_("the target's gradient norm of every weight"), TARGET},
    [PANEL_INPUT_GOLDEN_NORMS] = {"golden-norms", "norms", N_("the golden run's gradient norm of every weight"),
                                  GOLDEN},
    [PANEL_INPUT_TARGET_STEP] = {"target-step", "step", N_("one optimizer step of the target: before, grad, after"),
                                 TARGET},
    [PANEL_INPUT_GOLDEN_STEP] =
    {"golden-step", "step", N_("one optimizer step of the golden run: before, grad, after"), GOLDEN},
    [PANEL_INPUT_TARGET_FROZEN] = {"target-frozen", "frozen", N_("the target's log with learning rate 0"), TARGET},
    [PANEL_INPUT_GOLDEN_FROZEN] = {"golden-frozen", "frozen", N_("the golden run's log with learning rate 0"), GOLDEN},
    [PANEL_INPUT_GOLDEN_FROZEN2] = {"golden-frozen2", "frozen", N_("second golden run's log with learning rate 0"),
                                    GOLDEN},
    [PANEL_INPUT_TRAIN_PROBS] =
    {"train-logprobs", "rollout", N_("the trainer's log-probabilities of the tokens, or one file with both"), TARGET},
    [PANEL_INPUT_ROLLOUT_PROBS] = {"rollout-logprobs", "rollout", N_("the rollout engine's log-probabilities"), GOLDEN},
    [PANEL_INPUT_TRAIN_SYNC] = {"train-sync", "sync", N_("the trainer's weights at the sync"), TARGET},
    [PANEL_INPUT_ROLLOUT_SYNC] = {"rollout-sync", "sync", N_("the rollout engine's weights after the sync"), GOLDEN},
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
        return err_set(e, ERR_USAGE, _("%s is already compared: give another dump"),
                       panel_inputs[s].name);
    if (s == PANEL_INPUT_GOLDEN && !v->input[0])
        return err_set(e, ERR_USAGE, "%s", _("give the target's dump first: give target PATH"));
    v->input[s] = arena_cstr(&v->arena, path);
    v->step[s] = v->rank[s] = -1;
    v->state[s] = (struct file_stamp){0};
    return 0;
}
