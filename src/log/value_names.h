/* Names of the values of a step, in tables and objects of any tool. */
#ifndef LOG_VALUE_NAMES_H
#define LOG_VALUE_NAMES_H

#include "log/series.h"

/* "global_step", "trainer/global_step", "iteration" … */
bool value_is_step(struct str name);
/* "loss", "train/loss", "train_loss_step", "actor/grad_norm" …; never names of validation values. */
bool value_named(struct str name, enum log_value *v);
/* -1: no loss of a training step. Of several the one with the highest rank is the loss; a mean over more than a step,
 * which value_named leaves out, is below all but the parts of value_part. */
int value_loss_rank(struct str name);
/* A part of a loss, which stands for it where the whole is not logged: "actor/pg_loss", "train/policy_loss" … */
bool value_part(struct str name);
/* "mode", "split" …: says whether the values beside it are of training; whether this text says that they are not. */
bool value_is_split(struct str name);
bool value_split_judged(struct str text);
bool value_is_rank(struct str name); /* "rank": of the process that wrote the values beside it */
/* "Train/Samples/train_loss": a value that DeepSpeed's monitor numbers by the samples seen. */
/* "name", "tag", "metric": of the name of a value; "value": of the value itself. */
bool value_says_name(struct str name);
bool value_says_value(struct str name);
bool value_counts_samples(struct str name);
/* What of a step has been taken; zeroed before. */
struct values_taken {
    unsigned has;  /* bits of enum log_value */
    int loss_rank; /* of the loss that was taken, if one was: see value_taken */
    bool many;     /* there were several losses */
    char loss[64]; /* the name of the one that was taken, cut off if it is longer */
};
/* value_named or value_part, where nothing was taken for that value yet, or a loss that says less: a total
 * ("total_loss") goes before a loss, a loss before a part of it (the policy's, the cross entropy). The caller replaces
 * what it has. */
bool value_taken(struct values_taken *t, struct str name, enum log_value *v);
/* Whether a total was taken where there were other losses. */
bool value_total_taken(const struct values_taken *t);

/* A metric of reinforcement learning, whose values are a named series. */
struct rl_metric {
    const char *name;
    const char *tag; /* of its points: what it measures, whatever the tool calls it */
    double limit;    /* of RL_ROLLOUT: above it the sides do not fit */
};
#define RL_ROLLOUT "rollout" /* how far the trainer's log-probabilities are from the rollout engine's */
const struct rl_metric *rl_metric(struct str name); /* NULL: another value */
const struct rl_metric *rl_metric_at(size_t i);     /* one after the other; NULL at the end */
/* The n-th tag, and its title in the language in force; NULL at the end. */
const char *rl_metric_tag(size_t n);
const char *rl_metric_title(const char *tag);

#define RL_METRICS_MOST 32
#define AUXILIARY_MOST 8
/* Those of one record, and its losses beside the main one. */
struct extra_values {
    uint32_t has; /* bits of rl_metric_at's numbers */
    double value[RL_METRICS_MOST];
    struct {
        char name[64];
        double value;
    } loss[AUXILIARY_MOST];
    size_t losses;
};
/* Takes the value if the name is such a metric's or loss's; false: it is neither. */
bool extra_value_take(struct extra_values *x, struct str name, double value);
/* A loss beside the main one (load balancing, z-loss, multi-token prediction), and what it is called: the letters and
 * digits of its name without "loss", "moe", "router" and what stands before a "/". */
bool auxiliary_loss_named(struct str name, char plain[64]);

/* Adds a user's names of columns and words of text lines: "step=it,loss=objective,norm=gn" (also lr, scale; separated
 * by commas or blanks), or one pattern for lines of text, whose groups are named (?<step>…), (?<loss>…), norm, lr,
 * scale or epoch; a line break ends either. They hold for the whole program, thread-safe; known names stay. */
int value_names_learn(struct str words, struct err *e);
/* All added names, one per line in the form value_names_learn reads; value_names_count: their number. */
void value_names_learned(struct buf *out);
size_t value_names_count(void);
/* Whether the user gave a meaning to this name; *as: enum log_value, or LOG_VALUES for the step. */
bool value_name_said(struct str name, int *as);
bool value_names_in(struct str line); /* whether a name that the user gave for a loss or norm stands in it */
/* The user's patterns one after the other; NULL at the end. */
const char *value_pattern(size_t i);

#endif
