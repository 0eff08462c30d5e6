/* The result of a job as files hold it (report/job_merge.h), compared by other processes or elsewhere: what the
 * overview and a report show of it without the recordings. */
#ifndef COMPARE_JOB_SUMMARY_H
#define COMPARE_JOB_SUMMARY_H

#include <cjson/cJSON.h>

#include "compare/job_strip.h"
#include "document/document.h"

struct job_summary {
    cJSON *all;          /* owned; NULL: there is none */
    const char *side[2]; /* the paths that were compared; of `all` */
    bool joined;         /* the pairs are joined sides, no ranks */
    int done, of;        /* ranks */
};

/* Takes `all`, whose members are as job_merge checks them. */
void job_summary_take(struct job_summary *s, cJSON *all);
void job_summary_release(struct job_summary *s);

/* A layout as it is written; of what is none one rank. */
void job_layout_read(const cJSON *o, struct layout *l);
/* The strip with where it begins; ranks that are missing are unread. */
void job_summary_strip(const struct job_summary *s, struct job_strip *out, struct job_first *first);
/* The layout of a side; returns the number of its ranks. */
size_t job_summary_layout(const struct job_summary *s, int side, struct layout *l);
/* The sentences of job_text.h; appended. */
void job_summary_layout_text(const struct job_summary *s, int side, struct buf *out);
void job_summary_outcome_text(const struct job_summary *s, struct buf *out);
void job_summary_unseen_text(const struct job_summary *s, struct buf *out);

/* Something found, as job_compare's results list it. */
enum job_found_kind { JOB_FOUND_ROW, JOB_FOUND_COLLECTIVE, JOB_FOUND_REPLICA };
struct job_found {
    enum job_found_kind kind;
    int step, rank;
    uint32_t order; /* place in the step, or NONE */
    bool golden;
    const rank_list *ranks; /* all of them, while it is told; NULL: `rank` alone is known */
    char *text;     /* ranks, name, error; this and the following three are the owner's to free */
    char *sentence, *place, *extent; /* of a row: what starts there, "model.py:63", the rows that inherit; or NULL */
    const char *action; /* what to do about it, or NULL */
};
void job_found_release(struct job_found *x);
/* Each of them. strip: as it was made of s. */
void job_summary_each(const struct job_summary *s, const struct job_strip *strip,
                      void (*each)(void *ctx, const struct job_found *x), void *ctx);
/* All of it for people: the section of a report, the command's text. */
void job_summary_section(struct document *d, const struct job_summary *s);

#endif
