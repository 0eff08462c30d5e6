/* The headless commands. Each returns an exit status; messages go to standard error. */
#ifndef UI_CLI_H
#define UI_CLI_H

#include "ticket/investigation.h"
#include "session/session.h"
#include "ui/options.h"

#define TOOL "diverge " DIVERGE_VERSION

int cli_compare(const struct options *o);
/* The same for every step or rank both sides have (--step all, --rank all). */
int cli_compare_all(const struct investigation *v, const struct options *o);
/* What options.tensor names, of a session that is settled. 0, or -1 with e. */
int cli_tensor(const struct comparison *s, const struct options *o, struct err *e);
int cli_check(const struct options *o);
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
void cli_print(const struct buf *b); /* to standard output */
void cli_print_clean(const struct buf *b); /* the same line by line, controls made visible: it holds names from files */
/* What to say where a file's ending tells no format; -1. */
int cli_ending(const char *path, struct err *e);
/* Where a result goes: standard output with --json or "-o -", else the file. 0, or -1 with e. */
int cli_out(const struct options *o, struct out *out, struct err *e);
/* The same of text that may name files of a pack: with the pack's name, not that of the folder it is unpacked into. */
int cli_out_named(const struct options *o, struct out *out, struct err *e);
/* The same of a result that is a whole text already, for programs. */
int cli_deliver(const struct options *o, const struct buf *b, struct err *e);
/* Prints the line of --summary: to standard output, or where the result goes there to standard error. */
void cli_summary(const struct options *o, const struct buf *line);
/* The exit status of a settled comparison by --fail-on, with --summary's line printed; `own` is the command's. */
int cli_fail_on(const struct options *o, const struct comparison *s, int own);
bool cli_out_standard(const struct options *o);
/* Both sides that an investigation (o's first argument) names, read and paired, and compared unless `pair_only`. *open: s
 * is to be stopped, also where this fails after its start. -1 with the session's error, or where there is one side only. */
int cli_open_pair(struct session *s, bool *open, const struct investigation *inv, const struct options *o, bool pair_only,
                  struct err *e);
/* The line of a row's name on either side, or NONE. */
uint32_t cli_line_named(const struct comparison *s, const char *name);
/* session_wait with progress on a terminal's standard error; ERR_CANCEL after an interrupt. */
int cli_wait(struct session *s, const struct options *o, struct err *e);
/* Interrupts (INT, TERM, HUP) become this flag. */
void cli_catch_interrupts(void);
void cli_release_interrupts(void); /* where nothing would be left behind */
bool cli_interrupted(void);

#endif
