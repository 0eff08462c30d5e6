/* A pane shows a part of the workspace in a rectangle and has key hints. Before each frame it is updated: it scrolls
 * to its cursor and requests the data it will show. Drawing changes nothing: drawing twice gives the same cells. */
#ifndef UI_PANE_H
#define UI_PANE_H

#include "judge/verdict_text.h"
#include "ui/screen.h"

struct hint {
    const char *command; /* as bound in the keymap */
    const char *label;   /* a word or two */
};

struct pane_ops {
    const char *place; /* the keymap's name for it */
    /* called with the session locked, like draw; NULL: nothing to do */
    void (*update)(struct screen *s, struct rect r);
    void (*draw)(const struct screen *s, struct grid *g, struct rect r);
    const struct hint *hints; /* command NULL at the end */
};

extern const struct pane_ops pane_table, pane_detail, pane_stack, pane_help, pane_list, pane_outline, pane_intake,
    pane_tensor, pane_panel, pane_overview, pane_ranks, pane_starts;
extern const struct hint pane_intake_empty[]; /* the intake's, while nothing is open */

/* The keys shown for a pane: other ones while it has nothing to show. */
const struct hint *screen_hints(const struct screen *s, const struct pane_ops *p);

/* The focused pane. */
const struct pane_ops *screen_pane(const struct screen *s);
const struct pane_ops *pane_of(enum pane_id id);

/* The two top lines while the overview of ranks is shown. */
void pane_ranks_header(const struct screen *s, struct grid *g);
void pane_ranks_status(const struct screen *s, struct grid *g);
/* Draws "▕███ ▏"; returns the cells used. */
int screen_bar(struct grid *g, int y, int x, double share);
/* The last path component in which the two sides differ. */
struct str screen_telling_part(const struct comparison *x, int side);
/* Draws the last line: the prompt, the message (on more lines if needed), or key hints. */
void footer_draw(const struct screen *s, struct grid *g);
int footer_lines(const struct screen *s); /* number of lines it needs */
int footer_notice_lines(const struct screen *s); /* of a notice, which stands above the keys; 0: there is none */
void footer_draw_notice(const struct screen *s, struct grid *g, int y); /* it ends in line y */

/* Shared by panes. */
/* How many entries the list of starts would show; 0: nothing starts. */
int pane_starts_wanted(const struct screen *s);
/* The first visible line, adjusted so that `at` is among the n visible ones. */
uint32_t pane_top(uint32_t top, uint32_t at, uint32_t n);
const char *verdict_glyph(const struct line_judgement *l); /* "✗", "≈" …; NULL judgement: "…" */
uint8_t verdict_style(const struct line_judgement *l);
uint8_t verdict_style_of(enum verdict v);
uint8_t pane_panel_style(enum panel_state s);
/* Draws both runs' loss above their difference, with the place where they diverge, in h lines. */
/* The entry of the open list in this line of the screen, as it was drawn last; -1: none. */
long pane_list_entry(const struct screen *s, int y);
void pane_curves_update(struct screen *s, struct rect r, const struct curves *c);
void pane_curves_draw(const struct screen *s, struct grid *g, struct rect r, const struct curves *c);

#endif
