/* Subjects of findings: a table row per kind, which says how the user names one, what is frozen as evidence, its name
 * in sentences, and the commands that lead back to it. */
#ifndef PANEL_SUBJECT_H
#define PANEL_SUBJECT_H

#include "table/evidence.h"
#include "pair/gaps.h"
#include "panel/procedure.h"

/* The lifetime of strings depends on who made it. */
struct subject {
    enum finding_subject kind;
    const char *about[2], *at; /* as in struct finding; never NULL */
};

#define SUBJECT_DUMPS (1u << ENGINE_RUN_COUNT)

struct subject_kind {
    const char *option, *arg; /* option of `diverge note` for this kind; NULL: rows are named without one */
    unsigned exams;           /* bits of the engine runs that show it, SUBJECT_DUMPS: the dumps; 0: any */
    /* Finds the subject with that name; strings in a. -1 with a sentence that says what is missing. */
    int (*find)(const struct procedure *g, struct str name, struct subject *out, struct arena *a, struct err *e);
    void (*freeze)(const struct procedure *g, const struct subject *s, struct arena *a, fact_list *out);
    /* Appends the commands that lead to it, one per line; nothing if it is not present now. */
    void (*place)(const struct procedure *g, const struct subject *s, struct buf *out);
};

extern const struct subject_kind subject_kinds[SUBJECT_COUNT];

/* Subjects in the dumps need them paired, others the engine run's result. */
int subject_find(const struct procedure *g, enum finding_subject kind, struct str name, struct subject *out,
                 struct arena *a, struct err *e);
/* The subject for a table line: a pair, an unpaired row, or the gap that contains it. `gaps` may be NULL. */
void subject_of_line(const struct comparison *s, const gap_list *gaps, uint32_t line, struct subject *out,
                     struct arena *a);
void subject_of_call(const struct comparison *s, uint32_t line, struct subject *out, struct arena *a);
/* Turns a call into that call on one rank; the text in a. */
void subject_on_rank(struct subject *x, int step, int rank, struct arena *a);
/* The step and rank of such a subject; false for another form. */
bool subject_rank(const char *at, int *step, int *rank);
/* it NULL: the whole panel */
void subject_of_item(int panel, const struct panel_item *it, struct subject *out, struct arena *a);
struct evidence subject_freeze(const struct procedure *g, const struct subject *s, struct arena *a);
struct subject subject_of(const struct finding *x); /* shares the finding's strings */
/* subject_kind.exams for this name; some names select among them ("frozen-loss@3"). */
unsigned subject_engine_runs(enum finding_subject kind, struct str name);
/* "A ↔ B [1,2]", "setting C045 (lr)", "loss of step 1200": appends. */
void subject_text(const struct finding *x, struct buf *out);

/* The root cause of the first deviation: the newest finding about its row, an element of it, a row of its call or the
 * call, or a cause of that finding. False if there is none. */
bool subject_explains_first(const struct procedure *g, struct finding *root);

/* ---- shared by the files of the table ---- */

void subject_freeze_line(const struct procedure *g, const struct subject *s, struct arena *a, fact_list *out);
void subject_freeze_call(const struct procedure *g, const struct subject *s, struct arena *a, fact_list *out);
void subject_freeze_gap(const struct procedure *g, const struct subject *s, struct arena *a, fact_list *out);
void subject_freeze_element(const struct procedure *g, const struct subject *s, struct arena *a, fact_list *out);
void subject_freeze_setting(const struct procedure *g, const struct subject *s, struct arena *a, fact_list *out);
void subject_freeze_weight(const struct procedure *g, const struct subject *s, struct arena *a, fact_list *out);
void subject_freeze_norm(const struct procedure *g, const struct subject *s, struct arena *a, fact_list *out);
void subject_freeze_curve(const struct procedure *g, const struct subject *s, struct arena *a, fact_list *out);
void subject_freeze_hypothesis(const struct procedure *g, const struct subject *s, struct arena *a, fact_list *out);
void subject_freeze_item(const struct procedure *g, const struct subject *s, struct arena *a, fact_list *out);
void subject_freeze_runs(const struct procedure *g, const struct subject *s, struct arena *a, fact_list *out);
/* The line of the subject's rows, calls or gap; NONE: not present. */
uint32_t subject_line(const struct comparison *s, const struct subject *x);
/* Parses "[1,2,3]" or "[0:4,8]": begin and end on each axis. False for another form. */
bool subject_region(struct str at, int64_t from[TENSOR_DIMS], int64_t to[TENSOR_DIMS], int *axes);
/* Parses "frozen-loss@12": which curves, which series (LOG_LOSS …), which step. */
bool subject_point(struct str at, bool *frozen, enum log_value *series, int64_t *step);
const struct weight_pair *subject_weight(const struct weight_compare *c, struct str name);
const struct norm_pair *subject_norm(const struct norms *n, struct str name);
const struct step_reason *subject_reason(const struct optimizer *x, struct str at);
/* The panel line with this subject; UINT32_MAX: none. */
uint32_t subject_item(const struct procedure *g, const struct subject *s, int *panel);

#endif
