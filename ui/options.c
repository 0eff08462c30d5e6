/* The table of options with a function each, the parsing of arguments by it, and the help texts. */
#include "ui/options.h"

#include <limits.h>
#include <stdlib.h>

#include "base/msg.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "judge/tool_rules.h"
#include "judge/thresholds.h"
#include "pair/view.h"
#include "report/replay_script.h"

static int number(const char *option, struct str s, int *out, struct err *e)
{
    unsigned long long n;
    if (!str_u64(s, &n) || n > INT_MAX)
        return err_set(e, ERR_USAGE, _("%s: a number was expected, not \"%.*s\""), option, STR_ARG(s));
    *out = (int)n;
    return 0;
}

/* N, T:G or all */
static int pair_of(const char *option, const char *v, int out[2], bool *all, struct err *e)
{
    struct str t, g;
    if (strcmp(v, "all") == 0) {
        *all = true;
        return 0;
    }
    if (str_split(str_of(v), ':', &t, &g))
        return number(option, t, &out[0], e) || number(option, g, &out[1], e) ? -1 : 0;
    if (number(option, t, &out[0], e))
        return -1;
    /* one number for both: the target's is checked against the golden side's when one is chosen */
    out[1] = -1;
    return 0;
}

static int set_step(struct options *o, const char *v, struct err *e)
{
    return pair_of("--step", v, o->step, &o->all_steps, e);
}

static int set_rank(struct options *o, const char *v, struct err *e)
{
    return pair_of("--rank", v, o->rank, &o->all_ranks, e);
}

static int add_map(struct options *o, const char *v, struct err *e)
{
    if (o->maps == MAX_MAPS)
        return err_set(e, ERR_USAGE, _("at most %d --map files"), MAX_MAPS);
    o->map[o->maps++] = v;
    return 0;
}

static int set_rows(struct options *o, const char *v, struct err *e)
{
    if (strcmp(v, "all") == 0)
        o->rows = ROWS_ALL;
    else if (strcmp(v, "deviating") == 0)
        o->rows = ROWS_DEVIATING;
    else
        return err_set(e, ERR_USAGE, _("--rows takes all or deviating, not \"%s\""), v);
    return 0;
}

static int set_threshold(struct options *o, const char *v, struct err *e)
{
    struct str key, value;
    if (!str_split(str_of(v), '=', &key, &value))
        return err_set(e, ERR_USAGE, _("--threshold takes KEY=VALUE, as in float32.deviate=1e-4, not \"%s\""), v);
    struct thresholds probe; /* a wrong key or value is told now, with the option's other mistakes */
    thresholds_init(&probe);
    if (thresholds_set(&probe, key, value, e))
        return -1;
    if (o->thresholds == MAX_THRESHOLDS)
        return err_set(e, ERR_USAGE, _("at most %d --threshold"), MAX_THRESHOLDS);
    o->threshold_key[o->thresholds] = key;
    o->threshold_value[o->thresholds++] = value;
    return 0;
}

static int add_remap(struct options *o, const char *v, struct err *e)
{
    if (o->remaps == MAX_REMAPS)
        return err_set(e, ERR_USAGE, _("at most %d --remap"), MAX_REMAPS);
    if (!str_split(str_of(v), '=', &o->remap_from[o->remaps], &o->remap_to[o->remaps]) || !o->remap_from[o->remaps].n)
        return err_set(e, ERR_USAGE, _("--remap takes OLD=NEW, two beginnings of paths, not \"%s\""), v);
    o->remaps++;
    return 0;
}

static int set_undo(struct options *o, const char *v, struct err *e)
{
    o->undo = 1;
    return v ? number("--undo", str_of(v), &o->undo, e) : 0;
}

static int set_view(struct options *o, const char *v, struct err *e)
{
    struct view probe;
    o->view = v;
    return view_parse(&probe, str_of(v), e);
}

static int set_status(struct options *o, const char *v, struct err *e)
{
    o->status = finding_status_find(str_of(v));
    if (o->status < 0)
        return err_set(e, ERR_USAGE, _("--status takes suspected, cleared, waived or root-cause, not \"%s\""), v);
    return 0;
}

static int set_severity(struct options *o, const char *v, struct err *e)
{
    o->severity = finding_severity_find(str_of(v));
    if (o->severity < 0)
        return err_set(e, ERR_USAGE, _("--severity takes low, medium, high or unset, not \"%s\""), v);
    return 0;
}

static int set_caused_by(struct options *o, const char *v, struct err *e)
{
    return number("--caused-by", str_of(v), &o->caused_by, e);
}

static int set_edit(struct options *o, const char *v, struct err *e)
{
    return number("--edit", str_of(v), &o->edit, e);
}

static int set_delete(struct options *o, const char *v, struct err *e)
{
    o->taken_out = true;
    return number("--delete", str_of(v), &o->edit, e);
}

static int set_subject(struct options *o, int kind, const char *v, struct err *e)
{
    if (o->subject)
        return err_set(e, ERR_USAGE, "%s", _("note: a finding is about one thing: --call, --gap, --element, --setting … stand alone"));
    o->subject = kind;
    o->subject_name = v ? v : "";
    return 0;
}

#define ABOUT(name, kind)                                                                          \
    static int about_##name(struct options *o, const char *v, struct err *e)                       \
    {                                                                                              \
        return set_subject(o, kind, v, e);                                                         \
    }
ABOUT(call, SUBJECT_CALL)
ABOUT(gap, SUBJECT_GAP)
ABOUT(setting, SUBJECT_SETTING)
ABOUT(weight, SUBJECT_WEIGHT)
ABOUT(norm, SUBJECT_NORM)
ABOUT(curve, SUBJECT_CURVE)
ABOUT(hypothesis, SUBJECT_HYPOTHESIS)
ABOUT(item, SUBJECT_ITEM)
ABOUT(runs, SUBJECT_RUNS)

/* Of a weight that is printed, or what a finding is about. */
static int set_element(struct options *o, const char *v, struct err *e)
{
    o->element = v;
    return set_subject(o, SUBJECT_ELEMENT, v, e);
}

static int set_format(struct options *o, const char *v, struct err *e)
{
    const struct writer *w = writer_named(v);
    o->format = v;
    if (!w || w->file)
        return err_set(e, ERR_USAGE, _("--format takes html, md, json or csv, not \"%s\""), v);
    return 0;
}

static int set_fail_on(struct options *o, const char *v, struct err *e)
{
    return fail_on_parse(&o->policy, str_of(v), e);
}

static int set_preset(struct options *o, const char *v, struct err *e)
{
    o->preset = tool_rules_find(str_of(v));
    if (o->preset < 0)
        return err_set(e, ERR_USAGE, _("--preset takes diverge, msprobe, msprobe-xlsx or ptdbg, not \"%s\""), v);
    return 0;
}

static int add_waiver(struct options *o, const char *v, struct err *e)
{
    struct str id, reason;
    if (!str_split(str_of(v), '=', &id, &reason) || !id.n || id.n >= sizeof o->waiver_id[0] || !str_trim(reason).n)
        return err_set(e, ERR_USAGE, _("--waive takes ID=REASON, as in C045=\"agreed, see ticket\", not \"%s\""), v);
    if (o->waivers == MAX_WAIVERS)
        return err_set(e, ERR_USAGE, _("at most %d --waive"), MAX_WAIVERS);
    char *copy = o->waiver_id[o->waivers];
    memcpy(copy, id.p, id.n);
    copy[id.n] = 0;
    o->waiver[o->waivers++] = (struct config_waiver){copy, reason.p};
    return 0;
}

static int set_heads(struct options *o, const char *v, struct err *e)
{
    return number("--heads", str_of(v), &o->heads, e);
}

static int set_kv_heads(struct options *o, const char *v, struct err *e)
{
    return number("--kv-heads", str_of(v), &o->kv_heads, e);
}

static int set_tp(struct options *o, const char *v, struct err *e)
{
    return number("--tp", str_of(v), &o->tp, e);
}

static int set_from(struct options *o, const char *v, struct err *e)
{
    o->tensorboard = strcmp(v, "tensorboard") == 0;
    if (!o->tensorboard && strcmp(v, "text") != 0)
        return err_set(e, ERR_USAGE, _("--from takes text or tensorboard, not \"%s\""), v);
    return 0;
}

static int set_workers(struct options *o, const char *v, struct err *e)
{
    return number("--workers", str_of(v), &o->workers, e);
}

/* 200MB, 2GB, 5000 */
static int set_pack_limit(struct options *o, const char *v, struct err *e)
{
    static const struct {
        const char *unit;
        uint64_t bytes;
    } units[] = {{"KB", 1 << 10}, {"MB", 1 << 20}, {"GB", 1 << 30}, {"", 1}};
    struct str s = str_of(v);
    unsigned long long n;
    size_t i = 0;
    while (!str_ends(s, units[i].unit))
        i++;
    if (!str_u64(str_n(s.p, s.n - strlen(units[i].unit)), &n) || !n || n > (UINT64_MAX >> 2) / units[i].bytes)
        return err_set(e, ERR_USAGE, _("--pack-limit takes a size, as in 200MB or 2GB, not \"%s\""), v);
    o->pack_limit = n * units[i].bytes;
    return 0;
}

static int set_framework(struct options *o, const char *v, struct err *e)
{
    o->framework = replay_framework_find(v);
    if (o->framework < 0)
        return err_set(e, ERR_USAGE, _("--framework takes torch or mindspore, not \"%s\""), v);
    return 0;
}

static int set_ours(struct options *o, const char *v, struct err *e)
{
    (void)v, (void)e;
    o->choice = MERGE_OURS;
    return 0;
}

static int set_theirs(struct options *o, const char *v, struct err *e)
{
    (void)v, (void)e;
    o->choice = MERGE_THEIRS;
    return 0;
}

#define FLAG(field)                                                                                \
    static int set_##field(struct options *o, const char *v, struct err *e)                        \
    {                                                                                              \
        (void)v;                                                                                   \
        (void)e;                                                                                   \
        o->field = true;                                                                           \
        return 0;                                                                                  \
    }
#define TEXT(field)                                                                                \
    static int set_##field(struct options *o, const char *v, struct err *e)                        \
    {                                                                                              \
        (void)e;                                                                                   \
        o->field = v;                                                                              \
        return 0;                                                                                  \
    }
FLAG(map_only)
FLAG(exact)
FLAG(strict_gaps)
FLAG(quiet)
FLAG(json)
FLAG(help)
FLAG(rule)
FLAG(apply)
FLAG(paths)
FLAG(summary)
TEXT(output)
TEXT(golden2)
TEXT(reference)
TEXT(known)
TEXT(investigation)
TEXT(script)
TEXT(cpu)
FLAG(no_cache)
TEXT(filter)
TEXT(export_to)
TEXT(export_as)
TEXT(target_env)
TEXT(golden_env)
TEXT(lang)
TEXT(weights)
TEXT(pack)
FLAG(force)
TEXT(tensor)
TEXT(round)

struct option {
    const char *name, *arg; /* arg NULL: a flag; "[N]": a number that may be left out */
    unsigned group;         /* 0: every subcommand has it */
    int (*set)(struct options *o, const char *v, struct err *e);
    const char *help;
};

static const struct option table[] = {
    {"--step", "N", OPT_STEP, set_step, N_("training step (default: the first both sides have); T:G pairs different ones, all compares every one")},
    {"--rank", "N", OPT_STEP, set_rank, N_("rank; T:G pairs different ones, all compares every one")},
    {"--map", "FILE", OPT_PAIR | OPT_MAP, add_map, N_("correspondences: one of msprobe's mapping files (YAML), matches of tb_graph_ascend or our JSON; repeatable")},
    {"--map-only", NULL, OPT_PAIR | OPT_MAP, set_map_only, N_("pair only what --map lists")},
    {"--exact", NULL, OPT_PAIR | OPT_MAP, set_exact, N_("two runs of the same side, to test determinism: every bit must agree")},
    {"--golden2", "DUMP", OPT_PAIR, set_golden2, N_("a second golden run: how far it is from GOLDEN is the noise to expect, row by row")},
    {"--reference", "DUMP", OPT_PAIR, set_reference, N_("a third run nearer the truth (float32, or on a CPU), named as GOLDEN: tells which side is nearer to it")},
    {"--strict-gaps", NULL, OPT_PAIR, set_strict_gaps, N_("a compute call that only one side has counts as a deviation")},
    {"--known", "FILE", OPT_PAIR | OPT_REPORT, set_known, N_("differences the team has accepted: counted apart, nobody's first deviation; one that no longer occurs is told of")},
    {"--threshold", "K=V", OPT_PAIR | OPT_LIMITS, set_threshold, N_("a limit, as in float32.deviate=1e-4 or coverage=0.9; repeatable")},
    {"--preset", "NAME", OPT_PAIR, set_preset, N_("whose rule judges: diverge (default), msprobe, msprobe-xlsx or ptdbg")},
    {"--investigation", "FILE", OPT_PAIR, set_investigation, N_("the investigation: read where it exists, saved to")},
    {"--round", "NEW_TARGET", OPT_SCREEN, set_round, N_("with an investigation: the dump taken after a fix joins it as its next round; a new golden dump may follow as an argument")},
    {"--remap", "OLD=NEW", OPT_PAIR | OPT_REMAP, add_remap, N_("an investigation's inputs that lay below OLD lie below NEW now; repeatable")},
    {"--rule", NULL, OPT_MARK, set_rule, N_("and their like in every layer: print the rule and what it would pair")},
    {"--apply", NULL, OPT_MARK, set_apply, N_("with --rule: make what it prints")},
    {"--view", "STEPS", OPT_MARK, set_view, N_("what makes the two comparable, as in \"golden split -1 2 0:8\" (reshape, permute, transpose, slice, split)")},
    {"--undo", "[N]", OPT_MARKS | OPT_NOTE | OPT_ROUND, set_undo, N_("take the last decision, change or round (or the last N) back")},
    {"--export", "FILE", OPT_MARKS, set_export_to, N_("write the correspondences to FILE: .json is ours, .yaml msprobe's")},
    {"--as", "KIND", OPT_MARKS, set_export_as, N_("of a .yaml file: data_mapping (default), cell_mapping, api_mapping, layer_mapping")},
    {"--rows", "WHICH", OPT_ROWS, set_rows, N_("rows in the JSON: all or deviating (default: none)")},
    {"--tensor", "ROW", OPT_TENSOR, set_tensor, N_("only this row's tensors: worst elements, how values and errors are spread, what is not finite")},
    {"--status", "STATUS", OPT_NOTE, set_status, N_("of the finding: suspected (default), cleared, waived, root-cause")},
    {"--severity", "LEVEL", OPT_NOTE, set_severity, N_("of the finding: low, medium, high")},
    {"--call", "NAME", OPT_NOTE, about_call, N_("the finding is about this whole call, not a row")},
    {"--gap", "NAME", OPT_NOTE, about_gap, N_("about the calls without partner this one lies among")},
    {"--setting", "ID", OPT_NOTE, about_setting, N_("about a check of the checklist (C045 or its key) or another setting")},
    {"--weight", "NAME", OPT_NOTE, about_weight, N_("about a weight of the checkpoints")},
    {"--norm", "NAME", OPT_NOTE, about_norm, N_("about a parameter's gradient norm")},
    {"--curve", "SERIES@STEP", OPT_NOTE, about_curve, N_("about a step of the training curves, as in loss@1200, norm@3, lr@10 or frozen-loss@7")},
    {"--hypothesis", "SIDE:WHAT", OPT_NOTE, about_hypothesis, N_("about what would explain an optimizer step, as in target:eps")},
    {"--item", "PANEL:ID", OPT_NOTE, about_item, N_("about another line of a panel, as in 3:first-loss, or the panel itself")},
    {"--runs", NULL, OPT_NOTE, about_runs, N_("about both runs as a whole")},
    {"--caused-by", "N", OPT_NOTE, set_caused_by, N_("the finding follows from finding N; 0: from no other")},
    {"--edit", "N", OPT_NOTE, set_edit, N_("change finding N: its text, --status, --severity, --caused-by")},
    {"--delete", "N", OPT_NOTE, set_delete, N_("take finding N out; --undo brings it back")},
    {"--filter", "WORDS", OPT_NOTE, set_filter, N_("list findings of a status, with a #tag, author:NAME, severity:LEVEL, on:SUBJECT (setting, curve …) or words of the text")},
    {"--format", "NAME", OPT_REPORT, set_format, N_("of a report on standard output: html, md, json, csv")},
    {"--paths", NULL, OPT_REPORT, set_paths, N_("show paths as they are; without it a report does not tell where on whose machine something lay")},
    {"--pack", "FILE", OPT_REPORT, set_pack, N_("the evidence in one file, .tar.zst or .tar, for people without the dumps: diverge FILE opens it")},
    {"--pack-limit", "SIZE", OPT_REPORT | OPT_PACK, set_pack_limit, N_("of a pack's tensors, as in 2GB (default: 200MB); a larger pack needs it to be opened too")},
    {"--framework", "NAME", OPT_REPLAY, set_framework, N_("that makes the call: torch (default) or mindspore")},
    {"--ours", NULL, OPT_MERGE, set_ours, N_("where the two say different things, the first is right")},
    {"--theirs", NULL, OPT_MERGE, set_theirs, N_("where the two say different things, the second is right")},
    {"--force", NULL, OPT_MERGE, set_force, N_("merge them also where their inputs are not the same")},
    {"-o", "FILE", OPT_OUTPUT, set_output, N_("write the result to FILE, format by its ending (.json, .csv); - writes JSON to standard output")},
    {"--json", NULL, OPT_OUTPUT, set_json, N_("JSON on standard output, as -o -")},
    {"--summary", NULL, OPT_SUMMARY, set_summary, N_("one line for scripts instead of the text: diverge: deviates first=NAME rel_l2=1.2e-2 rows=1200 …")},
    {"--fail-on", "LIST", OPT_SUMMARY, set_fail_on, N_("exit with 1 exactly when one of these is there: deviate, nonfinite, shape, dtype, drift, only, doubtful, unread, known, new, worse, vanished (check: nan, inf, saturated, damaged, …); none: never")},
    {"--heads", "N", OPT_WEIGHTS, set_heads, N_("attention heads, where no file says: fused query-key-value weights are cut by them")},
    {"--kv-heads", "N", OPT_WEIGHTS, set_kv_heads, N_("key-value heads (default: as many as --heads)")},
    {"--tp", "N", OPT_WEIGHTS, set_tp, N_("tensor-parallel size, where fused weights of a single file lie shard by shard (default: 1)")},
    {"--element", "NAME[I,J]", OPT_WEIGHTS | OPT_NOTE, set_element, N_("that element: of a weight it is printed, or up to 256 that lie under it; a finding is about that place of a row, ROW[0:4,8] a part")},
    {"--target-env", "FILE", OPT_CONFIG, set_target_env, N_("environment of the target: the output of env, or a launch script; - is the one diverge runs in")},
    {"--golden-env", "FILE", OPT_CONFIG, set_golden_env, N_("the same of the golden run; a launch script given as GOLDEN tells its own")},
    {"--waive", "ID=REASON", OPT_CONFIG, add_waiver, N_("accept a check's difference, with the reason; repeatable")},
    {"--from", "KIND", OPT_LOGS, set_from, N_("in a folder with both, text (default) or tensorboard: which logs are read")},
    {"--weights", "FILE", OPT_NORMS, set_weights, N_("a checkpoint of the model: names and sizes for norms printed without, and whether saved gradients are weights")},
    {"--script", "FILE", OPT_SCREEN, set_script, N_("drive the screen from FILE without a terminal and print what it shows")},
    {"--workers", "N", OPT_PAIR | OPT_MAP, set_workers, N_("threads that compare tensors (default: one a processor)")},
    {"--cpu", "NAME", OPT_PAIR | OPT_MAP, set_cpu, N_("kernel variant: scalar, generic, avx2, avx512, neon (default: DIVERGE_CPU, else the best this machine has)")},
    {"--no-cache", NULL, OPT_PAIR, set_no_cache, N_("neither look up nor keep figures of tensors in the user's cache folder")},
    {"--lang", "LANG", 0, set_lang, N_("language of texts: en or zh_CN (default: from the environment)")},
    {"-q", NULL, 0, set_quiet, N_("no progress on standard error")},
    {"--help", NULL, 0, set_help, N_("this text")},
};

static const struct option *find(const char *name)
{
    static const char *const alias[][2] = {{"-h", "--help"}, {"--output", "-o"}, {"--quiet", "-q"}};
    for (size_t i = 0; i < ARRAY_LEN(alias); i++)
        if (strcmp(name, alias[i][0]) == 0)
            name = alias[i][1];
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (strcmp(name, table[i].name) == 0)
            return &table[i];
    return NULL;
}

const struct subcommand *subcommand_find(const char *name)
{
    for (const struct subcommand *c = subcommands; c->name; c++)
        if (strcmp(name, c->name) == 0)
            return c;
    return NULL;
}

/* One option with its value; moves *i over a value taken from the next argument. */
static int take(struct options *o, const struct subcommand *c, char **argv, int argc, int *i, struct err *e)
{
    char name[64];
    const char *a = argv[*i], *eq = strncmp(a, "--", 2) == 0 ? strchr(a, '=') : NULL, *value = NULL;
    size_t n = eq ? (size_t)(eq - a) : strlen(a);
    if (n >= sizeof name)
        return err_set(e, ERR_USAGE, _("unknown option %s"), a);
    memcpy(name, a, n);
    name[n] = 0;
    const struct option *x = find(name);
    if (!x || (x->group && !(x->group & c->options)))
        return err_set(e, ERR_USAGE, *c->name ? _("unknown option %s; see diverge %s --help") : _("unknown option %s; see diverge%s --help"),
                       name, c->name);
    bool free_to_leave = x->arg && x->arg[0] == '[';
    unsigned long long digits;
    if (free_to_leave && !eq && (*i + 1 >= argc || !str_u64(str_of(argv[*i + 1]), &digits)))
        return x->set(o, NULL, e);
    if (!x->arg)
        return eq ? err_set(e, ERR_USAGE, _("%s takes no value"), name) : x->set(o, NULL, e);
    if (eq)
        value = eq + 1;
    else if (*i + 1 < argc)
        value = argv[++*i];
    if (!value)
        return err_set(e, ERR_USAGE, _("%s needs a value: %s"), name, x->arg);
    return x->set(o, value, e);
}

int options_parse(struct options *o, const struct subcommand *c, int argc, char **argv, struct err *e)
{
    bool only_args = false;
    for (int i = 0; i < argc; i++) {
        const char *a = argv[i];
        if (!only_args && strcmp(a, "--") == 0) {
            only_args = true;
        } else if (!only_args && a[0] == '-' && a[1]) {
            if (take(o, c, argv, argc, &i, e))
                return -1;
        } else {
            if (o->args == MAX_ARGS || o->args == c->max_args)
                return err_set(e, ERR_USAGE, _("one argument too many: %s"), a);
            o->arg[o->args++] = a;
        }
    }
    if (!o->help && o->args < c->min_args)
        return err_set(e, ERR_USAGE, _("expected: diverge %s %s"), c->name, c->args);
    if (o->map_only && !o->maps)
        return err_set(e, ERR_USAGE, "%s", _("--map-only needs a --map"));
    return 0;
}

bool option_row(int i, const char **name, const char **arg, const char **help)
{
    if (i < 0 || (size_t)i >= ARRAY_LEN(table))
        return false;
    *name = table[i].name;
    *arg = table[i].arg;
    *help = table[i].help;
    return true;
}

#define HELP_AT 28
#define HELP_END 100

/* "  name args   help", the help wrapped behind its column. */
static void entry(struct buf *out, const char *left, const char *text)
{
    int used = 2 + utf8_cells(str_of(left)), at;
    buf_fmt(out, "  %s", left);
    if (used >= HELP_AT) {
        buf_char(out, '\n');
        used = 0;
    }
    buf_fmt(out, "%*s", HELP_AT - used, "");
    at = HELP_AT;
    for (struct str rest = str_of(text), word; rest.n;) {
        str_split(rest, ' ', &word, &rest);
        int n = utf8_cells(word);
        if (at > HELP_AT && at + 1 + n > HELP_END) {
            buf_fmt(out, "\n%*s", HELP_AT, "");
            at = HELP_AT;
        }
        if (at > HELP_AT) {
            buf_char(out, ' ');
            at++;
        }
        buf_str(out, word);
        at += n;
    }
    buf_char(out, '\n');
}

static void option_list(struct buf *out, unsigned groups)
{
    struct buf left = {0};
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        if (table[i].group && !(table[i].group & groups))
            continue;
        buf_clear(&left);
        buf_fmt(&left, "%s%s%s", table[i].name, table[i].arg ? " " : "", table[i].arg ? table[i].arg : "");
        entry(out, left.p, _(table[i].help));
    }
    buf_release(&left);
}

void help_subcommand(const struct subcommand *c, struct buf *out)
{
    buf_fmt(out, _("usage: diverge %s%s%s [options]\n\n%s\n"), c->name, *c->args ? " " : "", c->args, _(c->summary));
    if (c->details)
        buf_fmt(out, "\n%s\n", _(c->details));
    buf_cstr(out, _("\noptions:\n"));
    option_list(out, c->options);
}

void help_program(struct buf *out)
{
    struct buf left = {0};
    buf_cstr(out, _("diverge finds why two training runs of one model disagree: it lays both runs' dumps side by side\n"
                    "and goes to the first row that deviates.\n\nusage:\n"));
    for (const struct subcommand *c = subcommands; c->name; c++) {
        buf_clear(&left);
        buf_fmt(&left, "diverge%s%s %s", *c->name ? " " : "", c->name, c->args);
        entry(out, left.p, _(c->summary));
    }
    entry(out, "diverge --version", _("the version"));
    buf_cstr(out, _("\nTARGET is the run under test (MindSpore, NPU), GOLDEN the trusted one: folders or files of a dump.\n"
                    "When standard output is no terminal, diverge TARGET GOLDEN prints what compare prints.\n\noptions:\n"));
    option_list(out, subcommands[0].options);
    buf_cstr(out, _("\nexit status: 0 aligned, 1 deviates, 2 usage, 3 an input could not be read, 4 interrupted,\n"
                    "5 could not be judged\n"));
    buf_release(&left);
}
