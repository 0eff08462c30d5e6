/* Findings: what an engineer says of rows (later also of a setting or a point of a curve), with what was seen
 * frozen beside it, so that it stays true when the dumps are gone. Kept as decisions are (model/decision.h): a list of
 * versions in the order they were written, with a place in it, so that everything can be taken back and done again
 * after the program was left. What holds is the last version of each finding. */
#ifndef MODEL_FINDING_H
#define MODEL_FINDING_H

#include <stdbool.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/jsonw.h"
#include "base/vec.h"

enum finding_status { FINDING_SUSPECTED, FINDING_CLEARED, FINDING_WAIVED, FINDING_ROOT_CAUSE, FINDING_STATUSES };
enum finding_severity { FINDING_UNSET, FINDING_LOW, FINDING_MEDIUM, FINDING_HIGH, FINDING_SEVERITIES };

/* Something that was seen: numbers as text, with the digits they carried. */
struct fact {
    const char *what;    /* "dtype", "rel_l2", "frame" …: stable, for files */
    const char *side[2]; /* of target and golden, "" where one has none; side[1] NULL: of the two together */
};
typedef VEC(struct fact) fact_list;

struct evidence {
    const struct fact *fact;
    size_t n;
};
/* A copy of the facts that lives with the arena; the list is empty afterwards. */
struct evidence evidence_keep(struct arena *a, fact_list *l);

struct finding {
    uint32_t number;      /* 1, 2 …: what it is called by */
    uint32_t step;        /* versions of one step are taken back together */
    uint32_t place;       /* in the causal chain: causes first */
    bool removed;
    uint8_t status, severity;
    const char *text, *author; /* "" where not known */
    int64_t time;         /* of this version, seconds since 1970; 0: not known */
    const char *about[2]; /* row names of target and golden, "" where a side has none */
    struct evidence evidence; /* shared by all versions */
};
typedef VEC(struct finding) finding_list;

struct findings {
    finding_list log;
    size_t now; /* so many versions hold; those behind were taken back */
};

/* Appends a version; what was taken back before is gone. Strings and evidence are kept as they are. */
void findings_add(struct findings *f, struct finding x);
uint32_t findings_step(const struct findings *f);   /* the number for a new step */
uint32_t findings_number(const struct findings *f); /* the number of a new finding */
/* Back or forward by one step; false where there is none. */
bool findings_undo(struct findings *f, bool redo);
void findings_release(struct findings *f);
/* What holds, in causal order; appended. Strings stay the log's. */
void findings_read(const struct findings *f, finding_list *out);
/* The one of that number that holds; false where there is none. */
bool findings_get(const struct findings *f, uint32_t number, struct finding *out);
/* The newest that is about these rows; names "" match nothing. */
bool findings_about(const struct findings *f, const char *target, const char *golden, struct finding *out);
/* It changes places with its neighbour in the chain (by -1 or 1), as one step of that author and time; nothing at the ends. */
void findings_move(struct findings *f, uint32_t number, int by, const char *author, int64_t time);
bool findings_movable(const struct findings *f, uint32_t number, int by);

/* The i-th word of a text that begins with '#', without it; n 0 behind the last. */
struct str finding_tag(struct str text, int i);

const char *finding_status_name(enum finding_status s); /* "root-cause" …, for files; _() of it for people */
int finding_status_find(struct str name);               /* by any beginning of the name, or -1 */
const char *finding_severity_name(enum finding_severity s);
int finding_severity_find(struct str name);

/* The members "findings" and "found" of an investigation. */
void findings_load(struct findings *f, struct arena *a, const cJSON *investigation);
void findings_save(struct jsonw *w, const struct findings *f);
/* One version as an object, with its evidence. */
void finding_json(struct jsonw *w, const struct finding *x, bool evidence);

#endif
