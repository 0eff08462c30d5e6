/* What one person is doing with a session: the place in the table, the search, which pane the keys go
 * to. No screen in here; panes draw it, commands change it, tests drive it. */
#ifndef CMD_DESK_H
#define CMD_DESK_H

#include "find/search.h"
#include "model/investigation.h"
#include "model/session.h"

enum focus { FOCUS_TABLE, FOCUS_DETAIL, FOCUS_STACK, FOCUS_COUNT };
enum overlay { OVERLAY_NONE, OVERLAY_HELP, OVERLAY_LIST };

struct list_item {
    char *text;
    uint32_t line; /* Enter goes there, NONE: nowhere */
    uint8_t mark;  /* enum verdict whose glyph and colour it carries, 0: none */
};

struct desk {
    struct session *s;
    struct investigation *inv;

    uint32_t cursor;   /* line of the table (target row while the sides still load) */
    bool follow;       /* the cursor goes where the first deviation is, until the user moves it */
    uint32_t seen_first; /* the first deviation it followed last */
    bool was_paired;   /* whether `cursor` counts lines yet */
    int page;          /* rows of the table on the screen; set when drawn */

    enum focus focus;
    bool zoom;
    enum overlay overlay;
    int scroll[FOCUS_COUNT]; /* of the detail pane */
    int overlay_scroll;
    enum side stack_side;
    uint32_t frame;    /* selected in the stack pane */
    uint32_t frame_line; /* the table line that selection belongs to */

    struct search search;
    VEC(struct list_item) list;
    char *list_title;
    uint32_t list_at;

    struct buf message;
    bool message_is_error;
    int scheme;        /* index of the UI's schemes; it wraps */

    /* Asked for by a command, done by whoever holds the desk (the lock must be free for these). */
    const char *open_file; /* arena of the dump */
    uint32_t open_line;
    char *write_path;
    int new_step[2], new_rank[2];
    char *prompt;      /* text to put on the command line, "" for an empty one */
    char prompt_kind;  /* ':' or '/' */
};

void desk_init(struct desk *d, struct session *s, struct investigation *inv);
void desk_release(struct desk *d);

/* All below with the session's lock held. */
uint32_t desk_lines(const struct desk *d); /* of the table */
/* Adapts to what the session has published since: cursor kept on its row, first deviation followed. */
void desk_refresh(struct desk *d);
void desk_go(struct desk *d, uint32_t line); /* the user's move: stops following */
/* The rows of a table line, NONE where absent (also while loading). */
void desk_rows(const struct desk *d, uint32_t line, uint32_t row[2]);
const struct line_judgement *desk_judgement(const struct desk *d, uint32_t line); /* NULL while there is none */
/* The call's stack on a side, its forward twin's where it has none itself; NONE when there is neither. */
uint32_t desk_stack(const struct desk *d, uint32_t line, int side, bool *of_twin);
void desk_names(const struct desk *d, uint32_t line, struct buf name[2]);
void desk_clear_list(struct desk *d);
void desk_add_item(struct desk *d, uint32_t line, uint8_t mark, struct str text);
/* Saves the investigation; a failure becomes the message. */
void desk_save(struct desk *d);

void desk_say(struct desk *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void desk_complain(struct desk *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
