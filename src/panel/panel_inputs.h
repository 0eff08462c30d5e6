/* The inputs of the guided panels: one path each, stored in the investigation. The dumps are inputs too; they are the
 * investigation's own inputs. */
#ifndef PANEL_PANEL_INPUTS_H
#define PANEL_PANEL_INPUTS_H

#include "ticket/investigation.h"

enum panel_input_id {
    PANEL_INPUT_TARGET,
    PANEL_INPUT_GOLDEN,
    PANEL_INPUT_TARGET_SETTINGS,
    PANEL_INPUT_GOLDEN_SETTINGS,
    PANEL_INPUT_TARGET_ENV,
    PANEL_INPUT_GOLDEN_ENV,
    PANEL_INPUT_TARGET_WEIGHTS,
    PANEL_INPUT_GOLDEN_WEIGHTS,
    PANEL_INPUT_TARGET_REPEAT,
    PANEL_INPUT_GOLDEN_REPEAT,
    PANEL_INPUT_TARGET_LOG,
    PANEL_INPUT_GOLDEN_LOG,
    PANEL_INPUT_GOLDEN_LOG2,
    PANEL_INPUT_GOLDEN_LOG3,
    PANEL_INPUT_TARGET_NORMS,
    PANEL_INPUT_GOLDEN_NORMS,
    PANEL_INPUT_TARGET_STEP,
    PANEL_INPUT_GOLDEN_STEP,
    PANEL_INPUT_TARGET_FROZEN,
    PANEL_INPUT_GOLDEN_FROZEN,
    PANEL_INPUT_GOLDEN_FROZEN2,
    PANEL_INPUT_TRAIN_PROBS,
    PANEL_INPUT_ROLLOUT_PROBS,
    PANEL_INPUT_TRAIN_SYNC,
    PANEL_INPUT_ROLLOUT_SYNC,
    PANEL_INPUT_COUNT
};

struct panel_input {
    const char *name;  /* name for `give` */
    const char *need;  /* the need in recipes: what produces such a file */
    const char *title; /* N_ */
    int side;          /* enum side */
};

extern const struct panel_input panel_inputs[PANEL_INPUT_COUNT];

enum panel_input_id panel_input_find(struct str name); /* PANEL_INPUT_COUNT: none */
/* Its path, or NULL. */
const char *panel_input_path(const struct investigation *v, enum panel_input_id s);
/* Sets its path ("" removes it). The dumps cannot be removed. */
int panel_input_give(struct investigation *v, enum panel_input_id s, struct str path, struct err *e);

#endif
