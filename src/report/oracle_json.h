/* The oracle's members of compare's and check's JSON (doc/cli-json.md). */
#ifndef REPORT_ORACLE_JSON_H
#define REPORT_ORACLE_JSON_H

#include "base/json_write.h"
#include "oracle/oracle.h"

/* "oracle":{…} of a line, nothing where no side of it was recomputed. */
void oracle_json_row(struct jsonw *w, const struct oracle *o, const struct measure *m, const struct judgement *j,
    uint32_t line);
/* "oracle":{…} of the summary. */
void oracle_json_summary(struct jsonw *w, const struct oracle *o);
/* "oracle":{…} of one side alone, and its problems (elements of an array). */
void oracle_json_cover(struct jsonw *w, const struct oracle_side *s);
void oracle_json_problems(struct jsonw *w, const struct oracle_side *s);

#endif
