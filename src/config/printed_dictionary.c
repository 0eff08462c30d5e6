/* The configuration that a program prints at its start as one Python or JSON dictionary, over many lines and behind a
 * launcher's prefix: "(TaskRunner pid=1) {'actor_rollout_ref': {…". Lines of other processes between are skipped. */
#include "base/msg.h"
#include "config/settings.h"

#define DICTIONARY_BYTES (4u << 20)
#define CANDIDATES 300 /* dictionaries that are looked into: a log may consist of them */
#define MARK_BYTES (1u << 20)

/* Without the colours of a terminal. */
static struct str plain_line(struct str line, struct buf *plain)
{
    if (line.n && line.p[line.n - 1] == '\r')
        line.n--;
    if (!line.n || !memchr(line.p, 0x1b, line.n))
        return line;
    buf_clear(plain);
    for (size_t i = 0; i < line.n; i++) {
        if (line.p[i] == 0x1b && i + 1 < line.n && line.p[i + 1] == '[') {
            for (i += 2; i < line.n && (line.p[i] == ';' || (line.p[i] >= '0' && line.p[i] <= '9')); i++)
                continue;
        } else {
            buf_char(plain, line.p[i]);
        }
    }
    return buf_view(plain);
}

/* Where a dictionary begins in a line, or -1. */
static ptrdiff_t dictionary_at(struct str line)
{
    ptrdiff_t one = str_search(line, "{'"), two = str_search(line, "{\"");
    ptrdiff_t at = one < 0 || (two >= 0 && two < one) ? two : one;
    if (at < 0 && line.n && line.p[line.n - 1] == '{') /* pretty-printed JSON */
        at = (ptrdiff_t)line.n - 1;
    return at;
}

/* State of the conversion of Python's or JSON's text to YAML's flow style. */
struct dictionary_text {
    struct buf out;
    int depth;
    char quote;   /* inside a text */
    bool escaped, raw_end; /* raw_end: a text has ended, and the next one continues it */
};

static void put_dictionary_word(struct dictionary_text *t, struct str s, size_t *i)
{
    static const char *const words[][2] = {{"None", "null"}, {"True", "true"}, {"False", "false"}};
    struct str rest = str_cut(s, *i);
    for (size_t w = 0; w < ARRAY_LEN(words); w++)
        if (str_starts(rest, words[w][0])) {
            buf_cstr(&t->out, words[w][1]);
            *i += strlen(words[w][0]) - 1;
            return;
        }
    buf_char(&t->out, s.p[*i]);
}

static void put_quoted(struct dictionary_text *t, char c)
{
    if (t->escaped) {
        if (c != '\'')
            buf_char(&t->out, '\\');
        buf_char(&t->out, c);
        t->escaped = false;
    } else if (c == '\\') {
        t->escaped = true;
    } else if (c == t->quote) {
        t->quote = 0;
        t->raw_end = true;
        buf_char(&t->out, '"');
    } else {
        if (c == '"')
            buf_char(&t->out, '\\');
        buf_char(&t->out, c);
    }
}

/* Adds a line; true once the dictionary is whole. */
static bool add_dictionary_line(struct dictionary_text *t, struct str s)
{
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (t->quote) {
            put_quoted(t, c);
        } else if (c == '\'' || c == '"') {
            if (t->raw_end)
                t->out.n--; /* two texts side by side are one */
            else
                buf_char(&t->out, '"');
            t->raw_end = false;
            t->quote = c;
        } else if (c == ' ') {
            if (!t->raw_end)
                buf_char(&t->out, c);
        } else {
            t->raw_end = false;
            t->depth += (c == '{' || c == '[' || c == '(') - (c == '}' || c == ']' || c == ')');
            if (c == ':') /* a blank, so that YAML takes it as the end of a key */
                buf_cstr(&t->out, ": ");
            else if (c == '(' || c == ')')
                buf_char(&t->out, c == '(' ? '[' : ']');
            else if (c == 'N' || c == 'T' || c == 'F')
                put_dictionary_word(t, s, &i);
            else
                buf_char(&t->out, c);
            if (!t->depth)
                return true;
        }
    }
    if (!t->quote && !t->raw_end)
        buf_char(&t->out, ' ');
    return false;
}

/* The dictionary that begins in the line at `rest`, converted; false: it does not end, or is too long. */
static bool gather_dictionary(struct str first, size_t at, struct str rest, struct dictionary_text *t)
{
    struct buf colours = {0};
    struct str prefix = str_n(first.p, at), line;
    bool whole = add_dictionary_line(t, str_cut(first, at));
    while (!whole && rest.n && t->out.n < DICTIONARY_BYTES) {
        line = plain_line(str_next(&rest, '\n'), &colours);
        bool own = line.n >= prefix.n && memcmp(line.p, prefix.p, prefix.n) == 0;
        if (own)
            whole = add_dictionary_line(t, str_cut(line, prefix.n));
        else if (line.n && strchr(" \t'\"}])", line.p[0])) /* behind a prefix that only its first line has */
            whole = add_dictionary_line(t, line);
    }
    buf_release(&colours);
    return whole;
}

/* MindFormers prints parts of its configuration one by one, "initial parallel_config from dict: {…": the name of one
 * that begins behind `before`. */
static bool part_name(struct str before, struct str *name)
{
    static const char initial[] = "initial ", from[] = " from dict: ";
    ptrdiff_t at = str_search(before, initial);
    if (at < 0 || !str_ends(before, from))
        return false;
    *name = str_cut(before, (size_t)at + strlen(initial));
    name->n -= name->n >= strlen(from) ? strlen(from) : name->n;
    return name->n && str_find(*name, ' ') < 0;
}

static void begin_anew(struct settings *own)
{
    const char *path = own->path;
    settings_release(own);
    *own = (struct settings){.path = path};
}

enum { NOWHERE, WHOLE, IN_PARTS };

/* Whether a text has the settings of a known program; a step's values have names that any program's have, too. */
static bool has_settings(struct settings *own, struct str text)
{
    struct err quiet;
    const struct settings_format *k = NULL;
    begin_anew(own);
    if (settings_document_flatten(own, text, &quiet) == 0)
        k = settings_document_form(own);
    return k && !k->common;
}

/* The first dictionary of known settings into `own`, otherwise the parts that MindFormers prints. Where these were
 * found; *line: where they begin. */
static int find_settings(struct settings *own, struct str text, uint32_t *line_number)
{
    struct buf colours = {0}, kept = {0}, parts = {0};
    uint32_t first_part = 0;
    struct str part;
    struct str rest = text, line;
    int found = NOWHERE;
    size_t tried = 0;
    for (uint32_t n = 1; rest.n && !found && tried < CANDIDATES; n++) {
        line = plain_line(str_next(&rest, '\n'), &colours);
        ptrdiff_t at = line.n < MARK_BYTES ? dictionary_at(line) : -1;
        if (at < 0)
            continue;
        struct dictionary_text t = {0};
        tried++;
        buf_clear(&kept);
        buf_str(&kept, line); /* the line lies in the buffer of colours */
        bool whole = gather_dictionary(buf_view(&kept), (size_t)at, rest, &t);
        if (whole && part_name(str_n(kept.p, (size_t)at), &part) && parts.n < DICTIONARY_BYTES) {
            buf_fmt(&parts, "%.*s: ", STR_ARG(part));
            buf_str(&parts, buf_view(&t.out));
            buf_char(&parts, '\n');
            first_part = first_part ? first_part : n;
        } else if (whole) {
            found = has_settings(own, buf_view(&t.out)) ? WHOLE : NOWHERE;
            *line_number = n;
        }
        buf_release(&t.out);
    }
    if (!found && parts.n) {
        found = has_settings(own, buf_view(&parts)) ? IN_PARTS : NOWHERE;
        *line_number = first_part;
    }
    buf_release(&colours);
    buf_release(&kept);
    buf_release(&parts);
    return found;
}

bool printed_dictionary_sniff(struct str text)
{
    struct settings own = {.path = ""};
    uint32_t line;
    struct str at = text;
    while (at.n && strchr(" \t\r\n", at.p[0]))
        at = str_cut(at, 1);
    if (at.n && at.p[0] == '{') /* a document, or a log that begins with one: the whole of it is read as such first */
        return false;
    bool yes = find_settings(&own, text, &line) != NOWHERE;
    settings_release(&own);
    return yes;
}

int printed_dictionary_read(struct settings *s, struct str text, struct err *e)
{
    struct settings own = {.path = s->path};
    uint32_t line = 0;
    int found = find_settings(&own, text, &line);
    int rc = found ? 0 : err_set(e, ERR_DATA, _("%s: no configuration found that a program printed"), s->path);
    for (size_t i = 0; i < own.list.n; i++)
        own.list.v[i].line = line;
    s->kind = NULL;
    if (rc == 0)
        rc = settings_document_take(s, &own, e);
    if (rc == 0 && found == IN_PARTS) {
        s->partial = true;
        settings_warn(s, _("%s: parts of a configuration, printed one by one; the rest is not known"), s->path);
    }
    settings_release(&own);
    return rc;
}
