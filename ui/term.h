/* The terminal: this file and term_keys alone know curses. It puts a grid on the screen and leaves the terminal as it
 * found it, whatever ends the program. */
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
void term_repaint(void); /* the next frame is drawn in full */
void term_put(struct str bytes); /* past curses */
/* To the clipboard of the user's terminal. Returns the multiplexer it goes through, "tmux" or "screen", or NULL. */
const char *term_copy(struct str text);
/* Gives the terminal back while `during` runs. */
void term_lend(void (*during)(void *ctx), void *ctx);
/* After a stop nobody asked for (SIGSTOP): the shell has had the terminal meanwhile. */
void term_resume(void);

#endif
