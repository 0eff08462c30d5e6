/* Parses key files and finds the command of a key in a place, and the key of a command. */
#include "ui/keymap.h"

#include "base/msg.h"

static struct str word(struct str *rest)
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
        str_split(text, '\n', &line, &text);
        n++;
        line = str_trim(line);
        if (!line.n || line.p[0] == '#')
            continue;
        struct str rest = line;
        if (str_is(word(&rest), "use")) /* a set of keys below these: whoever loads the file knows them */
            continue;
        struct str verb = word(&line), place = word(&line), key = word(&line);
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

void keymap_release(struct keymap *k)
{
    vec_release(&k->bindings);
    arena_release(&k->arena);
}

static const struct binding *in_place(const struct keymap *k, const char *place, const char *key)
{
    for (size_t i = k->bindings.n; i-- > 0;) /* the newest wins */
        if (strcmp(k->bindings.v[i].key, key) == 0 && strcmp(k->bindings.v[i].place, place) == 0)
            return &k->bindings.v[i];
    return NULL;
}

const char *keymap_find(const struct keymap *k, const char *place, const char *key)
{
    const struct binding *b = in_place(k, place, key);
    if (!b)
        b = in_place(k, "global", key);
    return b && *b->command ? b->command : NULL;
}

const char *keymap_key(const struct keymap *k, const char *place, const char *command)
{
    /* the key that works everywhere is the one worth learning */
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < k->bindings.n; i++) {
            const struct binding *b = &k->bindings.v[i];
            const char *here = strcmp(b->place, pass ? place : "global") == 0 ? keymap_find(k, place, b->key) : NULL;
            if (here && strcmp(b->command, command) == 0 && strcmp(here, command) == 0)
                return b->key;
        }
    return NULL;
}
