/* What people call the values of a step, in tables and objects of any tool. */
#ifndef LOG_VALUE_NAMES_H
#define LOG_VALUE_NAMES_H

#include "log/series.h"

/* "global_step", "trainer/global_step", "iteration" … */
bool value_is_step(struct str name);
/* "loss", "train/loss", "train_loss_step", "actor/grad_norm" …; never a validation's. */
bool value_named(struct str name, enum log_value *v);

#endif
