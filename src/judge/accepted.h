/* Differences that a team has accepted (--known FILE): which rows, which kind of difference, why, until when.
 * Matching rows are counted separately and are never the first deviation; an entry that no row needs any more is
 * reported. doc/known.md describes the file. */
#ifndef JUDGE_ACCEPTED_H
#define JUDGE_ACCEPTED_H

#include "base/pattern.h"
#include "judge/verdict.h"

struct accepted {
    struct pattern *row;   /* must match the whole name of a row of either side */
    const char *text;      /* the pattern, for messages */
    const char *reason;
    const char *until;     /* "2026-12-31", the last valid day; "" for unlimited */
    uint32_t kinds;        /* 1 << verdict, for each accepted verdict */
    bool over;             /* expired: it accepts nothing */
};

struct accepted_list {
    struct arena arena;
    VEC(struct accepted) entries;
};

/* today: "2026-11-21". -1 with e naming the invalid entry. */
int accepted_load(struct accepted_list *l, const char *path, const char *today, struct err *e);
void accepted_release(struct accepted_list *l);
/* Removes accepted lines from a judged judgement: they become VERDICT_SKIP with RULE_ACCEPTED. Not thread-safe. For
 * judge_run(). */
void accepted_apply(struct judgement *j, const struct measure *m, const struct accepted_list *l);
/* The same for one line that is found to deviate in this way; false if no entry accepts it. */
bool accepted_line(struct judgement *j, const struct measure *m, const struct accepted_list *l, uint32_t line,
                   enum verdict v);
void accepted_order(struct judgement *j); /* once all lines were asked for */
/* The entry that accepts a line, or NULL. */
const struct accepted *accepted_of(const struct judgement *j, uint32_t line);
/* Warnings about expired and unused entries: the i-th sentence, in `a`, or NULL after the last. */
const char *accepted_warning(const struct judgement *j, size_t i, struct arena *a);

#endif
