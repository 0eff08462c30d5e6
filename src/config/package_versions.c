/* Parses package versions from the lists of pip and conda, and from logs. */
#include <stdio.h>

#include "config/checklist.h"
#include "config/environment_forms.h"

#define LONGEST_NAME 64

static bool name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
        c == '.';
}

static size_t name_at(struct str s)
{
    size_t n = 0;
    while (n < s.n && name_char(s.p[n]))
        n++;
    return n;
}

struct str version_at(struct str s)
{
    size_t n = 0;
    while (n < s.n && (name_char(s.p[n]) || s.p[n] == '+'))
        n++;
    while (n && s.p[n - 1] == '.')
        n--;
    bool dots = n && memchr(s.p, '.', n);
    return n && s.p[0] >= '0' && s.p[0] <= '9' && dots && n <= LONGEST_NAME ? str_n(s.p, n) : STR("");
}

void version_export(struct settings *s, struct str name, struct str version, uint32_t line)
{
    char key[LONGEST_NAME + 16];
    size_t n = (size_t)snprintf(key, sizeof key, "version:%.*s", STR_ARG(name));
    if (!version.n || name.n > LONGEST_NAME || n >= sizeof key)
        return;
    for (size_t i = 8; i < n; i++)
        key[i] = key[i] == '-' || key[i] == '.' ? '_' : key[i] >= 'A' && key[i] <= 'Z' ? (char)(key[i] + 32) : key[i];
    if (!settings_env(s, str_of(key)))
        settings_export(s, str_of(key), version, SETTING_TEXT, line);
}

/* ---- lists of packages ---- */

enum list_form { LIST_PINS, LIST_COLUMNS };

/* "torch==2.1.0", msprobe's "torch=2.1.0"; in columns "torch   2.1.0 …". */
static bool parse_package_line(struct str line, enum list_form form, struct str *name, struct str *version)
{
    line = str_trim(line);
    *name = str_n(line.p, name_at(line));
    struct str rest = str_cut(line, name->n);
    if (!name->n || !rest.n)
        return false;
    if (str_starts(rest, "=="))
        rest = str_cut(rest, 2);
    else if (rest.p[0] == '=')
        rest = str_cut(rest, 1);
    else if (form == LIST_COLUMNS && rest.p[0] == ' ')
        rest = str_trim(rest);
    else
        return false;
    *version = version_at(rest);
    return version->n > 0;
}

static enum list_form package_list_form(struct str text)
{
    return str_starts(text, "Package ") || str_starts(text, "# packages in environment") ? LIST_COLUMNS : LIST_PINS;
}

bool packages_sniff(struct str text)
{
    enum list_form form = package_list_form(text);
    struct str line, name, version;
    size_t good = 0, pinned = 0, other = 0;
    while (text.n) {
        line = str_next(&text, '\n');
        if (parse_package_line(line, form, &name, &version)) {
            good++;
            pinned += str_has(line, "==");
        } else if (str_trim(line).n && line.p[0] != '#' && !str_starts(line, "-") && !str_has(line, " @ ")) {
            other++;
        }
    }
    /* one "=" alone may also be an environment variable: then nearly all lines must be versions */
    return form == LIST_COLUMNS ? good > 0 : pinned ? good > 2 * other : good > 4 && good > 9 * other;
}

bool package_pinned(struct settings *s, struct str line, uint32_t n)
{
    struct str name, version;
    if (!parse_package_line(line, LIST_PINS, &name, &version) || !str_starts(str_cut(str_trim(line), name.n), "=="))
        return false;
    version_export(s, name, version, n);
    return true;
}

/* Variables beside the packages are those of env if PATH, which every process has, is among them. */
int packages_read(struct settings *s, struct str text, struct err *e)
{
    enum list_form form = package_list_form(text);
    struct str line, name, version;
    (void)e;
    for (uint32_t n = 1; text.n; n++) {
        line = str_next(&text, '\n');
        if (parse_package_line(line, form, &name, &version))
            version_export(s, name, version, n);
        else if (form == LIST_PINS && environment_line(s, line, n))
            s->env_known |= str_starts(line, "PATH=") || str_starts(line, "declare -x PATH=");
    }
    return 0;
}

/* ---- logs ---- */

/* Words that come before a version; "version" itself follows some of them. */
static const struct {
    const char *name, *before;
} spoken[] = {
    {"mindspore", "mindspore version"},
    {"mindformers", "mindformers version"},
    {"cann", "cann version"},
    {"cann", "(ascend data center solution)version"}, /* MindSpore's check of its companion */
    {"torch", "pytorch version"},
    {"torch", "torch version"},
    {"torch_npu", "torch_npu version"},
    {"torch_npu", "torch-npu version"},
    {"transformers", "transformers version"},
    {"transformers", "\"transformers_version\""},
    {"deepspeed", "deepspeed version"},
    {"deepspeed", "deepspeed info:"}, /* DeepSpeed: version=0.16.2, git-hash=… */
    {"megatron_core", "megatron-core version"},
    {"megatron_core", "megatron core version"},
    {"driver", "driver version"},
    {"driver", "npu-smi"},
};

/* Skips blanks, dots of a table, ":" and "=", quotes and the word itself. */
static struct str version_behind(struct str s)
{
    while (s.n && strchr(" .:=\"'\t", s.p[0]))
        s = str_cut(s, 1);
    if (str_starts(s, "version="))
        s = str_cut(s, 8);
    return version_at(str_starts(s, "v") ? str_cut(s, 1) : s);
}

static void versions_in_line(struct settings *s, struct str line, uint32_t n)
{
    char low[512];
    struct str l = {low, line.n < sizeof low ? line.n : sizeof low};
    for (size_t i = 0; i < l.n; i++)
        low[i] = line.p[i] >= 'A' && line.p[i] <= 'Z' ? (char)(line.p[i] + 32) : line.p[i];
    for (size_t i = 0; i < ARRAY_LEN(spoken); i++) {
        ptrdiff_t at = str_search(l, spoken[i].before);
        if (at < 0 || (at > 0 && name_char(l.p[at - 1]) && l.p[at - 1] != '-'))
            continue;
        struct str rest = str_cut(line, (size_t)at + strlen(spoken[i].before));
        version_export(s, str_of(spoken[i].name), version_behind(rest), n);
    }
    ptrdiff_t pin = str_search(l, "==");
    size_t from = pin < 0 ? 0 : (size_t)pin;
    while (from && name_char(line.p[from - 1]))
        from--;
    if (pin > 0 && from < (size_t)pin)
        version_export(s, str_n(line.p + from, (size_t)pin - from), version_at(str_cut(line, (size_t)pin + 2)), n);
}

/* NAME=value, 'NAME': 'value', NAME: value, as a word of its own. */
static bool variable_in(struct str text, struct str name, struct str *value, size_t *at)
{
    char part[LONGEST_NAME];
    if (name.n >= sizeof part)
        return false;
    snprintf(part, sizeof part, "%.*s", STR_ARG(name));
    for (struct str rest = text; rest.n;) {
        ptrdiff_t k = str_search(rest, part);
        if (k < 0)
            return false;
        *at = (size_t)(rest.p - text.p) + (size_t)k;
        bool alone = *at == 0 || !name_char(text.p[*at - 1]);
        rest = str_cut(rest, (size_t)k + name.n);
        struct str v = rest;
        if (v.n && strchr("'\"", v.p[0]))
            v = str_cut(v, 1);
        if (!alone || v.n < 2 || (v.p[0] != '=' && !str_starts(v, ": ")))
            continue;
        v = str_cut(v, v.p[0] == '=' ? 1 : 2);
        if (v.n && strchr("'\"", v.p[0]))
            v = str_cut(v, 1);
        size_t n = 0;
        while (n < v.n && !strchr(" \t\r\n,;'\"})", v.p[n]))
            n++;
        *value = str_n(v.p, n);
        if (n)
            return true;
    }
    return false;
}

static uint32_t line_number_at(struct str text, size_t at)
{
    uint32_t n = 1;
    for (size_t i = 0; i < at; i++)
        n += text.p[i] == '\n';
    return n;
}

static void variables_of(struct settings *s, struct str text, const struct node *n)
{
    for (; n; n = n->next) {
        struct str value;
        size_t at;
        variables_of(s, text, n->child);
        if (n->kind == NODE_ENV && !str_starts(n->text, "version:") && !settings_env(s, n->text) &&
            variable_in(text, n->text, &value, &at))
            settings_export(s, n->text, value, SETTING_TEXT, line_number_at(text, at));
    }
}

int environment_in_log(struct settings *s, struct str text, struct err *e)
{
    const struct checklist *c = checklist_get();
    struct str rest = text, line;
    (void)e;
    for (uint32_t n = 1; rest.n; n++) {
        line = str_next(&rest, '\n');
        if (str_has(line, "ersion") || str_has(line, "==") || str_has(line, "npu-smi") || str_has(line, "info:"))
            versions_in_line(s, line, n);
    }
    for (size_t i = 0; i < c->row.n; i++)
        for (size_t k = 0; k < c->row.v[i].by.n; k++)
            variables_of(s, text, c->row.v[i].by.v[k].value);
    return 0;
}
