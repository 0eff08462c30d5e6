/* The starts of a comparison as JSON: where a deviation begins, and what is known of each. */
#ifndef REPORT_COMPARE_JSON_STARTS_H
#define REPORT_COMPARE_JSON_STARTS_H

#include "report/compare_json_row.h"

/* "starts": […], most inheriting rows first. */
void compare_json_starts(struct compare_writing *x);
/* "causes": {…}, "calls_starting": members of the summary. */
void compare_json_causes(struct jsonw *w, const struct judge_summary *s);

#endif
