/* Input from the terminal: key names, pasted text, and answers to queries. */
#ifndef UI_TERM_KEYS_H
#define UI_TERM_KEYS_H

#include "ui/term.h"

#define KEY_NAME 24

/* Pasted text is enclosed in markers (bracketed paste). */
#define TERM_PASTE "\033[?2004h"
#define TERM_NO_PASTE "\033[?2004l"
#define TERM_NO_MOUSE "\033[?1006l\033[?1000l"

void term_keys_begin(void); /* called once curses has the terminal */
/* The next key's name ("j", "PgDn", "C-d", "Resize"); false if none is waiting. Pasted text is collected and reported
 * as the key "Paste"; the answer to term_ask_background as the key "Background". */
bool term_key(char name[KEY_NAME]);
/* After the key "Paste": the text, valid until the next paste. */
struct str term_pasted(void);
/* Asks the terminal for its background colour, if it is known to answer or ignore the query. */
void term_ask_background(void);
bool term_background_is_light(void); /* valid after the key "Background" */
void term_mouse(bool on);
/* After the key "Mouse": the position, and a wheel step (-1 up, 1 down, 0 a click). */
bool term_mouse_event(int *y, int *x, int *by);

#endif
