/* What can stand behind "diverge". */
#include <unistd.h>

#include "base/msg.h"
#include "panel/path_kind.h"
#include "ui/cli.h"
#include "ui/loop.h"
#include "fmt/find_recordings.h"

/* What compares two of a kind without a screen, by what they are. */
static int compare_handed(const struct options *o)
{
    switch (path_kind_find(o->arg[TARGET], NULL)) {
    case PATH_LOG:
        return cli_curves(o);
    case PATH_NORMS:
        return cli_norms(o);
    case PATH_SETTINGS:
        return cli_config(o);
    case PATH_STEP:
        return cli_optimizer(o);
    case PATH_WEIGHTS:
        return cli_weights(o);
    case PATH_ROLLOUT:
        return cli_rollout(o);
    case PATH_DUMP:
    case PATH_NOTHING:
        break;
    }
    return cli_compare(o);
}

/* `diverge FILE --round TARGET [GOLDEN]` is `diverge round`, and on a terminal the investigator opens on it. */
static int next_round(const struct options *o)
{
    struct options next = *o;
    struct err e;
    if (!o->args || !investigation_is(o->arg[0])) {
        err_set(&e, ERR_USAGE, "%s", _("--round needs an investigation: diverge NAME.investigation.json --round "
                                       "NEW_TARGET [NEW_GOLDEN]"));
        return cli_fail(&e);
    }
    next.arg[2] = o->args > 1 ? o->arg[1] : NULL;
    next.arg[1] = o->round;
    next.args += 1;
    if (!o->script && (o->json || o->output || !isatty(STDOUT_FILENO)))
        return cli_round(&next);
    if (cli_round_leave(&next, next.arg[1], next.arg[2], &e))
        return cli_fail(&e);
    next.args = 1;
    return o->script ? key_script_run(&next) : loop_run(&next);
}

static int open_program(const struct options *o)
{
    struct err e;
    if (o->round)
        return next_round(o);
    if (o->script)
        return key_script_run(o);
    bool print = o->json || o->output || o->summary || !isatty(STDOUT_FILENO);
    bool table = print && o->args == 1 && place_list_holds_table(o->arg[0]);
    if (print && o->args == 2)
        return o->summary || o->policy.given ? cli_compare(o) : compare_handed(o);
    if (table)
        return cli_compare(o);
    if (o->json || o->output || o->summary)
        return err_set(&e, ERR_USAGE, "%s", _("compare needs TARGET and GOLDEN")), cli_fail(&e);
    return loop_run(o);
}

const struct subcommand subcommands[] = {
    {"", "[TARGET [GOLDEN]]", N_("open the investigator on two dumps"),
     N_("Checks one path alone: its figures and its problems. Logs, settings, weights and optimizer steps\n"
        "open in the screen that judges them."),
     0, 2, OPT_STEP | OPT_PAIR | OPT_ROWS | OPT_OUTPUT | OPT_SCREEN | OPT_PACK | OPT_SUMMARY | OPT_ORACLE,
     open_program},
    {"compare", "TARGET GOLDEN | RESULT", N_("compare without a screen"),
     N_("Prints where the two runs diverge: coverage, verdicts, step inputs, the first deviation with both sides' "
        "figures\n"
        "and stacks, suspects, differing precision. With -o or --json the result is written for programs\n"
        "(.json, .csv, .xlsx) or for people (.html, .md).\n"
        "RESULT is a comparison table of another tool (see diverge formats): its own verdicts are shown."),
     1, 2, OPT_STEP | OPT_PAIR | OPT_ROWS | OPT_OUTPUT | OPT_TENSOR | OPT_PACK | OPT_SUMMARY | OPT_ORACLE, cli_compare},
    {"check", "DUMP | LOG | DUMP_CONFIG [DUMP]", N_("check one side alone: NaN, Inf, saturation, constant rows, damaged files"),
     N_("Checks every tensor of the dump. Exit status 1 when there is a problem; all-zero and constant rows are "
        "notes.\n"
        "Of a log: steps without finite figures. Of a dump's configuration: what it will write and what is missing; "
        "with a dump of\n"
        "the model, of statistics too, how large it becomes."),
     1, 2, OPT_STEP | OPT_OUTPUT | OPT_SUMMARY | OPT_ORACLE_ALONE, cli_check},
    {"digest", "DUMP", N_("write a dump's figures and sketches, without its tensors"),
     N_("Writes figures and a sketch of every tensor, of all steps and ranks (or those of --step and --rank), into "
        "one file -o FILE.\nIt opens wherever a dump does, against a dump or another digest. A sketch gives the "
        "relative distance of two tensors of\nthe same shape from 1e-12 on, wrong by a fifth at most."),
     1, 1, OPT_STEP | OPT_OUTPUT, cli_digest},
    {"weights", "TARGET [GOLDEN]", N_("compare weight files; one alone: list its tensors"),
     N_("Pairs the weights by the names of Hugging Face, Megatron and MindFormers and by --map, cuts fused ones, "
        "joins\n"
        "tensor-parallel shards, trims padded vocabularies, and compares every value. Exit status 1 when a weight "
        "differs,\n"
        "has another shape or no partner; 5 when nothing could be paired or a part could not be read."),
     1, 2, OPT_MAP | OPT_ROWS | OPT_OUTPUT | OPT_WEIGHTS, cli_weights},
    {"mark", "INVESTIGATION TARGET GOLDEN", N_("mark by hand which rows, calls or modules are the same"),
     N_("Takes full row names, call names or module paths. The mark is saved in the investigation and overrides every "
        "pair\n"
        "found. With --rule the pair is extended to every layer: what would be paired is printed, --apply applies "
        "it.\n"
        "Exit status 2 for an unknown name."),
     3, 3, OPT_MARK | OPT_REMAP, cli_mark},
    {"marks", "INVESTIGATION", N_("list, undo or export decisions by hand"),
     N_("Lists marks, rejected pairs and rules in the order they were made. --export writes all correspondences, found "
        "ones\n"
        "too, for another comparison or for msprobe."),
     1, 1, OPT_MARKS | OPT_REMAP | OPT_OUTPUT, cli_marks},
    {"note", "INVESTIGATION [[ROW] TEXT]", N_("add a finding about a row or anything else; alone: list the findings"),
     N_("Takes ROW, a full row name of either side; --setting, --curve, --element and others name another subject. "
        "Its present\n"
        "state is saved with the finding: values, figures, frames, verdict, limit, source lines, file stamps.\n"
        "#words of TEXT are tags. Findings are in causal order, causes first, what follows from one (--caused-by) "
        "below it."),
     1, 3, OPT_NOTE | OPT_REMAP | OPT_OUTPUT, cli_note},
    {"report", "INVESTIGATION", N_("write the findings report: what deviates first, why, evidence, next step"),
     N_("Compares what the investigation names and writes the report: .html (one file that needs nothing else), .md "
        "for\n"
        "issues, .json for programs, .csv and .xlsx with all rows. Names of folders above the inputs are left out, "
        "see --paths.\n"
        "SOURCE_DATE_EPOCH sets its date. Exit status 0 once it is written, whatever the result."),
     1, 1, OPT_OUTPUT | OPT_REPORT | OPT_REMAP | OPT_SUMMARY | OPT_ORACLE, cli_report},
    {"merge", "INVESTIGATION INVESTIGATION", N_("merge two people's investigations of one ticket"),
     N_("Prints what only the second has, and conflicts between the two; -o FILE writes both as one (FILE may be the "
        "first).\n"
        "Findings keep their authors and times. In a conflict the first's side is kept and the second's becomes a "
        "finding tagged\n"
        "#conflict, unless --ours or --theirs decides. Exit status 1 with open conflicts, 2 where the two have "
        "different\n"
        "inputs."),
     2, 2, OPT_OUTPUT | OPT_MERGE, cli_merge},
    {"replay", "INVESTIGATION | TARGET GOLDEN ROW",
     N_("write a Python script that makes the call of a row again and "
        "compares"),
     N_("Loads the recorded inputs of the call ROW belongs to, makes the call in PyTorch or MindSpore and prints how "
        "much its output\n"
        "differs from what both sides recorded, in the recorded types, float32 and float64. Backward calls go through "
        "the forward\n"
        "call. An unknown call has to be filled in: until then the script ends with status 2."),
     2, 3, OPT_OUTPUT | OPT_REPLAY | OPT_REMAP | OPT_PACK, cli_replay},
    {"round", "INVESTIGATION [NEW_TARGET [NEW_GOLDEN]]",
     N_("add the dump made after a fix to the investigation as "
        "its next round"),
     N_("Freezes the state of the comparison (a file NAME.round-N.gz beside the investigation), continues with the "
        "new dump and\n"
        "prints what changed. Marks, rules, findings and limits stay. A fix is confirmed when the first deviation is "
        "gone and\n"
        "nothing new deviates. Without a dump the rounds are listed; --undo returns to the one before. Exit status as "
        "of\n"
        "diverge changes."),
     1, 3, OPT_ROUND | OPT_REMAP | OPT_STEP | OPT_OUTPUT, cli_round},
    {"changes", "OLD [NEW]", N_("show what changed between two comparisons: fixed, new, worse, better, vanished"),
     N_("Compares OLD and NEW: investigations (compared anew), rounds of one (NAME.round-N.gz) or results of compare "
        "--json, mixed\n"
        "as well; with --rows all row by row. One investigation alone: since its last round. Exit status 0 when\n"
        "nothing is new or worse, 1 when something is, 5 when the two are of different models or NEW could not be\n"
        "judged."),
     1, 2, OPT_REMAP | OPT_OUTPUT, cli_changes},
    {"config", "TARGET GOLDEN", N_("compare settings: are they the same, and the recommended ones"),
     N_("Compares two runs' settings by a checklist that knows the names and defaults of each framework:\n"
        "a MindFormers yaml, Megatron's launch script or the arguments it prints, config.json and training arguments "
        "of Hugging\n"
        "Face. Exit status 1 when a setting of severity error or warn differs or is missing on one side."),
     2, 2, OPT_OUTPUT | OPT_CONFIG, cli_config},
    {"curves", "TARGET GOLDEN [GOLDEN2 …]", N_("judge training logs: loss and global norm by the migration standard"),
     N_("Joins the runs by step and judges the first loss, the mean loss, the global norm and the length; reports the "
        "step from\n"
        "which they diverge, whether the difference is biased, outlier steps and whether the learning rates agree.\n"
        "Further golden runs give the noise band. -o FILE.csv writes the joined table. Exit status 1 when a point "
        "fails,\n"
        "5 when there are too few steps."),
     2, MAX_ARGS, OPT_LOGS | OPT_LOG_NAMES | OPT_LIMITS | OPT_OUTPUT, cli_curves},
    {"norms", "TARGET GOLDEN", N_("compare the gradient norm of every weight"),
     N_("Reads training logs that print local norms, msprobe monitor, event files, saved gradients or a dump. Squares "
        "are\n"
        "recognised, fused weights are compared with their parts, values without names are named by their order. Exit "
        "status 1\n"
        "when a weight is an outlier or differs, 5 when nothing could be paired."),
     2, 2, OPT_STEP | OPT_LOGS | OPT_LOG_NAMES | OPT_NORMS | OPT_LIMITS | OPT_OUTPUT, cli_norms},
    {"optimizer", "TARGET GOLDEN", N_("replay one optimizer step of each side and explain a difference"),
     N_("Each side is a folder with the weights before, their gradients and the weights after one step (before, "
        "grad,\n"
        "after: any weight format) and hyper.json or a configuration. The step is replayed in float32 as AdamW and "
        "compared\n"
        "with the saved weights; if it does not match, eps, rate, decay, clipping and others are tried. Exit status "
        "1\n"
        "when a step does not match its settings or the sides' inputs differ, 5 when it could not be judged."),
     2, 2, OPT_LIMITS | OPT_OUTPUT, cli_optimizer},
    {"rollout", "TRAIN [ROLLOUT]", N_("compare log-probabilities of trainer and rollout engine, token by token"),
     N_("Reads files of verl, slime, NeMo RL or your own (torch.save, .npz, .npy, .safetensors, JSON lines) and "
        "msprobe's\n"
        "prob_diff_step_N.npy; one file may hold both sides. Lines up the tokens, estimates the KL divergence, counts "
        "clipped\n"
        "importance ratios and looks for shifted, cut or tempered distributions. -o FILE.csv writes every token. Exit "
        "status 1\n"
        "when they do not agree, 5 when it could not be judged."),
     1, 2, OPT_LIMITS | OPT_OUTPUT, cli_rollout},
    {"panels", "INVESTIGATION", N_("show the guided panels: state of the procedure and next step"),
     N_("Reads the inputs of the investigation (see diverge give), judges all panels and prints which is next "
        "and why.\n"
        "Exit status 0 when all are passed or waived, 1 when one failed, 5 when something is open."),
     1, 1, OPT_REMAP | OPT_OUTPUT, cli_panels},
    {"give", "INVESTIGATION SLOT [PATH]", N_("give a file or folder the panels need"),
     N_("Creates the investigation if missing. SLOT is target or golden (the dumps), target-settings, target-log, …;\n"
        "a wrong one lists them all. Without PATH the input is removed."),
     2, 3, 0, cli_give},
    {"waive", "INVESTIGATION ID [REASON]", N_("accept a check, an item or a panel as it is"),
     N_("Takes the ID of a check (C045), of an item as diverge panels prints it, or a panel's number. Without REASON "
        "a waiver is\n"
        "undone."),
     2, 3, 0, cli_waive},
    {"answer", "INVESTIGATION ID [TEXT]", N_("answer what the files do not contain"),
     N_("Takes first-deviation, root-cause, confirmed and the scaling features. A text that starts with bad counts "
        "against the\n"
        "panel. Without TEXT an answer is removed."),
     2, 3, 0, cli_answer},
    {"recipe", "INVESTIGATION [NAME [STEP]]", N_("write what produces an input: configurations, settings, code"),
     N_("Prints the recipe, filled with the step, rank and calls found so far; -o FILE writes it and prints how to "
        "use it.\n"
        "STEP is the step of the log to dump. Without NAME the recipes are listed."),
     1, 3, OPT_REMAP | OPT_OUTPUT, cli_recipe},
    {"formats", "", N_("list the formats it reads"),
     N_("Lists one entry a format: its name, the versions seen, what it is, its files, and what is not read. After "
        "them\n"
        "the formats that are recognised and not read, with how to make them readable."),
     0, 0, OPT_OUTPUT, cli_formats},
    {0},
};
