/* The model configuration of Megatron-LM's own tests: options of a run under MODEL_ARGS, its variables under
 * ENV_VARS. */
#include "base/msg.h"
#include "config/arguments.h"

bool megatron_ci_sniff(struct str text)
{
    return str_starts(text, "MODEL_ARGS:") || str_has(text, "\nMODEL_ARGS:");
}

static int take_ci_option(struct settings *s, const struct setting *x, struct str option, struct err *e)
{
    struct buf name = {0};
    struct str value = x->value;
    enum setting_state state = (enum setting_state)x->state;
    if (str_ieq(value, STR("false"))) /* the option is not given */
        return 0;
    if (str_ieq(value, STR("true")))
        value = STR("True");
    if (str_has(value, "${"))
        state = SETTING_OPEN;
    for (size_t i = 2; i < option.n; i++)
        buf_char(&name, option.p[i] == '-' ? '_' : option.p[i]);
    int rc = name.n ? argument_add(s, buf_view(&name), option, value, state, x->line, false, e) : 0;
    buf_release(&name);
    return rc;
}

int megatron_ci_read(struct settings *s, struct str text, struct err *e)
{
    static const char args[] = "MODEL_ARGS.", env[] = "ENV_VARS.";
    struct settings own = {.path = s->path};
    int rc = settings_document_flatten(&own, text, e);
    for (size_t i = 0; rc == 0 && i < own.list.n; i++) {
        const struct setting *x = &own.list.v[i];
        struct str rest = str_cut(x->key, strlen(args));
        if (str_starts(x->key, args) && str_starts(rest, "--") && str_find(rest, '[') < 0)
            rc = take_ci_option(s, x, rest, e);
        else if (str_starts(x->key, env))
            settings_export(s, str_cut(x->key, strlen(env)), x->value,
                            str_has(x->value, "$") ? SETTING_OPEN : SETTING_TEXT, x->line);
    }
    if (rc == 0 && !s->list.n)
        rc = err_set(e, ERR_DATA, _("%s: expected options below MODEL_ARGS (\"--num-layers: 12\")"), s->path);
    s->flags = true;
    s->env_known = s->env.n > 0;
    settings_release(&own);
    return rc;
}
