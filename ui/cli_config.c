/* diverge config: the settings of two runs against the checklist. */
#include <unistd.h>

#include "base/msg.h"
#include "config/settings_section.h"
#include "report/settings_output.h"
#include "ui/cli_stage.h"

extern char **environ;

/* The environment diverge itself runs in. */
static int add_own_environment(struct settings *s, struct err *e)
{
    struct buf b = {0};
    for (char **v = environ; *v; v++)
        buf_fmt(&b, "%s\n", *v);
    int rc = settings_environment_text(s, "-", buf_view(&b), e);
    buf_release(&b);
    return rc;
}

/* env: FILE of --target-env or --golden-env; "-" beside settings is the own environment. */
static int open_settings_side(struct settings *s, const char *path, const char *env, struct err *e)
{
    bool own = path && env && strcmp(env, "-") == 0;
    int rc = settings_side(s, path, own ? NULL : env, e);
    return rc == 0 && own ? add_own_environment(s, e) : rc;
}

static void show_settings_section(struct document *d, const void *result)
{
    settings_section(d, result, SETTINGS_OPEN);
}

static const struct result_forms forms = {.section = show_settings_section, .json = config_json, .csv = config_csv};

int cli_config(const struct options *o)
{
    struct err e = {0};
    struct settings side[2] = {0};
    struct config_compare c = {0};
    const char *env[] = {o->target_env, o->golden_env};
    int rc = o->args == 2 || (!o->args && env[0] && env[1])
                 ? 0 : err_set(&e, ERR_USAGE, "%s", _("expected the settings of both runs, or --target-env and "
                                                      "--golden-env alone"));
    for (int i = 0; i < 2 && rc == 0; i++)
        rc = open_settings_side(&side[i], o->args ? o->arg[i] : NULL, env[i], &e);
    if (rc == 0)
        rc = config_compare_run(&c, &side[0], &side[1], o->waiver, (size_t)o->waivers, &e);
    if (rc == 0 && !cli_can_write(o, true))
        rc = err_set(&e, ERR_USAGE, _("%s: settings can only be written as .json or .csv"), o->output);
    if (rc == 0)
        rc = cli_write(o, &forms, &c, &e);
    int status = rc ? cli_fail(&e) : stage_exit(config_compare_verdict(&c));
    config_compare_release(&c);
    settings_release(&side[0]);
    settings_release(&side[1]);
    return status;
}
