/* Which fields a dumping tool's configuration has and of what type: a tool ignores the fields it does not know, so that
 * a misspelt one is only noticed when the run is over. */
#include "base/mem.h"
#include "base/msg.h"
#include "base/nearest.h"
#include "config/dump_config.h"

#define KEY_MOST 128

static const char *type_title(enum dump_field_type t)
{
    static const char *const titles[] = {
        [DUMP_TEXT] = N_("a text in quotes"), [DUMP_NUMBER] = N_("a whole number"), [DUMP_BOOL] = N_("true or false"),
        [DUMP_LIST] = N_("a list"), [DUMP_TEXTS] = N_("a list of texts in quotes"),
        [DUMP_NUMBERS] = N_("a list of whole numbers"), [DUMP_GROUP] = N_("an object"), [DUMP_CALL] = "", [DUMP_ANY] = "",
    };
    return _(titles[t]);
}

static bool is_integer_setting(const struct setting *x)
{
    struct str s = x->value;
    unsigned long long v;
    return !x->quoted && str_u64(s.n && s.p[0] == '-' ? str_cut(s, 1) : s, &v);
}

/* Whether the value, or an element of a list, is of the type. */
static bool fits_field_type(const struct setting *x, enum dump_field_type t, bool element)
{
    bool list = !element && !x->quoted && x->value.n && x->value.p[0] == '[';
    bool lists = t == DUMP_LIST || t == DUMP_TEXTS || t == DUMP_NUMBERS;
    if (t == DUMP_ANY || x->state != SETTING_TEXT)
        return true;
    if (element && !lists)
        return true; /* reported with the list itself */
    if (list || element != lists)
        return list && lists;
    if (t == DUMP_TEXT || t == DUMP_TEXTS)
        return x->quoted;
    if (t == DUMP_NUMBER || t == DUMP_NUMBERS)
        return is_integer_setting(x);
    if (t == DUMP_BOOL)
        return !x->quoted && (str_is(x->value, "true") || str_is(x->value, "false"));
    return t == DUMP_LIST;
}

/* "high|low" has "low". */
static bool is_among(struct str value, const char *words)
{
    struct str rest = str_of(words), one;
    while (rest.n) {
        one = str_next(&rest, '|');
        if (str_eq(one, value))
            return true;
    }
    return false;
}

static const struct dump_field *find_dump_field(const struct dump_field *fields, struct str key)
{
    for (const struct dump_field *f = fields; f->key; f++)
        if (str_is(key, f->key) || (f->type == DUMP_ANY && str_starts(key, f->key) && key.p[strlen(f->key)] == '.'))
            return f;
    return NULL;
}

/* The similar name must be in the same object. */
static void say_unknown_field(struct dump_config *c, const struct dump_field *fields, struct str key, const char *said)
{
    ptrdiff_t dot = str_rfind(key, '.');
    size_t before = dot < 0 ? 0 : (size_t)dot + 1;
    struct nearest near = {.word = str_cut(key, before)};
    for (const struct dump_field *f = fields; f->key; f++) {
        struct str k = str_of(f->key);
        if (k.n > before && str_eq(str_n(k.p, before), str_n(key.p, before)) && str_find(str_cut(k, before), '.') < 0)
            nearest_offer(&near, f->key + before);
    }
    if (near.name)
        dump_config_say(c, REMARK_BAD, said, _("no such name; did you mean %s?"), near.name);
    else
        dump_config_say(c, REMARK_ADVICE, said, "%s", _("no such name in the versions seen"));
}

static void check_known_field(struct dump_config *c, const struct dump_field *f, const struct setting *x, bool element)
{
    bool fit = fits_field_type(x, f->type, element);
    if (fit && (!f->words || x->state != SETTING_TEXT || !(element || x->quoted) || is_among(x->value, f->words)))
        return;
    dump_config_say(c, REMARK_BAD, f->key, x->quoted ? _("expected %s, found \"%.*s\"") : _("expected %s, found %.*s"),
                    fit ? f->words : type_title(f->type), STR_ARG(x->value));
}

void dump_config_fields(struct dump_config *c, const struct dump_field *fields)
{
    struct str last = {0};
    for (size_t i = 0; i < c->s.list.n; i++) {
        const struct setting *x = &c->s.list.v[i];
        ptrdiff_t bracket = str_find(x->key, '[');
        struct str base = bracket < 0 ? x->key : str_n(x->key.p, (size_t)bracket);
        const struct dump_field *f = find_dump_field(fields, base);
        if (base.n >= KEY_MOST || (f && (f->type == DUMP_ANY || f->type == DUMP_CALL)))
            continue;
        if (f)
            check_known_field(c, f, x, bracket >= 0);
        else if (!str_eq(base, last))
            say_unknown_field(c, fields, base, arena_cstr(&c->s.arena, base));
        last = base;
    }
}
