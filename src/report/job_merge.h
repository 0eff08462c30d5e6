/* Results of shares of a job, one file a worker, read as one. */
#ifndef REPORT_JOB_MERGE_H
#define REPORT_JOB_MERGE_H

#include "base/folder.h"
#include "base/json_read.h"

/* Whether results of shares lie there: a folder with worker-I-of-N.ranks.json, or one such file. */
bool job_files_there(const char *path);
/* All of them as one result, as `compare --json` writes it; `parts` says what is missing. Caller: cJSON_Delete. NULL
 * with e, also where one is of other inputs than the rest, or holds a pair of ranks that another holds as well. */
cJSON *job_files_merge(const char *path, struct err *e);

/* The same of results that are known: the rows of `file`, one a pair of ranks, come to `all`, which has none of its own
 * and names every pair as missing. Files that are not there stay missing. all stays the caller's, also on error. */
int job_parts_merge(cJSON *all, const name_list *file, struct err *e);

/* How `compare` ends with such a result: 1 something deviates, 5 a part is missing or could not be judged, 0. */
int job_merged_status(const cJSON *all);

#endif
