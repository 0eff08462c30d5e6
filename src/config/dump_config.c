/* The table of dumping tools, and functions shared by the checks of their configurations. */
#include "config/dump_config.h"

#include <stdio.h>

#include "base/io.h"
#include "base/json_read.h"
#include "base/msg.h"

static const struct dump_tool tools[] = {
    {"mindspore-dump", mindspore_dump_sniff, mindspore_dump_lint},
    {"msprobe", msprobe_config_sniff, msprobe_config_lint},
    {"ptdbg", ptdbg_script_sniff, ptdbg_script_lint},
};

#define CONFIG_BYTES (1u << 20)
#define SCRIPT_CALLS 200

const char *dump_remark_name(enum dump_remark_weight w)
{
    static const char *const names[] = {"note", "advice", "bad"};
    return names[w];
}

/* ---- reading: a document, or the calls of a script ---- */

/* "name(a, key=b)": each as "name.key" or "name[0]" with its text. */
static int add_script_call(struct settings *s, struct str name, struct str arguments, uint32_t line, struct err *e)
{
    size_t depth = 0, begin = 0, place = 0;
    char quote = 0;
    struct buf key = {0};
    int rc = 0;
    for (size_t i = 0; i <= arguments.n && rc == 0; i++) {
        char c = i < arguments.n ? arguments.p[i] : ',';
        if (quote) {
            quote = c == quote ? 0 : quote;
            continue;
        }
        if (c == '"' || c == '\'')
            quote = c;
        depth += c == '(' || c == '[' || c == '{';
        depth -= depth && (c == ')' || c == ']' || c == '}');
        if (c != ',' || depth)
            continue;
        struct str one = str_trim(str_n(arguments.p + begin, i - begin)), head, rest;
        begin = i + 1;
        if (!one.n)
            continue;
        bool named = str_split(one, '=', &head, &rest) && !strchr("\"'[({", one.p[0]);
        buf_clear(&key);
        if (named)
            buf_fmt(&key, "%.*s.%.*s", STR_ARG(name), STR_ARG(str_trim(head)));
        else
            buf_fmt(&key, "%.*s[%zu]", STR_ARG(name), place++);
        struct str value = str_trim(named ? rest : one);
        if (value.n > 1 && strchr("\"'", value.p[0]) && value.p[value.n - 1] == value.p[0])
            value = str_n(value.p + 1, value.n - 2);
        rc = settings_add(s, buf_view(&key), buf_view(&key), value, SETTING_TEXT, line, e);
    }
    buf_release(&key);
    return rc;
}

/* Whether a call only switches off what an earlier one of the same name switched on. */
static bool switches_off(const struct settings *s, const char *name, struct str arguments)
{
    char key[128];
    snprintf(key, sizeof key, "%s[0]", name);
    const struct setting *before = settings_find(s, str_of(key));
    struct str first;
    str_split(arguments, ',', &first, &arguments);
    first = str_trim(first);
    return before && str_is(before->value, "ON") && (str_is(first, "\"OFF\"") || str_is(first, "'OFF'"));
}

/* Calls of ptdbg's functions in a training script; nothing of it runs. */
static int read_ptdbg_script(struct settings *s, struct str text, struct err *e)
{
    static const char *const names[] = {"PrecisionDebugger", "set_dump_path", "set_dump_switch", "register_hook",
                                        "set_overflow_check_switch"};
    struct str rest = text, line;
    size_t calls = 0;
    for (uint32_t n = 1; rest.n && calls < SCRIPT_CALLS; n++) {
        line = str_next(&rest, '\n');
        ptrdiff_t comment = str_find(line, '#');
        struct str code = comment < 0 ? line : str_n(line.p, (size_t)comment);
        for (size_t i = 0; i < ARRAY_LEN(names); i++) {
            ptrdiff_t at = str_search(code, names[i]);
            size_t open = at < 0 ? 0 : (size_t)at + strlen(names[i]);
            if (at < 0 || open >= code.n || code.p[open] != '(')
                continue;
            /* up to the line's last bracket: of calls over several lines only the first line is read */
            ptrdiff_t close = str_rfind(code, ')');
            struct str arguments = str_cut(code, open + 1);
            if (close > (ptrdiff_t)open)
                arguments.n = (size_t)close - open - 1;
            calls++;
            if (switches_off(s, names[i], arguments))
                continue;
            if (settings_add(s, str_of(names[i]), str_of(names[i]), STR("True"), SETTING_TEXT, n, e) ||
                add_script_call(s, str_of(names[i]), arguments, n, e))
                return -1;
        }
    }
    return 0;
}

/* What YAML allows, as a comma behind the last member, the tools' own readers refuse. */
static int as_json(const char *path, struct str text, struct err *e)
{
    const char *end = text.p;
    if (str_starts(text, "\xef\xbb\xbf"))
        text = str_cut(text, 3);
    cJSON *tree = cJSON_ParseWithLengthOpts(text.p, text.n, &end, false);
    struct str rest = str_cut(text, (size_t)(end - text.p));
    bool whole = tree && !str_trim(rest).n;
    cJSON_Delete(tree);
    if (whole)
        return 0;
    size_t line = 0;
    struct str here = text, all = text;
    while (all.n && (!line || all.p <= end)) {
        here = str_trim(str_next(&all, '\n'));
        line++;
    }
    return err_set(e, ERR_DATA, _("%s: line %zu is no JSON: %.*s"), path, line, (int)(here.n < 80 ? here.n : 80),
                   here.p);
}

static int read_dump_config(struct settings *s, const char *path, bool strict, struct err *e)
{
    struct buf text = {0};
    s->path = arena_cstr(&s->arena, str_of(path));
    int rc = file_slurp(path, CONFIG_BYTES, &text, e);
    struct str t = buf_view(&text);
    if (rc == 0 && memchr(t.n ? t.p : "", 0, t.n))
        rc = err_set(e, ERR_DATA, _("%s: expected text, found a zero byte"), path);
    if (rc == 0)
        rc = str_ends(str_of(path), ".py") ? read_ptdbg_script(s, t, e) : settings_document_flatten(s, t, e);
    if (rc == 0 && strict && !str_ends(str_of(path), ".py"))
        rc = as_json(path, t, e);
    buf_release(&text);
    return rc;
}

static const struct dump_tool *sniff_dump_tool(const struct settings *s)
{
    for (size_t i = 0; i < ARRAY_LEN(tools); i++)
        if (tools[i].sniff(s))
            return &tools[i];
    return NULL;
}

/* Only files that may be one are read. */
static bool named_so(const char *path)
{
    return path_is_file(path) && (str_ends(str_of(path), ".json") || str_ends(str_of(path), ".py"));
}

bool dump_config_probe(const char *path)
{
    struct settings s = {0};
    struct err quiet;
    char head[4096];
    struct str h = named_so(path) ? file_head(path, head, sizeof head) : STR("");
    /* dump.json also begins with a task and a dump_path, and may be of any size */
    bool mindspore = str_has(h, "common_dump_settings") || str_has(h, "e2e_dump_settings");
    bool may = h.n && (mindspore || str_has(h, "dump_path") || str_has(h, "PrecisionDebugger") ||
                       str_has(h, "set_dump_")) && !str_has(h, "\"data\"");
    bool read = may && read_dump_config(&s, path, false, &quiet) == 0;
    bool yes = may && (read ? sniff_dump_tool(&s) != NULL : mindspore); /* a broken one is to be said with its place */
    settings_release(&s);
    return yes;
}

int dump_config_open(struct dump_config *c, const char *path, struct err *e)
{
    *c = (struct dump_config){0};
    if (read_dump_config(&c->s, path, true, e))
        return -1;
    const struct dump_tool *t = sniff_dump_tool(&c->s);
    if (!t)
        return err_set(e, ERR_DATA, _("%s: not a known dump configuration"), path);
    c->tool = t->name;
    t->lint(c);
    for (size_t i = 0; i < c->remarks.n; i++)
        c->bad += c->remarks.v[i].weight == REMARK_BAD;
    return 0;
}

void dump_config_release(struct dump_config *c)
{
    vec_release(&c->remarks);
    settings_release(&c->s);
}

/* ---- for the tools ---- */

struct str dump_config_value(const struct dump_config *c, const char *key)
{
    const struct setting *x = settings_find(&c->s, str_of(key));
    return x && x->state == SETTING_TEXT ? x->value : STR("");
}

struct str dump_config_element(const struct dump_config *c, const char *key, size_t i)
{
    char name[128];
    snprintf(name, sizeof name, "%s[%zu]", key, i);
    return dump_config_value(c, name);
}

size_t dump_config_count(const struct dump_config *c, const char *key)
{
    size_t n = 0;
    while (dump_config_element(c, key, n).n)
        n++;
    return n;
}

void dump_config_say(struct dump_config *c, enum dump_remark_weight w, const char *key, const char *fmt, ...)
{
    struct dump_remark r = {.weight = w, .key = key};
    va_list ap;
    va_start(ap, fmt);
    r.text = arena_vfmt(&c->s.arena, fmt, ap);
    va_end(ap);
    vec_push(&c->remarks, r);
}

bool dump_config_has_step(struct str text, char between, int64_t step)
{
    struct str part, first, last;
    unsigned long long a, b;
    text = str_trim(text);
    if (str_is(text, "all"))
        return true;
    for (bool more = true; more;) {
        more = str_split(text, between, &part, &text);
        bool range = str_split(str_trim(part), '-', &first, &last);
        if (str_u64(first, &a) && (!range || str_u64(last, &b)) && (unsigned long long)step >= a &&
            (unsigned long long)step <= (range ? b : a))
            return true;
    }
    return false;
}

int64_t dump_config_steps(struct str text, char between)
{
    struct str part, first, last;
    unsigned long long a, b, total = 0;
    text = str_trim(text);
    if (!text.n || str_is(text, "all"))
        return 0;
    for (bool more = true; more;) {
        more = str_split(text, between, &part, &text);
        bool range = str_split(str_trim(part), '-', &first, &last);
        if (!str_u64(first, &a) || a > INT32_MAX)
            return -1;
        b = a;
        if (range && (!str_u64(last, &b) || b < a || b > INT32_MAX))
            return -1;
        total += b - a + 1;
    }
    return (int64_t)total;
}
