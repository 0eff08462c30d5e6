/* Commands: the only way to trigger an action. Keys, the ':' line, scripts and panels produce command text; a table
 * row runs it on a workspace and returns what has to follow. */
#ifndef CMD_CMD_H
#define CMD_CMD_H

#include "cmd/workspace.h"

/* Reactions requested by a command, 0: none. A frame is drawn after every command. */
enum {
    R_QUIT = 4,
    R_ASK = 2,       /* with R_QUIT: only if it comes a second time */
    R_REPAINT = 8,   /* redraw the whole terminal, whose contents are uncertain */
    R_SUSPEND = 16,
    R_OPEN = 32,     /* workspace.open_file */
    R_WRITE = 64,    /* workspace.write_path */
    R_RESTART = 128, /* workspace.new_step, workspace.new_rank */
    R_PROMPT = 256,  /* workspace.prompt */
    R_COPY = 512,    /* workspace.copy */
    R_MOUSE = 1024,  /* workspace.mouse changed */
    R_KEYS = 2048,   /* workspace.keys */
    R_PAIR = 8192,   /* workspace.ranks->want: open other recordings of the same inputs */
    R_RANKS = 16384, /* start comparing the ranks */
    R_SHELL = 32768, /* workspace.tool on the row under the cursor */
    R_EDIT = 4096,   /* workspace.edit_command, workspace.edit_text */
};

/* Preconditions of a command; if one is not met, a message says so and the command is not run. */
enum {
    NEEDS_ROW = 1,
    NEEDS_PAIRED = 2, /* the lines of the table exist, also for one side alone */
    NEEDS_JUDGED = 4, /* … with verdicts, or for one side alone its problems */
    NEEDS_SEARCH = 8,
    NEEDS_BOTH = 16,  /* two paired sides */
    ON_ROW = 128,     /* applies to the row under the cursor: not while the overview of ranks replaces the table */
    PATHS = 64,       /* its last words are paths, which are completed */
    CHANGES = 32,     /* changes the investigation, so it is not run if that cannot be saved */
    ASKS = 256,       /* without arguments it only asks for them: also where nothing can be saved, which is said */
};

struct command {
    const char *name, *args, *help;
    unsigned needs;
    int (*run)(struct workspace *d, struct str args); /* called with the session locked; messages go to the workspace */
    /* The i-th completion of the argument, or NULL after the last; NULL: no completion. */
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
/* Runs one line of command text with the session locked; returns the reaction bits. Unknown commands and missing
 * preconditions become the workspace's message. A number alone ("12") goes to that row. */
int command_run(struct workspace *d, const char *text);
/* Adds the commands or arguments that complete `text` to out. Takes the lock, but not while a folder is read. */
void command_complete(struct workspace *d, const char *text, name_list *out);

extern const struct command commands_move[], commands_look[], commands_mark[], commands_note[], commands_round[],
    commands_open[], commands_table[], commands_tensor[], commands_work[], commands_program[],
    commands_panel[], commands_ranks[], commands_rollout[], commands_cut[];

#endif
