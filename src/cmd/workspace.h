/* What one person is doing with a session: cursor, search, focus, open panes. Independent of the screen: panes draw
 * it, commands change it, tests drive it. */
#ifndef CMD_WORKSPACE_H
#define CMD_WORKSPACE_H

#include "base/file_lines.h"
#include "table/row_order.h"
#include "cmd/action_log.h"
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
/* The panes that can receive keys; those before PANE_GROUPS cover the table. */
enum pane_id { PANE_HELP, PANE_LIST, PANE_INTAKE, PANE_PANEL, PANE_OVERVIEW, PANE_RANKS, PANE_TENSOR,
               PANE_GROUPS, PANE_TABLE, PANE_DETAIL, PANE_STACK, PANE_COUNT };
enum overlay { OVERLAY_NONE, OVERLAY_HELP, OVERLAY_LIST, OVERLAY_INTAKE, OVERLAY_PANEL };

/* How the width of the table is divided between the two sides. */
enum table_layout { LAYOUT_BOTH, LAYOUT_TARGET, LAYOUT_GOLDEN, LAYOUT_STACKED, LAYOUT_COUNT };

/* What the table's place shows: rows, or groups of them. */
enum group { GROUP_NONE, GROUP_MODULES, GROUP_FRAMES, GROUP_PRECISION, GROUP_LAYERS, GROUP_COUNT };

#define COLUMNS_MOST 24

struct field_width {
    const struct field *field;
    int width;
};

/* What undo restores: everything a command may change except positions. */
struct workspace_state {
    char *what;       /* the command, for messages */
    struct thresholds tol;
    char *filters;    /* one per line, with '!' before inverse ones */
    const struct field *sort;
    bool descending;
    const struct field *column[COLUMNS_MOST];
    int columns;
    VEC(struct bookmark) bookmarks; /* with the investigation's strings */
    size_t decided;   /* number of decisions in force */
    size_t found;     /* number of finding versions in force */
};

/* Rows selected to be paired with rows of the other side: from `row` to `last`. */
struct row_range {
    bool on;
    uint8_t side;
    uint32_t row, last;
};

/* A search for the next row or hit that takes longer than one key: it continues when idle. */
struct row_seek {
    int by;           /* direction; 0: no search */
    int kind;         /* index of the table of kinds in cmd_move.c; -1: the text search */
    int64_t at;       /* last position checked */
    uint32_t left;    /* positions left to check */
    bool wrapped;
};

struct list_item {
    char *text;
    char *shown;   /* the text with rows named as in the table, for entries that are not shown whole; NULL: the text */
    char *command; /* run by Enter; NULL: go to `line` */
    char *inside;  /* command that opens the entry itself, NULL: the same as Enter */
    char *away;    /* command that removes it (Delete), NULL: none */
    uint32_t line; /* target of Enter, NONE: none */
    uint8_t mark;  /* enum verdict for sign and colour, 0: none */
    bool start;    /* a start at `line`: takes the lines it needs, selected or not */
    bool prose;    /* a word followed by a sentence: cut at the end if too long */
};

#define DIAGNOSED_MOST 20 /* starts of a list: fewer than a job keeps */

/* A list of choices over the table. */
struct list_view {
    VEC(struct list_item) items;
    char *title;
    const char *again; /* command that refills it after an entry was run, or NULL */
    /* the command that made a list of findings, run again when one changes; NULL: another list */
    char *of;
    char *from;        /* the command that made the list from which it was opened, or NULL */
    const char *starts; /* the list's name if it has starts, whose diagnoses change it; NULL */
    uint32_t diagnosed; /* entries whose diagnosis was known when it was made */
    bool offers;       /* shows results of the workspace's folder scan as they are found */
    bool over_panel;   /* a panel is underneath */
    VEC(uint32_t) shown; /* the items that match `narrow`, best first */
    uint32_t at;       /* index of the selected one in `shown` */
    int scroll;
    /* state kept when a row was opened from it, so that `back` restores it while the rows are the same */
    struct {
        bool on, over_panel;
        const struct pairing *rows;
        char *words;
        uint32_t at;
        int scroll;
    } left;
};

/* State of the guided panels. */
struct panel_view {
    int number;  /* the open one, 0: the overview */
    uint32_t at; /* selected line */
    bool follow; /* the line stays at page_first() until the user moves it */
    uint32_t behind; /* the line selected while the page had more lines, to return to when they are there again; or 0 */
    int scroll;
    bool from_overview; /* opened from the overview: `back` returns there */
    int left;           /* the panel from which the table was opened, to return to; 0: none */
    uint32_t left_at;   /* its line */
};

/* State of a panel's curves. */
struct plot_view {
    double from, to; /* visible part of the steps, as fractions 0 … 1; both 0: all */
    double at;       /* the step read out, as a fraction 0 … 1; negative: none */
    bool log;        /* logarithmic axis */
    bool held;       /* it was moved after the selected line: notes are about it */
};

struct stack_view {
    enum side side;
    bool apart;        /* each side moves separately; otherwise the other side's frame follows */
    uint32_t frame[2]; /* selected */
    uint32_t line;     /* the table line to which the selection belongs */
    struct file_lines source[2]; /* source lines around the selected frames */
};

/* Groups of rows. */
struct group_view {
    enum group kind;
    struct row_groups outline; /* for all groups but GROUP_LAYERS */
    struct layer_table layers; /* for GROUP_LAYERS */
    uint64_t made_for;         /* serial of the comparison they were made from */
    uint32_t node;             /* selected node, or row of the layer table */
    uint32_t layer;            /* selected column */
    bool moved;                /* the selection is not that of the beginning */
    struct line from;          /* the cursor's rows before */
};

struct workspace {
    struct session *s;
    /* the displayed one; held (reference), replaced with each frame and command (workspace_see) */
    const struct comparison *c;
    struct investigation *inv;

    struct rank_view *ranks; /* for a job of several ranks; owned by the screen, or NULL */
    struct row_order arrange; /* the visible lines and their order */
    struct row_folds folds;   /* one-sided lines; only while neither sorted nor filtered */
    uint32_t cursor;   /* line of the table (target row while the sides are loading) */
    bool follow;       /* the cursor stays on the first deviation until the user moves it */
    bool to_top;       /* the cursor goes to the first row once the requested order is in force */
    uint32_t seen_first; /* the first deviation it last followed */
    uint32_t pairings; /* the pairing that numbered `cursor`; 0: it is a target row */
    uint32_t cursor_row[2]; /* the rows at the cursor, to find it when lines are renumbered */
    int page;          /* visible table rows; set when drawn */
    bool same_names;   /* in every pair both names are equal: the golden column is narrowed */
    VEC(struct line) jumps; /* places left by jumps, the latest last */
    size_t jump_at;    /* position in `jumps`, n: none */

    enum table_layout layout;
    const struct field *column[COLUMNS_MOST]; /* the chosen columns */
    VEC(struct field_width) widths; /* set by hand */
    int columns;       /* 0: chosen by width */
    const struct field *usual[COLUMNS_MOST]; /* default columns: the visible ones, then those a wider table shows */
    int usuals, usuals_shown;                /* set with each frame */
    int column_at;     /* index of the first visible one when scrolled */
    int digits;        /* digits of figures; 0: two for errors, as many as fit for values */

    input_doubt_list doubts; /* about the sides that are loaded */
    struct arena sentences;
    int doubts_of;     /* number of loaded sides for which they were made */

    gap_list gaps;     /* of the pairing */
    struct row_range pick;
    uint32_t asked_unpair; /* 1 + the first deviation whose unpairing was confirmed once; 0: none */
    uint32_t asked_call[2]; /* 1 + the rows rejected last, whose call a second X rejects; 0: none */
    uint32_t asked_mark; /* 1 + the row with a non-matching size, for which a confirmation was requested; 0: none */
    uint64_t asked_pack;  /* hash of the name of a pack whose further files were listed; 0: none */
    char *rule[3];     /* the proposed rule: target pattern, golden template, view; NULL: none */

    struct group_view groups;

    VEC(struct workspace_state) undo, redo;

    enum focus focus;
    bool zoom;
    enum overlay overlay;
    int detail_scroll, help_scroll, intake_scroll;
    enum pane_id help_of;   /* the pane that had the focus when help was opened */
    enum overlay help_over; /* … and the overlay it was in */
    struct buf narrow; /* typed in a list or in the help: only matching entries are shown */
    bool narrowing;    /* "/" was pressed there: every character is text */
    bool narrowed;     /* Enter ended that: keys are commands again */
    struct stack_view stack;

    struct search search;
    struct row_seek seeking;
    struct diagnosis_job diagnosis; /* for the diagnosed lines */
    struct tensor_view tensor; /* the tensor view */
    struct procedure guide;
    struct panel_view panel;
    struct plot_view plot;
    struct list_view list;
    struct folder_scan offers;
    int offers_for;    /* the side it is for, if both were given */

    struct buf message;
    bool behind;       /* something was done since the last refresh (cmd/workspace_refresh.h) */
    struct buf aside;  /* a remark appended to the message of a command */
    bool message_is_error;
    bool message_is_notice; /* no answer to a key: shown above the keys */
    uint64_t confirmed; /* serial of the comparison whose changes were last asked whether they confirm a fix */
    bool left_off;     /* the notice says that the cursor is where the investigation was left */
    const char *theme; /* name of one of the UI's schemes; static */

    /* Requests of a command, carried out by the workspace's owner without the lock. */
    const char *open_file; /* in the arena of the dump */
    uint32_t open_line;
    char *write_path;
    bool write_report; /* write the findings report, not the comparison */
    bool write_waits;  /* all three are pending until the comparison has ended */
    struct report_job report; /* carries them out */
    bool write_pack;   /* write a pack */
    bool write_force;  /* overwrite a file of others */
    VEC(uint32_t) write_lines; /* write only these lines of the table; empty: all */
    int new_step[2], new_rank[2];
    char *new_input[2]; /* both NULL: unchanged */
    uint32_t show_round; /* with R_RESTART: open the inputs of this round; 0: no */
    bool new_round;     /* the inputs are this investigation's next round; without inputs: return to the previous one */
    struct buf copy;   /* for the clipboard */
    char *edit_command, *edit_text; /* R_EDIT: the command to run with the edited text, and the initial text */
    char *keys;        /* name of a set of keys */
    bool watch;        /* reread growing dumps */
    bool mouse;        /* use the terminal's mouse */
    char *prompt;      /* text for the command line, "" for an empty one */
    char prompt_kind;  /* ':', '/' or '&' */
    struct trial trial; /* for the text typed there */
    const text_list *tools; /* the user's own commands, by name; owned by the screen, or NULL */
    const struct named_text *tool; /* R_SHELL: the one to run */
    struct action_log actions; /* what was done, as lines of the command line */
};

void workspace_init(struct workspace *d, struct session *s, struct investigation *inv);
void workspace_release(struct workspace *d); /* to be called before the session stops, without the lock */

/* All functions below are called with the session's lock held. */
uint32_t workspace_lines(const struct workspace *d); /* of the table */
/* the dump, log … that is open without a golden side, or NULL */
const char *workspace_alone(const struct workspace *d);
/* What is taken from a list of files becomes the golden side. */
bool workspace_takes_golden(const struct workspace *d);
/* Jumps to a line and remembers it for `jump back`. If a filter hides the line, goes to the nearest visible one with
 * a message. Stops following. */
void workspace_go(struct workspace *d, uint32_t line);
/* Called after the cursor was set: moves it to a visible line and updates rows, stack and tensor view. */
void workspace_settle(struct workspace *d);
/* Opens the closed run of one-sided lines that contains a line, if any. */
void workspace_unfold(struct workspace *d, uint32_t line);
/* The same if the run hides the line: its first line stays visible. */
void workspace_reveal(struct workspace *d, uint32_t line);
/* Remembers the cursor for `jump back`. */
void workspace_remember_place(struct workspace *d);
/* The closed run that this line represents in the table; NULL if it is an ordinary line. */
const struct row_fold *workspace_fold(const struct workspace *d, uint32_t line);
/* The lines that filters do not hide, in table order: the range of searches. */
uint32_t workspace_sought(const struct workspace *d);
uint32_t workspace_sought_at(const struct workspace *d, uint32_t place);
uint32_t workspace_sought_pos(const struct workspace *d);
/* Shows the table for a command that needs it: closes an open panel and the overview of ranks. */
void workspace_uncover(struct workspace *d);
/* Whether the overview of ranks replaces the table. */
bool workspace_shows_ranks(const struct workspace *d);
/* While the ranks are shown, complains that the table below them, which the command needs, is not ready; false: they
 * are not shown. Called with the session's lock held. */
bool workspace_covered_table_waits(struct workspace *d, const char *command);
void workspace_step(struct workspace *d, long by); /* by that many visible lines, down or up */
/* Groups rows, or ungroups them. Ungrouped, the cursor goes to the first deviating row of the selected group,
 * otherwise to its first. */
void workspace_group(struct workspace *d, enum group g);
/* The same as ungrouping, but where nothing else was selected the cursor returns to its row of before. */
void workspace_leave_groups(struct workspace *d);
void workspace_make_groups(struct workspace *d); /* again, from the current comparison */
void workspace_group_step(struct workspace *d, long by);
void workspace_group_across(struct workspace *d, int by); /* folds and unfolds, or moves between layers */
void workspace_unfold_all(struct workspace *d);
/* Continues a search in one step: true if the idle loop has to call it again or redraw. */
bool workspace_seek(struct workspace *d);
uint32_t workspace_shown(const struct workspace *d); /* number of visible lines */
uint32_t workspace_at(const struct workspace *d, uint32_t pos); /* the line shown there */
uint32_t workspace_pos(const struct workspace *d); /* where the cursor's line is shown */
/* The rows of a table line, NONE if absent (also while loading). */
void workspace_rows(const struct workspace *d, uint32_t line, uint32_t row[2]);
/* NULL while there is none */
const struct line_judgement *workspace_judgement(const struct workspace *d, uint32_t line);
/* The call's stack on a side, or its forward twin's; NONE if neither exists. */
uint32_t workspace_stack(const struct workspace *d, uint32_t line, int side, bool *of_twin);
/* The selected frame of that side at the cursor; NULL: none. */
const struct frame *workspace_frame(const struct workspace *d, int side);
/* Selects a frame; the other side selects the same depth of the model's code unless the sides move separately. */
void workspace_stack_select(struct workspace *d, enum side side, uint32_t frame);
/* Appends the local path of a frame's file (:remap). */
void workspace_source(const struct workspace *d, const struct frame *f, struct buf *out);
/* The line of these rows, by the first row that has one; NONE if neither has. */
uint32_t workspace_line_of(const struct workspace *d, const uint32_t row[2]);
/* The line that was opened in the overview of ranks (rank_view.arrive), or NONE; its call's worst where only that is
 * known. */
uint32_t workspace_arrival(const struct workspace *d);
void workspace_names(const struct workspace *d, uint32_t line, struct buf name[2]);
/* The newest finding about a line; false if there is none. */
bool workspace_finding(const struct workspace *d, uint32_t line, struct finding *x);
void workspace_clear_list(struct workspace *d);
void workspace_add_item(struct workspace *d, uint32_t line, uint8_t mark, struct str text);
/* Adds an entry that runs a command: the verb and, unless NULL, its arguments. fmt gives its text. */
void workspace_add_command(struct workspace *d, const char *verb, const char *words, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* The same for a word followed by a sentence. */
void workspace_add_prose(struct workspace *d, const char *verb, const char *words, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Sets the command that opens the last entry itself. */
void workspace_add_inside(struct workspace *d, const char *verb, const char *words);
/* … and the command that removes it */
void workspace_add_away(struct workspace *d, const char *verb, const char *words);
void workspace_show_list(struct workspace *d, const char *title); /* shows the added items as an overlay */
/* The selected entry of the list that is open, or NULL. */
const struct list_item *workspace_selected(const struct workspace *d);
/* What to do about a row: one sentence, the most specific that is known. */
const char *workspace_advice(const struct workspace *w, uint32_t line, struct arena *a);
/* Shows only entries with these words in the open list or help. */
void workspace_narrow(struct workspace *d, struct str words);
/* Adds new results of the folder scan to its list. */
void workspace_take_offers(struct workspace *d);
void workspace_leave_list(struct workspace *d); /* for a row opened from one of its entries */
bool workspace_return_list(struct workspace *d); /* false: there is none */
void workspace_close_list(struct workspace *d); /* returns to the panel or list underneath */
/* Closes whatever covers the table. Returns 0. */
int workspace_close_overlay(struct workspace *d);
/* Called before a change: stores the state for undo. `what` names the change. */
void workspace_remember(struct workspace *d, const char *what);
/* The filters in force, one a line, with '!' before inverse ones, else ' '; the caller's. The other sets them. */
char *workspace_filters(const struct workspace *d);
void workspace_set_filters(struct workspace *d, struct str lines);
/* Whether the terminal was lost with filters in force or while a line was being typed. */
bool workspace_unfinished(const struct workspace *d);
bool workspace_undo(struct workspace *d, bool redo); /* false: nothing to undo; otherwise a message names the change */
/* Called after the investigation's decisions changed: pairs again and saves. False if saving failed: the message
 * gives the reason and must not be replaced. */
bool workspace_decide(struct workspace *d);
/* The same for other changes: only saves. */
bool workspace_keep(struct workspace *d);
void workspace_undo_release(struct workspace *d); /* clears the undo history */
/* Stores the visible columns in the investigation. */
void workspace_columns_keep(struct workspace *d);
/* Saves the investigation. False on failure, which becomes the message and inv->unsaved. Changes that others saved
 * meanwhile are merged, which the next message mentions. */
bool workspace_save(struct workspace *d);
/* False, with the reason as the message, if the investigation is read-only. */
bool workspace_may_change(struct workspace *d);

/* Sets write_path, write_report and write_pack; false, with a message, if another write is pending or the path's
 * extension is unknown. */
bool workspace_write_to(struct workspace *d, struct str path, bool report, bool pack);
/* Whether write_path can be written now; otherwise with a message. */
bool workspace_may_write(struct workspace *d);
/* Postpones the write until the comparison has ended, with a message; false: it has ended, or may never end. */
bool workspace_write_later(struct workspace *d);
/* The file being written or to be written, or NULL: changing inputs would cancel it. */
const char *workspace_writing(struct workspace *d);

void workspace_say(struct workspace *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void workspace_complain(struct workspace *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* What should be known before the first key; the keys stay shown. */
void workspace_notice(struct workspace *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
