/* Loads data/roles.tsv once and finds a role by the components of a module's path; which roles contain others, and
 * which cannot correspond. */
#include "dump/role.h"

#include <pthread.h>
#include <string.h>

#include "base/arena.h"
#include "base/embed.h"
#include "base/map.h"

static struct {
    pthread_once_t once;
    struct arena arena;
    struct map words;
    const char *name[ROLE_MAX];
    uint64_t parts[ROLE_MAX]; /* bits of the roles contained */
    bool weight[ROLE_MAX];
    uint8_t n;
} table = {.once = PTHREAD_ONCE_INIT, .n = 1};

static struct str plain_role_word(struct str s, char *out, size_t cap)
{
    size_t n = 0;
    for (size_t i = 0; i < s.n && n < cap; i++)
        if (s.p[i] != '_')
            out[n++] = s.p[i] >= 'A' && s.p[i] <= 'Z' ? (char)(s.p[i] + 32) : s.p[i];
    return str_n(out, n);
}

static uint64_t bits_of(struct str kind)
{
    uint64_t bits = 0;
    struct str word;
    while (kind.n) {
        word = str_next(&kind, '+');
        for (int i = 1; i < table.n; i++)
            if (str_is(word, table.name[i]))
                bits |= UINT64_C(1) << i;
    }
    return bits;
}

static void load_roles(void)
{
    struct str rest = embed_str(&embed_roles_tsv), line, role, kind, word;
    while (rest.n) {
        line = str_next(&rest, '\n');
        if (!line.n || line.p[0] == '#' || table.n == ROLE_MAX || !str_split(line, '\t', &role, &line) ||
            !str_split(line, '\t', &kind, &line))
            continue;
        uint8_t r = table.n;
        table.parts[r] = bits_of(kind);
        table.name[r] = arena_str(&table.arena, role).p;
        table.weight[r] = table.parts[r] || str_is(kind, "weight");
        table.n++;
        while (line.n) {
            char tmp[64];
            word = str_next(&line, ' ');
            if (word.n)
                map_add(&table.words, arena_str(&table.arena, plain_role_word(word, tmp, sizeof tmp)), r);
        }
    }
}

uint8_t role_find(struct str path)
{
    pthread_once(&table.once, load_roles);
    while (path.n) {
        size_t at = path.n;
        char tmp[64];
        while (at && path.p[at - 1] != '.')
            at--;
        /* "output.projection" before "projection": two components are more specific */
        size_t before = at ? at - 1 : 0;
        while (before && path.p[before - 1] != '.')
            before--;
        uint32_t r = at ? map_get(&table.words, plain_role_word(str_cut(path, before), tmp, sizeof tmp)) : MAP_NONE;
        if (r == MAP_NONE)
            r = map_get(&table.words, plain_role_word(str_cut(path, at), tmp, sizeof tmp));
        if (r != MAP_NONE)
            return (uint8_t)r;
        path.n = at ? at - 1 : 0;
    }
    return 0;
}

const char *role_name(uint8_t role)
{
    return role && role < table.n ? table.name[role] : "";
}

bool role_part(uint8_t part, uint8_t whole)
{
    return table.parts[whole] >> part & 1;
}

bool role_conflict(uint8_t a, uint8_t b)
{
    return a != b && table.weight[a] && table.weight[b] && !role_part(a, b) && !role_part(b, a);
}

bool role_has_weight(uint8_t role)
{
    return table.weight[role];
}

bool role_is_loss(uint8_t role)
{
    return strcmp(role_name(role), "loss") == 0;
}
