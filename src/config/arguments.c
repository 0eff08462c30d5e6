/* Loads data/settings.tsv once; defaults, flags and argument names are looked up in it. */
#include "config/arguments.h"

#include <pthread.h>

#include "base/embed.h"

struct rename {
    struct str to, value; /* value "=": the option's own */
};

struct aside {
    enum dialect dialect;
    struct str key;
    bool below; /* and what lies under it */
};

struct release {
    struct str mindformers, mindspore, cann;
};

static struct {
    pthread_once_t once;
    struct map argument, rename, npu;
    VEC(struct str) value;
    VEC(struct rename) to;
    VEC(struct aside) aside;
    VEC(struct release) release;
} table = {.once = PTHREAD_ONCE_INIT};

static enum dialect dialect_named(struct str s)
{
    return str_is(s, "mindformers") ? DIALECT_MINDFORMERS : str_is(s, "hf") ? DIALECT_HF : DIALECT_MEGATRON;
}

static void load_row(struct str kind, struct str a, struct str b, struct str c)
{
    if (str_is(kind, "megatron")) {
        vec_push(&table.value, b);
        map_add(&table.argument, a, (uint32_t)table.value.n - 1);
    } else if (str_is(kind, "sets")) {
        vec_push(&table.to, ((struct rename){b, c}));
        map_add(&table.rename, a, (uint32_t)table.to.n - 1);
    } else if (str_is(kind, "npu")) {
        map_add(&table.npu, a, 0);
    } else if (str_is(kind, "released")) {
        vec_push(&table.release, ((struct release){a, b, c}));
    } else if (str_is(kind, "aside")) {
        struct aside x = {dialect_named(a), b, str_ends(b, ".*")};
        x.key.n -= x.below ? 1 : 0;
        vec_push(&table.aside, x);
    }
}

static void load_argument_table(void)
{
    struct str rest = embed_str(&embed_settings_tsv), line, field[4];
    while (rest.n) {
        line = str_next(&rest, '\n');
        if (!line.n || line.p[0] == '#')
            continue;
        for (int i = 0; i < 4; i++)
            field[i] = str_next(&line, '\t');
        load_row(field[0], field[1], field[2], field[3]);
    }
}

static void argument_table_ready(void)
{
    pthread_once(&table.once, load_argument_table);
}

bool argument_default(struct str name, struct str *value)
{
    argument_table_ready();
    uint32_t i = map_get(&table.argument, name);
    if (i == MAP_NONE || settings_null(table.value.v[i]) || str_is(table.value.v[i], "*"))
        return false;
    *value = table.value.v[i];
    return true;
}

bool argument_flag(struct str name)
{
    struct str v;
    argument_table_ready();
    uint32_t i = map_get(&table.rename, name);
    if (i != MAP_NONE)
        return !str_is(table.to.v[i].value, "=");
    return argument_default(name, &v) && (str_is(v, "True") || str_is(v, "False"));
}

bool argument_npu(struct str name)
{
    argument_table_ready();
    return map_get(&table.npu, name) != MAP_NONE;
}

bool setting_aside(enum dialect d, struct str key)
{
    argument_table_ready();
    if (d == DIALECT_MEGATRON) {
        uint32_t i = map_get(&table.argument, key);
        if (i != MAP_NONE && str_is(table.value.v[i], "*"))
            return true;
    }
    for (size_t i = 0; i < table.aside.n; i++) {
        const struct aside *x = &table.aside.v[i];
        if (x->dialect == d &&
            (x->below ? key.n > x->key.n && memcmp(key.p, x->key.p, x->key.n) == 0 : str_eq(key, x->key)))
            return true;
    }
    return false;
}

bool version_begins(struct str version, struct str with)
{
    return version.n >= with.n && memcmp(version.p, with.p, with.n) == 0 &&
           (version.n == with.n || version.p[with.n] < '0' || version.p[with.n] > '9');
}

bool released_with(struct str mindformers, struct str *mindspore, struct str *cann)
{
    argument_table_ready();
    for (size_t i = 0; i < table.release.n; i++)
        if (version_begins(mindformers, table.release.v[i].mindformers)) {
            *mindspore = table.release.v[i].mindspore;
            *cann = table.release.v[i].cann;
            return true;
        }
    return false;
}

int argument_add(struct settings *s, struct str name, struct str spelled, struct str value, enum setting_state state,
                 uint32_t line,
                 bool printed, struct err *e)
{
    argument_table_ready();
    uint32_t i = map_get(&table.rename, name);
    bool off = str_is(value, "False"); /* printed by a fork that keeps the option's own name */
    if (i != MAP_NONE && !(printed && off)) {
        const struct rename *r = &table.to.v[i];
        name = r->to;
        if (!str_is(r->value, "="))
            value = r->value;
    }
    if (settings_add(s, name, spelled, value, state, line, e))
        return -1;
    struct str d;
    i = map_get(&s->by_key, name);
    uint32_t known = map_get(&table.argument, name);
    if (printed)
        s->list.v[i].dflt = argument_default(name, &d) ? str_eq(d, value) : known != MAP_NONE && state == SETTING_NULL;
    return 0;
}
