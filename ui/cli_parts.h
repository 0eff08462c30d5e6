/* compare -o F.ranks.json: each finished pair of ranks is written to a file of its own, so that an interrupted run
 * can be resumed (--resume) and several processes can share the work. The final result has the same bytes in any
 * case. */
#ifndef UI_CLI_PARTS_H
#define UI_CLI_PARTS_H

#include "session/job_compare.h"
#include "ui/options.h"

bool cli_parts_wanted(const struct options *o);
/* jo: options for comparing the job in this process alone. Returns the exit status. */
int cli_parts_compare(const struct investigation *v, const struct options *o, const struct job_compare_options *jo,
                      int (*wait)(struct session *s, void *ctx, struct err *e));

#endif
