/* What people call the values of a step, in tables and objects of any tool. */
#ifndef LOG_VALUE_NAMES_H
#define LOG_VALUE_NAMES_H

#include "log/series.h"

/* "global_step", "trainer/global_step", "iteration" … */
bool value_is_step(struct str name);
/* "loss", "train/loss", "train_loss_step", "actor/grad_norm" …; never a validation's. */
bool value_named(struct str name, enum log_value *v);

/* What a person says the columns of a log are called: "step=it,loss=objective,norm=gn" (also lr, scale; blanks divide
 * as commas do). These names count for the whole program, from any thread; what is known already stays. */
int value_names_learn(struct str words, struct err *e);
/* All that were learned, one a line as value_names_learn reads it; how many there are is told without the text. */
void value_names_learned(struct buf *out);
size_t value_names_count(void);

#endif
