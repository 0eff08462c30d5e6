/* Commands: the one way anything happens. Keys, the ':' line, scripts and (later) the guided panels
 * all give command text; a row of the table runs it on a workspace and says what has to follow. */
#ifndef CMD_CMD_H
#define CMD_CMD_H

#include "cmd/workspace.h"

/* What a command asks of whoever runs it, 0: nothing. A frame follows every command. */
enum {
    R_QUIT = 4,
    R_REPAINT = 8,   /* the terminal itself is in doubt: draw all of it */
    R_SUSPEND = 16,
    R_OPEN = 32,     /* workspace.open_file */
    R_WRITE = 64,    /* workspace.write_path */
    R_RESTART = 128, /* workspace.new_step, workspace.new_rank */
    R_PROMPT = 256,  /* workspace.prompt */
    R_COPY = 512,    /* workspace.copy */
    R_MOUSE = 1024,  /* workspace.mouse changed */
    R_KEYS = 2048,   /* workspace.keys */
    R_PAIR = 8192,   /* workspace.ranks->want: other recordings of the same inputs */
    R_RANKS = 16384, /* the ranks are to be compared */
    R_EDIT = 4096,   /* workspace.edit_command, workspace.edit_text */
};

/* What must be there for a command to make sense; if not, a sentence says so and nothing runs. */
enum {
    NEEDS_ROW = 1,
    NEEDS_PAIRED = 2, /* the lines of the table are there; of one side alone too */
    NEEDS_JUDGED = 4, /* … and verdicts, or of one side alone what is wrong with it */
    NEEDS_SEARCH = 8,
    NEEDS_BOTH = 16,  /* two sides, paired */
    ON_ROW = 128,     /* it is about the row under the cursor: not while all ranks are shown in the table's place */
    PATHS = 64,       /* its last words are paths, which complete */
    CHANGES = 32,     /* an investigation that may be changed: what cannot be kept is not done */
};

struct command {
    const char *name, *args, *help;
    unsigned needs;
    int (*run)(struct workspace *d, struct str args); /* session locked; messages through the workspace */
    /* The i-th completion of the argument, or NULL; NULL when it has none. */
    const char *(*complete)(const struct workspace *d, int i);
};

struct command_group {
    const char *title; /* for help */
    const struct command *commands; /* name NULL at the end */
};

extern const struct command_group command_groups[]; /* title NULL at the end */

const struct command *command_find(struct str name);
/* What a line of command text does, in a sentence; "" where it is no command. */
const char *command_help(const char *text);
/* Runs one line of command text, the session locked; returns the reaction bits. Unknown commands and
 * missing preconditions become the workspace's message. "12" alone goes to row 12. */
int command_run(struct workspace *d, const char *text);
/* The commands or words of their arguments that complete `text`, added to out. Takes the lock, but not while a folder
 * is read. */
void command_complete(struct workspace *d, const char *text, name_list *out);

extern const struct command commands_move[], commands_look[], commands_mark[], commands_note[], commands_round[],
    commands_open[], commands_table[], commands_tensor[], commands_work[], commands_program[],
    commands_panel[], commands_ranks[], commands_rollout[], commands_cut[];

#endif
