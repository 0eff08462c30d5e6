/* The line a command, a search or a note is typed into, with what was typed before and completion. */
#ifndef UI_PROMPT_H
#define UI_PROMPT_H

#include "base/io.h"
#include "base/vec.h"

struct screen;

struct prompt {
    bool active;
    char kind;        /* ':' or '/' */
    struct buf text;
    size_t at;        /* byte the cursor stands before */
    VEC(char *) history;
    size_t recall;    /* index in history, n: the fresh line */
    name_list choices; /* what Tab goes through; empty: what is typed has not been completed */
    size_t choice;     /* the next of them */
    size_t kept;       /* bytes in front of the completed word */
    struct buf hint;   /* shown over the line: what may be typed now */
    bool into_editor; /* its text goes on in the editor */
};

/* Opens it with the text the workspace asks for (workspace.prompt). */
void prompt_open(struct screen *s);
/* A key while it is active; true as of screen_key. */
bool prompt_key(struct screen *s, const char *key);
/* After its text has changed: what is shown over the line, and the rows it finds, which are counted when idle. */
void prompt_typed(struct screen *s);
/* Pasted text as one line, behind what is there: lines are joined with blanks, control characters dropped. */
void pasted_line(struct str text, struct buf *line);
/* It at the cursor. */
void prompt_paste(struct prompt *p, struct str text);
void prompt_release(struct prompt *p);

#endif
