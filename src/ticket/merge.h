/* Two people's investigations of one ticket as one. What is merged how is a table (merge.c): a new kind of content is a
 * row of it. Done on the files' trees, so that what this version does not know is not lost. */
#ifndef TICKET_MERGE_H
#define TICKET_MERGE_H

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"

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
    const char *file, *fingerprint; /* as that investigation has them */
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
};

/* Merges `theirs` into `ours`, both whole files. Conflicts are settled by the choice; by MERGE_ASK ours stays, and what theirs
 * said becomes a finding tagged #conflict, so that it is in the file and in the report until somebody has decided. -1 with a
 * sentence where one is no investigation, or they are not about the same inputs (other paths, or files that were others): one
 * may be rounds ahead of the other (merge_rounds.c). */
int merge_investigations(struct merge *m, cJSON *ours, const cJSON *theirs, struct err *e);
void merge_release(struct merge *m);
/* Rounds' files are called NAME.round-N.gz in the file, as they lie beside an investigation of that name. */
void merge_name_rounds(cJSON *file, const char *name);

/* ---- for merge.c: its larger parts ---- */

void merge_findings(struct merge *m, cJSON *ours, const cJSON *theirs);
void merge_decisions(struct merge *m, cJSON *ours, const cJSON *theirs);
/* Of investigations' inner objects: -1 where neither's rounds are the first of the other's. */
int merge_one_history(const struct merge *m, const cJSON *ours, const cJSON *theirs, struct err *e);
void merge_rounds(struct merge *m, cJSON *ours, const cJSON *theirs);
void merge_age_answers(cJSON *o, int round); /* those about its deviation, when others have gone on */
void merge_note_conflicts(struct merge *m, cJSON *ours); /* as findings */
const char *merge_text(const cJSON *o, const char *key); /* "" where it is none */
double merge_number(const cJSON *o, const char *key);    /* 0 where it is none */
void merge_add(struct merge *m, const char *what, const char *about, const char *text);
void merge_conflict(struct merge *m, const char *what, const char *about, const char *ours, const char *theirs, const char *const row[2]);
/* The array of that name, made where there is none. */
cJSON *merge_array(cJSON *o, const char *key);
/* How many of an array hold, by the number of that name. */
int merge_now(const cJSON *o, const char *array, const char *now);
/* What was taken back is gone, as whenever something new is done. */
void merge_settle(cJSON *o, const char *array, const char *now);
void merge_set_now(cJSON *o, const char *array, const char *now);

#endif
