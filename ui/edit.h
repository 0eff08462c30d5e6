/* Long notes in the user's editor: a private file, the terminal lent meanwhile, the text taken over when the editor
 * ends well. Whatever goes wrong, the note stays as it was. */
#ifndef UI_EDIT_H
#define UI_EDIT_H

#include "ui/screen.h"

/* The prompt holds a note: workspace.edit_* become what it holds, and it closes. False where it holds something
 * else. */
bool edit_from_prompt(struct screen *s);
/* workspace.edit_text in $VISUAL, $EDITOR or vi, then workspace.edit_command with what came out. `lend` gives the
 * terminal away while `during` runs (NULL: there is none). A prompt it came from opens again where nothing came out. */
void edit_perform(struct screen *s, void (*lend)(void (*during)(void *ctx), void *ctx));

#endif
