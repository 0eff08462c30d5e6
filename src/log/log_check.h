/* Problems of one training run, found from its log alone. */
#ifndef LOG_LOG_CHECK_H
#define LOG_LOG_CHECK_H

#include "log/series.h"

struct log_problem {
    int64_t step;     /* -1: the whole log */
    /* "nan", "inf"; notes: "all-zero", "constant", "rollout", "not-falling", "poor", "rising", "overflow" */
    const char *kind;
    const char *text; /* in the list's arena */
};

struct log_check {
    struct arena arena;
    VEC(struct log_problem) problems; /* by step, notes last */
    size_t notes;                     /* how many of them are notes */
};

/* What the loss does over the whole run, as a sentence in `text`, with its kind and step (-1: the whole); NULL: it
 * falls, or there are too few steps to say. */
const char *loss_course(const struct series *s, struct arena *text, const char **kind, int64_t *step);
/* Whether many steps were left out because gradients overflowed, as a sentence, with the first of them; NULL: no. */
const char *log_overflows(const struct series *s, struct arena *text, int64_t *step);
void log_check_run(struct log_check *c, const struct series *s);
void log_check_release(struct log_check *c);

#endif
