/* The program in a real terminal: a pty whose other end is libvterm. A small shell stands between, as
 * in life: it gives the program its process group and takes the terminal back when it stops or ends.
 * Every step waits for a mark on the screen, never for a time; only what must not happen at all, or
 * must be quick, is measured. */
#ifndef TESTS_TERMINAL_H
#define TESTS_TERMINAL_H

#include "support.h"

#include <stdbool.h>
#include <sys/types.h>
#include <termios.h>
#include <vterm.h>

#define PATIENCE_MS 60000
#define MAX_ROWS 100
#define MAX_COLS 250

/* What is tested: terminal_ready sets it. */
extern const char *program;

struct tty {
    int master, events, orders; /* from the shell, to the shell */
    pid_t shell, pid;
    VTerm *vt;
    VTermScreen *screen;
    int rows, cols;
    VTermPos cursor;
    bool cursor_shown, alternate, mouse;
    struct termios before;
    bool stopped, ended, hung_up;
    int status;
    size_t bytes;     /* the program has written */
    char tail[4096];  /* the last of them, for messages */
    size_t tail_n;
};

struct setting {
    const char *name, *value; /* value NULL: unset */
};

/* ---- the terminal and the program in it: terminal.c ---- */

/* Reads the command line PROGRAM [TEST]; false, and the usage on standard error, where it is none. */
bool terminal_ready(int argc, char **argv);

/* Before and after each test: the environment the program is to find, and the end of what a failed test left
 * running. */
int begin(void **state);
int end(void **state);
void keep_home_apart(void);

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

/* Starts argv in a terminal of that size. env: what its environment differs in, up to a row without a name; or NULL. */
void tty_run(struct tty *t, int rows, int cols, const struct setting *env, char **argv);

/* The program on the two sides of a sample, or on two paths; golden NULL: on one. */
void tty_start(struct tty *t, int rows, int cols, const struct setting *env, const char *target, const char *golden);
void tty_start_on(struct tty *t, const struct setting *env, char *target, char *golden);

void tty_send(struct tty *t, const char *keys);
/* Keys by name, "jk<Enter><C-d>:set x", as a terminal sends them. Returns how many. */
int tty_type(struct tty *t, const char *keys);
void tty_resize(struct tty *t, int rows, int cols);

/* To the shell: let the program that has stopped go on. */
void tty_continue(struct tty *t);

/* The terminal is gone, as when a connection is lost. */
void tty_hang_up(struct tty *t);

/* What the program would have written. */
void tty_feed(struct tty *t, const char *p, size_t n);

/* Takes what has come from the program and the shell, waiting up to ms for something. */
void tty_take(struct tty *t, int ms);

/* Until the program has read all keys, written what they ask for and waits for more: it sleeps longer than it waits for
 * the rest of an escape sequence. One that never sleeps, since it compares, is left after three seconds. */
void tty_rest(struct tty *t);

/* Keys that end the program, which must leave the terminal whole and the status 0. */
void tty_quit(struct tty *t, const char *keys);
void tty_close(struct tty *t);

long now_ms(void);

/* Two dumps below a scratch folder of their own, each of one API call whose stack names `source` line 3, and one with a
 * wide name. */
void make_pair(char dir[2][512], const char *source);

/* The text of a file, the caller's to free; NULL where there is none. */
char *contents(const char *dir, const char *name);
/* The next line of *at, without its end; NULL behind the last. */
char *next_line(char **at);

/* ---- looking at it: look.c ---- */

enum { NOWHERE = 1000 }; /* as a row: any */

typedef bool mark(const struct tty *t, const void *arg);

VTermScreenCell cell_at(const struct tty *t, int y, int x);

/* In the terminal's own two colours. */
bool is_plain(VTermScreenCell c);

/* A row as text, without the blanks at its end. A static buffer, four calls deep. */
const char *row_text(const struct tty *t, int y);

/* The row drawn in reverse all along its names: the cursor's. -1 when there is none (yet). */
int cursor_row(const struct tty *t);

/* Among the last bytes the program has written. */
bool has_bytes(const struct tty *t, const char *want);

/* Until the mark is there; fails with the screen as it is when it never comes. Rows below 0 count from the bottom; -1
 * has with it the lines that a long message takes. */
void wait_until(struct tty *t, mark *is_there, const void *arg, const char *what);
void wait_text(struct tty *t, int y, const char *part);
void wait_gone(struct tty *t, int y, const char *part);
void wait_row(struct tty *t, int y);
void wait_cursor(struct tty *t, const char *part); /* in the cursor's row */
void wait_end(struct tty *t);

/* The screen has settled: everything is compared, the cursor stands on the first deviation, and the
 * pane below, which is drawn after it, shows that row. */
void wait_ready(struct tty *t);

/* And what the row looks like has been found out, which comes a moment later. */
void wait_diagnosed(struct tty *t);

struct snapshot {
    char row[MAX_ROWS][MAX_COLS * 4];
};

/* Every frame asked for until now is on the screen in full: the answer to one more key is there, and
 * it changes nothing but the last line, which snapshots leave out. */
void settle(struct tty *t);
void take_snapshot(struct tty *t, struct snapshot *s);
bool looks_like(const struct tty *t, const void *snapshot);
void wait_like(struct tty *t, const struct snapshot *s);

/* The program is gone and the terminal is as it was: flags, main screen, cursor, plain attributes. */
void assert_restored(struct tty *t);
void assert_exit(const struct tty *t, int status);

#endif
