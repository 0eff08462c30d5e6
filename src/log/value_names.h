/* Names of the values of a step, in tables and objects of any tool. */
#ifndef LOG_VALUE_NAMES_H
#define LOG_VALUE_NAMES_H

#include "log/series.h"

/* "global_step", "trainer/global_step", "iteration" … */
bool value_is_step(struct str name);
/* "loss", "train/loss", "train_loss_step", "actor/grad_norm" …; never names of validation values. */
bool value_named(struct str name, enum log_value *v);
/* A part of a loss, which stands for it where the whole is not logged: "actor/pg_loss", "train/policy_loss" … */
bool value_part(struct str name);
/* "Train/Samples/train_loss": a value that DeepSpeed's monitor numbers by the samples seen. */
bool value_counts_samples(struct str name);
/* What of a step has been taken; zeroed before. */
struct values_taken {
    unsigned has, part; /* bits of enum log_value; part: under a name of only a part of it */
};
/* The same, where nothing was taken for that value yet, or a part alone and this is the whole: a loss goes before the
 * loss of the policy. */
bool value_taken(struct values_taken *t, struct str name, enum log_value *v);

/* A metric of reinforcement learning that says how far the trainer's log-probabilities are from the rollout engine's,
 * and the limit above which they do not fit. */
struct rollout_metric {
    const char *name;
    double limit;
};
const struct rollout_metric *rollout_metric(struct str name); /* NULL: another value */
struct rollout_value {
    const struct rollout_metric *of; /* NULL: none */
    double value;
};
/* Takes the value if the name is such a metric's; false: it is not. */
bool rollout_value_take(struct rollout_value *x, struct str name, double value);
/* The same for the metrics that lines of text have, one after the other; NULL at the end. */
const struct rollout_metric *rollout_metric_at(size_t i);
#define ROLLOUT_METRIC_TAG "rollout" /* of their points */

/* Adds a user's column names: "step=it,loss=objective,norm=gn" (also lr, scale; separated by commas or blanks). They
 * hold for the whole program, thread-safe; known names stay. */
int value_names_learn(struct str words, struct err *e);
/* All added names, one per line in the form value_names_learn reads; value_names_count: their number. */
void value_names_learned(struct buf *out);
size_t value_names_count(void);

#endif
