/* Editing long notes in the user's editor: a private file, the terminal lent meanwhile, the text taken over if the
 * editor exits successfully. On any failure the note is unchanged. */
#ifndef UI_EDIT_H
#define UI_EDIT_H

#include "ui/screen.h"

/* Moves the note being typed in the prompt to workspace.edit_* and closes the prompt. False if the prompt holds
 * something else. */
bool edit_from_prompt(struct screen *s);
/* Edits workspace.edit_text in $VISUAL, $EDITOR or vi, then runs workspace.edit_command with the result. `lend`
 * releases the terminal while `during` runs (NULL: there is none). If there is no result, a prompt from which it came
 * is opened again. */
void edit_perform(struct screen *s, void (*lend)(void (*during)(void *ctx), void *ctx));

#endif
