/* The guided panels: the steps of the procedure, each with its inputs, results and the next action. A panel is a row
 * of the table in panels.c and a function that writes its page from the current state. */
#ifndef PANEL_PANEL_H
#define PANEL_PANEL_H

#include "document/document.h"
#include "panel/panel_inputs.h"

#define PANELS 9
#define PANEL_FINDINGS 8 /* its number */
#define PANEL_ROLLOUT 9  /* shown once an input about a rollout was given */

enum panel_state {
    PANEL_NOT_STARTED, /* none of its inputs is given */
    PANEL_NEEDS_INPUT, /* some of its inputs are given */
    PANEL_OPEN,        /* its inputs are given; being judged, or the user has to decide */
    PANEL_PASSED,
    PANEL_FAILED,
    PANEL_WAIVED,
    PANEL_WAITS,       /* another panel has to come first */
    PANEL_STATES
};

enum panel_mark {
    MARK_NOTE,    /* no effect on the state */
    MARK_ADVICE,  /* no effect either, but important */
    MARK_OK,
    MARK_BAD,
    MARK_OPEN,    /* could not be judged, or the user has to decide */
    MARK_RUNNING,
    MARK_MISSING, /* an input is missing */
    MARK_WAIVED,
    MARK_INPUT,   /* a given input */
    MARK_NEED,    /* a missing input */
    MARK_COUNT
};

/* A line of a page. Strings are in the page's arena. */
struct panel_item {
    uint8_t mark;
    const char *id;      /* by which `waive` and `answer` refer to it, or NULL */
    const char *text;
    const char *value[2]; /* values of both sides, or NULL */
    const char *detail;  /* sentences shown when it is selected, or NULL */
    const char *command; /* the command run by Enter, or NULL */
    const char *need;    /* for MARK_NEED and MARK_MISSING: the need that recipes fulfil, or NULL */
    bool optional;       /* for MARK_NEED: the panel can be judged without it */
    int side;            /* the side it belongs to, -1: both */
    float share;         /* length of the bar beside it, 0 … 1; negative: none */
    uint8_t subject;     /* enum finding_subject of a finding about this line; default SUBJECT_ITEM */
    const char *about[2], *at; /* as in struct finding, or NULL */
};

struct panel_page {
    struct arena arena;
    enum panel_state state;
    int waits_for;       /* number of the panel that has to come first, 0: none */
    const char *summary; /* its line in the overview */
    const char *next;    /* the next action, as a sentence */
    const char *next_command; /* the command for it, or NULL */
    const char *values[2]; /* titles of the items' values, or NULL */
    const char *scale;   /* meaning of a full bar, or NULL */
    int picture;         /* engine run whose curves are drawn above, -1: none */
    VEC(struct panel_item) items; /* inputs first */
};

struct procedure;

struct panel {
    const char *name;  /* for programs: "settings" */
    const char *title; /* N_ */
    const char *goal;  /* N_, a sentence */
    int after;         /* the panel that has to pass first, 0: none */
    void (*write)(struct panel_page *p, const struct procedure *g);
};

extern const struct panel panels[PANELS]; /* [0] is panel 1 */

const char *panel_state_name(enum panel_state s);  /* "needs-input" …, for files */
int panel_state_find(const char *name);            /* inverse of panel_state_name, or -1 */
const char *panel_state_label(enum panel_state s); /* in the user's language */
const char *panel_glyph(enum panel_state s);
const char *panel_mark_name(enum panel_mark m);
const char *panel_mark_glyph(enum panel_mark m);

/* ---- for the panels ---- */

/* Appends an item; fmt gives its text. */
struct panel_item *page_item(struct panel_page *p, enum panel_mark m, const char *id, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
void page_detail(struct panel_page *p, struct panel_item *it, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Sets the subject of findings about the line; each text may be NULL. */
void page_subject(struct panel_page *p, struct panel_item *it, enum finding_subject kind, const char *target,
                  const char *golden, const char *at);
/* Adds the given and missing inputs of both sides. `must`: the panel cannot be judged without them. */
void page_inputs(struct panel_page *p, const struct procedure *g, enum panel_input_id target,
                 enum panel_input_id golden, bool must);
void page_input(struct panel_page *p, const struct procedure *g, enum panel_input_id s, bool must);
/* Derives the panel's state from its items: failed if one is bad, missing input if one is missing … Waived items do
 * not count and keep their reason; an open item that the user has answered is fine, or bad if the answer begins with
 * "bad". */
void page_settle(struct panel_page *p, const struct procedure *g);
/* Adds items from a stage's section: its verdict and items, then table rows that have marks; returns the index of the
 * first. The section's next step becomes the page's. */
size_t page_items(struct panel_page *p, const struct document *d);
size_t page_rows(struct panel_page *p, const struct document *d);
struct panel_item *page_find(struct panel_page *p, const char *id); /* NULL: none */
/* Adds items from sentences. */
/* Adds an item for each unreadable part of the panel's inputs; it stays open until the user waives "unread". */
void page_unread(struct panel_page *p, const char *const *s, size_t n);
void page_sentences(struct panel_page *p, enum panel_mark m, const char *const *s, size_t n);
size_t page_count(const struct panel_page *p, enum panel_mark m);
/* The most important line: something wrong, open, missing, running, or found. */
uint32_t page_first(const struct panel_page *p);

bool panel_is_feature(const char *id); /* an item of panel 7: a feature of scaling up to a cluster */
/* Whether the id can be waived or answered: a panel's number, a check's id or key, or an item's id. */
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
