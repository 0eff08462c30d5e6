/* The investigator without a terminal: workspace, keymap, prompt and panes, drawn into a grid. The terminal loop and
 * the script runner both drive it by key names and command text. */
#ifndef UI_SCREEN_H
#define UI_SCREEN_H

#include "cmd/cmd.h"
#include "session/job_compare.h"
#include "panel/path_kind.h"
#include "ui/grid.h"
#include "ui/keep_place.h"
#include "ui/keymap.h"
#include "ui/options.h"
#include "ui/plot.h"
#include "ui/prompt.h"

#define MAP_LINES 512

/* State of the table pane between frames. */
struct table_state {
    uint32_t top;
    uint32_t group_top, group_left;
    int head, step;   /* screen line of the titles, lines per row: for the mouse */
    int heads, head_x[COLUMNS_MOST];
    const struct field *head_field[COLUMNS_MOST];
    uint64_t map_of; /* serial of the judgement shown in the minimap, and its height */
    int map_h;
    uint8_t map[MAP_LINES]; /* what is shown of the lines in each interval (pane_table.c) */
};

/* How the tensor view divides its lines. */
struct tensor_layout {
    int maps, map_h, map_w; /* number of maps side by side, cells of each */
    int worst, strips;      /* lines */
    bool numbers;           /* the maps show numbers */
    bool stacked;           /* they are below one another */
    bool spread;            /* there is room for the histograms of values and errors */
};

/* The overview of ranks as drawn: copied from the job under its lock, so that drawing needs no lock. */
struct ranks_picture {
    size_t ranks;             /* of the step */
    int rows, cols;           /* cells */
    VEC(uint8_t) cell;        /* enum strip_sign */
    VEC(int) from;            /* per line: its first and last rank, alternating */
    int cursor_y, cursor_x, first_y, first_x; /* -1: not visible */
    VEC(uint8_t) steps;       /* signs of the steps, aggregated */
    /* cell of the current step, cell of the first deviation (-1: none); first and last step number */
    int step_at, step_first, step_from, step_to;
    size_t rank_top, column_left; /* the first visible rank and column */
    size_t item_top;
    bool seen[STRIP_SIGNS];
    struct buf layout[2], unseen, outcome, under;
    bool bad;                 /* `outcome` is a deviation */
    bool counted;
    enum strip_sign under_sign;
    uint32_t count[VERDICT_COUNT];
    struct job_progress progress;
    bool settled, busy;
    bool joined;              /* no rank by rank */
    bool elsewhere;           /* results of files */
    struct err err;
};

struct screen;

/* Functions that a terminal provides for the screen. */
struct screen_terminal {
    const char *(*copy)(struct str text); /* to the clipboard; returns the multiplexer in between ("tmux"), or NULL */
    void (*mouse)(bool on);
    void (*repaint)(void);         /* requests a full redraw with the next frame */
    /* lends the terminal to another program until `during` returns */
    void (*lend)(void (*during)(void *ctx), void *ctx);
    void (*stop)(void);            /* suspends the program until the shell continues it */
    void (*keys)(struct screen *s); /* loads the user's key bindings over the chosen set */
};

struct screen {
    const struct screen_terminal *terminal; /* NULL: none (scripts) */
    struct options opt;         /* paths and options; thresholds are in the investigation */
    struct investigation inv;
    struct session session;
    struct workspace work;
    struct keymap keys;
    struct grid grid;
    struct prompt prompt;
    struct table_state table;
    struct tensor_layout tensor;
    struct job_compare job;     /* of several ranks; started by screen_ranks_look */
    struct decisions job_decisions; /* a copy from its start */
    struct rank_view ranks;
    struct ranks_picture picture;
    struct plot_runs runs;      /* for the panel that shows curves */
    struct session_progress progress; /* as of the last frame */
    bool writing;               /* something is being written in the background or waits for it; progress is shown */
    bool hurry;                 /* keys arrive fast: the lower panes keep their row */
    uint32_t shown_line;        /* the line of that row */
    int detail_below;           /* lines of the detail pane that did not fit */
    int intake_below;           /* and of the intake */
    struct rect list;           /* where the open list was drawn: for the mouse */
    uint64_t glance; /* at the inputs when last checked (file_stamp_glance) */
    char *results;              /* the folder or file the overview is of, or NULL */
    char *opened[2];            /* inputs chosen in the program, used as the options' arguments */
    bool looked;                /* whether the inputs belong to a panel is decided (take_handed) */
    struct path_kind_look look;
    struct keep_place where;    /* place for investigations without a file; released by the caller */
    struct arena tool_texts;
    text_list tools;            /* the user's own shell commands, from a file; none without it */
    const char *kept_theme;     /* the theme stored for later runs */
    bool theme_open;            /* no theme was chosen, and the environment does not state the background */
    bool keeps;                 /* settings are to be stored: scripts store nothing that is not named */
    bool asked;                 /* the last key was `quit`, answered with a question */
    struct {
        long at;                /* clock_ms; 0: none */
        int y;
    } click;                    /* the last one: a second one on the same line soon after it opens */
    void (*notify)(void *ctx);  /* called from background threads */
    void *ctx;
};

/* Starts the session for these options. The investigation is the options' file if given, otherwise one in `where`
 * (NULL: not saved). */
int screen_start(struct screen *s, const struct options *o, const struct keep_place *where, struct err *e);
void screen_stop(struct screen *s);
/* For a process about to exit: asks all jobs to end, waits at most ms for those that write files, and frees nothing. */
void screen_leave(struct screen *s, int ms);
void screen_size(struct screen *s, int rows, int cols);
void screen_tell_written(struct screen *s); /* reports the result of a finished write, once */
void screen_write_waiting(struct screen *s); /* starts a pending write once the comparison has ended */
/* Makes a frame: updates everything shown, then draws it into the grid. */
void screen_draw(struct screen *s);
/* Draws the last frame again into a grid of the same size without changes. Called with the session locked. */
void screen_draw_again(const struct screen *s, struct grid *g);
/* Runs a command and carries out its reactions. True: the program has to end; the same below. */
bool screen_command(struct screen *s, const char *text);
/* Handles a key by its name, or one character as UTF-8. */
bool screen_key(struct screen *s, const char *key);
/* Handles pasted text: inserted into an open prompt, otherwise refused with a message. It is never interpreted as
 * keys. */
bool screen_paste(struct screen *s, struct str text);
/* Handles a mouse event at a cell: a wheel step (by -1 or 1), or a click (by 0). Only while workspace.mouse. */
bool screen_mouse(struct screen *s, int y, int x, int by);
/* Loads the default keys and over them a set (vim, less; any other name: none). */
void screen_keys(struct screen *s, struct str set);
/* Opens the editor with the text taken from the prompt (edit_from_prompt). */
void screen_edit(struct screen *s);
/* Whether all changes are saved, after trying to save. */
bool screen_saved(struct screen *s);
/* Restarts with the same inputs or those of workspace.new_input; the user's settings stay. */
void screen_restart(struct screen *s);
/* Called every few seconds while workspace.watch: reads inputs that have grown again. */
#define SCREEN_TICK_MS 2000
void screen_tick(struct screen *s);
/* Does background work in small steps when idle; true while some is left. */
bool screen_idle(struct screen *s);
/* Checks whether the inputs are a job of several ranks, once that is known; if so, compares it in the background and
 * shows the overview. */
void screen_ranks_look(struct screen *s);
void screen_ranks_begin(struct screen *s); /* :ranks; anew where only their results are here */
/* The overview of what was compared elsewhere: results of shares in a folder, or one file of results (s->results). The
 * options' paths become those of the recordings, where they can be reached. */
int screen_ranks_results(struct screen *s, struct err *e);
void screen_ranks_stop(struct screen *s);  /* before other inputs are opened; the session has stopped */
/* Opens another pair of the job's recordings in the table: ranks.want. */
void screen_open_pair(struct screen *s);
/* Waits for everything that the last frame requested in the background. */
void screen_rest(struct screen *s);
/* Waits until everything is loaded, compared, judged and counted. */
void screen_settle(struct screen *s);

#endif
