/* The terminal. Only this file and term_keys.c use curses. It shows a grid and restores the terminal when the program
 * ends, for whatever reason. */
#ifndef UI_TERM_H
#define UI_TERM_H

#include "base/err.h"
#include "ui/grid.h"

int term_start(struct err *e);
void term_stop(void); /* safe to call twice */
void term_size(int *rows, int *cols);
bool term_has_colour(void);
bool term_is_utf8(void);
/* Shows the grid and its cursor. */
void term_show(const struct grid *g, const struct scheme *s);
void term_repaint(void); /* requests a full redraw with the next frame */
void term_put(struct str bytes); /* written directly, without curses */
/* Copies to the clipboard of the user's terminal. Returns the multiplexer in between, "tmux" or "screen", or NULL. */
const char *term_copy(struct str text);
/* Releases the terminal while `during` runs. */
void term_lend(void (*during)(void *ctx), void *ctx);
/* Called after an unexpected stop (SIGSTOP): the shell has used the terminal meanwhile. */
void term_resume(void);

#endif
