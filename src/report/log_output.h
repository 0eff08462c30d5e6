/* Writers of a training log's series. */
#ifndef REPORT_LOG_OUTPUT_H
#define REPORT_LOG_OUTPUT_H

#include "base/out.h"
#include "log/log_check.h"

/* What `diverge check LOG --json` prints: rows are steps. */
void log_check_json(struct out *o, const struct series *s, const struct log_check *c, const char *tool);
/* A line a step; absent values are empty, others as printed by the log. */
void log_csv(struct out *o, const struct series *s);

#endif
