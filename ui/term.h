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
/* Shows the grid and its cursor. */
void term_show(const struct grid *g, const struct scheme *s);
void term_repaint(void); /* the next frame is drawn in full */
/* The next key's name ("j", "PgDn", "C-d", "Resize"); false when none is waiting. Pasted text is not keys: it is
 * collected and then the one key "Paste"; what the terminal answers to term_ask_background is the key "Background". */
bool term_key(char name[KEY_NAME]);
/* After the key "Paste": the text, as long as no other is pasted. */
struct str term_pasted(void);
/* Asks the terminal for its background, where it is one that is known to answer or to keep silent. */
void term_ask_background(void);
bool term_background_is_light(void); /* after the key "Background" */
void term_mouse(bool on);
/* After the key "Mouse": where, and a wheel's step (-1 up, 1 down, 0 a click). */
bool term_mouse_event(int *y, int *x, int *by);
/* To the clipboard of the user's terminal. Returns the multiplexer it goes through, "tmux" or "screen", or NULL. */
const char *term_copy(struct str text);
/* Gives the terminal back while `during` runs. */
void term_lend(void (*during)(void *ctx), void *ctx);
/* After a stop nobody asked for (SIGSTOP): the shell has had the terminal meanwhile. */
void term_resume(void);

#endif
