/* Keys as data. A key has a name ("j", "Down", "C-d", "F1"), a binding maps it to command text in one
 * place (a pane) or everywhere. Defaults are data/keys.conf; a user's file adds and overrides. */
#ifndef UI_KEYMAP_H
#define UI_KEYMAP_H

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"

struct binding {
    const char *place;   /* "global", "table", "stack" … */
    const char *key;
    const char *command; /* "" unbinds */
};

struct keymap {
    struct arena arena;
    VEC(struct binding) bindings;
};

/* Whether a key is a character that can be typed, a blank among them. */
bool key_is_character(const char *key);
/* Lines "bind PLACE KEY COMMAND…", "use SET" (left to the caller), '#' comments. `name` is for messages. */
int keymap_parse(struct keymap *k, struct str text, const char *name, struct err *e);
void keymap_release(struct keymap *k);
/* The command of a key in a place, else globally; NULL when it has none. */
const char *keymap_find(const struct keymap *k, const char *place, const char *key);
/* The command of a key in a place and nowhere else, or NULL. */
const char *keymap_find_in(const struct keymap *k, const char *place, const char *key);
/* Whether a key is typed in a place rather than run: characters in lists and in the help, unless they are bound there;
 * once words are begun, whatever they are bound to. */
bool keymap_types(const struct keymap *k, const char *place, const char *key, bool begun);
/* A place whose own bindings have this key, where another has not; NULL: none. */
const struct binding *keymap_elsewhere(const struct keymap *k, const char *key);
/* A key that runs this command in this place or globally, or NULL; for hints. */
const char *keymap_key(const struct keymap *k, const char *place, const char *command);

#endif
