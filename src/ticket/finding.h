/* Findings: what an engineer says of a row, a call, an element of a tensor, a setting, a weight, a point of a curve …
 * (its subject), with what was seen frozen beside it, so that it stays true when the dumps are gone. Kept as decisions
 * are (pair/decision.h): a list of versions in the order they were written, with a place in it, so that everything can
 * be taken back and done again after the program was left. What holds is the last version of each finding. */
#ifndef TICKET_FINDING_H
#define TICKET_FINDING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/json_write.h"
#include "base/vec.h"

enum finding_status { FINDING_SUSPECTED, FINDING_CLEARED, FINDING_WAIVED, FINDING_ROOT_CAUSE, FINDING_STATUSES };
enum finding_severity { FINDING_UNSET, FINDING_LOW, FINDING_MEDIUM, FINDING_HIGH, FINDING_SEVERITIES };

/* What a finding is about; how each is named, found again and frozen is the table of panel/subject.c. */
enum finding_subject {
    SUBJECT_PAIR,       /* a row of each side */
    SUBJECT_ROW,        /* a row without a partner */
    SUBJECT_CALL,       /* about: the calls' names */
    SUBJECT_GAP,        /* a run of calls without partners; about: the first of each side */
    SUBJECT_ELEMENT,    /* about: the rows; at: "[1,2,3]", or a region "[0:4,8:16]" */
    SUBJECT_SETTING,    /* at: the check's id or the setting's name */
    SUBJECT_WEIGHT,     /* about: the weights' names */
    SUBJECT_NORM,       /* about: the parameters' names */
    SUBJECT_CURVE,      /* at: "loss@1200", "frozen-norm@3" */
    SUBJECT_HYPOTHESIS, /* why an optimizer step differs; at: "target eps" */
    SUBJECT_ITEM,       /* another line of a panel; at: "3 first-loss", or the panel's number alone */
    SUBJECT_RUNS,       /* both runs as a whole */
    SUBJECT_COUNT
};

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
    uint8_t subject;
    const char *about[2]; /* names of target and golden, "" where a side has none */
    const char *at;       /* which of them, "" where the names tell; NULL is "" */
    uint32_t cause;       /* number of the finding it follows from, 0: none is named */
    bool again;           /* there is an earlier version: that one has the evidence in files */
    uint16_t depth;       /* of what findings_read gives: so many causes stand above it */
    struct evidence evidence; /* shared by all versions */
    const char *rest;     /* members of a newer program's, as JSON, or NULL */
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
/* The one of that number that holds; false where there is none. */
bool findings_get(const struct findings *f, uint32_t number, struct finding *out);

/* ---- in causal order (finding_list.c) ---- */

/* What holds: by place, and what follows from another finding behind it; appended. Strings stay the log's. A cause that
 * is gone, or a ring of causes a file may hold, parts the chain there. */
void findings_read(const struct findings *f, finding_list *out);
/* The newest that is about one of these rows (as pair, row or element), or these calls; names "" match nothing. */
bool findings_about(const struct findings *f, const char *target, const char *golden, struct finding *out);
/* The newest of that subject. */
bool findings_on(const struct findings *f, enum finding_subject subject, const char *const about[2], const char *at,
                 struct finding *out);
/* It changes places with the one before or behind it (by -1 or 1) that follows from the same cause, as one step of that
 * author and time; nothing at the ends. */
void findings_move(struct findings *f, uint32_t number, int by, const char *author, int64_t time);
bool findings_movable(const struct findings *f, uint32_t number, int by);
/* Whether `number` may follow from `cause` (0 always): -1 with a sentence where one of them is not there, or the cause
 * itself follows from it. */
int findings_linkable(const struct findings *f, uint32_t number, uint32_t cause, struct err *e);
/* The finding called the root cause that it is or follows from; false where there is none. */
bool findings_root(const struct findings *f, uint32_t number, struct finding *out);

/* A text in one line: lines and runs of blanks become one blank. Replaces out's content. */
void finding_line(const char *text, struct buf *out);
/* Words that all have to hold: a status or its beginning, #tag, author:NAME, severity:LEVEL, on:SUBJECT, else a part of
 * the text, in any case. */
bool finding_wanted(const struct finding *x, struct str filter);

/* The i-th word of a text that begins with '#', without it; n 0 behind the last. */
struct str finding_tag(struct str text, int i);
/* The text with these tags added ("#a #b" or "a b"), or taken out ("-a"). Replaces out's content. */
void finding_retag(struct str text, struct str tags, struct buf *out);

const char *finding_status_name(enum finding_status s); /* "root-cause" …, for files; _() of it for people */
int finding_status_find(struct str name);               /* by any beginning of the name, or -1 */
const char *finding_severity_name(enum finding_severity s);
int finding_severity_find(struct str name);
/* Its `about` names rows. */
static inline bool finding_of_rows(const struct finding *x)
{
    return x->subject == SUBJECT_PAIR || x->subject == SUBJECT_ROW || x->subject == SUBJECT_ELEMENT;
}
int finding_subject_find(struct str name);

/* One version as files have it, and the members by which two first versions are one finding (MEMBER_KEY), that a new
 * version changes, and that name another finding. */
struct record;
extern const struct record finding_record;
/* Versions that were read from a file share their first one's evidence. */
void findings_settle(struct findings *f);
/* One version as an object, with its evidence. */
void finding_json(struct jsonw *w, const struct finding *x);

#endif
