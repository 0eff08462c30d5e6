/* A pane draws a part of the desk into a rectangle and names the keys worth showing for it. */
#ifndef UI_PANE_H
#define UI_PANE_H

#include "ui/screen.h"

struct hint {
    const char *command; /* as bound in the keymap */
    const char *label;   /* a word or two */
};

struct pane_ops {
    const char *place; /* the keymap's name for it */
    void (*draw)(struct screen *s, struct rect r); /* session locked */
    const struct hint *hints; /* command NULL at the end */
};

extern const struct pane_ops pane_table, pane_detail, pane_stack, pane_help, pane_list, pane_outline, pane_intake, pane_tensor, pane_panel, pane_overview;

/* The pane that has the keys. */
const struct pane_ops *screen_pane(const struct screen *s);

/* Shared between panes. */
const char *verdict_glyph(const struct line_judgement *l); /* "✗", "≈" …; NULL judgement: "…" */
uint8_t verdict_style(const struct line_judgement *l);
uint8_t verdict_style_of(enum verdict v);
const char *verdict_glyph_of(enum verdict v);
uint8_t pane_panel_style(enum panel_state s);
/* Loss of both runs over their difference, with the place where they part; h lines. */
void draw_curves(struct screen *s, struct rect r, const struct curves *c);

#endif
