/* The line for typing a command, a search or a note, with history and completion. */
#ifndef UI_PROMPT_H
#define UI_PROMPT_H

#include "base/io.h"
#include "base/vec.h"

struct screen;

struct prompt {
    bool active;
    char kind;        /* ':' or '/' */
    struct buf text;
    size_t at;        /* byte offset of the cursor */
    VEC(char *) history;
    size_t recall;    /* index in history, n: the new line */
    name_list choices; /* completions that Tab cycles through; empty: not completed yet */
    size_t choice;     /* index of the next one */
    size_t kept;       /* bytes before the completed word */
    struct buf hint;   /* shown above the line: possible input */
    bool into_editor; /* the text moves to the editor */
};

/* Opens it with the text requested by the workspace (workspace.prompt). */
void prompt_open(struct screen *s);
/* Handles a key while it is active; returns like screen_key. */
bool prompt_key(struct screen *s, const char *key);
/* Called after its text has changed: updates the hint and the trial of a filter or search, which is counted when
 * idle. */
void prompt_typed(struct screen *s);
/* Pasted text as one line, behind what is there: lines are joined with blanks, control characters dropped. */
void pasted_line(struct str text, struct buf *line);
/* It at the cursor. */
void prompt_paste(struct prompt *p, struct str text);
void prompt_release(struct prompt *p);

#endif
