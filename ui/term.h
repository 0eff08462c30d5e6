/* The terminal: the only file that knows curses. It puts a grid on the screen, gives keys by name, and
 * leaves the terminal as it found it, whatever ends the program. */
#ifndef UI_TERM_H
#define UI_TERM_H

#include "base/err.h"
#include "ui/grid.h"

#define KEY_NAME 24

int term_start(struct err *e);
void term_stop(void); /* safe to call twice */
void term_size(int *rows, int *cols);
bool term_has_colour(void);
bool term_is_utf8(void);
/* Shows the grid; the cursor at (y, x), hidden when y < 0. */
void term_show(const struct grid *g, const struct scheme *s, int y, int x);
void term_repaint(void); /* the next frame is drawn in full */
/* The next key's name ("j", "PgDn", "C-d", "Resize"); false when none is waiting. */
bool term_key(char name[KEY_NAME]);
/* Gives the terminal back while `during` runs. */
void term_lend(void (*during)(void *ctx), void *ctx);

#endif
