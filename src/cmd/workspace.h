/* What one person is doing with a session: the place in the table, the search, which pane the keys go
 * to. No screen in here; panes draw it, commands change it, tests drive it. */
#ifndef CMD_WORKSPACE_H
#define CMD_WORKSPACE_H

#include "base/file_lines.h"
#include "table/row_order.h"
#include "cmd/rank_view.h"
#include "cmd/tensor_view.h"
#include "cmd/trial.h"
#include "pair/gaps.h"
#include "table/layer_table.h"
#include "compare/input_doubts.h"
#include "table/row_folds.h"
#include "table/row_groups.h"
#include "table/search.h"
#include "compare/diagnosis_job.h"
#include "ticket/investigation.h"
#include "session/session.h"
#include "panel/procedure.h"
#include "panel/folder_scan.h"
#include "report/report_job.h"

enum focus { FOCUS_TABLE, FOCUS_DETAIL, FOCUS_STACK, FOCUS_COUNT };
/* What the keys go to; those before PANE_GROUPS cover the table. */
enum pane_id { PANE_HELP, PANE_LIST, PANE_INTAKE, PANE_PANEL, PANE_OVERVIEW, PANE_RANKS, PANE_TENSOR,
               PANE_GROUPS, PANE_TABLE, PANE_DETAIL, PANE_STACK, PANE_COUNT };
enum overlay { OVERLAY_NONE, OVERLAY_HELP, OVERLAY_LIST, OVERLAY_INTAKE, OVERLAY_PANEL };

/* How the two sides share the width of the table. */
enum table_layout { LAYOUT_BOTH, LAYOUT_TARGET, LAYOUT_GOLDEN, LAYOUT_STACKED, LAYOUT_COUNT };

/* What stands in the place of the rows: them, or them put together. */
enum group { GROUP_NONE, GROUP_MODULES, GROUP_FRAMES, GROUP_PRECISION, GROUP_LAYERS, GROUP_COUNT };

#define COLUMNS_MOST 24

struct field_width {
    const struct field *field;
    int width;
};

/* What z takes back: everything a command may have changed that is not simply a place. */
struct workspace_state {
    char *what;       /* the command, for the message */
    struct thresholds tol;
    char *filters;    /* one a line, '!' before inverse ones */
    const struct field *sort;
    bool descending;
    const struct field *column[COLUMNS_MOST];
    int columns;
    VEC(struct bookmark) bookmarks; /* strings of the investigation */
    size_t decided;   /* decisions that held */
    size_t found;     /* versions of findings that held */
};

/* Rows taken up to be paired with rows of the other side: row … last, lines of their side between them. */
struct row_range {
    bool on;
    uint8_t side;
    uint32_t row, last;
};

/* A way to the next row of a kind or hit of the search that one key cannot look through: it goes on between keys. */
struct row_seek {
    int by;           /* 0: nothing is sought */
    int kind;         /* of the table of kinds in cmd_move.c; -1: what is searched */
    int64_t at;       /* position last looked at */
    uint32_t left;    /* positions still to be looked at */
    bool wrapped;
};

struct list_item {
    char *text;
    char *command; /* Enter runs it; NULL: it goes to the line */
    char *inside;  /* what opens the entry itself, NULL: the same as Enter */
    char *away;    /* what takes it away (Delete), NULL: nothing does */
    uint32_t line; /* Enter goes there, NONE: nowhere */
    uint8_t mark;  /* enum verdict whose glyph and colour it carries, 0: none */
    bool prose;    /* a word and a sentence about it: what does not fit is cut at its end */
};

/* A list over the table: what to choose from. */
struct list_view {
    VEC(struct list_item) items;
    char *title;
    const char *again; /* command that fills it again after one of its entries ran, or NULL */
    /* the command that made a list of findings, which runs again when one changes; NULL: another list */
    char *of;
    char *from;        /* the command that made the list it was opened from, or NULL */
    bool offers;       /* it shows what the workspace's `offers` finds, as it is found */
    bool over_panel;   /* a panel is under it */
    VEC(uint32_t) shown; /* the items that `narrow` leaves, the best match first */
    uint32_t at;       /* selected, of them */
    int scroll;
    /* it was left for a row: back leads to it as it was, while the rows are the same ones */
    struct {
        bool on, over_panel;
        const struct pairing *rows;
        char *words;
        uint32_t at;
        int scroll;
    } left;
};

/* The guided panels. */
struct panel_view {
    int number;  /* the one that is open, 0: all of them */
    uint32_t at; /* selected line of it */
    bool follow; /* the line stays where page_first() is, until the user moves it */
    int scroll;
    bool from_overview; /* it was opened from all of them: back leads there */
    int left;           /* the panel that the table was gone to from: back leads there; 0: none */
    uint32_t left_at;   /* its line */
};

/* The curves of a panel. */
struct plot_view {
    double from, to; /* the part of the steps that is shown, of 0 … 1; both 0: all */
    double at;       /* the step read out, of 0 … 1; negative: none */
    bool log;        /* their axis goes by powers */
    bool held;       /* it was moved last, not the selected line: notes are about it */
};

struct stack_view {
    enum side side;
    bool apart;        /* each side moves alone; else the other side's frame follows */
    uint32_t frame[2]; /* selected */
    uint32_t line;     /* the table line that selection belongs to */
    struct file_lines source[2]; /* around the selected frames */
};

/* Rows put together by groups of one kind. */
struct group_view {
    enum group kind;
    struct row_groups outline; /* of the groups that are one */
    struct layer_table layers; /* of GROUP_LAYERS */
    uint64_t made_for;         /* serial of the comparison they were made from */
    uint32_t node;             /* selected; a row of the layers there */
    uint32_t layer;            /* selected column */
};

struct workspace {
    struct session *s;
    const struct comparison *c; /* what is looked at; held, taken again with each frame and command (workspace_see) */
    struct investigation *inv;

    struct rank_view *ranks; /* of a job of several ranks; the screen's, or NULL */
    struct row_order arrange; /* which lines are shown, in which order */
    struct row_folds folds;   /* of lines only one side has; while neither sorted nor filtered */
    uint32_t cursor;   /* line of the table (target row while the sides still load) */
    bool follow;       /* the cursor goes where the first deviation is, until the user moves it */
    bool to_top;       /* the cursor goes to the first row once the order that was asked for is in force */
    uint32_t seen_first; /* the first deviation it followed last */
    uint32_t pairings; /* the pairing `cursor` counts lines of; 0: it counts target rows yet */
    uint32_t cursor_row[2]; /* the rows at the cursor, which keep it when lines are numbered again */
    int page;          /* rows of the table on the screen; set when drawn */
    bool same_names;   /* every pair is of one name: the golden column says so and yields its width */
    VEC(struct line) jumps; /* rows left by a jump, the latest last */
    size_t jump_at;    /* place in them, n: at none */

    enum table_layout layout;
    const struct field *column[COLUMNS_MOST]; /* chosen ones */
    VEC(struct field_width) widths; /* set by hand */
    int columns;       /* 0: what the width gives */
    const struct field *usual[COLUMNS_MOST]; /* without a choice: those shown, then those a wider table shows */
    int usuals, usuals_shown;                /* set with each frame */
    int column_at;     /* the first shown: those before are scrolled out */
    int digits;        /* of figures; 0: two for errors, as many as fit for values */

    input_doubt_list doubts; /* about the sides that are loaded */
    struct arena sentences;
    int doubts_of;     /* how many were loaded when they were looked for */

    gap_list gaps;     /* of the pairing */
    struct row_range pick;
    uint32_t asked_unpair; /* 1 + the first deviation whose pair was to be undone, asked about once; 0: none */
    uint32_t asked_call[2]; /* 1 + the rows rejected last, whose call X once more rejects; 0: none */
    uint32_t asked_mark; /* 1 + the row whose size does not go with the selected one's, asked about once; 0: none */
    char *rule[3];     /* what is proposed: target pattern, golden template, view; NULL: nothing */

    struct group_view groups;

    VEC(struct workspace_state) undo, redo;

    enum focus focus;
    bool zoom;
    enum overlay overlay;
    int detail_scroll, help_scroll;
    enum pane_id help_of;   /* the pane that had the keys when help was asked for */
    enum overlay help_over; /* … and what it lay in */
    struct buf narrow; /* typed in a list or in the help: what does not hold it is left out */
    struct stack_view stack;

    struct search search;
    struct row_seek seeking;
    struct diagnosis_job diagnosis; /* diagnoses of the lines looked at */
    struct tensor_view tensor; /* the tensor view */
    struct procedure guide;
    struct panel_view panel;
    struct plot_view plot;
    struct list_view list;
    struct folder_scan offers;
    int offers_for;    /* the side they are for, where both were given */

    struct buf message;
    bool behind;       /* something was done since the last refresh (cmd/workspace_refresh.h) */
    struct buf aside;  /* what a command says beside it: goes behind its message */
    bool message_is_error;
    const char *theme; /* name of one of the UI's schemes; static */

    /* Asked for by a command, done by whoever holds the workspace (the lock must be free for these). */
    const char *open_file; /* arena of the dump */
    uint32_t open_line;
    char *write_path;
    bool write_report; /* the findings report, not the comparison */
    bool write_waits;  /* all three are asked for, and done once the comparison has ended */
    struct report_job report; /* writes it */
    bool write_pack;   /* the evidence, packed */
    int new_step[2], new_rank[2];
    char *new_input[2]; /* NULL both: the same as now */
    bool new_round;     /* they are the next round of this investigation; without inputs: back to the one before */
    struct buf copy;   /* for the clipboard */
    char *edit_command, *edit_text; /* R_EDIT: what is run with the text that comes out, and the text to begin with */
    char *keys;        /* name of a set of keys */
    bool watch;        /* growing dumps are read again */
    bool mouse;        /* the terminal's mouse is wanted */
    char *prompt;      /* text to put on the command line, "" for an empty one */
    char prompt_kind;  /* ':', '/' or '&' */
    struct trial trial; /* of what is typed there */
};

void workspace_init(struct workspace *d, struct session *s, struct investigation *inv);
void workspace_release(struct workspace *d); /* before the session stops; the lock not held */

/* All below with the session's lock held. */
uint32_t workspace_lines(const struct workspace *d); /* of the table */
/* the dump, log … that is open without a golden side, or NULL */
const char *workspace_alone(const struct workspace *d);
/* What is taken from a list of files becomes the golden side. */
bool workspace_takes_golden(const struct workspace *d);
/* A jump to a line, remembered for `jump back`. Where a filter hides it, the nearest shown line and a
 * message that says so. Stops following. */
void workspace_go(struct workspace *d, uint32_t line);
/* After the cursor was set: to a line that is shown; its rows, its stack and its tensor are what is looked at. */
void workspace_settle(struct workspace *d);
/* Opens the closed run of one-sided lines that a line is in, if it is in one. */
void workspace_unfold(struct workspace *d, uint32_t line);
/* The same where it hides the line: a run's first line stands for it. */
void workspace_reveal(struct workspace *d, uint32_t line);
/* Where the cursor is: `jump back` returns to it. */
void workspace_remember_place(struct workspace *d);
/* The closed run whose lines the table shows as this one; NULL where it is a line of its own. */
const struct row_fold *workspace_fold(const struct workspace *d, uint32_t line);
/* Every line that is no filter's to hide, in the table's order: where things are sought. */
uint32_t workspace_sought(const struct workspace *d);
uint32_t workspace_sought_at(const struct workspace *d, uint32_t place);
uint32_t workspace_sought_pos(const struct workspace *d);
/* The table is what a command is about: an open panel gives way to it, and the overview of ranks. */
void workspace_uncover(struct workspace *d);
/* Whether the overview of ranks stands in the table's place. */
bool workspace_shows_ranks(const struct workspace *d);
void workspace_step(struct workspace *d, long by); /* as many shown lines down or up */
/* Rows put together, or single again. The cursor then follows what is selected there: the first row
 * that deviates below it, else the first. */
void workspace_group(struct workspace *d, enum group g);
void workspace_make_groups(struct workspace *d); /* again, of the comparison as it is now */
void workspace_group_step(struct workspace *d, long by);
void workspace_group_across(struct workspace *d, int by); /* folds and unfolds, or moves between layers */
void workspace_unfold_all(struct workspace *d);
/* A piece of the way to what is sought: true while the idle loop has to come back for it, or has to draw. */
bool workspace_seek(struct workspace *d);
uint32_t workspace_shown(const struct workspace *d); /* lines the arrangement shows */
uint32_t workspace_at(const struct workspace *d, uint32_t pos); /* the line shown there */
uint32_t workspace_pos(const struct workspace *d); /* where the cursor's line is shown */
/* The rows of a table line, NONE where absent (also while loading). */
void workspace_rows(const struct workspace *d, uint32_t line, uint32_t row[2]);
/* NULL while there is none */
const struct line_judgement *workspace_judgement(const struct workspace *d, uint32_t line);
/* The call's stack on a side, its forward twin's where it has none itself; NONE when there is neither. */
uint32_t workspace_stack(const struct workspace *d, uint32_t line, int side, bool *of_twin);
/* The frame of that stack that is selected first: the model's code, not the frameworks' calls around it. */
uint32_t workspace_stack_start(const struct workspace *d, uint32_t line, int side);
/* The selected frame of that side at the cursor, NULL: none. */
const struct frame *workspace_frame(const struct workspace *d, int side);
/* Selects a frame; the other side's goes to the same depth of the model's code unless both move apart. */
void workspace_stack_select(struct workspace *d, enum side side, uint32_t frame);
/* Where a frame's file lies here (:remap), appended. */
void workspace_source(const struct workspace *d, const struct frame *f, struct buf *out);
/* The line these rows stand in, by the first that has one; NONE where neither has. */
uint32_t workspace_line_of(const struct workspace *d, const uint32_t row[2]);
/* The line that was opened in the overview of ranks (rank_view.arrive), or NONE; its call's worst where only that is
 * known. */
uint32_t workspace_arrival(const struct workspace *d);
void workspace_names(const struct workspace *d, uint32_t line, struct buf name[2]);
/* The newest finding about a line; false where there is none. */
bool workspace_finding(const struct workspace *d, uint32_t line, struct finding *x);
void workspace_clear_list(struct workspace *d);
void workspace_add_item(struct workspace *d, uint32_t line, uint8_t mark, struct str text);
/* An entry that runs a command when chosen: the verb and, unless NULL, its words. The format is its text. */
void workspace_add_command(struct workspace *d, const char *verb, const char *words, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* The same of a word and a sentence about it. */
void workspace_add_prose(struct workspace *d, const char *verb, const char *words, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* what opens the last entry itself */
void workspace_add_inside(struct workspace *d, const char *verb, const char *words);
void workspace_add_away(struct workspace *d, const char *verb, const char *words); /* … and what takes it away */
void workspace_show_list(struct workspace *d, const char *title); /* what was added, as an overlay */
/* The selected entry of the list that is open, or NULL. */
const struct list_item *workspace_selected(const struct workspace *d);
/* Leaves out what does not hold these words, of a list that is open or of the help. */
void workspace_narrow(struct workspace *d, struct str words);
/* What has been found below a folder since comes into the list that was opened for it. */
void workspace_take_offers(struct workspace *d);
void workspace_leave_list(struct workspace *d); /* for a row one of its entries leads to */
bool workspace_return_list(struct workspace *d); /* false: none was left */
void workspace_close_list(struct workspace *d); /* the panel it was asked for from, or what lies under it */
/* Before a change: what z goes back to. `what` names the change. */
void workspace_remember(struct workspace *d, const char *what);
bool workspace_undo(struct workspace *d, bool redo); /* false: there is nothing; else says what went */
/* After the investigation's decisions changed: pairs again and saves. False where they are not in the file
 * now: the message says why, and is not to be talked over. */
bool workspace_decide(struct workspace *d);
/* The same of what is not about correspondences: saves. */
bool workspace_keep(struct workspace *d);
void workspace_undo_release(struct workspace *d); /* nothing can be taken back any more */
/* Gives the investigation the columns that are shown. */
void workspace_columns_keep(struct workspace *d);
/* Saves the investigation; a failure becomes the message, and inv->unsaved: false. What somebody else had saved
 * meanwhile is taken in, which the next message says too. */
bool workspace_save(struct workspace *d);
/* False, with its reason as the message, where the investigation is read-only. */
bool workspace_may_change(struct workspace *d);

/* Sets write_path, write_report and write_pack; false, with a message, while something else waits to be written, or
 * where the path's extension is no format. */
bool workspace_write_to(struct workspace *d, struct str path, bool report, bool pack);
/* Whether write_path can be written now; a message where it cannot. */
bool workspace_may_write(struct workspace *d);
/* Keeps what is to be written until the comparison has ended, with a message; false: it has ended, or may never. */
bool workspace_write_later(struct workspace *d);
/* What is being written or will be, or NULL: other inputs would end it. */
const char *workspace_writing(struct workspace *d);

void workspace_say(struct workspace *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void workspace_complain(struct workspace *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
