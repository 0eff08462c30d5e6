/* PCRE2 patterns over names: compiled once, with a limit on the steps of one match and on the matches that reach it, so
 * that a pattern that explodes is soon over. */
#ifndef BASE_PATTERN_H
#define BASE_PATTERN_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"

#define PATTERN_GROUPS 16

struct pattern; /* one thread at a time */

enum { PATTERN_CASELESS = 1, PATTERN_WHOLE = 2 /* all of the text has to match */ };

/* NULL with where and why where it is no pattern. */
struct pattern *pattern_compile(struct str text, int flags, struct err *e);
void pattern_free(struct pattern *p); /* NULL is fine */
/* 1 or 0; -1 where it took too many steps, or did on so many texts before that no further one is tried. */
int pattern_match(struct pattern *p, struct str text);
bool pattern_explodes(const struct pattern *p); /* it took too many steps on some text so far */
/* As pattern_match, and what the groups took: group[0] is all; those that took nothing are empty. */
int pattern_groups(struct pattern *p, struct str text, struct str group[PATTERN_GROUPS]);
int pattern_group_count(const struct pattern *p); /* all it has, group 0 not counted */
int pattern_group_named(const struct pattern *p, const char *name); /* its number, or -1 */

#endif
