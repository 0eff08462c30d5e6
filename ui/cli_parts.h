/* compare -o F.ranks.json: each finished pair of ranks has a file of its own at once, so that what was interrupted goes
 * on (--resume) and several processes share the work. What is written in the end has the same bytes whoever compared
 * what. */
#ifndef UI_CLI_PARTS_H
#define UI_CLI_PARTS_H

#include "session/job_compare.h"
#include "ui/options.h"

bool cli_parts_wanted(const struct options *o);
/* jo: as the job would be compared by this process alone. The exit status. */
int cli_parts_compare(const struct investigation *v, const struct options *o, const struct job_compare_options *jo,
                      int (*wait)(struct session *s, void *ctx, struct err *e));

#endif
