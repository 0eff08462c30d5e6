/* The headless commands. Each returns an exit status; messages go to standard error. */
#ifndef UI_CLI_H
#define UI_CLI_H

#include "base/json_write.h"
#include "base/tool.h"
#include "document/document.h"
#include "ticket/investigation.h"
#include "session/job_compare.h"
#include "session/session.h"
#include "ui/options.h"


int cli_compare(const struct options *o);
/* The same for every common step or rank (--step all, --rank all). found: the cache of recordings found; also used by
 * the functions below; released by the caller. *joined, unless it is NULL: true if the two sides used different numbers
 * of micro-batches; nothing is printed then, and cli_compare_job compares them. */
int cli_compare_all(const struct investigation *v, const struct options *o, struct found_trees *found, bool *joined);
/* Compares two jobs, at least one with several ranks. */
int cli_compare_job(const struct investigation *v, const struct options *o, struct found_trees *found);
/* How to compare: as a job, or rank by rank because some recordings could not be read. */
enum job_kind { JOB_OF_ONE_RANK, JOB_AS_ONE, JOB_RANK_BY_RANK };
enum job_kind cli_job_asked(const struct investigation *v, const struct options *o, struct found_trees *found);
/* Whether two sides of one rank each used different numbers of micro-batches. */
bool cli_job_of_micro_batches(const struct comparison *c);
/* What the panels take of an investigation's dumps of several ranks: nothing, how the ranks are laid out, or all ranks
 * compared. */
enum panel_ranks { PANEL_RANKS_NONE, PANEL_RANKS_LAYOUTS, PANEL_RANKS_COMPARED };
/* False if there is one rank, or on failure, which is reported. k is zeroed before; release it in any case. */
bool cli_job_of_panels(const struct investigation *v, const struct options *o, enum panel_ranks wanted,
                       struct job_compare *k);
/* Appends "deviates; row 17, input-first: NAME" for one of several steps and ranks. */
void cli_rank_outcome(const struct comparison *c, struct buf *b);
/* The combined exit status: 1 takes precedence over 5, 5 over 0. */
int cli_worse_status(int a, int b);
/* Merges results written by workers. */
int cli_compare_shares(const struct options *o);
/* Sets o's share from the environment of Slurm, Volcano, torchrun or Open MPI; unchanged without one. */
int cli_worker_of_launcher(struct options *o, struct err *e);
/* Shows the tensors named by options.tensor, for a settled comparison. 0, or -1 with e. */
int cli_tensor(const struct comparison *s, const struct options *o, struct err *e);
/* The values of options.values in the rows of n settled comparisons. 0, or -1 with e. */
int cli_values(const struct comparison *const *c, size_t n, const struct options *o, struct err *e);
int cli_check(const struct options *o);
int cli_check_dump_config(const struct options *o); /* for a dump configuration, called by cli_check */
int cli_digest(const struct options *o);
int cli_check_log(const struct options *o); /* for a training log, called by cli_check */
/* Weight files: compares two, lists one, or prints single elements. */
int cli_weights(const struct options *o);
int cli_mark(const struct options *o);
int cli_marks(const struct options *o);
/* The findings report of an investigation; writing, listing and removing findings. */
int cli_report(const struct options *o);
int cli_note(const struct options *o);
int cli_merge(const struct options *o);  /* merges two people's investigations of the same inputs */
int cli_replay(const struct options *o); /* a script that repeats a call */
int cli_config(const struct options *o); /* settings against the checklist */
/* The stages: curves against the standard, gradient norms of weights, one optimizer step replayed. */
int cli_curves(const struct options *o);
int cli_norms(const struct options *o);
int cli_rollout(const struct options *o);
int cli_optimizer(const struct options *o);
/* The guided panels: their states, inputs and answers. */
int cli_panels(const struct options *o);
int cli_give(const struct options *o);
int cli_waive(const struct options *o);
int cli_answer(const struct options *o);
int cli_recipe(const struct options *o);
/* Changes between two comparisons; a new dump after a fix; the list of rounds. */
int cli_changes(const struct options *o);
int cli_round(const struct options *o);
/* Closes the current round of the investigation that is o's first argument. golden NULL: the same golden run. */
int cli_round_leave(const struct options *o, const char *target, const char *golden, struct err *e);
int cli_formats(const struct options *o);

/* Prints "diverge: message" on standard error with controls made visible; returns the matching exit status. */
int cli_fail(const struct err *e);
/* Reports what could not be read and returns the resulting status: EXIT_UNJUDGED instead of EXIT_ALIGNED, and instead
 * of EXIT_UNOPENED if every file could be opened. The status stays if it only says that something was written, or if
 * --fail-on set it. */
int cli_unread(const read_failures *l, bool written, int status);
/* Flushes and checks standard output and error, in this place only. Returns the status, or EXIT_SYSTEM with a message
 * if output was lost. Nothing may be printed afterwards. */
int cli_end(int status);
/* Prints to standard output. cli_end reports failures. */
void cli_print(const struct buf *b);
/* the same line by line with controls made visible, for texts with names from files */
void cli_print_clean(const struct buf *b);
/* The error for a file extension without a format; -1. */
int cli_ending(const char *path, struct err *e);
/* Opens the destination of a result: standard output with --json or "-o -", otherwise the file. 0, or -1 with e. */
int cli_out(const struct options *o, struct out *out, struct err *e);

/* A result is text for people unless --json or -o requests a format for programs. */
/* The ways to write a result: as text (from a document section or its own), as a JSON object, and possibly as a
 * table. */
struct result_forms {
    void (*section)(struct document *d, const void *result);
    void (*text)(struct buf *b, const void *result); /* for results without a section */
    void (*json)(struct jsonw *w, struct out *o, const void *result);
    void (*csv)(struct out *o, const void *result); /* NULL: no table form */
    void (*svg)(struct buf *b, const void *result); /* NULL: no picture */
    bool indented;                                  /* pretty-print the JSON */
};
/* Whether -o names a .json file, a .csv file if there is a table form, or nothing. */
bool cli_can_write(const struct options *o, bool csv);
int cli_may_write(const struct options *o, bool csv, struct err *e); /* the same: 0, or -1 with e */
/* The same of all forms that a result has, pictures too. */
int cli_may_write_form(const struct options *o, const struct result_forms *f, struct err *e);
/* Writes a result in the requested form to the requested place; text without control characters, and files of a pack
 * with the pack's name instead of its temporary folder. An unknown extension gives JSON. */
int cli_write(const struct options *o, const struct result_forms *f, const void *result, struct err *e);
/* The same for a result that is already a complete text for programs. */
int cli_deliver(const struct options *o, const struct buf *b, struct err *e);
/* Prints the line of --summary to standard output, or to standard error if the result goes to standard output. */
void cli_summary(const struct options *o, const struct buf *line);
/* The exit status of a settled comparison by --fail-on, after printing the line of --summary; `own` is the command's.
 */
int cli_fail_on(const struct options *o, const struct comparison *s, int own);
/* Whether -o names a file; whether the result goes to standard output. */
bool cli_out_file(const struct options *o);
bool cli_out_standard(const struct options *o);
/* Whether it goes to both, with --json and -o FILE. *file: the options that write the file alone. */
bool cli_out_both(const struct options *o, struct options *file);
/* Opens both sides of an investigation (o's first argument): reads, pairs, and compares unless `pair_only`. *open: s
 * has to be stopped, even if this fails after starting it. -1 with the session's error, or if there is only one side.
 */
int cli_open_pair(struct session *s, bool *open, const struct investigation *inv, const struct options *o,
                  bool pair_only, struct err *e);
/* The line with a row of that name on either side, or NONE. */
uint32_t cli_line_named(const struct comparison *s, const char *name);
/* session_wait with progress on standard error if it is a terminal; ERR_CANCEL after an interrupt. */
int cli_wait(struct session *s, const struct options *o, struct err *e);
int cli_wait_for(struct session *s, void *ctx, struct err *e); /* the same; ctx: the options */

#endif
