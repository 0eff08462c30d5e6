/* Abnormal ends of the program (interrupts, lack of memory, crashes), on the screen and on the command line. In any
 * case the terminal is restored. */
#ifndef UI_ENDING_H
#define UI_ENDING_H

#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

/* Called first. From then on INT, TERM and HUP end the program at once with their exit status, unless they were
 * ignored at the start; lack of memory ends it with a message and EXIT_SYSTEM. */
void ending_begin(void);

/* From then on INT, TERM and HUP are only recorded; `wake` (or NULL) is called in the signal handler. If the
 * program has not ended 0.7 s later, it ends then; a second INT or TERM ends it at once. */
void ending_catch(void (*wake)(void));
void ending_release(void); /* undoes ending_catch, for phases in which nothing would be left behind */
int ending_signal(void);   /* the first one recorded, or 0 */
void ending_said(void);    /* that it was interrupted has been printed: not again when it ends late */
int ending_status(void);   /* its exit status; EXIT_INTERRUPTED if there was none */

/* Called when the program has taken the terminal: these settings and bytes restore it when a signal ends the program.
 */
void ending_terminal(const struct termios *before, const char *bytes, size_t n);
/* False: the terminal is lent to another program or given back; true: it is ours again. */
void ending_terminal_ours(bool ours);
/* Before writing to the terminal. False if another thread is ending the program: nothing may be written then. */
bool ending_draw(void);
void ending_drawn(void);
/* The same if the terminal library is called, which may itself end the program before ending_drawn. */
void ending_library(void);

#endif
