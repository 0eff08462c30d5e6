/* How the program ends before its work is done: interrupts, want of memory, crashes; the same on the screen and on the
 * command line. Whatever ends it, the terminal is as it was found. */
#ifndef UI_ENDING_H
#define UI_ENDING_H

#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

/* First of all. From here on INT, TERM and HUP end the program at once with their exit status, unless they were ignored
 * when it began, and want of memory with a sentence and EXIT_SYSTEM. */
void ending_begin(void);

/* INT, TERM and HUP are only noted; `wake` (or NULL) is called then, in a signal handler. A second INT or TERM ends the
 * program at once. */
void ending_catch(void (*wake)(void));
void ending_release(void); /* as after ending_begin: where nothing would be left behind */
int ending_signal(void);   /* the first one noted, or 0 */
int ending_status(void);   /* the exit status that goes with it; EXIT_INTERRUPTED where there was none */

/* The terminal is ours: these settings and bytes put it back, whatever signal ends the program. */
void ending_terminal(const struct termios *before, const char *bytes, size_t n);
/* It is lent to another program or given back (false), or ours again. */
void ending_terminal_ours(bool ours);
/* Around whatever writes to it. False where the program is ending on another thread: nothing may be written then. */
bool ending_draw(void);
void ending_drawn(void);
/* The same before anything is written to it: from here to ending_drawn the terminal library may end the program. */
void ending_library(void);

#endif
