/* Merges two people's investigations of the same inputs. The table in investigation_members.c says how each member is
 * merged. */
#ifndef TICKET_MERGE_H
#define TICKET_MERGE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/record.h"
#include "base/vec.h"
#include "ticket/investigation.h"

enum merge_choice { MERGE_ASK, MERGE_OURS, MERGE_THEIRS };

/* An entry that only one of them has, or that differs. */
struct merge_item {
    const char *what;          /* the member: "findings", "panels.answers" */
    const char *about;         /* the entry, for people */
    const char *side[2];       /* the text of each side, "" if absent */
    const char *row[2];        /* for a conflict about rows: their names, otherwise "" */
};
typedef VEC(struct merge_item) merge_list;

/* A round of the merged investigation, and the side that has its file (0: ours). */
struct merge_round {
    int side;
    const char *file; /* its name in that investigation */
    uint64_t fingerprint;
};

struct merge {
    struct arena arena;
    const char *name[2];       /* names of the two files in messages */
    enum merge_choice choice;
    bool force;                /* merge even if the inputs differ */
    const char *author;        /* for entries written about conflicts; "" if unknown */
    int64_t time;
    merge_list added, conflicts;
    VEC(struct merge_round) rounds; /* in order */
    size_t same;
    const char *within;        /* the member whose members are being merged, or NULL */
};

/* Merges `theirs` into `ours`, which then shares texts of both and must not outlive either. `choice` decides
 * conflicts; with MERGE_ASK ours stays, and the text of theirs becomes a finding tagged #conflict, which stays in the
 * file and in the report until somebody decides. -1 with a sentence if the inputs differ (other paths, or other
 * contents), or there is too much; one may be rounds ahead of the other (merge_rounds.c). */
int merge_investigations(struct merge *m, struct investigation *ours, struct investigation *theirs, struct err *e);
void merge_release(struct merge *m);

/* ---- functions named in the table; `row` is a member of it, both sides are investigations ---- */

/* Adds missing entries; of an entry that differs, one stays. */
void merge_entries(struct merge *m, const struct member *row, void *ours, const void *theirs);
/* Merges a flag or a text. An absent value (false, "") does not conflict. */
void merge_value(struct merge *m, const struct member *row, void *ours, const void *theirs);
void merge_object(struct merge *m, const struct member *row, void *ours, const void *theirs);
void merge_limits(struct merge *m, const struct member *row, void *ours, const void *theirs);
/* Merges members without a table row: lists are extended, anything else is a value. */
void merge_rest(struct merge *m, const struct member *row, void *ours, const void *theirs);
void merge_findings(struct merge *m, const struct member *row, void *ours, const void *theirs);
void merge_decisions(struct merge *m, const struct member *row, void *ours, const void *theirs);
void merge_rounds(struct merge *m, const struct member *row, void *ours, const void *theirs);

/* ---- for merge.c ---- */

/* -1 if neither's list of rounds begins with the other's. */
int merge_one_history(const struct merge *m, const struct investigation *ours, const struct investigation *theirs,
                      struct err *e);
void merge_note_conflicts(struct merge *m, struct investigation *ours); /* adds conflicts as findings */
void merge_add(struct merge *m, const char *what, const char *about, const char *text);
void merge_conflict(struct merge *m, const char *what, const char *about, const char *ours, const char *theirs,
                    const char *const row[2]);

#endif
