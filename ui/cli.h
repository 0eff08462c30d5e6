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
/* The same for every step or rank both sides have (--step all, --rank all). found: what was walked so far; to be
 * released after them, also below. */
int cli_compare_all(const struct investigation *v, const struct options *o, struct found_trees *found);
/* The comparison of two jobs, a side of which has several ranks. */
int cli_compare_job(const struct investigation *v, const struct options *o, struct found_trees *found);
/* Whether these are: as one, or each rank by itself where some of what is there could not be read. */
enum job_kind { JOB_OF_ONE_RANK, JOB_AS_ONE, JOB_RANK_BY_RANK };
enum job_kind cli_job_asked(const struct investigation *v, const struct options *o, struct found_trees *found);
/* Whether the sides, of one rank each, did the step in different numbers of micro-batches. */
bool cli_job_of_micro_batches(const struct comparison *c);
/* All ranks of an investigation's dumps compared, for its report; false where there is one rank or it failed, which is
 * said. k, zeroed, is to be released in any case. */
bool cli_job_for_report(const struct investigation *v, const struct options *o, struct job_compare *k);
/* "deviates; row 17, input-first: NAME", of one step and rank of several. */
void cli_rank_outcome(const struct comparison *c, struct buf *b);
/* The status of several: 1 outweighs 5 outweighs 0, a deviation anywhere is one. */
int cli_worse_status(int a, int b);
/* Results that workers wrote, as one. */
int cli_compare_shares(const struct options *o);
/* Sets o's share by what Slurm, Volcano, torchrun or Open MPI tell this process; as it is where none does. */
int cli_worker_of_launcher(struct options *o, struct err *e);
/* What options.tensor names, of a session that is settled. 0, or -1 with e. */
int cli_tensor(const struct comparison *s, const struct options *o, struct err *e);
int cli_check(const struct options *o);
int cli_check_dump_config(const struct options *o); /* of a dump's configuration, likewise */
int cli_digest(const struct options *o);
int cli_check_log(const struct options *o); /* of a training log, which cli_check hands over */
/* Weight files: two compared, one listed, single elements. */
int cli_weights(const struct options *o);
int cli_mark(const struct options *o);
int cli_marks(const struct options *o);
/* The findings report of an investigation; findings written, listed, taken back. */
int cli_report(const struct options *o);
int cli_note(const struct options *o);
int cli_merge(const struct options *o);  /* two people's investigations of one ticket */
int cli_replay(const struct options *o); /* a script that makes a call again */
int cli_config(const struct options *o); /* settings against the checklist */
/* The stages: curves against the standard, gradient norms of weights, one optimizer step replayed. */
int cli_curves(const struct options *o);
int cli_norms(const struct options *o);
int cli_rollout(const struct options *o);
int cli_optimizer(const struct options *o);
/* The guided panels: their states, and what is told to them. */
int cli_panels(const struct options *o);
int cli_give(const struct options *o);
int cli_waive(const struct options *o);
int cli_answer(const struct options *o);
int cli_recipe(const struct options *o);
/* What changed between two comparisons; a new dump after a fix, or the list of rounds. */
int cli_changes(const struct options *o);
int cli_round(const struct options *o);
/* Leaves the round of the investigation that is o's first argument. golden NULL: the same golden run. */
int cli_round_leave(const struct options *o, const char *target, const char *golden, struct err *e);
int cli_formats(const struct options *o);

/* "diverge: message" on standard error, controls made visible; the exit status that goes with it. */
int cli_fail(const struct err *e);
/* Says what could not be read, and gives the status that does: EXIT_UNJUDGED instead of EXIT_ALIGNED, and instead of
 * EXIT_UNOPENED where every file could be opened; unless that only says that something was written, or is somebody's
 * policy. */
int cli_unread(const read_failures *l, bool written, int status);
/* The one place where standard output and error are flushed and checked: the status the program ends with, which is
 * EXIT_SYSTEM, with a sentence, where something printed did not arrive. Nothing is printed afterwards. */
int cli_end(int status);
/* To standard output. What could not be written is told at the end, by cli_end. */
void cli_print(const struct buf *b);
void cli_print_clean(const struct buf *b); /* the same line by line, controls made visible: it holds names from files */
/* What to say where a file's ending tells no format; -1. */
int cli_ending(const char *path, struct err *e);
/* Where a result goes: standard output with --json or "-o -", else the file. 0, or -1 with e. */
int cli_out(const struct options *o, struct out *out, struct err *e);

/* A result is a text for people unless --json or -o ask for a file of a program's. */
/* How a result is written: as a text, a document's or its own, as an object of JSON, and perhaps as a table. */
struct result_forms {
    void (*section)(struct document *d, const void *result);
    void (*text)(struct buf *b, const void *result); /* where it is no document */
    void (*json)(struct jsonw *w, struct out *o, const void *result);
    void (*csv)(struct out *o, const void *result); /* NULL: not as a table */
    bool indented;                                  /* the JSON */
};
/* Whether -o names a .json file, a .csv file where the result is also written as a table, or nothing. */
bool cli_can_write(const struct options *o, bool csv);
int cli_may_write(const struct options *o, bool csv, struct err *e); /* the same: 0, or -1 with a sentence */
/* Writes it in the form and to the place asked for, a text without controls; files of a pack with the pack's name, not
 * that of the folder it is unpacked into. An ending that is neither form's makes it JSON. */
int cli_write(const struct options *o, const struct result_forms *f, const void *result, struct err *e);
/* The same of a result that is a whole text already, for programs. */
int cli_deliver(const struct options *o, const struct buf *b, struct err *e);
/* Prints the line of --summary: to standard output, or where the result goes there to standard error. */
void cli_summary(const struct options *o, const struct buf *line);
/* The exit status of a settled comparison by --fail-on, with --summary's line printed; `own` is the command's. */
int cli_fail_on(const struct options *o, const struct comparison *s, int own);
bool cli_out_standard(const struct options *o);
/* Both sides that an investigation (o's first argument) names, read and paired, and compared unless `pair_only`. *open:
 * s is to be stopped, also where this fails after its start. -1 with the session's error, or where there is one side
 * only. */
int cli_open_pair(struct session *s, bool *open, const struct investigation *inv, const struct options *o,
                  bool pair_only, struct err *e);
/* The line of a row's name on either side, or NONE. */
uint32_t cli_line_named(const struct comparison *s, const char *name);
/* session_wait with progress on a terminal's standard error; ERR_CANCEL after an interrupt. */
int cli_wait(struct session *s, const struct options *o, struct err *e);

#endif
