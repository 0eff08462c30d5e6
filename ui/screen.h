/* The investigator without a terminal: desk, keymap, prompt and panes, drawn into a grid. The terminal
 * loop and the script runner both drive one of these by key names and command text. */
#ifndef UI_SCREEN_H
#define UI_SCREEN_H

#include "cmd/cmd.h"
#include "panel/path_kind.h"
#include "ui/grid.h"
#include "ui/keymap.h"
#include "ui/options.h"
#include "ui/plot.h"
#include "ui/prompt.h"

/* What the table keeps between two frames. */
struct table_state {
    uint32_t top;
    uint32_t group_top, group_left;
    int head, step;   /* screen line of the titles, lines a row takes: for the mouse */
    int heads, head_x[COLUMNS_MOST];
    const struct field *head_field[COLUMNS_MOST];
    uint64_t map_of; /* serial of the minimap's judgement, and its height */
    int map_h;
    struct buf name;  /* scratch */
    uint8_t map[512]; /* enum verdict of the worst line of each stretch */
};

struct screen {
    struct options opt;         /* paths, wishes; thresholds live in the investigation */
    struct investigation inv;
    struct session session;
    struct workspace desk;
    struct keymap keys;
    struct grid grid;
    struct prompt prompt;
    struct table_state table;
    struct plot_runs runs;      /* of the panel that shows curves */
    int detail_h;               /* lines the detail pane had to show, for scrolling */
    bool writing;               /* something is written in the background; how far is shown */
    bool hurry;                 /* keys come fast: the panes below keep the row they show */
    uint32_t shown_line;        /* that row's line */
    uint64_t stamp, stamp_seen; /* of the inputs as read, and when last looked at */
    int cursor_y, cursor_x;     /* where the terminal's cursor belongs, -1: nowhere */
    char *opened[2];            /* inputs chosen in the program: the options' arguments then */
    bool looked;                /* whether the inputs belong to a panel is known (take_handed) */
    struct path_kind_look look;
    char *state_dir;
    void (*notify)(void *ctx);  /* from background threads */
    void *ctx;
};

/* Starts the session of these options. The investigation is the options' file where one is given, else
 * one of the user's own state folder (`state_dir`, NULL: nowhere to save). */
int screen_start(struct screen *s, const struct options *o, const char *state_dir, struct err *e);
void screen_stop(struct screen *s);
void screen_size(struct screen *s, int rows, int cols);
void screen_draw(struct screen *s);
/* A key by its name, or one character as UTF-8. Returns reaction bits left to do: R_QUIT, R_SUSPEND,
 * R_OPEN, R_REPAINT, R_DRAW. */
int screen_key(struct screen *s, const char *key);
/* The mouse at a cell: a wheel (by -1 or 1), or a click (by 0). Works only while desk.mouse. */
int screen_mouse(struct screen *s, int y, int x, int by);
/* The default keys and over them those of a set (vim, less; any other name: none). */
void screen_keys(struct screen *s, struct str set);
int screen_command(struct screen *s, const char *text);
/* Every few seconds while desk.watch: reads the inputs again where they have grown since. */
#define SCREEN_TICK_MS 2000
void screen_tick(struct screen *s);
/* Work in small pieces when nothing else is to do; true while some is left. */
bool screen_idle(struct screen *s);
/* Until what the last frame asked for in the background is there. */
void screen_rest(struct screen *s);
/* Until nothing moves any more: loaded, compared, judged, counted. */
void screen_settle(struct screen *s);

#endif
