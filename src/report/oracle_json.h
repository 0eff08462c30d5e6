/* The oracle's members of compare's and check's JSON (doc/cli-json.md). */
#ifndef REPORT_ORACLE_JSON_H
#define REPORT_ORACLE_JSON_H

#include "base/json_write.h"
#include "oracle/oracle.h"

/* The member "oracle":{…} of a line; nothing if neither side was recomputed. */
void oracle_json_row(struct jsonw *w, const struct oracle *o, const struct measure *m, const struct judgement *j,
    uint32_t line);
/* The member "oracle":{…} of the summary. */
void oracle_json_summary(struct jsonw *w, const struct oracle *o);
/* The member "oracle":{…} of a single side, and its problems (elements of an array). */
void oracle_json_cover(struct jsonw *w, const struct oracle_side *s);
void oracle_json_problems(struct jsonw *w, const struct oracle_side *s);

#endif
