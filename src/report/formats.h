/* The writers' own functions, one file each. */
#ifndef REPORT_FORMATS_H
#define REPORT_FORMATS_H

#include "base/json_write.h"
#include "document/sanitize.h"
#include "compare/job_result.h"
#include "report/compare.h"

void compare_json(struct out *o, const struct comparison *s, const struct report_options *opt);
void compare_csv(struct out *o, const struct comparison *s, const struct report_options *opt);
void compare_xlsx(struct out *o, const struct comparison *s, const struct report_options *opt);
void report_json(struct out *o, const struct comparison *s, const struct report_options *opt);
void report_html(struct out *o, const struct comparison *s, const struct report_options *opt);
void report_md(struct out *o, const struct comparison *s, const struct report_options *opt);

/* The comparison as an object inside another one; `clean` shortens paths (NULL: unchanged). */
void compare_json_object(struct jsonw *w, struct out *o, const struct comparison *s, const struct report_options *opt,
                         const struct sanitize *clean);

/* One step and rank of several, in short: sides, summary, first deviation. */
void compare_json_brief(struct jsonw *w, const struct comparison *s);
void compare_json_row(struct jsonw *w, const struct comparison *s, uint32_t line);

/* Members of an object. */
void compare_json_summary_members(struct jsonw *w, const struct judge_summary *s);
/* A row of a comparison of several ranks, and all rows of one of its pairs. */
void compare_json_job_row(struct jsonw *w, const struct job_result *r, size_t pair, uint32_t line);
void compare_json_job_rows(struct jsonw *w, struct out *o, const struct job_result *r, size_t pair,
                           enum report_rows rows);
/* The complete result. */
void job_json(struct out *o, const struct job_result *r, const struct report_options *opt);
/* The report of the pair with the first deviation, after an overview of all ranks. */
void job_report(struct out *o, const struct job_result *r, const struct writer *w, const struct report_options *opt);
/* Objects of the result, also used by `check`. set: the side's. */
void job_json_layout(struct jsonw *w, const struct layout *l);
void job_json_collective(struct jsonw *w, const struct collective *c, uint32_t id, const struct rank_set *set);
void job_json_replica(struct jsonw *w, const struct replica_finding *x, uint32_t id, const struct rank_set *set);

/* Two members of an object: a line's state in the previous round and its change; nothing if there is none. */
void compare_json_was(struct jsonw *w, const struct comparison *s, uint32_t line);

/* {"row":…,"kind":…,"detail":…}: a problem of a recording; row is null for the whole */
void json_problem(struct jsonw *w, struct str row, const char *kind, const char *detail);
void json_side_fields(struct jsonw *w, const struct dump *d);
void json_digest(struct jsonw *w, const struct dump *d); /* the member for a digest */

#endif
