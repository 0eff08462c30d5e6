/* Differences a team has accepted (--known FILE): which rows, what kind of difference, why, until when. Rows that fit
 * are counted apart and are nobody's first deviation; an entry that no row needs any more is reported. doc/known.md has
 * the file. */
#ifndef JUDGE_ACCEPTED_H
#define JUDGE_ACCEPTED_H

#include "base/pattern.h"
#include "judge/verdict.h"

struct accepted {
    struct pattern *row;   /* of row names of either side, all of the name */
    const char *text;      /* the pattern, for messages */
    const char *reason;
    const char *until;     /* "2026-12-31", the last day it holds; "" for ever */
    uint32_t kinds;        /* 1 << verdict that it accepts */
    bool over;             /* that day has gone by: it accepts nothing */
};

struct accepted_list {
    struct arena arena;
    VEC(struct accepted) entries;
};

/* today: "2026-11-21". -1 with the entry that is not as it should be. */
int accepted_load(struct accepted_list *l, const char *path, const char *today, struct err *e);
void accepted_release(struct accepted_list *l);
/* Takes accepted lines out of a judgement whose lines are judged: they become VERDICT_SKIP by RULE_ACCEPTED. One thread
 * at a time. For judge_run(). */
void accepted_apply(struct judgement *j, const struct measure *m, const struct accepted_list *l);
/* The entry that accepts a line, or NULL. */
const struct accepted *accepted_of(const struct judgement *j, uint32_t line);
/* What is to be said of entries that are over or were not needed; the i-th sentence in `a`, or NULL behind the last. */
const char *accepted_warning(const struct judgement *j, size_t i, struct arena *a);

#endif
