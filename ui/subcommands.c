/* The table of subcommands. */
#include <unistd.h>

#include "base/msg.h"
#include "panel/path_kind.h"
#include "report/job_merge.h"
#include "ui/cli.h"
#include "ui/loop.h"
#include "fmt/find_recordings.h"

/* Compares two inputs of the same kind without a screen. */
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
    if (table || (print && o->args == 1 && (job_files_there(o->arg[0]) || investigation_is(o->arg[0]))))
        return cli_compare(o);
    if (o->json || o->output || o->summary)
        return err_set(&e, ERR_USAGE, "%s", _("compare needs TARGET and GOLDEN")), cli_fail(&e);
    return loop_run(o);
}

const struct subcommand subcommands[] = {
    {"", "[TARGET [GOLDEN]]", N_("compare two dumps on the screen"),
     N_("With one path: shows its statistics and problems. Logs, settings, weights and optimizer steps\nopen in the "
        "panel that judges them."),
     0, 2, OPT_STEP | OPT_PAIR | OPT_ROWS | OPT_OUTPUT | OPT_SCREEN | OPT_PACK | OPT_SUMMARY | OPT_ORACLE |
         OPT_MEMORY,
     open_program},
    {"compare", "TARGET GOLDEN | RESULT", N_("compare two dumps and print the result"),
     N_("Prints where the two runs diverge: coverage, verdicts, step inputs, the first deviation with the statistics\n"
        "and stacks of both sides, what starts here, differing precision. With -o or --json the result is written for "
        "programs\n"
        "(.json, .csv, .xlsx) or as a report (.html, .md).\n"
        "RESULT is a result table of another tool (see diverge formats): its figures are judged, "
        "its own verdicts stand beside."),
     1, 2, OPT_STEP | OPT_PAIR | OPT_ROWS | OPT_OUTPUT | OPT_TENSOR | OPT_PACK | OPT_SUMMARY | OPT_ORACLE | OPT_MEMORY,
     cli_compare},
    {"check", "DUMP | LOG | DUMP_CONFIG [DUMP]", N_("check one side: NaN, Inf, saturation, constant rows, damaged "
                                                    "files"),
     N_("Checks every tensor of the dump. Exit status 1 if there is a problem; all-zero and constant rows are only "
        "notes.\n"
        "For a log: checks for steps with non-finite values. For a dump configuration: shows what will be written and "
        "what is missing;\n"
        "with a dump of the same model (statistics are enough) also the expected size."),
     1, 2, OPT_STEP | OPT_LOG_NAMES | OPT_OUTPUT | OPT_SUMMARY | OPT_ORACLE_ALONE | OPT_MEMORY, cli_check},
    {"digest", "DUMP", N_("write statistics and sketches of a dump, without its tensors"),
     N_("Writes statistics and a sketch of every tensor, for all steps and ranks (or those of --step and --rank), to "
        "one file -o FILE.\n"
        "The file can be used in place of a dump, to compare it with a dump or another digest. From the sketches of "
        "two tensors of the\n"
        "same shape, relative differences of 1e-12 and more are estimated, with an error of at most 20 %."),
     1, 1, OPT_STEP | OPT_OUTPUT, cli_digest},
    {"weights", "TARGET [GOLDEN]", N_("compare weight files; with one file: list its tensors"),
     N_("Pairs the weights by the names of Hugging Face, Megatron and MindFormers and by --map, splits fused weights, "
        "joins\n"
        "tensor-parallel shards, trims padded vocabularies, and compares every value. Exit status 1 if a weight "
        "differs,\n"
        "has a different shape or is not paired; 5 if nothing could be paired or some data could not be read."),
     1, 2, OPT_MAP | OPT_ROWS | OPT_OUTPUT | OPT_WEIGHTS, cli_weights},
    {"mark", "INVESTIGATION TARGET GOLDEN", N_("mark rows, calls or modules as a pair"),
     N_("Takes full row names, call names or module paths. The mark is saved in the investigation and overrides "
        "automatic pairs.\n"
        "With --rule the pair is extended to every layer: the resulting pairs are printed, --apply applies them.\n"
        "Exit status 2 for an unknown name."),
     3, 3, OPT_MARK | OPT_REMAP, cli_mark},
    {"marks", "INVESTIGATION", N_("list, undo or export pairing decisions"),
     N_("Lists marks, rejected pairs and rules in the order they were made. --export writes all pairs, including "
        "automatic\nones, for another comparison or for msprobe."),
     1, 1, OPT_MARKS | OPT_REMAP | OPT_OUTPUT, cli_marks},
    {"note", "INVESTIGATION [[ROW] TEXT]", N_("add a finding about a row or another subject; without a text: list the "
                                              "findings"),
     N_("ROW is the full row name of either side; --setting, --curve, --element and others select other subjects. The "
        "current state\n"
        "of the subject is saved with the finding: values, statistics, frames, verdict, limit, source lines, file "
        "stamps.\n"
        "#words in TEXT are tags. Findings are listed in causal order: causes first, their effects (--caused-by) below "
        "them."),
     1, 3, OPT_NOTE | OPT_REMAP | OPT_OUTPUT, cli_note},
    {"report", "INVESTIGATION", N_("write the findings report: first deviation, cause, evidence, next step"),
     N_("Compares the inputs of the investigation and writes the report: .html (a single self-contained file), .md "
        "for\n"
        "issues, .json for programs, .csv and .xlsx with all rows. Names of folders above the inputs are omitted, see "
        "--paths.\n"
        "SOURCE_DATE_EPOCH sets the date. Exit status 0 if the report was written, independent of the result."),
     1, 1, OPT_OUTPUT | OPT_REPORT | OPT_REMAP | OPT_SUMMARY | OPT_ORACLE, cli_report},
    {"merge", "INVESTIGATION INVESTIGATION", N_("merge two investigations of the same ticket"),
     N_("Prints entries that only the second has, and conflicts; -o FILE writes the merged investigation (FILE may be "
        "the first).\n"
        "Findings keep their authors and times. In a conflict, the entry of the first is kept and that of the second "
        "becomes a finding\n"
        "with the tag #conflict, unless --ours or --theirs resolves it. Exit status 1 if conflicts remain, 2 if the "
        "inputs\n"
        "differ."),
     2, 2, OPT_OUTPUT | OPT_MERGE, cli_merge},
    {"replay", "INVESTIGATION | TARGET GOLDEN ROW",
     N_("write a Python script that repeats the call of a row and compares the result"),
     N_("The script loads the recorded inputs of the call of ROW, repeats the call in PyTorch or MindSpore and prints "
        "the difference of\n"
        "its output from the recorded outputs of both sides, in the recorded types, float32 and float64. Backward "
        "calls are computed\n"
        "through the forward call. An unknown call must be completed by hand: until then the script ends with status "
        "2."),
     2, 3, OPT_OUTPUT | OPT_REPLAY | OPT_REMAP | OPT_PACK, cli_replay},
    {"round", "INVESTIGATION [NEW_TARGET [NEW_GOLDEN]]",
     N_("add the dump made after a fix as the next round of the investigation"),
     N_("Saves the state of the comparison (file NAME.round-N.gz in the folder of the investigation), continues with "
        "the new dump and\n"
        "prints the changes. Marks, rules, findings and limits are kept. A fix is confirmed if the first deviation is "
        "gone and\n"
        "nothing new deviates. Without a dump, the rounds are listed; --undo returns to the previous round. Exit "
        "status as for\n"
        "diverge changes."),
     1, 3, OPT_ROUND | OPT_REMAP | OPT_STEP | OPT_OUTPUT, cli_round},
    {"changes", "OLD [NEW]", N_("show the changes between two comparisons: fixed, new, worse, better, vanished"),
     N_("OLD and NEW may each be an investigation (it is compared again), a round (NAME.round-N.gz) or a result of "
        "compare --json\n"
        "(written with --rows all for a comparison row by row). With one investigation: changes since its previous "
        "round. Exit status 0 if\n"
        "nothing is new or worse, 1 otherwise; 5 if the comparisons are of different models or NEW could not be\n"
        "judged."),
     1, 2, OPT_REMAP | OPT_OUTPUT, cli_changes},
    {"config", "[TARGET GOLDEN]", N_("compare the settings of two runs with each other and with the recommendations"),
     N_("Compares the settings of two runs by a checklist with the names and defaults of each framework:\n"
        "MindFormers yaml, launch script or printed arguments of Megatron, config.json and training arguments of "
        "Hugging\n"
        "Face. Exit status 1 if a setting of severity error or warn differs or is missing on one side. Without "
        "settings,\n"
        "--target-env and --golden-env are compared alone; exit status 5 if nothing differs in them."),
     0, 2, OPT_OUTPUT | OPT_CONFIG, cli_config},
    {"curves", "TARGET GOLDEN [GOLDEN2 …]", N_("judge training logs: loss and global norm by the migration standard"),
     N_("Joins the runs by step and judges the first loss, the mean loss, the global norm and the number of steps; "
        "reports the step\n"
        "from which they diverge, whether the difference is biased, outlier steps and whether the learning rates "
        "agree.\n"
        "Additional golden runs define the noise band. -o FILE.csv writes the joined table. Exit status 1 if a "
        "criterion fails,\n"
        "5 if there are too few steps."),
     2, MAX_ARGS, OPT_LOGS | OPT_LOG_NAMES | OPT_LIMITS | OPT_OUTPUT, cli_curves},
    {"norms", "TARGET GOLDEN", N_("compare the gradient norm of every weight"),
     N_("Reads training logs with local norms, tables of msprobe monitor, event files, saved gradients or a dump. "
        "Squares are\n"
        "detected, fused weights are compared with their parts, values without names are named by their order. Exit "
        "status 1\n"
        "if a weight is an outlier or differs, 5 if a value has no partner or could not be read."),
     2, 2, OPT_ONE_STEP | OPT_LOGS | OPT_LOG_NAMES | OPT_NORMS | OPT_LIMITS | OPT_OUTPUT, cli_norms},
    {"optimizer", "TARGET GOLDEN", N_("replay one optimizer step of each side and explain differences"),
     N_("Each side is a folder with the weights before one step, the gradients and the weights after it (before, "
        "grad,\n"
        "after: any weight format) and hyper.json or a configuration. The step is replayed in float32 as AdamW and "
        "compared\n"
        "with the saved weights; if it does not match, other values of eps, learning rate, decay, clipping and others "
        "are tried.\n"
        "Exit status 1 if a step does not match its settings or the inputs of the sides differ, 5 if it could not be "
        "judged."),
     2, 2, OPT_LIMITS | OPT_OUTPUT, cli_optimizer},
    {"rollout", "TRAIN [ROLLOUT]", N_("compare log-probabilities of trainer and rollout engine, token by token"),
     N_("Reads files of verl, slime, NeMo RL or other programs (torch.save, .npz, .npy, .safetensors, JSON lines) and\n"
        "prob_diff_step_N.npy of msprobe; one file may contain both sides. Aligns the tokens, estimates the KL "
        "divergence, counts clipped\n"
        "importance ratios and detects shifted, truncated or temperature-scaled distributions. -o FILE.csv writes "
        "every token. Exit\n"
        "status 1 if the sides differ, 5 if they could not be judged."),
     1, 2, OPT_LIMITS | OPT_OUTPUT, cli_rollout},
    {"panels", "INVESTIGATION", N_("show the guided panels: state of the procedure and next step"),
     N_("Reads the inputs of the investigation (see diverge give), judges all panels and prints the next one and the "
        "reason.\nExit status 0 if all panels are passed or waived, 1 if one failed, 5 if a panel is open."),
     1, 1, OPT_REMAP | OPT_OUTPUT, cli_panels},
    {"give", "INVESTIGATION SLOT [PATH]", N_("give a file or folder that the panels need"),
     N_("Creates the investigation if missing. SLOT is target or golden (the dumps), target-settings, target-log, "
        "…;\nan unknown name lists all of them. Without PATH, the input is removed."),
     2, 3, 0, cli_give},
    {"waive", "INVESTIGATION ID [REASON]", N_("waive a check, an item or a panel"),
     N_("ID is a check (C045), an item as printed by diverge panels, or the number of a panel. Without REASON, the "
        "waiver is\nundone."),
     2, 3, 0, cli_waive},
    {"answer", "INVESTIGATION ID [TEXT]", N_("answer a question that the files cannot answer"),
     N_("ID is first-deviation, root-cause, confirmed or a scaling feature. An answer that starts with \"bad\" fails "
        "the\npanel. Without TEXT, the answer is removed."),
     2, 3, 0, cli_answer},
    {"recipe", "INVESTIGATION [NAME [STEP]]", N_("write a recipe to produce an input: configuration, settings, code"),
     N_("Prints the recipe with the step, rank and calls found so far; -o FILE writes it and prints how to use "
        "it.\nSTEP is the step of the log to dump. Without NAME, the recipes are listed."),
     1, 3, OPT_REMAP | OPT_OUTPUT, cli_recipe},
    {"formats", "", N_("list the supported formats"),
     N_("Lists one entry per format: name, versions, description, files, and what is not read. Formats that are "
        "recognised but\nnot supported follow, with the way to convert them."),
     0, 0, OPT_OUTPUT, cli_formats},
    {0},
};
