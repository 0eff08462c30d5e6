/* What findings are about: a row of the table below a kind. Each knows how a person names one, what is seen of it now
 * (frozen as evidence), how it is called in a sentence, and the commands that go back to it. */
#ifndef PANEL_SUBJECT_H
#define PANEL_SUBJECT_H

#include "table/evidence.h"
#include "pair/gaps.h"
#include "panel/procedure.h"

/* Strings live where who made it says. */
struct subject {
    enum finding_subject kind;
    const char *about[2], *at; /* as of struct finding; never NULL */
};

#define SUBJECT_DUMPS (1u << ENGINE_RUN_COUNT)

struct subject_kind {
    const char *option, *arg; /* of `diverge note`, for its own kind only; NULL: rows are named without one */
    unsigned exams;           /* bits of the exams it is seen in, SUBJECT_DUMPS: the dumps; 0: any */
    /* The one of that name; strings in a. -1 with a sentence that says what is not there. */
    int (*find)(const struct procedure *g, struct str name, struct subject *out, struct arena *a, struct err *e);
    void (*freeze)(const struct procedure *g, const struct subject *s, struct arena *a, fact_list *out);
    /* Commands that lead there, one a line; nothing where it is not there now. Appends. */
    void (*place)(const struct procedure *g, const struct subject *s, struct buf *out);
};

extern const struct subject_kind subject_kinds[SUBJECT_COUNT];

/* What is about dumps needs them paired, the rest the exam's result. */
int subject_find(const struct procedure *g, enum finding_subject kind, struct str name, struct subject *out,
                 struct arena *a, struct err *e);
/* What a line of the table is: a pair, a row without partner, or the gap it lies in. `gaps` may be NULL. */
void subject_of_line(const struct comparison *s, const gap_list *gaps, uint32_t line, struct subject *out,
                     struct arena *a);
void subject_of_call(const struct comparison *s, uint32_t line, struct subject *out, struct arena *a);
/* it NULL: the panel */
void subject_of_item(int panel, const struct panel_item *it, struct subject *out, struct arena *a);
struct evidence subject_freeze(const struct procedure *g, const struct subject *s, struct arena *a);
struct subject subject_of(const struct finding *x); /* its strings are the finding's */
/* subject_kind.exams; some names choose among them ("frozen-loss@3"). */
unsigned subject_engine_runs(enum finding_subject kind, struct str name);
/* "A ↔ B [1,2]", "setting C045 (lr)", "loss of step 1200": appends. */
void subject_text(const struct finding *x, struct buf *out);

/* The root cause of the first deviation: what the newest finding about its row, an element of it, a row of its call or
 * the call is or follows from. False where there is none. */
bool subject_explains_first(const struct procedure *g, struct finding *root);

/* ---- for the files of the table ---- */

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
/* The line of the subject's rows, calls or gap; NONE: not there. */
uint32_t subject_line(const struct comparison *s, const struct subject *x);
/* "[1,2,3]" or "[0:4,8]": where each axis begins and ends. False where it is neither. */
bool subject_region(struct str at, int64_t from[TENSOR_DIMS], int64_t to[TENSOR_DIMS], int *axes);
/* "frozen-loss@12": which curves, which series (LOG_LOSS …), which step. */
bool subject_point(struct str at, bool *frozen, enum log_value *series, int64_t *step);
const struct weight_pair *subject_weight(const struct weight_compare *c, struct str name);
const struct norm_pair *subject_norm(const struct norms *n, struct str name);
const struct step_reason *subject_reason(const struct optimizer *x, struct str at);
/* A panel's line that is this subject; UINT32_MAX: none. */
uint32_t subject_item(const struct procedure *g, const struct subject *s, int *panel);

#endif
