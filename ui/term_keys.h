/* The terminal as it gives keys, by name, and what else is typed or answered. */
#ifndef UI_TERM_KEYS_H
#define UI_TERM_KEYS_H

#include "ui/term.h"

#define KEY_NAME 24

/* Pasted text comes between two marks (bracketed paste). */
#define TERM_PASTE "\033[?2004h"
#define TERM_NO_PASTE "\033[?2004l"
#define TERM_NO_MOUSE "\033[?1006l\033[?1000l"

void term_keys_begin(void); /* once curses has the terminal */
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

#endif
