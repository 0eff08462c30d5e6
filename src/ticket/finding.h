/* Findings: an engineer's note about a row, a call, an element of a tensor, a setting, a weight, a point of a curve …
 * (its subject), with a frozen copy of the evidence, so that it stays valid without the dumps. Stored like decisions
 * (pair/decision.h): a list of versions in the order of writing, with a position, so that everything can be undone
 * and redone, also after a restart. The current state of a finding is its last version in force. */
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

/* The kind of subject; panel/subject.c has a table of how each is named, found and frozen. */
enum finding_subject {
    SUBJECT_PAIR,       /* a row of each side */
    SUBJECT_ROW,        /* a row without a counterpart */
    SUBJECT_CALL,       /* about: names of the calls */
    SUBJECT_GAP,        /* a run of unpaired calls; about: the first of each side */
    SUBJECT_ELEMENT,    /* about: the rows; at: "[1,2,3]", or a region "[0:4,8:16]" */
    SUBJECT_SETTING,    /* at: the check's id or the setting's name */
    SUBJECT_WEIGHT,     /* about: the weights' names */
    SUBJECT_NORM,       /* about: the parameters' names */
    SUBJECT_CURVE,      /* at: "loss@1200", "frozen-norm@3" */
    SUBJECT_HYPOTHESIS, /* why an optimizer step differs; at: "target eps" */
    SUBJECT_ITEM,       /* another line of a panel; at: "3 first-loss", or the panel's number alone */
    SUBJECT_RUNS,       /* both runs as a whole */
    SUBJECT_RANK_CALL,  /* a call on one rank of a job; about: names of the calls; at: "step 0 rank 3" */
    SUBJECT_COUNT
};

/* One piece of evidence: numbers as text with their original digits. */
struct fact {
    const char *what;    /* "dtype", "rel_l2", "frame" …: stable, for files */
    const char *side[2]; /* of target and golden, "" if absent; side[1] NULL: a single value for both */
};
typedef VEC(struct fact) fact_list;

struct evidence {
    const struct fact *fact;
    size_t n;
};
/* Copies the facts into the arena and empties the list. */
struct evidence evidence_keep(struct arena *a, fact_list *l);

struct finding {
    uint32_t number;      /* 1, 2 …, as shown */
    uint32_t step;        /* versions of one step are undone together */
    uint32_t place;       /* position in the causal order: causes first */
    bool removed;
    uint8_t status, severity;
    const char *text, *author; /* author: "" if unknown */
    int64_t time;         /* of this version, seconds since 1970; 0: unknown */
    uint8_t subject;
    const char *about[2]; /* names of target and golden, "" if absent */
    const char *at;       /* which element, setting, step …; "" if `about` identifies it; NULL is "" */
    uint32_t cause;       /* number of the finding that caused it; 0: none */
    bool again;           /* an earlier version exists; in files that one holds the evidence */
    uint16_t depth;       /* set by findings_read: number of causes above it */
    struct evidence evidence; /* shared by all versions */
    const char *rest;     /* members written by a newer program, as JSON, or NULL */
};
typedef VEC(struct finding) finding_list;

struct findings {
    finding_list log;
    size_t now; /* number of versions in force; later ones are undone */
};

/* Appends a version and drops undone ones. Strings and evidence are not copied. */
void findings_add(struct findings *f, struct finding x);
uint32_t findings_step(const struct findings *f);   /* the number for a new step */
uint32_t findings_number(const struct findings *f); /* the number of a new finding */
/* Moves back or forward by one step; false if there is none. */
bool findings_undo(struct findings *f, bool redo);
void findings_release(struct findings *f);
/* The current version of that finding; false if there is none. */
bool findings_get(const struct findings *f, uint32_t number, struct finding *out);

/* ---- in causal order (finding_list.c) ---- */

size_t findings_open(const struct findings *f); /* number of current findings that are still suspected */

/* Appends the current findings by place, each after its cause. Strings stay owned by the log. A missing cause, or a
 * cycle that a file may contain, ends the chain. */
void findings_read(const struct findings *f, finding_list *out);
/* The newest finding about one of these rows (as pair, row or element) or calls; the name "" matches nothing. */
bool findings_about(const struct findings *f, const char *target, const char *golden, struct finding *out);
/* The newest finding about that subject. */
bool findings_on(const struct findings *f, enum finding_subject subject, const char *const about[2], const char *at,
                 struct finding *out);
/* Swaps it with the previous or next one (by -1 or 1) that has the same cause, as one step of that author and time;
 * no effect at the ends. */
void findings_move(struct findings *f, uint32_t number, int by, const char *author, int64_t time);
bool findings_movable(const struct findings *f, uint32_t number, int by);
/* Whether `number` may have the cause `cause` (0 always): -1 with a sentence if one of them does not exist or the
 * causes would form a cycle. */
int findings_linkable(const struct findings *f, uint32_t number, uint32_t cause, struct err *e);
/* The finding marked as root cause that is this one or among its causes; false if there is none. */
bool findings_root(const struct findings *f, uint32_t number, struct finding *out);

/* Replaces out by the text on one line: line ends and runs of blanks become one blank. */
void finding_line(const char *text, struct buf *out);
/* Whether a finding matches all words: a status or its prefix, #tag, author:NAME, severity:LEVEL, on:SUBJECT,
 * otherwise a part of the text, ignoring case. */
bool finding_wanted(const struct finding *x, struct str filter);

/* The i-th word of a text that begins with '#', without it; n 0 after the last. */
struct str finding_tag(struct str text, int i);
/* Replaces out by the text with tags added ("#a #b" or "a b") or removed ("-a"). */
void finding_retag(struct str text, struct str tags, struct buf *out);

const char *finding_status_name(enum finding_status s); /* "root-cause" …, for files; _() translates it */
int finding_status_find(struct str name);               /* by any prefix of the name, or -1 */
const char *finding_severity_name(enum finding_severity s);
int finding_severity_find(struct str name);
/* Whether its `about` names rows. */
static inline bool finding_of_rows(const struct finding *x)
{
    return x->subject == SUBJECT_PAIR || x->subject == SUBJECT_ROW || x->subject == SUBJECT_ELEMENT;
}
int finding_subject_find(struct str name);

/* The file format of one version. Roles of members: those that identify a finding (MEMBER_KEY), those that a new
 * version changes, and those that refer to another finding. */
struct record;
extern const struct record finding_record;
/* Makes all versions read from a file share the first one's evidence. */
void findings_settle(struct findings *f);
/* Writes one version as an object, with its evidence. */
void finding_json(struct jsonw *w, const struct finding *x);

#endif
