/* Checks msprobe's config.json, and the calls of ptdbg_ascend in a training script. */
#include "base/msg.h"
#include "config/dump_config.h"

static bool list_has_element(const struct dump_config *c, const char *key, const char *part)
{
    for (size_t i = 0; i < dump_config_count(c, key); i++)
        if (str_is(dump_config_element(c, key, i), part))
            return true;
    return false;
}

/* ---- msprobe ---- */

bool msprobe_config_sniff(const struct settings *s)
{
    return settings_find(s, STR("dump_path")) && (settings_find(s, STR("task")) || settings_find(s, STR("level"))) &&
           !settings_find(s, STR("framework"));
}

#define MODES "all|input|output|forward|backward"
/* What every task takes. */
#define TASK_FIELDS(task) \
    {task, DUMP_GROUP, NULL}, {task ".scope", DUMP_TEXTS, NULL}, {task ".list", DUMP_TEXTS, NULL}, \
    {task ".data_mode", DUMP_TEXTS, MODES}, {task ".slice", DUMP_ANY, NULL}, {task ".request_id", DUMP_TEXT, NULL}, \
    {task ".summary_mode", DUMP_ANY, NULL}, {task ".diff_nums", DUMP_NUMBER, NULL}

/* Fields of msprobe 26.2, and of earlier versions. */
static const struct dump_field fields[] = {
    {"task", DUMP_TEXT, NULL},
    {"dump_path", DUMP_TEXT, NULL},
    {"rank", DUMP_LIST, NULL},
    {"step", DUMP_LIST, NULL},
    {"level", DUMP_TEXT, NULL},
    {"dump_enable", DUMP_BOOL, NULL},
    {"extra_info", DUMP_BOOL, NULL},
    {"async_dump", DUMP_BOOL, NULL},
    {"enable_dataloader", DUMP_BOOL, NULL},
    {"is_deterministic", DUMP_BOOL, NULL},
    {"acl_config", DUMP_TEXT, NULL},
    {"seed", DUMP_NUMBER, NULL},
    {"precision", DUMP_TEXT, "high|low"},
    {"risk_level", DUMP_TEXT, "CORE|FOCUS|ALL"},
    {"custom_op_namespaces", DUMP_TEXTS, NULL},
    {"load", DUMP_GROUP, NULL},
    {"load.path", DUMP_TEXT, NULL},
    {"load.modules", DUMP_TEXTS, NULL},
    {"load.step", DUMP_LIST, NULL},
    {"load.rank", DUMP_LIST, NULL},
    {"load.dump_after_load", DUMP_BOOL, NULL},
    TASK_FIELDS("statistics"),
    {"statistics.tensor_list", DUMP_TEXTS, NULL},
    {"statistics.device", DUMP_TEXT, "host|device"},
    {"statistics.precision", DUMP_TEXT, "high|low"},
    TASK_FIELDS("tensor"),
    {"tensor.bench_path", DUMP_TEXT, NULL},
    {"tensor.file_format", DUMP_TEXT, "npy|bin"},
    {"tensor.backward_input", DUMP_TEXTS, NULL},
    {"tensor.online_run_ut", DUMP_ANY, NULL},
    {"acc_check", DUMP_ANY, NULL},
    {"structure", DUMP_ANY, NULL},
    {"diff_check", DUMP_ANY, NULL},
    {"nan_check", DUMP_ANY, NULL},
    {"exception_dump", DUMP_ANY, NULL},
    {"overflow_check", DUMP_ANY, NULL},
    {"free_benchmark", DUMP_ANY, NULL},
    {"run_ut", DUMP_ANY, NULL},
    {"grad_probe", DUMP_ANY, NULL},
    {NULL, DUMP_ANY, NULL},
};

/* Numbers and ranges such as "3-5" of a list; 0: it is empty, which means all. */
static uint64_t count_listed_numbers(struct dump_config *c, const char *key)
{
    uint64_t total = 0;
    for (size_t i = 0; i < dump_config_count(c, key); i++) {
        struct str one = dump_config_element(c, key, i);
        int64_t n = dump_config_steps(one, ',');
        if (n <= 0)
            dump_config_say(c, REMARK_BAD, key, _("%.*s: expected numbers from 0 or ranges such as \"3-5\""),
                            STR_ARG(one));
        else
            total += (uint64_t)n;
    }
    return total;
}

static void check_dumped_part(struct dump_config *c, const char *list, const char *scope, const char *mode,
                              const char *summary)
{
    size_t names = dump_config_count(c, list), bounds = dump_config_count(c, scope);
    struct str sum = dump_config_value(c, summary);
    if (bounds && bounds != 2)
        dump_config_say(c, REMARK_BAD, scope, _("%zu names: a scope has two, the first and the last call"), bounds);
    if (c->tensors && !names && !bounds)
        dump_config_say(c, REMARK_ADVICE, list, "%s", _("tensors of every call: start with statistics, then list the "
                                                        "calls around the first deviation"));
    if (list_has_element(c, mode, "all") && dump_config_count(c, mode) > 1)
        dump_config_say(c, REMARK_BAD, mode, "%s", _("\"all\" cannot be combined with others"));
    if (list_has_element(c, mode, "forward") && !list_has_element(c, mode, "backward"))
        dump_config_say(c, REMARK_ADVICE, mode, "%s", _("no backward pass is written: enough to compare the first "
                                                        "loss, not the gradients"));
    if (list_has_element(c, mode, "output") && !list_has_element(c, mode, "input"))
        dump_config_say(c, REMARK_ADVICE, mode, "%s", _("no inputs are written: calls where a deviation starts cannot "
                                                        "be distinguished from calls that pass it on"));
    if (str_is(sum, "md5"))
        dump_config_say(c, REMARK_ADVICE, summary, "%s", _("checksums show only whether values are equal: use them to "
                                                           "compare two runs of the same code"));
}

void msprobe_config_lint(struct dump_config *c)
{
    static const char *const tasks[] = {"statistics", "tensor", "overflow_check", "acc_check", "structure",
                                        "free_benchmark",
                                        "run_ut", "grad_probe", "exception_dump", "nan_analyze", "nan_check",
                                        "diff_check"};
    static const char *const levels[] = {"L0", "L1", "L2", "mix", "debug"};
    struct str task = dump_config_value(c, "task"), level = dump_config_value(c, "level");
    dump_config_fields(c, fields);
    if (!dump_config_value(c, "dump_path").n)
        dump_config_say(c, REMARK_BAD, "dump_path", "%s", _("empty: no output path is set"));
    if (task.n && !STR_ONE_OF(task, tasks))
        dump_config_say(c, REMARK_BAD, "task", _("%.*s: not a task of msprobe; use statistics or tensor to compare "
                                                 "two runs"),
                        STR_ARG(task));
    if (level.n && !STR_ONE_OF(level, levels))
        dump_config_say(c, REMARK_BAD, "level", _("%.*s: expected L0, L1, mix, L2 or debug"), STR_ARG(level));
    c->tensors = str_is(task, "tensor");
    c->statistics = !task.n || str_is(task, "tensor") || str_is(task, "statistics");
    c->steps = count_listed_numbers(c, "step");
    c->ranks = count_listed_numbers(c, "rank");
    if (!dump_config_count(c, "step"))
        dump_config_say(c, REMARK_ADVICE, "step", "%s", _("every step is written; one step is enough for a comparison: "
                                                          "start with the first"));
    if (str_is(level, "L0"))
        dump_config_say(c, REMARK_ADVICE, "level", "%s", _("modules only: use \"mix\" to record the calls inside them "
                                                           "as well"));
    if (str_is(level, "L2"))
        dump_config_say(c, REMARK_ADVICE, "level", "%s", _("operators of CANN, which diverge cannot read: use "
                                                           "\"mix\""));
    if (c->tensors) {
        check_dumped_part(c, "tensor.list", "tensor.scope", "tensor.data_mode", "tensor.summary_mode");
        if (dump_config_count(c, "statistics.list") && !dump_config_count(c, "tensor.list"))
            dump_config_say(c, REMARK_ADVICE, "statistics.list", "%s", _("belongs to a different task than the "
                                                                         "configured one: ignored"));
    } else if (str_is(task, "statistics")) {
        check_dumped_part(c, "statistics.list", "statistics.scope", "statistics.data_mode", "statistics.summary_mode");
        if (dump_config_count(c, "tensor.list") && !dump_config_count(c, "statistics.list"))
            dump_config_say(c, REMARK_ADVICE, "tensor.list", "%s", _("belongs to a different task than the configured "
                                                                     "one: ignored"));
    }
}

/* ---- ptdbg_ascend ---- */

/* Named arguments of its functions, of versions 1 to 6; positional ones are checked by position. */
static const struct dump_field arguments[] = {
    {"PrecisionDebugger", DUMP_ANY, NULL}, /* msprobe's has others */
    {"register_hook", DUMP_ANY, NULL},     /* hands on what the hook takes */
    {"set_dump_path", DUMP_CALL, NULL},
    {"set_dump_path.fpath", DUMP_ANY, NULL},
    {"set_dump_path.dump_tag", DUMP_ANY, NULL},
    {"set_dump_switch", DUMP_CALL, NULL},
    {"set_dump_switch.switch", DUMP_ANY, NULL},
    {"set_dump_switch.mode", DUMP_ANY, NULL},
    {"set_dump_switch.scope", DUMP_ANY, NULL},
    {"set_dump_switch.api_list", DUMP_ANY, NULL},
    {"set_dump_switch.filter_switch", DUMP_ANY, NULL},
    {"set_dump_switch.dump_mode", DUMP_ANY, NULL},
    {"set_dump_switch.summary_only", DUMP_ANY, NULL},
    {"set_dump_switch.summary_mode", DUMP_ANY, NULL},
    {"set_overflow_check_switch", DUMP_CALL, NULL},
    {"set_overflow_check_switch.switch", DUMP_ANY, NULL},
    {"set_overflow_check_switch.filter_switch", DUMP_ANY, NULL},
    {NULL, DUMP_ANY, NULL},
};

bool ptdbg_script_sniff(const struct settings *s)
{
    return settings_find(s, STR("set_dump_path")) || settings_find(s, STR("set_dump_switch")) ||
           (settings_find(s, STR("PrecisionDebugger")) && settings_find(s, STR("PrecisionDebugger.hook_name")));
}

void ptdbg_script_lint(struct dump_config *c)
{
    static const char *const modes[] = {"all", "list", "range", "stack", "api_list", "api_stack", "acl"};
    struct str mode = dump_config_value(c, "set_dump_switch.mode"), on = dump_config_element(c, "set_dump_switch", 0);
    struct str summary = dump_config_value(c, "set_dump_switch.summary_only");
    dump_config_fields(c, arguments);
    c->steps = 0;
    c->tensors = !str_ieq(summary, STR("True"));
    c->statistics = true;
    if (!dump_config_value(c, "set_dump_path").n && !dump_config_value(c, "PrecisionDebugger.dump_path").n)
        dump_config_say(c, REMARK_BAD, "set_dump_path", "%s", _("missing: no output path is set"));
    if (dump_config_value(c, "set_dump_switch").n && !str_is(on, "ON"))
        dump_config_say(c, REMARK_BAD, "set_dump_switch", "%s", _("the dump is never switched on in these files: "
                                                                  "nothing will be written"));
    if (mode.n && !STR_ONE_OF(mode, modes))
        dump_config_say(c, REMARK_BAD, "set_dump_switch.mode", _("%.*s: not a mode of ptdbg"), STR_ARG(mode));
    if (str_is(mode, "acl"))
        dump_config_say(c, REMARK_ADVICE, "set_dump_switch.mode", "%s", _("operators of CANN, which diverge cannot "
                                                                          "read: use \"mix\""));
    if (str_is(dump_config_value(c, "set_dump_switch.filter_switch"), "ON"))
        dump_config_say(c, REMARK_ADVICE, "set_dump_switch.filter_switch", "%s", _("integers and booleans are omitted: "
                                                                                   "token ids and masks of the step "
                                                                                   "cannot be compared"));
    if (dump_config_value(c, "register_hook").n && str_has(dump_config_element(c, "register_hook", 1), "overflow"))
        dump_config_say(c, REMARK_NOTE, "register_hook", "%s", _("overflow detection: only operators that overflow are "
                                                                 "written; not usable for a comparison"));
    dump_config_say(c, REMARK_NOTE, "", "%s", _("functions with torch.jit.script are not recorded on GPU: remove the "
                                                "decorator for the dump"));
}
