/* PCRE2 patterns on names, compiled once. The steps of one match and the number of matches that reach this limit are
 * bounded, so that exponential backtracking ends soon. */
#ifndef BASE_PATTERN_H
#define BASE_PATTERN_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"

#define PATTERN_GROUPS 16

struct pattern; /* not thread-safe */

enum { PATTERN_CASELESS = 1, PATTERN_WHOLE = 2 /* the whole text has to match */ };

/* NULL with e (where and why) if it is no valid pattern. */
struct pattern *pattern_compile(struct str text, int flags, struct err *e);
/* Appends the text as a pattern of itself. */
void pattern_quote(struct str text, struct buf *out);
void pattern_free(struct pattern *p); /* NULL is allowed */
/* 1 or 0; -1 if the match took too many steps, or if so many earlier ones did that no more are tried. */
int pattern_match(struct pattern *p, struct str text);
bool pattern_explodes(const struct pattern *p); /* some match has taken too many steps */
/* As pattern_match, with the captured groups: group[0] is the whole match; groups that captured nothing are empty. */
int pattern_groups(struct pattern *p, struct str text, struct str group[PATTERN_GROUPS]);
int pattern_group_count(const struct pattern *p); /* number of groups, without group 0 */
int pattern_group_named(const struct pattern *p, const char *name); /* its number, or -1 */

#endif
