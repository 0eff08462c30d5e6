/* Merges the results of a job's workers, one file each, into one result. */
#ifndef REPORT_JOB_MERGE_H
#define REPORT_JOB_MERGE_H

#include "base/folder.h"
#include "base/json_read.h"

/* Whether the path holds results of workers: a folder with worker-I-of-N.ranks.json, or one such file. */
bool job_files_there(const char *path);
/* All of them as one result in the form of `compare --json`; `parts` lists what is missing. The caller frees it with
 * cJSON_Delete. NULL with e, also if one has other inputs than the rest, or two contain the same pair of ranks. */
cJSON *job_files_merge(const char *path, struct err *e);

/* The same for known files: adds the rows of `file`, one per pair of ranks, to `all`, which has no rows and lists
 * every pair as missing. Absent files stay missing. The caller owns all, also on error. */
int job_parts_merge(cJSON *all, const name_list *file, struct err *e);

/* The exit status of `compare` for such a result: 1 if something deviates, 5 if a part is missing or could not be
 * judged, otherwise 0. */
int job_merged_status(const cJSON *all);

#endif
