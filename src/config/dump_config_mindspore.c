/* Checks MindSpore Dump's JSON, the file that MINDSPORE_DUMP_CONFIG names. */
#include "base/msg.h"
#include "base/pattern.h"
#include "config/dump_config.h"

#define COMMON "common_dump_settings."

bool mindspore_dump_sniff(const struct settings *s)
{
    for (size_t i = 0; i < s->list.n; i++)
        if (str_starts(s->list.v[i].key, COMMON) || str_starts(s->list.v[i].key, "e2e_dump_settings"))
            return true;
    return false;
}

/* As MindSpore 2.0 to 2.7 read them. */
static const struct dump_field fields[] = {
    {COMMON "op_debug_mode", DUMP_NUMBER, NULL},
    {COMMON "dump_mode", DUMP_NUMBER, NULL},
    {COMMON "path", DUMP_TEXT, NULL},
    {COMMON "net_name", DUMP_TEXT, NULL},
    {COMMON "iteration", DUMP_TEXT, NULL},
    {COMMON "initial_iteration", DUMP_NUMBER, NULL},
    {COMMON "saved_data", DUMP_TEXT, NULL},
    {COMMON "input_output", DUMP_NUMBER, NULL},
    {COMMON "kernels", DUMP_TEXTS, NULL},
    {COMMON "support_device", DUMP_NUMBERS, NULL},
    {COMMON "statistic_category", DUMP_TEXTS, NULL},
    {COMMON "overflow_number", DUMP_NUMBER, NULL},
    {COMMON "file_format", DUMP_TEXT, "npy|bin"},
    {"e2e_dump_settings", DUMP_GROUP, NULL},
    {"e2e_dump_settings.enable", DUMP_BOOL, NULL},
    {"e2e_dump_settings.trans_flag", DUMP_BOOL, NULL},
    {"e2e_dump_settings.save_kernel_args", DUMP_BOOL, NULL},
    {"e2e_dump_settings.sample_mode", DUMP_NUMBER, NULL},
    {"e2e_dump_settings.sample_num", DUMP_NUMBER, NULL},
    {"e2e_dump_settings.stat_calc_mode", DUMP_TEXT, "host|device"},
    {"e2e_dump_settings.device_stat_precision_mode", DUMP_TEXT, "high|low"},
    {"async_dump_settings", DUMP_ANY, NULL}, /* before 2.4 */
    {"common_dump_settings", DUMP_GROUP, NULL},
    {NULL, DUMP_ANY, NULL},
};

static bool has_section(const struct dump_config *c, const char *name)
{
    for (size_t i = 0; i < c->s.list.n; i++)
        if (str_starts(c->s.list.v[i].key, name))
            return true;
    return false;
}

static void check_required_fields(struct dump_config *c)
{
    if (!has_section(c, COMMON)) {
        dump_config_say(c, REMARK_BAD, "common_dump_settings", "%s", _("this section is missing: the run will stop "
                                                                       "with a configuration error"));
        return;
    }
    if (!has_section(c, "e2e_dump_settings") && !has_section(c, "async_dump_settings"))
        dump_config_say(c, REMARK_BAD, "e2e_dump_settings", "%s", _("this section is missing: nothing is written"));
    static const char *const keys[] = {COMMON "op_debug_mode", COMMON "dump_mode", COMMON "path", COMMON "net_name",
                                       COMMON "iteration", COMMON "input_output"};
    for (size_t i = 0; i < ARRAY_LEN(keys); i++)
        if (!dump_config_value(c, keys[i]).n)
            dump_config_say(c, REMARK_BAD, keys[i], "%s", _("missing: the run will stop with a configuration error"));
}

static void check_dump_path(struct dump_config *c)
{
    struct str path = dump_config_value(c, COMMON "path");
    bool odd = false;
    for (size_t i = 0; i < path.n; i++)
        odd |= !((path.p[i] | 32) >= 'a' && (path.p[i] | 32) <= 'z') && !(path.p[i] >= '0' && path.p[i] <= '9') &&
            !strchr("-_/", path.p[i]);
    if (path.n && path.p[0] != '/')
        dump_config_say(c, REMARK_BAD, COMMON "path", _("%.*s: must be an absolute path"), STR_ARG(path));
    else if (odd)
        dump_config_say(c, REMARK_BAD, COMMON "path", _("%.*s: only letters, digits, -, _ and / are allowed"),
                        STR_ARG(path));
}

static void which_steps(struct dump_config *c)
{
    struct str text = dump_config_value(c, COMMON "iteration");
    int64_t n = dump_config_steps(text, '|');
    if (n < 0)
        dump_config_say(c, REMARK_BAD, COMMON "iteration", _("%.*s: expected \"all\", or steps and ranges such as "
                                                             "0|5-8|100-120"), STR_ARG(text));
    else if (text.n && n == 0)
        dump_config_say(c, REMARK_ADVICE, COMMON "iteration", "%s", _("every step is written; one step is enough for a "
                                                                      "comparison: start with the first"));
    c->steps = n > 0 ? (uint64_t)n : 0;
}

/* Entries of the list that select by an expression: those that are none, and devices that cannot be. */
static void odd_elements(struct dump_config *c, size_t kernels)
{
    for (size_t i = 0; i < kernels; i++) {
        struct str k = dump_config_element(c, COMMON "kernels", i);
        struct err why = {0};
        if (!str_starts(k, "name-regex("))
            continue;
        struct pattern *p = str_ends(k, ")") ? pattern_compile(str_n(k.p + 11, k.n - 12), 0, &why) : NULL;
        if (!p)
            dump_config_say(c, REMARK_BAD, COMMON "kernels", _("%.*s: no valid expression in name-regex(…)"),
                            STR_ARG(k));
        pattern_free(p);
    }
    for (size_t i = 0, n = dump_config_count(c, COMMON "support_device"); i < n; i++)
        if (dump_config_element(c, COMMON "support_device", i).p[0] == '-')
            dump_config_say(c, REMARK_BAD, COMMON "support_device", "%s", _("a device's number is 0 or more"));
}

static void which_calls(struct dump_config *c)
{
    struct str mode = dump_config_value(c, COMMON "dump_mode"), debug = dump_config_value(c, COMMON "op_debug_mode");
    size_t kernels = dump_config_count(c, COMMON "kernels");
    odd_elements(c, kernels);
    if (str_is(mode, "0") && kernels)
        dump_config_say(c, REMARK_ADVICE, COMMON "kernels", _("%zu kernels are listed, but dump_mode 0 ignores the "
                                                              "list: everything is written"), kernels);
    else if (str_is(mode, "1") && !kernels)
        dump_config_say(c, REMARK_BAD, COMMON "kernels", "%s", _("dump_mode 1 writes the kernels listed here, and the "
                                                                 "list is empty"));
    else if (str_is(mode, "2"))
        dump_config_say(c, REMARK_NOTE, COMMON "dump_mode", "%s", _("writes the operators selected with "
                                                                    "mindspore.set_dump in the script"));
    else if (mode.n && !str_is(mode, "0") && !str_is(mode, "1"))
        dump_config_say(c, REMARK_BAD, COMMON "dump_mode", _("%.*s: expected 0, 1 or 2"), STR_ARG(mode));
    if (str_is(debug, "1") || str_is(debug, "2") || str_is(debug, "3"))
        dump_config_say(c, REMARK_NOTE, COMMON "op_debug_mode", "%s", _("overflow detection: only operators that "
                                                                        "overflow are written; not usable for a "
                                                                        "comparison"));
    else if (str_is(debug, "4"))
        dump_config_say(c, REMARK_NOTE, COMMON "op_debug_mode", "%s", _("only the inputs of an operator that fails "
                "are written"));
    else if (debug.n && !str_is(debug, "0"))
        dump_config_say(c, REMARK_BAD, COMMON "op_debug_mode", _("%.*s: expected 0, 3 or 4"), STR_ARG(debug));
}

static void what_of_them(struct dump_config *c)
{
    struct str saved = dump_config_value(c, COMMON "saved_data"), io = dump_config_value(c, COMMON "input_output");
    c->tensors = !str_is(saved, "statistic");
    c->statistics = str_is(saved, "statistic") || str_is(saved, "full");
    if (saved.n && c->tensors && !c->statistics && !str_is(saved, "tensor"))
        dump_config_say(c, REMARK_BAD, COMMON "saved_data", _("%.*s: expected tensor, statistic or full"),
                        STR_ARG(saved));
    else if (!c->statistics)
        dump_config_say(c, REMARK_ADVICE, COMMON "saved_data", "%s", _("no statistic.csv is written: use \"full\", or "
                                                                       "\"statistic\" if tensors are not needed"));
    else if (!c->tensors)
        dump_config_say(c, REMARK_NOTE, COMMON "saved_data", "%s", _("statistics only, no tensors: small, but no "
                                                                     "element can be inspected"));
    if (str_is(io, "1"))
        dump_config_say(c, REMARK_ADVICE, COMMON "input_output", "%s", _("no outputs are written: a deviation is "
                                                                         "visible only in the inputs of the next "
                                                                         "call"));
    else if (str_is(io, "2"))
        dump_config_say(c, REMARK_ADVICE, COMMON "input_output", "%s", _("no inputs are written: calls where a "
                                                                         "deviation starts cannot be distinguished "
                                                                         "from calls that pass it on"));
    else if (io.n && !str_is(io, "0"))
        dump_config_say(c, REMARK_BAD, COMMON "input_output", _("%.*s: expected 0, 1 or 2"), STR_ARG(io));
    if (c->tensors && str_is(dump_config_value(c, "e2e_dump_settings.stat_calc_mode"), "device"))
        dump_config_say(c, REMARK_NOTE, "e2e_dump_settings.stat_calc_mode", "%s", _("computed on the host, because "
                                                                                    "tensors are saved"));
}

/* A list of statistics; the default is maximum, minimum and norm. */
static void which_figures(struct dump_config *c)
{
    static const char *const needed_for_comparison[] = {"max", "min", "l2norm"};
    size_t n = dump_config_count(c, COMMON "statistic_category"), there = 0;
    for (size_t k = 0; k < ARRAY_LEN(needed_for_comparison); k++)
        for (size_t i = 0; i < n; i++)
            there += str_is(dump_config_element(c, COMMON "statistic_category", i), needed_for_comparison[k]);
    if (n && c->statistics && there < ARRAY_LEN(needed_for_comparison))
        dump_config_say(c, REMARK_ADVICE, COMMON "statistic_category", "%s", _("max, min and l2norm are needed for a "
                                                                               "comparison of statistics"));
    if (str_is(dump_config_value(c, "e2e_dump_settings.sample_mode"), "1"))
        dump_config_say(c, REMARK_ADVICE, "e2e_dump_settings.sample_mode", "%s", _("only the first elements of each "
                                                                                   "tensor are saved: the others "
                                                                                   "cannot be compared"));
}

void mindspore_dump_lint(struct dump_config *c)
{
    struct str e2e = dump_config_value(c, "e2e_dump_settings.enable");
    struct str flag = dump_config_value(c, "e2e_dump_settings.trans_flag");
    check_required_fields(c);
    dump_config_fields(c, fields);
    check_dump_path(c);
    which_steps(c);
    which_calls(c);
    what_of_them(c);
    which_figures(c);
    c->ranks = dump_config_count(c, COMMON "support_device");
    if (e2e.n && !str_ieq(e2e, STR("true")) && !dump_config_value(c, "async_dump_settings.enable").n)
        dump_config_say(c, REMARK_BAD, "e2e_dump_settings.enable", "%s", _("switched off: nothing is written"));
    if (flag.n && !str_ieq(flag, STR("true")))
        dump_config_say(c, REMARK_ADVICE, "e2e_dump_settings.trans_flag", "%s", _("tensors keep the device format: "
                                                                                  "their shapes differ from those of "
                                                                                  "the model"));
    dump_config_say(c, REMARK_NOTE, "", "%s", _("set MINDSPORE_DUMP_CONFIG to the absolute path of this file, and "
                                                "unset it after the run: it slows down every later run"));
}
