/* The line a command, a search or a note is typed into, with what was typed before and completion. */
#ifndef UI_PROMPT_H
#define UI_PROMPT_H

#include "base/str.h"
#include "base/vec.h"

struct screen;

struct prompt {
    bool active;
    char kind;        /* ':' or '/' */
    struct buf text;
    size_t at;        /* byte the cursor stands before */
    VEC(char *) history;
    size_t recall;    /* index in history, n: the fresh line */
    int completion;   /* the next one Tab offers */
    bool into_editor; /* its text goes on in the editor */
    size_t stem;      /* bytes that were typed, what follows is completed */
};

/* Opens it with the text the desk asks for (desk.prompt). */
void prompt_open(struct screen *s);
/* A key while it is active; reaction bits as of screen_key. */
int prompt_key(struct screen *s, const char *key);
void prompt_release(struct prompt *p);

#endif
