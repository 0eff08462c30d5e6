/* A pane shows a part of the workspace in a rectangle and names the keys worth showing for it. Before a frame it is
 * updated: it scrolls to its cursor and asks for what it is going to show. Drawing changes nothing: twice gives the
 * same cells. */
#ifndef UI_PANE_H
#define UI_PANE_H

#include "ui/screen.h"

struct hint {
    const char *command; /* as bound in the keymap */
    const char *label;   /* a word or two */
};

struct pane_ops {
    const char *place; /* the keymap's name for it */
    void (*update)(struct screen *s, struct rect r); /* session locked, as for draw; NULL: nothing to do */
    void (*draw)(const struct screen *s, struct grid *g, struct rect r);
    const struct hint *hints; /* command NULL at the end */
};

extern const struct pane_ops pane_table, pane_detail, pane_stack, pane_help, pane_list, pane_outline, pane_intake,
    pane_tensor, pane_panel, pane_overview, pane_ranks;

/* The pane that has the keys. */
const struct pane_ops *screen_pane(const struct screen *s);
const struct pane_ops *pane_of(enum pane_id id);

/* The two lines on top while all ranks are shown. */
void pane_ranks_header(const struct screen *s, struct grid *g);
void pane_ranks_status(const struct screen *s, struct grid *g);
/* "▕███   ▏": cells used */
int screen_bar(struct grid *g, int y, int x, double share);
/* What tells one side's path from the other's: the last part in which they differ. */
struct str screen_telling_part(const struct comparison *x, int side);
/* The last line: what is typed, what was said (over as many lines more as it takes), or the keys that work now. */
void footer_draw(const struct screen *s, struct grid *g);
int footer_lines(const struct screen *s); /* that it takes */

/* Shared between panes. */
/* the first line shown, moved so that `at` is among the n shown */
uint32_t pane_top(uint32_t top, uint32_t at, uint32_t n);
const char *verdict_glyph(const struct line_judgement *l); /* "✗", "≈" …; NULL judgement: "…" */
uint8_t verdict_style(const struct line_judgement *l);
uint8_t verdict_style_of(enum verdict v);
const char *verdict_glyph_of(enum verdict v);
uint8_t pane_panel_style(enum panel_state s);
/* Loss of both runs over their difference, with the place where they diverge; h lines. */
/* The entry of the open list in this line of the screen, as it was drawn last; -1: none. */
long pane_list_entry(const struct screen *s, int y);
void pane_curves_update(struct screen *s, struct rect r, const struct curves *c);
void pane_curves_draw(const struct screen *s, struct grid *g, struct rect r, const struct curves *c);

#endif
