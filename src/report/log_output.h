/* Writers of a training log. */
#ifndef REPORT_LOG_OUTPUT_H
#define REPORT_LOG_OUTPUT_H

#include "base/json_write.h"
#include "base/out.h"
#include "log/log_check.h"

/* A log and its problems: the input of both writers. */
struct checked_log {
    const struct series *s;
    const struct log_check *c;
};

/* The output of `diverge check LOG --json`: rows are steps. */
void log_check_json(struct jsonw *w, struct out *o, const void *result);
/* One line per step; absent values are empty, others as printed by the log. */
void log_csv(struct out *o, const void *result);

#endif
