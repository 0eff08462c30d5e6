/* The table of formats of environments. */
#include "config/environment_forms.h"

#include "base/msg.h"
#include "config/shell.h"

/* ---- /proc/PID/environ: entries that end in a zero byte ---- */

static bool environ_sniff(struct str text)
{
    const char *zero = text.n ? memchr(text.p, 0, text.n) : NULL;
    if (!zero || text.p[text.n - 1] != 0)
        return false;
    size_t name = shell_name(text);
    return name && name < text.n && text.p[name] == '=';
}

static int environ_read(struct settings *s, struct str text, struct err *e)
{
    struct str entry;
    (void)e;
    for (uint32_t n = 1; text.n; n++) {
        entry = str_next(&text, 0);
        size_t name = shell_name(entry);
        if (name && name < entry.n && entry.p[name] == '=')
            settings_export(s, str_n(entry.p, name), str_cut(entry, name + 1), SETTING_TEXT, n);
    }
    s->env_known = true;
    return 0;
}

/* ---- a JSON object of variables ---- */

static bool object_sniff(struct str text)
{
    return str_starts(str_trim(text), "{");
}

static int object_read(struct settings *s, struct str text, struct err *e)
{
    struct settings flat = {.path = s->path};
    int rc = settings_document_flatten(&flat, text, e);
    for (size_t i = 0; i < flat.list.n && rc == 0; i++)
        if (shell_name(flat.list.v[i].key) == flat.list.v[i].key.n) {
            settings_export(s, flat.list.v[i].key, flat.list.v[i].value, SETTING_TEXT, flat.list.v[i].line);
            s->env_known = true;
        }
    settings_release(&flat);
    return rc;
}

/* ---- anything else ---- */

/* Values printed by env may continue in further lines; a log may contain a stray assignment. */
static bool mostly_assignments(struct str text)
{
    size_t good = 0, other = 0;
    struct str line;
    while (text.n) {
        line = str_next(&text, '\n');
        size_t name = shell_name(line);
        good += name && name < line.n && line.p[name] == '=';
        other += !(name && name < line.n && line.p[name] == '=') && str_trim(line).n;
    }
    return good && other <= 8 * good;
}

static int text_read(struct settings *s, struct str text, struct err *e)
{
    if (!mostly_assignments(text))
        return environment_in_log(s, text, e);
    return environment_read(s, text, e);
}

/* ---- what CANN's installer leaves: package_name=Ascend-cann-toolkit, version=8.0.RC3 ---- */

static bool install_sniff(struct str text)
{
    return text.n < 65536 && str_has(text, "package_name=Ascend-cann") && str_has(text, "version=");
}

static int install_read(struct settings *s, struct str text, struct err *e)
{
    struct str line;
    (void)e;
    for (uint32_t n = 1; text.n; n++) {
        line = str_next(&text, '\n');
        if (str_starts(line, "version="))
            version_export(s, STR("cann"), version_at(str_cut(line, 8)), n);
    }
    return 0;
}

static bool accept_any_text(struct str text)
{
    (void)text;
    return true;
}

const struct environment_form environment_forms[] = {
    {"environ", N_("environment of a process (/proc/PID/environ)"), "/proc/PID/environ", environ_sniff,
     environ_read},
    {"environment-object", N_("environment as an object of variables (msprobe config_check)"),
     "env: {\"HCCL_DETERMINISTIC\": \"true\"}", object_sniff, object_read},
    {"cann-install", N_("version files of a CANN "
                        "installation"),
     "ascend_toolkit_install.info: package_name=Ascend-cann-toolkit, version=8.0.RC3", install_sniff, install_read},
    {"packages", N_("package versions: output of pip or conda "
                    "list"), "pip freeze, pip list, conda list: torch==2.1.0", packages_sniff,
     packages_read},
    {"env", N_("environment of a process: output of env"), "NAME=value …", environment_sniff, environment_read},
    {"shell-script", N_("variables exported by a launch script"), "*.sh: export NAME=value", launch_script_sniff,
     launch_script_read},
    {"log-versions", N_("variables and versions found in a log"), "PyTorch version: 2.1.0", accept_any_text, text_read},
    {0},
};

int environment_take(struct settings *s, const char *name, struct str text, struct err *e)
{
    const struct environment_form *f = environment_forms;
    size_t before = s->env.n;
    struct str head = text.n > (1u << 20) ? str_n(text.p, 1u << 20) : text;
    while (!f->sniff(f == environment_forms ? text : head))
        f++;
    if (f->read != environ_read && text.n && memchr(text.p, 0, text.n))
        return err_set(e, ERR_DATA, _("%s: expected text, found a zero byte"), name);
    if (f->read(s, text, e))
        return -1;
    if (s->env.n == before && !s->env_known)
        return err_set(e, ERR_DATA,
                       _("%s: expected NAME=value lines, a launch script, a list of packages, or a log with "
                         "versions"), name);
    return 0;
}
