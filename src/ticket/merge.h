/* Two people's investigations of one ticket as one. What is merged how stands with each member in the table of
 * investigation_members.c. */
#ifndef TICKET_MERGE_H
#define TICKET_MERGE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/record.h"
#include "base/vec.h"
#include "ticket/investigation.h"

enum merge_choice { MERGE_ASK, MERGE_OURS, MERGE_THEIRS };

/* Something one of them has and the other not, or both have differently. */
struct merge_item {
    const char *what;          /* the member it is of: "findings", "panels.answers" */
    const char *about;         /* which of them, for people */
    const char *side[2];       /* what each says of it, "" where one says nothing */
    const char *row[2];        /* of a conflict about rows: their names, else "" */
};
typedef VEC(struct merge_item) merge_list;

/* A round that the merged investigation has, and whose file it is (0: ours). */
struct merge_round {
    int side;
    const char *file; /* as that investigation has it */
    uint64_t fingerprint;
};

struct merge {
    struct arena arena;
    const char *name[2];       /* what the two files are called in sentences */
    enum merge_choice choice;
    bool force;                /* though they are not about the same inputs */
    const char *author;        /* who merges, "" where not known, and when: on what is written about conflicts */
    int64_t time;
    merge_list added, conflicts;
    VEC(struct merge_round) rounds; /* in order */
    size_t same;
    const char *within;        /* the member whose members are merged just now, or NULL */
};

/* Merges `theirs` into `ours`, which then has texts of both and must not outlive either. Conflicts are settled by the
 * choice; by MERGE_ASK ours stays, and what theirs said becomes a finding tagged #conflict, so that it is in the file
 * and in the report until somebody has decided. -1 with a sentence where they are not about the same inputs (other
 * paths, or files that were others), or hold too much: one may be rounds ahead of the other (merge_rounds.c). */
int merge_investigations(struct merge *m, struct investigation *ours, struct investigation *theirs, struct err *e);
void merge_release(struct merge *m);

/* ---- what the table names, `row` a member of it; both are investigations ---- */

/* Entries are added; of one that both have differently, one stays. */
void merge_entries(struct merge *m, const struct member *row, void *ours, const void *theirs);
/* A flag or a text. What has none (false, "") says nothing against one that has. */
void merge_value(struct merge *m, const struct member *row, void *ours, const void *theirs);
void merge_object(struct merge *m, const struct member *row, void *ours, const void *theirs);
void merge_limits(struct merge *m, const struct member *row, void *ours, const void *theirs);
/* What no row tells of: a list gets what it lacks, anything else is a value. */
void merge_rest(struct merge *m, const struct member *row, void *ours, const void *theirs);
void merge_findings(struct merge *m, const struct member *row, void *ours, const void *theirs);
void merge_decisions(struct merge *m, const struct member *row, void *ours, const void *theirs);
void merge_rounds(struct merge *m, const struct member *row, void *ours, const void *theirs);

/* ---- for merge.c: its larger parts ---- */

/* -1 where neither's rounds are the first of the other's. */
int merge_one_history(const struct merge *m, const struct investigation *ours, const struct investigation *theirs,
                      struct err *e);
void merge_note_conflicts(struct merge *m, struct investigation *ours); /* as findings */
void merge_add(struct merge *m, const char *what, const char *about, const char *text);
void merge_conflict(struct merge *m, const char *what, const char *about, const char *ours, const char *theirs,
                    const char *const row[2]);

#endif
