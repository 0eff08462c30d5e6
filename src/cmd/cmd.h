/* Commands: the one way anything happens. Keys, the ':' line, scripts and (later) the guided panels
 * all give command text; a row of the table runs it on a desk and says what has to follow. */
#ifndef CMD_CMD_H
#define CMD_CMD_H

#include "cmd/workspace.h"

/* What a command asks of whoever runs it. */
enum {
    R_DRAW = 1,      /* something visible changed */
    R_LAYOUT = 2,    /* panes changed their places */
    R_QUIT = 4,
    R_REPAINT = 8,   /* the terminal itself is in doubt: draw all of it */
    R_SUSPEND = 16,
    R_OPEN = 32,     /* desk.open_file */
    R_WRITE = 64,    /* desk.write_path */
    R_RESTART = 128, /* desk.new_step, desk.new_rank */
    R_PROMPT = 256,  /* desk.prompt */
    R_COPY = 512,    /* desk.copy */
    R_MOUSE = 1024,  /* desk.mouse changed */
    R_KEYS = 2048,   /* desk.keys */
    R_EDIT = 4096,   /* desk.edit_command, desk.edit_text */
};

/* What must be there for a command to make sense; if not, a sentence says so and nothing runs. */
enum {
    NEEDS_ROW = 1,
    NEEDS_PAIRED = 2, /* the lines of the table are there; of one side alone too */
    NEEDS_JUDGED = 4, /* … and verdicts, or of one side alone what is wrong with it */
    NEEDS_SEARCH = 8,
    NEEDS_BOTH = 16,  /* two sides, paired */
};

struct command {
    const char *name, *args, *help;
    unsigned needs;
    int (*run)(struct workspace *d, struct str args); /* session locked; messages through the desk */
    /* The i-th completion of the argument, or NULL; NULL when it has none. */
    const char *(*complete)(const struct workspace *d, int i);
};

struct command_group {
    const char *title; /* for help */
    const struct command *commands; /* name NULL at the end */
};

extern const struct command_group command_groups[]; /* title NULL at the end */

const struct command *command_find(struct str name);
/* Takes the lock, runs one line of command text, returns the reaction bits. Unknown commands and
 * missing preconditions become the desk's message. "12" alone goes to row 12. */
int command_run(struct workspace *d, const char *text);
int command_run_locked(struct workspace *d, const char *text); /* the same for a command that runs another */
/* The i-th command or argument that completes `text`; NULL when there are no more. */
const char *command_complete(struct workspace *d, const char *text, int i);

extern const struct command commands_move[], commands_look[], commands_mark[], commands_note[], commands_round[], commands_open[], commands_table[], commands_tensor[], commands_work[], commands_program[],
    commands_panel[];

/* For the commands that move and open: the same in the panels. */
int panel_enter(struct workspace *d);
void panel_step(struct workspace *d, long by);

#endif
