/* The guided panels: the steps of a procedure, each with what it needs, what has been found, and what to do next.
 * A panel is a row of the table in panels.c and a function that writes its page from what is known now. */
#ifndef PANEL_PANEL_H
#define PANEL_PANEL_H

#include "document/document.h"
#include "panel/panel_inputs.h"

#define PANELS 9
#define PANEL_FINDINGS 8 /* its number */
#define PANEL_ROLLOUT 9  /* shown once something of a rollout was given */

enum panel_state {
    PANEL_NOT_STARTED, /* nothing of what it needs is there */
    PANEL_NEEDS_INPUT, /* a part is */
    PANEL_OPEN,        /* what it needs is there; being judged, or a person has to decide */
    PANEL_PASSED,
    PANEL_FAILED,
    PANEL_WAIVED,
    PANEL_WAITS,       /* another panel comes first */
    PANEL_STATES
};

enum panel_mark {
    MARK_NOTE,    /* decides nothing */
    MARK_ADVICE,  /* nothing either, but should be read */
    MARK_OK,
    MARK_BAD,
    MARK_OPEN,    /* could not be judged, or a person has to */
    MARK_RUNNING,
    MARK_MISSING, /* for want of an input */
    MARK_WAIVED,
    MARK_INPUT,   /* an input that is there */
    MARK_NEED,    /* an input that is not */
    MARK_COUNT
};

/* A line of a page. Strings live in the page's arena. */
struct panel_item {
    uint8_t mark;
    const char *id;      /* what `waive` and `answer` call it, or NULL */
    const char *text;
    const char *value[2]; /* of both sides, or NULL */
    const char *detail;  /* sentences shown when the cursor is on it, or NULL */
    const char *command; /* what Enter runs, or NULL */
    const char *need;    /* of MARK_NEED and MARK_MISSING: what recipes produce it, or NULL */
    bool optional;       /* of MARK_NEED: the panel can be judged without it */
    int side;            /* whose, -1: both */
    float share;         /* 0 … 1: a bar beside it; negative: none */
    uint8_t subject;     /* enum finding_subject of a finding about this line; SUBJECT_ITEM where nothing is said */
    const char *about[2], *at; /* as of struct finding, or NULL */
};

struct panel_page {
    struct arena arena;
    enum panel_state state;
    int waits_for;       /* number of the panel that comes first, 0: none */
    const char *summary; /* the overview's line */
    const char *next;    /* a sentence: what to do */
    const char *next_command; /* what does it, or NULL */
    const char *values[2]; /* titles of the items' values, or NULL: they have none */
    const char *scale;   /* what a full bar beside an item is, or NULL */
    int picture;         /* the exam whose curves are drawn above it, -1: none */
    VEC(struct panel_item) items; /* inputs first */
};

struct procedure;

struct panel {
    const char *name;  /* for programs: "settings" */
    const char *title; /* N_ */
    const char *goal;  /* N_, a sentence */
    int after;         /* the panel whose failure comes first, 0: none */
    void (*write)(struct panel_page *p, const struct procedure *g);
};

extern const struct panel panels[PANELS]; /* [0] is panel 1 */

const char *panel_state_name(enum panel_state s);  /* "needs-input" …, for files */
int panel_state_find(const char *name);            /* by that name, or -1 */
const char *panel_state_label(enum panel_state s); /* the same in the user's words */
const char *panel_glyph(enum panel_state s);
const char *panel_mark_name(enum panel_mark m);
const char *panel_mark_glyph(enum panel_mark m);

/* ---- for the panels ---- */

/* Appends an item; the format is its text. */
struct panel_item *page_item(struct panel_page *p, enum panel_mark m, const char *id, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
void page_detail(struct panel_page *p, struct panel_item *it, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* What a finding about the line is about; each may be NULL. */
void page_subject(struct panel_page *p, struct panel_item *it, enum finding_subject kind, const char *target,
                  const char *golden, const char *at);
/* Inputs and needs of both sides of a pair of slots. `must`: without them the panel cannot be judged. */
void page_inputs(struct panel_page *p, const struct procedure *g, enum panel_input_id target,
                 enum panel_input_id golden, bool must);
void page_input(struct panel_page *p, const struct procedure *g, enum panel_input_id s, bool must);
/* What its items come to: failed where one is bad, missing input where one is missing … Items whose ids are waived
 * stop counting, and keep their reason; open ones a person has answered are fine, or bad where the answer begins so. */
void page_settle(struct panel_page *p, const struct procedure *g);
/* Items from the section of a stage: its verdict and items, then its tables' rows that have marks; the index of the
 * first. What it says comes next is the page's next step. */
size_t page_items(struct panel_page *p, const struct document *d);
size_t page_rows(struct panel_page *p, const struct document *d);
struct panel_item *page_find(struct panel_page *p, const char *id); /* NULL: none */
/* Items from sentences. */
/* What could not be read of the panel's inputs, an item each: it stays open until a person waives "unread". */
void page_unread(struct panel_page *p, const char *const *s, size_t n);
void page_sentences(struct panel_page *p, enum panel_mark m, const char *const *s, size_t n);
size_t page_count(const struct panel_page *p, enum panel_mark m);
/* The line a person looks for first: what is wrong, open, missing, being read, found. */
uint32_t page_first(const struct panel_page *p);

bool panel_is_feature(const char *id); /* of panel 7: a feature on the way to a cluster */
/* Something that can be waived or answered: a panel's number, a check's id or key, or what an item may be called. */
bool panel_knows(struct str id);

void panel_settings(struct panel_page *p, const struct procedure *g);
void panel_data(struct panel_page *p, const struct procedure *g);
void panel_first_loss(struct panel_page *p, const struct procedure *g);
void panel_norms(struct panel_page *p, const struct procedure *g);
void panel_optimizer(struct panel_page *p, const struct procedure *g);
void panel_lr0(struct panel_page *p, const struct procedure *g);
void panel_long_run(struct panel_page *p, const struct procedure *g);
void panel_findings(struct panel_page *p, const struct procedure *g);
void panel_rollout(struct panel_page *p, const struct procedure *g);

#endif
