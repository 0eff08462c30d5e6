/* The table of options with a function each, the parsing of arguments by it, and the help texts. */
#include "ui/options.h"

#include <limits.h>
#include <stddef.h>

#include "base/memory.h"
#include "base/msg.h"
#include "base/nearest.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "judge/tool_rules.h"
#include "log/value_names.h"
#include "judge/thresholds.h"
#include "pair/view.h"
#include "ranks/layout.h"
#include "report/replay_script.h"
#include "table/field.h"

static int parse_option_number(const char *option, struct str s, int *out, struct err *e)
{
    unsigned long long n;
    if (!str_u64(s, &n) || n > INT_MAX)
        return err_set(e, ERR_USAGE, _("%s: expected a number, found \"%.*s\""), option, STR_ARG(s));
    *out = (int)n;
    return 0;
}

/* N, T:G or all */
static int parse_number_pair(const char *option, const char *v, int out[2], bool *all, struct err *e)
{
    struct str t, g;
    if (strcmp(v, "all") == 0) {
        *all = true;
        return 0;
    }
    if (str_split(str_of(v), ':', &t, &g))
        return parse_option_number(option, t, &out[0], e) || parse_option_number(option, g, &out[1], e) ? -1 : 0;
    if (parse_option_number(option, t, &out[0], e))
        return -1;
    /* one number for both: the target's is checked against the golden side's when one is chosen */
    out[1] = -1;
    return 0;
}

static int set_step(struct options *o, const char *v, struct err *e)
{
    return parse_number_pair("--step", v, o->step, &o->all_steps, e);
}

static int set_rank(struct options *o, const char *v, struct err *e)
{
    return parse_number_pair("--rank", v, o->rank, &o->all_ranks, e);
}

static int set_one_step(struct options *o, const char *v, struct err *e)
{
    return strcmp(v, "all") == 0 ? parse_option_number("--step", str_of(v), &o->step[0], e) : set_step(o, v, e);
}

static int set_one_rank(struct options *o, const char *v, struct err *e)
{
    return parse_option_number("--rank", str_of(v), &o->rank[0], e);
}

static int set_layout_target(struct options *o, const char *v, struct err *e)
{
    struct layout check;
    o->layout[TARGET] = v;
    return layout_parse(&check, str_of(v), e);
}

static int set_layout_golden(struct options *o, const char *v, struct err *e)
{
    struct layout check;
    o->layout[GOLDEN] = v;
    return layout_parse(&check, str_of(v), e);
}

static int add_dims(struct options *o, const char *v, struct err *e)
{
    if (o->dims_n == MAX_DIMS)
        return err_set(e, ERR_USAGE, _("at most %d --dims"), MAX_DIMS);
    return dims_parse(&o->dims[o->dims_n], str_of(v), e) ? -1 : (o->dims_n++, 0);
}

/* "1/4" */
static int set_worker(struct options *o, const char *v, struct err *e)
{
    struct str i, n;
    if (!str_split(str_of(v), '/', &i, &n) || parse_option_number("--worker", i, &o->worker, e) ||
        parse_option_number("--worker", n, &o->workers_all, e) || o->worker >= o->workers_all)
        return err_set(e, ERR_USAGE, _("--worker: expected I/N with I less than N, found \"%s\""), v);
    return 0;
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
        return err_set(e, ERR_USAGE, _("--rows: expected all or deviating, found \"%s\""), v);
    return 0;
}

static int set_values(struct options *o, const char *v, struct err *e)
{
    struct nearest near = {.word = str_of(v)};
    struct buf names = {0};
    o->values = field_find(str_of(v));
    if (o->values)
        return 0;
    for (const struct field *f = fields; f->name; f++) {
        nearest_offer(&near, f->name);
        buf_fmt(&names, "%s%s", f > fields ? ", " : "", f->name);
    }
    if (near.name)
        err_set(e, ERR_USAGE, _("--values: no field \"%s\"; did you mean %s?"), v, near.name);
    else
        err_set(e, ERR_USAGE, _("--values: no field \"%s\"; expected one of %s"), v, names.p);
    buf_release(&names);
    return -1;
}

static int set_oracle(struct options *o, const char *v, struct err *e)
{
    int mode = oracle_mode_find(str_of(v));
    if (mode < 0)
        return err_set(e, ERR_USAGE, _("--oracle: expected off, auto or all, found \"%s\""), v);
    o->oracle.mode = (enum oracle_mode)mode;
    return 0;
}

static int set_oracle_alone(struct options *o, const char *v, struct err *e)
{
    (void)v, (void)e;
    o->oracle.mode = ORACLE_ALL;
    return 0;
}

static int set_oracle_budget(struct options *o, const char *v, struct err *e)
{
    double n;
    if (!str_double(str_of(v), &n) || !(n >= 0) || n > 1e18)
        return err_set(e, ERR_USAGE, _("--oracle-budget: expected a number of operations, as in 2e9, found \"%s\""), v);
    o->oracle.budget = n;
    return 0;
}

static int set_threshold(struct options *o, const char *v, struct err *e)
{
    struct str key, value;
    if (!str_split(str_of(v), '=', &key, &value))
        return err_set(e, ERR_USAGE, _("--threshold: expected KEY=VALUE, as in float32.deviate=1e-4, found \"%s\""), v);
    struct thresholds probe; /* a wrong key or value is an error now */
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
        return err_set(e, ERR_USAGE, _("--remap: expected OLD=NEW, the start of paths, found \"%s\""), v);
    o->remaps++;
    return 0;
}

static int set_undo(struct options *o, const char *v, struct err *e)
{
    o->undo = 1;
    return v ? parse_option_number("--undo", str_of(v), &o->undo, e) : 0;
}

static int set_withdraw(struct options *o, const char *v, struct err *e)
{
    return parse_option_number("--withdraw", str_of(v), &o->withdraw, e);
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
        return err_set(e, ERR_USAGE, _("--status: expected suspected, cleared, waived or root-cause, found \"%s\""), v);
    return 0;
}

static int set_severity(struct options *o, const char *v, struct err *e)
{
    o->severity = finding_severity_find(str_of(v));
    if (o->severity < 0)
        return err_set(e, ERR_USAGE, _("--severity: expected low, medium, high or unset, found \"%s\""), v);
    return 0;
}

static int set_delete(struct options *o, const char *v, struct err *e)
{
    o->taken_out = true;
    return parse_option_number("--delete", str_of(v), &o->edit, e);
}

static int set_subject(struct options *o, int kind, const char *v, struct err *e)
{
    if (o->subject)
        return err_set(e, ERR_USAGE, "%s", _("note: a finding has one subject: give only one of --call, --gap, "
                                             "--element, --setting …"));
    o->subject = kind;
    o->subject_name = v ? v : "";
    return 0;
}

/* For an element of a weight, or the subject of a finding. */
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
        return err_set(e, ERR_USAGE, _("--format: expected html, md, json or csv, found \"%s\""), v);
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
        return err_set(e, ERR_USAGE,
                       _("--preset: expected diverge, msprobe, msprobe-xlsx, ptdbg or table, found \"%s\""), v);
    return 0;
}

static int add_waiver(struct options *o, const char *v, struct err *e)
{
    struct str id, reason;
    if (!str_split(str_of(v), '=', &id, &reason) || !id.n || id.n >= sizeof o->waiver_id[0] || !str_trim(reason).n)
        return err_set(e, ERR_USAGE, _("--waive: expected ID=REASON, as in C045=\"agreed, see ticket\", found \"%s\""),
                       v);
    if (o->waivers == MAX_WAIVERS)
        return err_set(e, ERR_USAGE, _("at most %d --waive"), MAX_WAIVERS);
    char *copy = o->waiver_id[o->waivers];
    memcpy(copy, id.p, id.n);
    copy[id.n] = 0;
    o->waiver[o->waivers++] = (struct config_waiver){copy, reason.p};
    return 0;
}

static int set_from(struct options *o, const char *v, struct err *e)
{
    o->tensorboard = strcmp(v, "tensorboard") == 0;
    if (!o->tensorboard && strcmp(v, "text") != 0)
        return err_set(e, ERR_USAGE, _("--from: expected text or tensorboard, found \"%s\""), v);
    return 0;
}

static int learn_log_names(struct options *o, const char *v, struct err *e)
{
    o->log_names = true;
    return value_names_learn(str_of(v), e);
}

/* 200MB, 2G, 5000 */
static int parse_option_size(const char *option, const char *v, uint64_t *out, struct err *e)
{
    if (memory_size(str_of(v), out))
        return 0;
    return err_set(e, ERR_USAGE, _("%s: expected a size, as in 200MB or 2GB, found \"%s\""), option, v);
}

static int set_pack_limit(struct options *o, const char *v, struct err *e)
{
    return parse_option_size("--pack-limit", v, &o->pack_limit, e);
}

static int set_memory(struct options *o, const char *v, struct err *e)
{
    return parse_option_size("--memory", v, &o->memory, e);
}

static int set_framework(struct options *o, const char *v, struct err *e)
{
    o->framework = replay_framework_find(v);
    if (o->framework < 0)
        return err_set(e, ERR_USAGE, _("--framework: expected torch or mindspore, found \"%s\""), v);
    return 0;
}

/* How an option is parsed: by its type into a field, or by a function. */
struct taking {
    enum { TAKE_FLAG, TAKE_TEXT, TAKE_NUMBER, TAKE_CHOICE, TAKE_SUBJECT, TAKE_BY } shape;
    size_t at; /* of the field in struct options */
    int value; /* the value that it sets */
    int (*by)(struct options *o, const char *v, struct err *e);
};
#define FLAG(field) {TAKE_FLAG, offsetof(struct options, field), 0, NULL}
#define TEXT(field) {TAKE_TEXT, offsetof(struct options, field), 0, NULL}
#define NUMBER(field) {TAKE_NUMBER, offsetof(struct options, field), 0, NULL}
#define CHOICE(choice) {TAKE_CHOICE, 0, choice, NULL}
#define SUBJECT(kind) {TAKE_SUBJECT, 0, kind, NULL}
#define BY(function) {TAKE_BY, 0, 0, function}

struct option {
    const char *name, *arg; /* arg NULL: a flag; "[N]": a number that may be left out */
    unsigned group;         /* 0: every subcommand has it */
    struct taking taking;
    const char *help;
};

static int set_option(const struct option *x, struct options *o, const char *v, struct err *e)
{
    void *field = (char *)o + x->taking.at;
    switch (x->taking.shape) {
    case TAKE_FLAG:
        *(bool *)field = true;
        return 0;
    case TAKE_TEXT:
        *(const char **)field = v;
        return 0;
    case TAKE_NUMBER:
        return parse_option_number(x->name, str_of(v), field, e);
    case TAKE_CHOICE:
        o->choice = (enum merge_choice)x->taking.value;
        return 0;
    case TAKE_SUBJECT:
        return set_subject(o, x->taking.value, v, e);
    case TAKE_BY:
        return x->taking.by(o, v, e);
    }
    return 0;
}

static const struct option table[] = {
    {"--step", "N", OPT_STEP, BY(set_step),
     N_("training step (default: the first common step); T:G pairs different steps, all compares every step")},
    {"--rank", "N", OPT_STEP, BY(set_rank), N_("rank; T:G pairs different ranks, all compares every rank")},
    {"--step", "N", OPT_ONE_STEP, BY(set_one_step),
     N_("training step (default: the first common step); T:G pairs different steps")},
    {"--rank", "N", OPT_ONE_STEP, BY(set_one_rank), N_("rank of both sides")},
    {"--layout-target", "L", OPT_PAIR | OPT_MAP, BY(set_layout_target),
     N_("parallel layout of the target, as in tp=2,pp=2,sp=on (default: determined from the recordings)")},
    {"--layout-golden", "L", OPT_PAIR | OPT_MAP, BY(set_layout_golden), N_("parallel layout of the golden side")},
    {"--dims", "PATTERN=DIMS", OPT_PAIR | OPT_MAP, BY(add_dims),
     N_("parallel dimensions that shard each axis of rows with matching names, as in "
        "\"Module.*.linear_fc2.*=s[cp:zigzag] b[dp] h[tp:sum]\"; without a pattern: the hidden states between layers; "
        "repeatable")},
    {"--worker", "I/N", OPT_PAIR, BY(set_worker),
     N_("with -o FOLDER: compare share I of N of the ranks (default: from SLURM_PROCID, VC_TASK_INDEX, RANK or "
        "OMPI_COMM_WORLD_RANK); `diverge compare FOLDER` merges the results")},
    {"--memory", "SIZE", OPT_MEMORY, BY(set_memory),
     N_("limit for what is held while ranks are compared, as in 2G or 500M (default: a quarter of what the machine or "
        "its cgroup allows)")},
    {"--resume", NULL, OPT_PAIR, FLAG(resume),
     N_("with -o FILE.ranks.json: reuse the results of ranks whose recordings have not changed")},
    {"--map", "FILE", OPT_PAIR | OPT_MAP, BY(add_map),
     N_("read pairs from a file: mapping file of msprobe (YAML), matches of tb_graph_ascend, or JSON of diverge; "
        "repeatable")},
    {"--map-only", NULL, OPT_PAIR | OPT_MAP, FLAG(map_only), N_("pair only the rows listed with --map")},
    {"--exact", NULL, OPT_PAIR | OPT_MAP, FLAG(exact),
     N_("compare two runs of one side to test determinism: every bit must agree")},
    {"--golden2", "DUMP", OPT_PAIR, TEXT(golden2),
     N_("use a second golden run: its difference from GOLDEN is the expected noise, row by row")},
    {"--reference", "DUMP", OPT_PAIR, TEXT(reference),
     N_("use a third, more precise run (float32, or on a CPU) with the row names of GOLDEN: shows which side is closer "
        "to it")},
    {"--strict-gaps", NULL, OPT_PAIR, FLAG(strict_gaps),
     N_("count a compute call that only one side has as a deviation")},
    {"--strict", NULL, OPT_PAIR, FLAG(strict),
     N_("do not call a pair aligned whose elements were not compared because only figures of them were recorded: "
        "status 5")},
    {"--known", "FILE", OPT_PAIR | OPT_REPORT, TEXT(known),
     N_("read accepted differences: counted separately, never first; unused entries are reported")},
    {"--threshold", "K=V", OPT_PAIR | OPT_LIMITS, BY(set_threshold),
     N_("set a limit, as in float32.deviate=1e-4 or coverage=0.9; repeatable")},
    {"--preset", "NAME", OPT_PAIR, BY(set_preset),
     N_("choose the rules for verdicts: diverge (default), msprobe, msprobe-xlsx, ptdbg, or table: as a result table "
        "says")},
    {"--oracle", "MODE", OPT_ORACLE, BY(set_oracle),
     N_("recompute recorded calls in float64 to find which side is wrong: auto (default, within the budget), all, "
        "off")},
    {"--oracle-budget", "N", OPT_ORACLE, BY(set_oracle_budget),
     N_("limit of operations for auto (default: 2e9); calls where a deviation starts, then deviating rows come first")},
    {"--oracle", NULL, OPT_ORACLE_ALONE, BY(set_oracle_alone),
     N_("recompute every recorded call in float64 from its own inputs; calls with a wrong output are reported as "
        "problems")},
    {"--investigation", "FILE", OPT_PAIR, TEXT(investigation), N_("use this investigation file: read if it exists, and "
                                                                  "saved")},
    {"--round", "NEW_TARGET", OPT_SCREEN, TEXT(round),
     N_("with an investigation: add the dump made after a fix as its next round; a new golden dump may "
        "follow as an argument")},
    {"--remap", "OLD=NEW", OPT_PAIR | OPT_REMAP, BY(add_remap),
     N_("rewrite the start of input paths: files below OLD are now below NEW; repeatable")},
    {"--allow-paths", NULL, OPT_PAIR | OPT_REMAP, FLAG(allow_paths),
     N_("let an investigation name files outside of its folder that you did not name on this machine: maps, known "
        "differences, files for a pack")},
    {"--rule", NULL, OPT_MARK, FLAG(rule), N_("extend the pair to every layer: print the rule and the pairs it would "
                                              "make")},
    {"--apply", NULL, OPT_MARK, FLAG(apply), N_("with --rule: apply the rule")},
    {"--view", "STEPS", OPT_MARK, BY(set_view),
     N_("set a view that makes the two rows comparable, as in \"golden split -1 2 0:8\" (reshape, permute, transpose, "
        "slice, split)")},
    {"--undo", "[N]", OPT_MARKS | OPT_NOTE | OPT_ROUND, BY(set_undo),
     N_("undo the last decision, change or round (or the last N)")},
    {"--withdraw", "N", OPT_MARKS, BY(set_withdraw), N_("undo only decision N; later decisions are kept")},
    {"--export", "FILE", OPT_MARKS, TEXT(export_to),
     N_("write the pairs to FILE: .json (format of diverge) or .yaml (format of msprobe)")},
    {"--as", "KIND", OPT_MARKS, TEXT(export_as),
     N_("kind of a .yaml file: data_mapping (default), cell_mapping, api_mapping, layer_mapping")},
    {"--rows", "WHICH", OPT_ROWS, BY(set_rows), N_("rows in the JSON: all or deviating (default: none)")},
    {"--tensor", "ROW", OPT_TENSOR, TEXT(tensor),
     N_("show only the tensors of this row: worst elements, distribution of values and errors, non-finite elements")},
    {"--values", "FIELD", OPT_TENSOR, BY(set_values),
     N_("show only how many rows, and how many deviating ones, each value of a field has: family, module, layer …")},
    {"--status", "STATUS", OPT_NOTE, BY(set_status),
     N_("status of the finding: suspected (default), cleared, waived, root-cause")},
    {"--severity", "LEVEL", OPT_NOTE, BY(set_severity), N_("severity of the finding: low, medium, high")},
    {"--call", "NAME", OPT_NOTE, SUBJECT(SUBJECT_CALL), N_("subject: a whole call instead of a row")},
    {"--gap", "NAME", OPT_NOTE, SUBJECT(SUBJECT_GAP), N_("subject: the gap (unpaired calls) around this call")},
    {"--setting", "ID", OPT_NOTE, SUBJECT(SUBJECT_SETTING),
     N_("subject: a check of the checklist (C045 or its key) or another setting")},
    {"--weight", "NAME", OPT_NOTE, SUBJECT(SUBJECT_WEIGHT), N_("subject: a weight of the checkpoints")},
    {"--norm", "NAME", OPT_NOTE, SUBJECT(SUBJECT_NORM), N_("subject: the gradient norm of a parameter")},
    {"--curve", "SERIES@STEP", OPT_NOTE, SUBJECT(SUBJECT_CURVE),
     N_("subject: a step of the training curves, as in loss@1200, norm@3, lr@10 or frozen-loss@7")},
    {"--hypothesis", "SIDE:WHAT", OPT_NOTE, SUBJECT(SUBJECT_HYPOTHESIS),
     N_("subject: a hypothesis about an optimizer step, as in target:eps")},
    {"--item", "PANEL:ID", OPT_NOTE, SUBJECT(SUBJECT_ITEM),
     N_("subject: a line of a panel, as in 3:first-loss, or the panel itself")},
    {"--runs", NULL, OPT_NOTE, SUBJECT(SUBJECT_RUNS), N_("subject: both runs as a whole")},
    {"--caused-by", "N", OPT_NOTE, NUMBER(caused_by),
     N_("record that the finding follows from finding N; 0: from no other finding")},
    {"--edit", "N", OPT_NOTE, NUMBER(edit), N_("change finding N: its text, --status, --severity, --caused-by")},
    {"--delete", "N", OPT_NOTE, BY(set_delete), N_("remove finding N; --undo restores it")},
    {"--filter", "WORDS", OPT_NOTE, TEXT(filter),
     N_("list findings of a status, with a #tag, author:NAME, severity:LEVEL, on:SUBJECT (setting, curve "
        "…) or words of the text")},
    {"--format", "NAME", OPT_REPORT, BY(set_format), N_("format of a report on standard output: html, md, json, csv")},
    {"--paths", NULL, OPT_REPORT, FLAG(paths),
     N_("write full paths; by default a report omits the folders above the inputs")},
    {"--pack", "FILE", OPT_REPORT, TEXT(pack),
     N_("write the evidence to one file, .tar.zst or .tar, that can be opened without the dumps: diverge FILE")},
    {"--pack-limit", "SIZE", OPT_REPORT | OPT_PACK, BY(set_pack_limit),
     N_("limit for the tensors of a pack, as in 2GB (default: 200MB); needed again to open a larger pack")},
    {"--framework", "NAME", OPT_REPLAY, BY(set_framework), N_("framework of the script: torch (default) or mindspore")},
    {"--ours", NULL, OPT_MERGE, CHOICE(MERGE_OURS), N_("resolve conflicts in favour of the first")},
    {"--theirs", NULL, OPT_MERGE, CHOICE(MERGE_THEIRS), N_("resolve conflicts in favour of the second")},
    {"--force", NULL, OPT_OUTPUT, FLAG(force),
     N_("overwrite an existing file that diverge did not write; merge: merge even if the inputs differ")},
    {"-o", "FILE", OPT_OUTPUT, TEXT(output),
     N_("write the result to FILE, format by extension (.json, .csv); - writes JSON to standard output")},
    {"--json", NULL, OPT_OUTPUT, FLAG(json), N_("write JSON to standard output, as -o -")},
    {"--summary", NULL, OPT_SUMMARY, FLAG(summary),
     N_("print one line for scripts instead of the text: diverge: deviates first=NAME rel_l2=1.2e-2 "
        "rows=1200 …")},
    {"--fail-on", "LIST", OPT_SUMMARY, BY(set_fail_on),
     N_("exit with status 1 if and only if one of these is found: deviate, nonfinite, shape, dtype, drift, only, "
        "doubtful, unread, known, new, worse, vanished (check: nan, inf, saturated, damaged, …); none: never")},
    {"--heads", "N", OPT_WEIGHTS, NUMBER(heads),
     N_("number of attention heads, if not in the files; needed to split fused query-key-value weights")},
    {"--kv-heads", "N", OPT_WEIGHTS, NUMBER(kv_heads), N_("number of key-value heads (default: same as --heads)")},
    {"--tp", "N", OPT_WEIGHTS, NUMBER(tp),
     N_("tensor-parallel size, if fused weights of a single file are stored shard by shard (default: 1)")},
    {"--element", "NAME[I,J]", OPT_WEIGHTS | OPT_NOTE, BY(set_element),
     N_("element: for weights, print it and up to 256 elements after it; for a finding, the indices in its row, "
        "ROW[0:4,8] for a range")},
    {"--target-env", "FILE", OPT_CONFIG, TEXT(target_env),
     N_("environment variables of the target: output of env, /proc/PID/environ, pip freeze, a launch script, a log, an "
        "archive of msprobe config_check, or a folder of these; -: those of diverge itself")},
    {"--golden-env", "FILE", OPT_CONFIG, TEXT(golden_env),
     N_("environment variables of the golden run; a launch script given as GOLDEN already contains them")},
    {"--waive", "ID=REASON", OPT_CONFIG, BY(add_waiver),
     N_("waive a check, with the reason; repeatable")},
    {"--from", "KIND", OPT_LOGS, BY(set_from),
     N_("choose the kind of log if a folder has both: text (default) or tensorboard")},
    {"--log-names", "WORDS", OPT_LOG_NAMES, BY(learn_log_names),
     N_("what the columns and words of a log are called, as in step=it,loss=objective,norm=gn,lr=rate,scale=s, or a "
        "pattern for its lines, as in 'it (?<step>\\d+) .*obj (?<loss>\\S+)'; said once, it holds from then on")},
    {"--weights", "FILE", OPT_NORMS, TEXT(weights),
     N_("checkpoint of the model: provides names and sizes for norms printed without names, and tests whether saved "
        "gradients are weights")},
    {"--script", "FILE", OPT_SCREEN, TEXT(script),
     N_("run the screen with the keys in FILE, without a terminal, and print the screen contents")},
    {"--workers", "N", OPT_PAIR | OPT_MAP, NUMBER(workers),
     N_("number of threads that compare tensors (default: one per processor)")},
    {"--cpu", "NAME", OPT_PAIR | OPT_MAP, TEXT(cpu),
     N_("choose the kernel variant: scalar, generic, avx2, avx512, neon (default: DIVERGE_CPU, else the best "
        "of this machine)")},
    {"--no-cache", NULL, OPT_PAIR, FLAG(no_cache),
     N_("do not use the cache of tensor statistics in the user's cache folder")},
    {"--lang", "LANG", 0, TEXT(lang), N_("language of texts: en or zh_CN (default: from the environment)")},
    {"-q", NULL, 0, FLAG(quiet), N_("show no progress on standard error")},
    {"--help", NULL, 0, FLAG(help), N_("show this text")},
};

/* The option of that name in those groups. */
static const struct option *find_option(const char *name, unsigned groups)
{
    const struct option *other = NULL;
    static const char *const alias[][2] = {{"-h", "--help"}, {"--output", "-o"}, {"--quiet", "-q"}};
    for (size_t i = 0; i < ARRAY_LEN(alias); i++)
        if (strcmp(name, alias[i][0]) == 0)
            name = alias[i][1];
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (strcmp(name, table[i].name) == 0) {
            if (!table[i].group || table[i].group & groups)
                return &table[i];
            other = &table[i];
        }
    return other;
}

const struct subcommand *subcommand_find(const char *name)
{
    for (const struct subcommand *c = subcommands; c->name; c++)
        if (strcmp(name, c->name) == 0)
            return c;
    return NULL;
}

static int unknown_option(const char *name, const struct subcommand *c, struct err *e)
{
    struct nearest near = {.word = str_of(name)};
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (!table[i].group || (table[i].group & c->options))
            nearest_offer(&near, table[i].name);
    if (near.name)
        return err_set(e, ERR_USAGE, _("unknown option %s; did you mean %s?"), name, near.name);
    return err_set(e, ERR_USAGE,
                   *c->name ? _("unknown option %s; see diverge %s --help")
                            : _("unknown option %s; see diverge%s --help"),
                   name, c->name);
}

/* One option with its value; moves *i over a value taken from the next argument. */
static int parse_option(struct options *o, const struct subcommand *c, char **argv, int argc, int *i, struct err *e)
{
    char name[64];
    const char *a = argv[*i], *eq = strncmp(a, "--", 2) == 0 ? strchr(a, '=') : NULL, *value = NULL;
    size_t n = eq ? (size_t)(eq - a) : strlen(a);
    if (n >= sizeof name)
        return err_set(e, ERR_USAGE, _("unknown option %s"), a);
    memcpy(name, a, n);
    name[n] = 0;
    const struct option *x = find_option(name, c->options);
    if (!x || (x->group && !(x->group & c->options)))
        return unknown_option(name, c, e);
    bool free_to_leave = x->arg && x->arg[0] == '[';
    unsigned long long digits;
    if (free_to_leave && !eq && (*i + 1 >= argc || !str_u64(str_of(argv[*i + 1]), &digits)))
        return set_option(x, o, NULL, e);
    if (!x->arg)
        return eq ? err_set(e, ERR_USAGE, _("%s takes no value"), name) : set_option(x, o, NULL, e);
    if (eq)
        value = eq + 1;
    else if (*i + 1 < argc)
        value = argv[++*i];
    if (!value)
        return err_set(e, ERR_USAGE, _("%s: expected a value: %s"), name, x->arg);
    return set_option(x, o, value, e);
}

/* The first argument may have been meant as a subcommand. */
static int too_many(const struct options *o, const struct subcommand *c, const char *last, struct err *e)
{
    struct nearest near = {.word = str_of(*c->name ? "" : o->arg[0])};
    for (const struct subcommand *x = subcommands; x->name; x++)
        nearest_offer(&near, x->name);
    if (near.name)
        return err_set(e, ERR_USAGE, _("no subcommand %s; did you mean %s?"), o->arg[0], near.name);
    return err_set(e, ERR_USAGE, _("one argument too many: %s"), last);
}

int options_parse(struct options *o, const struct subcommand *c, int argc, char **argv, struct err *e)
{
    bool only_args = false;
    for (int i = 0; i < argc; i++) {
        const char *a = argv[i];
        if (!only_args && strcmp(a, "--") == 0) {
            only_args = true;
        } else if (!only_args && a[0] == '-' && a[1]) {
            if (parse_option(o, c, argv, argc, &i, e))
                return -1;
        } else {
            if (o->args == MAX_ARGS || o->args == c->max_args)
                return too_many(o, c, a, e);
            o->arg[o->args++] = a;
        }
    }
    if (!o->help && o->args < c->min_args)
        return err_set(e, ERR_USAGE, _("expected: diverge %s %s"), c->name, c->args);
    if (o->map_only && !o->maps)
        return err_set(e, ERR_USAGE, "%s", _("--map-only needs a --map"));
    return 0;
}

bool option_next(const struct subcommand *c, int *i, const char **name, const char **arg, const char **help)
{
    while ((size_t)*i < ARRAY_LEN(table)) {
        const struct option *x = &table[(*i)++];
        if (c && x->group && !(x->group & c->options))
            continue;
        *name = x->name;
        *arg = x->arg;
        *help = x->help;
        return true;
    }
    return false;
}

#define HELP_AT 28
#define HELP_END 100

/* "  name args   help", the help wrapped behind its column. */
static void put_help_entry(struct buf *out, const char *left, const char *text)
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
        word = str_next(&rest, ' ');
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

static void option_list(struct buf *out, const struct subcommand *c)
{
    struct buf left = {0};
    const char *name, *arg, *help;
    for (int i = 0; option_next(c, &i, &name, &arg, &help);) {
        buf_clear(&left);
        buf_fmt(&left, "%s%s%s", name, arg ? " " : "", arg ? arg : "");
        put_help_entry(out, left.p, _(help));
    }
    buf_release(&left);
}

void help_subcommand(const struct subcommand *c, struct buf *out)
{
    buf_fmt(out, _("usage: diverge %s%s%s [options]\n\n%s\n"), c->name, *c->args ? " " : "", c->args, _(c->summary));
    if (c->details)
        buf_fmt(out, "\n%s\n", _(c->details));
    buf_cstr(out, _("\noptions:\n"));
    option_list(out, c);
}

void help_program(struct buf *out)
{
    struct buf left = {0};
    buf_cstr(out, _("diverge finds why two training runs of one model differ: it compares the dumps of both runs side "
                    "by side\n"
                    "and goes to the first row that deviates.\n"
                    "\n"
                    "usage:\n"));
    for (const struct subcommand *c = subcommands; c->name; c++) {
        buf_clear(&left);
        buf_fmt(&left, "diverge%s%s %s", *c->name ? " " : "", c->name, c->args);
        put_help_entry(out, left.p, _(c->summary));
    }
    put_help_entry(out, "diverge --version", _("show the version"));
    buf_cstr(out,
             _("\n"
               "TARGET is the run under test (MindSpore, NPU), GOLDEN the trusted one: folders or files of a dump.\n"
               "If standard output is not a terminal, diverge TARGET GOLDEN prints the same as diverge compare.\n"
               "\n"
               "options:\n"));
    option_list(out, &subcommands[0]);
    buf_cstr(out, _("\nexit status:\n"));
    for (const struct exit_meaning *m = exit_meanings; m->text; m++)
        buf_fmt(out, "  %3d  %s\n", m->status, _(m->text));
    buf_release(&left);
}
