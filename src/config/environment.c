/* Parses the output of env: one NAME=value per line, without quoting. Further lines of a value that contains line
 * ends are not assignments and are skipped: no variable of the checklist has such a value. */
#include "config/environment_forms.h"
#include "config/shell.h"

static bool read_env_assignment(struct str line, struct str *name, struct str *value)
{
    if (str_starts(line, "declare -x "))
        line = str_trim(str_cut(line, 11));
    name->p = line.p;
    name->n = shell_name(line);
    *value = str_cut(line, name->n + 1);
    return name->n && name->n < line.n && line.p[name->n] == '=';
}

/* Plain assignments only: values with quotes or commands need a shell. */
bool environment_sniff(struct str text)
{
    struct str line, name, value;
    size_t good = 0, other = 0;
    if (str_starts(text, "#!"))
        return false;
    while (text.n) {
        line = str_next(&text, '\n');
        if (str_starts(line, "export ") || str_starts(line, "#"))
            return false;
        if (read_env_assignment(line, &name, &value)) {
            good++;
            if (value.n && strchr("\"'(", value.p[0]) && !str_starts(line, "declare -x ") && !str_starts(value, "()"))
                return false;
        } else if (str_trim(line).n) {
            other++;
            if (str_has(line, " --") || str_has(line, ".py"))
                return false;
        }
    }
    return good > 2 * other;
}

bool environment_line(struct settings *s, struct str line, uint32_t n)
{
    struct str name, value;
    if (line.n && line.p[line.n - 1] == '\r')
        line.n--;
    if (!read_env_assignment(line, &name, &value))
        return false;
    if (value.n > 1 && value.p[0] == '"' && value.p[value.n - 1] == '"' && str_starts(line, "declare -x "))
        value = str_n(value.p + 1, value.n - 2);
    settings_export(s, name, value, SETTING_TEXT, n);
    return true;
}

int environment_read(struct settings *s, struct str text, struct err *e)
{
    (void)e;
    for (uint32_t n = 1; text.n; n++) {
        struct str line = str_next(&text, '\n');
        if (!package_pinned(s, line, n)) /* `env; pip freeze` in one file */
            s->env_known |= environment_line(s, line, n);
    }
    return 0;
}
