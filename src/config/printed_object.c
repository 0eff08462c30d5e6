/* Arguments that a program prints as a Python object: "TrainingArguments(", then a line each, "learning_rate=2e-05,",
 * then ")" (Hugging Face); or on one line, "Namespace(lr=2e-05, betas=(0.9, 0.95))" (argparse). */
#include "base/msg.h"
#include "config/settings.h"
#include "config/shell.h"

#define OBJECT_BYTES (1u << 20)
#define OBJECTS_MOST 300 /* that are looked into */

/* Where the objects' text goes on, and the line there. */
struct object_text {
    struct str rest;
    uint32_t line;
};

static char object_byte(const struct object_text *t)
{
    return t->rest.n ? t->rest.p[0] : 0;
}

static void go_past_byte(struct object_text *t)
{
    t->line += object_byte(t) == '\n';
    t->rest = str_cut(t->rest, 1);
}

static void go_past_blanks(struct object_text *t)
{
    while (t->rest.n && strchr(" \t\r\n", t->rest.p[0]))
        go_past_byte(t);
}

/* A value as far as the comma or bracket behind it, which is not taken; a comma inside a path ("/data/a,b") has no
 * blank behind it. False: the value does not end. */
static bool take_object_value(struct object_text *t, struct str *value)
{
    const char *begin = t->rest.p;
    char quote = 0;
    for (int depth = 0; t->rest.n && (size_t)(t->rest.p - begin) < OBJECT_BYTES; go_past_byte(t)) {
        char c = t->rest.p[0];
        if (quote && c == '\\' && t->rest.n > 1)
            go_past_byte(t);
        else if (quote)
            quote = c == quote ? 0 : quote;
        else if (c == '\'' || c == '"')
            quote = c;
        else if (!depth && (c == ')' || c == ']' ||
                            (c == ',' && t->rest.n > 1 && strchr(" \r\n)", t->rest.p[1]))))
            break;
        else
            depth += (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}');
    }
    *value = str_trim(str_n(begin, (size_t)(t->rest.p - begin)));
    return t->rest.n && !quote && value->n;
}

/* "SchedulerType.LINEAR" is "linear": members of an enumeration print their names. */
static struct str plain_value(struct str v, struct buf *b)
{
    ptrdiff_t dot = str_find(v, '.');
    bool member = dot > 0 && v.p[0] >= 'A' && v.p[0] <= 'Z' && (size_t)dot + 1 < v.n;
    for (size_t i = dot < 0 ? 0 : (size_t)dot + 1; member && i < v.n; i++)
        member = (v.p[i] >= 'A' && v.p[i] <= 'Z') || v.p[i] == '_' || char_is_digit(v.p[i]);
    if (v.n > 1 && (v.p[0] == '\'' || v.p[0] == '"') && v.p[v.n - 1] == v.p[0])
        return str_n(v.p + 1, v.n - 2);
    if (!member)
        return v;
    buf_clear(b);
    for (size_t i = (size_t)dot + 1; i < v.n; i++)
        buf_char(b, v.p[i] >= 'A' && v.p[i] <= 'Z' ? (char)(v.p[i] + 32) : v.p[i]);
    return buf_view(b);
}

static int add_object_setting(struct settings *own, struct str key, struct str v, uint32_t line, struct err *e)
{
    struct buf b = {0};
    struct str value = plain_value(v, &b);
    int rc = settings_add(own, key, key, value, settings_null(v) ? SETTING_NULL : SETTING_TEXT, line, e);
    buf_release(&b);
    return rc;
}

/* The elements of a list, "betas[0]", "betas[1]". */
static int add_object_list(struct settings *own, struct str key, struct str v, uint32_t line, struct err *e)
{
    struct object_text t = {str_n(v.p + 1, v.n - 1), line};
    struct buf b = {0};
    struct str value;
    int rc = 0;
    for (size_t i = 0; rc == 0 && take_object_value(&t, &value); i++) {
        buf_clear(&b);
        buf_fmt(&b, "%.*s[%zu]", STR_ARG(key), i);
        rc = add_object_setting(own, buf_view(&b), value, t.line, e);
        if (object_byte(&t) != ',')
            break;
        go_past_byte(&t);
        go_past_blanks(&t);
    }
    buf_release(&b);
    return rc;
}

/* The arguments behind the bracket that opens an object. False: it is no such object, or does not end. */
static bool take_object(struct object_text *t, struct settings *own)
{
    struct err full;
    struct str value;
    for (;;) {
        go_past_blanks(t);
        if (object_byte(t) == ')')
            return own->list.n;
        uint32_t line = t->line;
        struct str key = str_n(t->rest.p, shell_name(t->rest));
        t->rest = str_cut(t->rest, key.n);
        if (!key.n || object_byte(t) != '=')
            return false;
        go_past_byte(t);
        if (!take_object_value(t, &value))
            return false;
        bool list = value.p[0] == '(' || value.p[0] == '[';
        if (list ? add_object_list(own, key, value, line, &full) : add_object_setting(own, key, value, line, &full))
            return false;
        if (object_byte(t) == ',')
            go_past_byte(t);
        else if (object_byte(t) != ')')
            return false;
    }
}

/* Whether an object of arguments is opened at the end of `before`: "TrainingArguments(", "SFTConfig(", "Namespace(". */
static bool opens_object(struct str before)
{
    static const char *const ends[] = {"Arguments", "Args", "Config", "Namespace"};
    for (size_t i = 0; i < ARRAY_LEN(ends); i++)
        if (str_ends(before, ends[i]))
            return true;
    return false;
}

/* The first printed object with known settings into `own`. */
static bool find_object(struct settings *own, struct str text)
{
    struct object_text at = {text, 1};
    size_t tried = 0;
    for (; at.rest.n && tried < OBJECTS_MOST; go_past_byte(&at)) {
        const char *bracket = memchr(at.rest.p, '(', at.rest.n);
        if (!bracket)
            return false;
        while (at.rest.p < bracket)
            go_past_byte(&at);
        if (!opens_object(str_n(text.p, (size_t)(bracket - text.p))))
            continue;
        struct object_text t = at;
        go_past_byte(&t);
        const char *path = own->path;
        settings_release(own);
        *own = (struct settings){.path = path};
        tried++;
        if (take_object(&t, own) && settings_document_form(own))
            return true;
    }
    return false;
}

bool printed_object_sniff(struct str text)
{
    struct settings own = {.path = ""};
    bool yes = find_object(&own, text);
    settings_release(&own);
    return yes;
}

int printed_object_read(struct settings *s, struct str text, struct err *e)
{
    struct settings own = {.path = s->path};
    int rc = find_object(&own, text) ? 0 : err_set(e, ERR_DATA, _("%s: no configuration found that a program printed"),
                                                  s->path);
    s->kind = NULL;
    if (rc == 0)
        rc = settings_document_take(s, &own, e);
    settings_release(&own);
    return rc;
}
