/* Megatron's printed arguments: a line "---- arguments ----", then lines "  name .... value", then "---- end of
 * arguments ----". Launchers put prefixes before lines ("[default7]:", "host: "), and lines of other ranks may be in
 * between; a line that is not an argument is skipped. */
#include "base/msg.h"
#include "config/arguments.h"
#include "config/shell.h"

#define LONGEST_LINE 65536

static const char head[] = "------------------------ arguments ------------------------";
static const char tail[] = " end of arguments ";

/* The first printed list: where its lines begin; prefix is the text before its heading. */
static bool find_head(struct str text, struct str *rest, size_t *prefix)
{
    ptrdiff_t at = str_search(text, head), line = at;
    if (at < 0)
        return false;
    while (line > 0 && text.p[line - 1] != '\n')
        line--;
    *prefix = (size_t)(at - line);
    *rest = str_cut(text, (size_t)at);
    return true;
}

bool printed_arguments_sniff(struct str text)
{
    struct str rest;
    size_t prefix;
    return find_head(text, &rest, &prefix);
}

/* "  name .... value" at the beginning of s. */
static bool split_argument_line(struct str s, struct str *name, struct str *value)
{
    size_t i = 2;
    if (s.n < 4 || s.p[0] != ' ' || s.p[1] != ' ')
        return false;
    *name = str_n(s.p + i, shell_name(str_cut(s, i)));
    i += name->n;
    if (!name->n || i == s.n || s.p[i] != ' ')
        return false;
    size_t dots = ++i;
    while (i < s.n && s.p[i] == '.')
        i++;
    if (i < s.n && s.p[i] != ' ')
        return false;
    if (i == dots && i == s.n) /* neither dots nor a value */
        return false;
    *value = str_trim(str_cut(s, i));
    return true;
}

/* After the prefix of the heading, otherwise at the first two blanks followed by a name. */
static bool read_argument_line(struct str line, size_t prefix, struct str *name, struct str *value)
{
    if (line.n && line.p[line.n - 1] == '\r')
        line.n--;
    if (line.n > LONGEST_LINE || memchr(line.p, 0, line.n))
        return false;
    if (split_argument_line(str_cut(line, prefix), name, value))
        return true;
    ptrdiff_t two = str_search(line, ":  ");
    return two >= 0 && split_argument_line(str_cut(line, (size_t)two + 1), name, value);
}

int printed_arguments_read(struct settings *s, struct str text, struct err *e)
{
    struct str rest, line, name, value;
    size_t prefix;
    if (!find_head(text, &rest, &prefix))
        return err_set(e, ERR_DATA, _("%s: no printed arguments found"), s->path);
    uint32_t n = 1;
    for (const char *p = text.p; p < rest.p; p++)
        n += *p == '\n';
    bool done = false;
    line = str_next(&rest, '\n');
    while (rest.n && !done) {
        line = str_next(&rest, '\n');
        n++;
        done = line.n < LONGEST_LINE && str_has(line, tail);
        if (done || !read_argument_line(line, prefix, &name, &value))
            continue;
        if (argument_add(s, name, name, value, settings_null(value) ? SETTING_NULL : SETTING_TEXT, n, true, e))
            return -1;
    }
    if (!s->list.n)
        return err_line(e, s->path, n, _("expected arguments (\"  name .... value\")"));
    if (!done)
        settings_warn(s, _("%s: the end of the printed arguments is missing; the rest of the file was not "
                           "read"), s->path);
    return 0;
}
