/* Parses key files and finds the command of a key in a pane, and the key of a command. */
#include "ui/keymap.h"

#include "base/msg.h"
#include "base/utf8.h"

static struct str next_keymap_word(struct str *rest)
{
    struct str w;
    *rest = str_trim(*rest);
    size_t n = 0;
    while (n < rest->n && rest->p[n] != ' ' && rest->p[n] != '\t')
        n++;
    w = str_n(rest->p, n);
    *rest = str_trim(str_cut(*rest, n));
    return w;
}

int keymap_parse(struct keymap *k, struct str text, const char *name, struct err *e)
{
    struct str line;
    uint64_t n = 0;
    while (text.n) {
        line = str_next(&text, '\n');
        n++;
        line = str_trim(line);
        if (!line.n || line.p[0] == '#')
            continue;
        struct str rest = line;
        if (str_is(next_keymap_word(&rest), "use")) /* includes a base set of keys, which the caller loads */
            continue;
        struct str verb = next_keymap_word(&line), place = next_keymap_word(&line), key = next_keymap_word(&line);
        bool unbind = str_is(verb, "unbind");
        if ((!unbind && !str_is(verb, "bind")) || !key.n || (!unbind && !line.n))
            return err_line(e, name, n, _("expected: bind PLACE KEY COMMAND"));
        struct binding b = {
            arena_cstr(&k->arena, place),
            arena_cstr(&k->arena, key),
            unbind ? "" : arena_cstr(&k->arena, line),
        };
        vec_push(&k->bindings, b);
    }
    return 0;
}

bool key_is_character(const char *key)
{
    return strcmp(key, "Space") == 0 ||
           (utf8_cells(str_of(key)) >= 1 && (strlen(key) == 1 || (unsigned char)key[0] >= 0x80));
}

void keymap_release(struct keymap *k)
{
    vec_release(&k->bindings);
    arena_release(&k->arena);
}

static const struct binding *binding_in_place(const struct keymap *k, const char *place, const char *key)
{
    for (size_t i = k->bindings.n; i-- > 0;) /* the newest wins */
        if (strcmp(k->bindings.v[i].key, key) == 0 && strcmp(k->bindings.v[i].place, place) == 0)
            return &k->bindings.v[i];
    return NULL;
}

const char *keymap_find(const struct keymap *k, const char *place, const char *key)
{
    const struct binding *b = binding_in_place(k, place, key);
    if (!b)
        b = binding_in_place(k, "global", key);
    return b && *b->command ? b->command : NULL;
}

const char *keymap_find_in(const struct keymap *k, const char *place, const char *key)
{
    const struct binding *b = binding_in_place(k, place, key);
    return b && *b->command ? b->command : NULL;
}

bool keymap_types(const struct keymap *k, const char *place, const char *key, bool begun)
{
    bool words = strcmp(place, "list") == 0 || strcmp(place, "help") == 0, character = key_is_character(key);
    return words && (character || strcmp(key, "Backspace") == 0) &&
           ((begun && character) || !keymap_find_in(k, place, key));
}

const struct binding *keymap_elsewhere(const struct keymap *k, const char *key)
{
    for (size_t i = 0; i < k->bindings.n; i++) {
        const struct binding *b = &k->bindings.v[i];
        if (strcmp(b->key, key) == 0 && *b->command && binding_in_place(k, b->place, key) == b)
            return b;
    }
    return NULL;
}

const char *keymap_key(const struct keymap *k, const char *place, const char *command)
{
    /* the key that works everywhere is preferred */
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < k->bindings.n; i++) {
            const struct binding *b = &k->bindings.v[i];
            const char *here = strcmp(b->place, pass ? place : "global") == 0 ? keymap_find(k, place, b->key) : NULL;
            if (here && !keymap_types(k, place, b->key, false) && strcmp(b->command, command) == 0 &&
                strcmp(here, command) == 0)
                return b->key;
        }
    return NULL;
}
