/* What the guided panels can be given: a path a slot, kept in the investigation. The dumps are slots too; they are
 * the investigation's inputs. */
#ifndef PANEL_PANEL_INPUTS_H
#define PANEL_PANEL_INPUTS_H

#include "ticket/investigation.h"

enum slot_id {
    SLOT_TARGET,
    SLOT_GOLDEN,
    SLOT_TARGET_SETTINGS,
    SLOT_GOLDEN_SETTINGS,
    SLOT_TARGET_ENV,
    SLOT_GOLDEN_ENV,
    SLOT_TARGET_WEIGHTS,
    SLOT_GOLDEN_WEIGHTS,
    SLOT_TARGET_REPEAT,
    SLOT_GOLDEN_REPEAT,
    SLOT_TARGET_LOG,
    SLOT_GOLDEN_LOG,
    SLOT_GOLDEN_LOG2,
    SLOT_GOLDEN_LOG3,
    SLOT_TARGET_NORMS,
    SLOT_GOLDEN_NORMS,
    SLOT_TARGET_STEP,
    SLOT_GOLDEN_STEP,
    SLOT_TARGET_FROZEN,
    SLOT_GOLDEN_FROZEN,
    SLOT_GOLDEN_FROZEN2,
    SLOT_COUNT
};

struct slot {
    const char *name;  /* as `give` takes it */
    const char *need;  /* of recipes: what produces such a file */
    const char *title; /* N_ */
    int side;          /* enum side */
};

extern const struct slot slots[SLOT_COUNT];

enum slot_id slot_find(struct str name); /* SLOT_COUNT: none */
/* The path it has, or NULL. */
const char *slot_path(const struct investigation *v, enum slot_id s);
/* Gives it a path ("" takes it away). The dumps cannot be taken away. */
int slot_give(struct investigation *v, enum slot_id s, struct str path, struct err *e);

#endif
