/* The investigator without a terminal: workspace, keymap, prompt and panes, drawn into a grid. The terminal
 * loop and the script runner both drive one of these by key names and command text. */
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

/* What the table keeps between two frames. */
struct table_state {
    uint32_t top;
    uint32_t group_top, group_left;
    int head, step;   /* screen line of the titles, lines a row takes: for the mouse */
    int heads, head_x[COLUMNS_MOST];
    const struct field *head_field[COLUMNS_MOST];
    uint64_t map_of; /* serial of the minimap's judgement, and its height */
    int map_h;
    uint8_t map[MAP_LINES]; /* enum verdict of the worst line of each stretch */
};

/* How the tensor view shares out its lines. */
struct tensor_layout {
    int maps, map_h, map_w; /* as many beside one another, cells of each */
    int worst, strips;      /* lines */
    bool numbers;           /* the maps are grids of numbers */
    bool stacked;           /* they stand below one another */
    bool spread;            /* there is room for how values and errors are spread */
};

/* The overview of ranks as it is drawn: made from the job under its lock, so that drawing waits for nobody. */
struct ranks_picture {
    size_t ranks;             /* of the step */
    int rows, cols;           /* cells */
    VEC(uint8_t) cell;        /* enum strip_sign */
    VEC(int) from;            /* of each line: its first and its last rank, one behind the other */
    int cursor_y, cursor_x, first_y, first_x; /* -1: not shown */
    VEC(uint8_t) steps;       /* signs of the steps, aggregated */
    /* the cell of the step that is shown, of the first deviation (-1: none); numbers of the first and the last */
    int step_at, step_first, step_from, step_to;
    size_t rank_top, column_left; /* what is shown first */
    size_t item_top;
    bool seen[STRIP_SIGNS];
    struct buf layout[2], unseen, outcome, under;
    bool bad;                 /* the outcome is a deviation */
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

/* What a terminal does for the screen. */
struct screen_terminal {
    const char *(*copy)(struct str text); /* to the clipboard; returns what stands between ("tmux"), or NULL */
    void (*mouse)(bool on);
    void (*repaint)(void);         /* the next frame is drawn in full */
    void (*lend)(void (*during)(void *ctx), void *ctx); /* to another program until `during` returns */
    void (*stop)(void);            /* the program, until the shell goes on with it */
    void (*keys)(struct screen *s); /* the user's own keys, over the set that was chosen */
};

struct screen {
    const struct screen_terminal *terminal; /* NULL: there is none (scripts) */
    struct options opt;         /* paths, wishes; thresholds live in the investigation */
    struct investigation inv;
    struct session session;
    struct workspace work;
    struct keymap keys;
    struct grid grid;
    struct prompt prompt;
    struct table_state table;
    struct tensor_layout tensor;
    struct job_compare job;     /* of several ranks; begun by screen_ranks_look */
    struct decisions job_decisions; /* as they were when it began */
    struct rank_view ranks;
    struct ranks_picture picture;
    struct plot_runs runs;      /* of the panel that shows curves */
    struct session_progress progress; /* as of the frame */
    bool writing;               /* something is written in the background, or waits for it; how far is shown */
    bool hurry;                 /* keys come fast: the panes below keep the row they show */
    uint32_t shown_line;        /* that row's line */
    int detail_below;           /* lines of the detail that did not fit */
    struct rect list;           /* where the open list was drawn: for the mouse */
    uint64_t stamp, stamp_seen; /* of the inputs as read, and when last looked at */
    char *results;              /* the folder or file the overview is of, or NULL */
    char *opened[2];            /* inputs chosen in the program: the options' arguments then */
    bool looked;                /* whether the inputs belong to a panel is known (take_handed) */
    struct path_kind_look look;
    struct keep_place where;    /* of what nobody gives a file; the caller's to release */
    const char *kept_theme;     /* of the workspace's themes, the one that is kept for the next time */
    bool theme_open;            /* nobody chose one, and the environment names no background */
    bool keeps;                 /* it is wanted: scripts keep nothing that is not named */
    bool asked;                 /* the last key was to leave, and was answered by what is not saved */
    void (*notify)(void *ctx);  /* from background threads */
    void *ctx;
};

/* Starts the session of these options. The investigation is the options' file where one is given, else
 * one of `where` (NULL: nowhere). */
int screen_start(struct screen *s, const struct options *o, const struct keep_place *where, struct err *e);
void screen_stop(struct screen *s);
/* Instead of it before the process ends: asks everything at work to end, waits at most ms for what writes to files, and
 * frees nothing. */
void screen_leave(struct screen *s, int ms);
void screen_size(struct screen *s, int rows, int cols);
void screen_tell_written(struct screen *s); /* how what was being written ended, once */
void screen_write_waiting(struct screen *s); /* begins what waits for the comparison, where that has ended */
/* A frame: what there is to show is brought up to date, then drawn into the grid. */
void screen_draw(struct screen *s);
/* The last frame drawn once more into a grid of the same size: changes nothing. The session locked. */
void screen_draw_again(const struct screen *s, struct grid *g);
/* Runs a command and does what its result asks for. True, as below: the program is to end. */
bool screen_command(struct screen *s, const char *text);
/* A key by its name, or one character as UTF-8. */
bool screen_key(struct screen *s, const char *key);
/* Pasted text: into the prompt where one is open, else nothing but a sentence. It is never keys. */
bool screen_paste(struct screen *s, struct str text);
/* The mouse at a cell: a wheel (by -1 or 1), or a click (by 0). Works only while workspace.mouse. */
bool screen_mouse(struct screen *s, int y, int x, int by);
/* The default keys and over them those of a set (vim, less; any other name: none). */
void screen_keys(struct screen *s, struct str set);
/* The text the prompt gave away (edit_from_prompt) goes through the editor. */
void screen_edit(struct screen *s);
/* Whether what was done is in the file, if need be saved now. */
bool screen_saved(struct screen *s);
/* The inputs again, or those of workspace.new_input; what the user set up stays. */
void screen_restart(struct screen *s);
/* Every few seconds while workspace.watch: reads the inputs again where they have grown since. */
#define SCREEN_TICK_MS 2000
void screen_tick(struct screen *s);
/* Work in small pieces when nothing else is to do; true while some is left. */
bool screen_idle(struct screen *s);
/* Whether the inputs are a job of several ranks, once that is known: then it is compared in the background, and
 * shown. */
void screen_ranks_look(struct screen *s);
void screen_ranks_begin(struct screen *s); /* :ranks; anew where only their results are here */
/* The overview of what was compared elsewhere: results of shares in a folder, or one file of results (s->results). The
 * options' paths become those of the recordings, where they can be reached. */
int screen_ranks_results(struct screen *s, struct err *e);
void screen_ranks_stop(struct screen *s);  /* for other inputs; the session has stopped */
/* Another pair of the job's recordings takes the table's place: ranks.want. */
void screen_open_pair(struct screen *s);
/* Until what the last frame asked for in the background is there. */
void screen_rest(struct screen *s);
/* Until nothing moves any more: loaded, compared, judged, counted. */
void screen_settle(struct screen *s);

#endif
