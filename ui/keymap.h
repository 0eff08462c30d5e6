/* Key bindings. A key has a name ("j", "Down", "C-d", "F1"); a binding maps it to command text in one place (a pane)
 * or everywhere. Defaults are in data/keys.conf; a user's file adds and overrides. */
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

/* Whether a key is a printable character or blank. */
bool key_is_character(const char *key);
/* Parses lines "bind PLACE KEY COMMAND…", "use SET" (handled by the caller) and '#' comments. `name` is for messages.
 */
int keymap_parse(struct keymap *k, struct str text, const char *name, struct err *e);
void keymap_release(struct keymap *k);
/* The command of a key in a place, otherwise the global one; NULL if there is none. */
const char *keymap_find(const struct keymap *k, const char *place, const char *key);
/* The command of a key in this place only, or NULL. */
const char *keymap_find_in(const struct keymap *k, const char *place, const char *key);
/* Whether a key is typed as text in a place instead of run: characters in lists and in the help unless bound there;
 * once typing has begun, all characters. */
bool keymap_types(const struct keymap *k, const char *place, const char *key, bool begun);
/* Another place that binds this key, or NULL. */
const struct binding *keymap_elsewhere(const struct keymap *k, const char *key);
/* A key that runs this command in this place or globally, or NULL; for hints. */
const char *keymap_key(const struct keymap *k, const char *place, const char *command);

#endif
