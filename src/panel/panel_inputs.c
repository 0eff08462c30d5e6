/* The table of inputs the panels take, and how one is looked up and given. */
#include "panel/panel_inputs.h"

#include "base/msg.h"
#include "dump/dump.h"

const struct slot slots[SLOT_COUNT] = {
    [SLOT_TARGET] = {"target", "dump", N_("the target's dump of step 1"), TARGET},
    [SLOT_GOLDEN] = {"golden", "dump", N_("the golden run's dump of step 1"), GOLDEN},
    [SLOT_TARGET_SETTINGS] = {"target-settings", "settings", N_("the target's settings: yaml, launch script, printed arguments"), TARGET},
    [SLOT_GOLDEN_SETTINGS] = {"golden-settings", "settings", N_("the golden run's settings"), GOLDEN},
    [SLOT_TARGET_ENV] = {"target-env", "env", N_("the target's environment: what env prints, or its launch script"), TARGET},
    [SLOT_GOLDEN_ENV] = {"golden-env", "env", N_("the golden run's environment"), GOLDEN},
    [SLOT_TARGET_WEIGHTS] = {"target-weights", "weights", N_("the weights the target starts from"), TARGET},
    [SLOT_GOLDEN_WEIGHTS] = {"golden-weights", "weights", N_("the weights the golden run starts from"), GOLDEN},
    [SLOT_TARGET_REPEAT] = {"target-repeat", "repeat", N_("the target's dump once more, nothing changed"), TARGET},
    [SLOT_GOLDEN_REPEAT] = {"golden-repeat", "repeat", N_("the golden run's dump once more, nothing changed"), GOLDEN},
    [SLOT_TARGET_LOG] = {"target-log", "log", N_("the target's training log"), TARGET},
    [SLOT_GOLDEN_LOG] = {"golden-log", "log", N_("the golden run's training log"), GOLDEN},
    [SLOT_GOLDEN_LOG2] = {"golden-log2", "spread", N_("a second golden run's log, determinism off: its own spread"), GOLDEN},
    [SLOT_GOLDEN_LOG3] = {"golden-log3", "spread", N_("a third golden run's log"), GOLDEN},
    [SLOT_TARGET_NORMS] = {"target-norms", "norms", N_("the target's gradient norm of every weight"), TARGET},
    [SLOT_GOLDEN_NORMS] = {"golden-norms", "norms", N_("the golden run's gradient norm of every weight"), GOLDEN},
    [SLOT_TARGET_STEP] = {"target-step", "step", N_("one optimizer step of the target: before, grad, after"), TARGET},
    [SLOT_GOLDEN_STEP] = {"golden-step", "step", N_("one optimizer step of the golden run"), GOLDEN},
    [SLOT_TARGET_FROZEN] = {"target-frozen", "frozen", N_("the target's log with learning rate 0"), TARGET},
    [SLOT_GOLDEN_FROZEN] = {"golden-frozen", "frozen", N_("the golden run's log with learning rate 0"), GOLDEN},
    [SLOT_GOLDEN_FROZEN2] = {"golden-frozen2", "frozen", N_("a second golden run's log with learning rate 0"), GOLDEN},
};

enum slot_id slot_find(struct str name)
{
    int i = 0;
    while (i < SLOT_COUNT && !str_is(name, slots[i].name))
        i++;
    return (enum slot_id)i;
}

const char *slot_path(const struct investigation *v, enum slot_id s)
{
    return s <= SLOT_GOLDEN ? v->input[s] : investigation_text(&v->given, slots[s].name);
}

int slot_give(struct investigation *v, enum slot_id s, struct str path, struct err *e)
{
    if (s > SLOT_GOLDEN) {
        investigation_tell(v, &v->given, str_of(slots[s].name), path);
        return 0;
    }
    if (!path.n)
        return err_set(e, ERR_USAGE, _("%s is what is compared: give another dump instead of it"), slots[s].name);
    if (s == SLOT_GOLDEN && !v->input[0])
        return err_set(e, ERR_USAGE, "%s", _("the target's dump comes first: give target PATH"));
    v->input[s] = arena_cstr(&v->arena, path);
    v->step[s] = v->rank[s] = -1;
    v->state[s] = (struct input_state){0};
    return 0;
}
