/* The report's sections, one function each, and shared parts. */
#ifndef REPORT_REPORT_SECTIONS_H
#define REPORT_REPORT_SECTIONS_H

#include "ticket/investigation.h"
#include "panel/procedure.h"
#include "report/report_build.h"

struct building {
    struct document *d;
    const struct comparison *s;
    /* NULL: two dumps were not given or not readable; sections about them are then left out */
    const struct judgement *j;
    /* why the given dumps could not be read; NULL: they could, or none were given */
    const char *unread;
    const struct measure *m;
    const struct report_options *o; /* NULL: only a part is written (report_part) */
    size_t most;        /* limit for entries of a list */
    finding_list findings; /* causes first */
    struct buf name;
};

/* Each adds to the current section; sections without content are left out. */
void report_ranks(struct building *b);
void report_inputs(struct building *b);
void report_weights(struct building *b);
void report_first(struct building *b);
void report_diagnosis(struct building *b);
void report_starts(struct building *b);
void report_which_side(struct building *b);
void report_gaps(struct building *b);
void report_accepted(struct building *b);
void report_precision(struct building *b);
void report_overflow(struct building *b);
void report_rounds(struct building *b);
void report_findings(struct building *b);
void report_ruled_out(struct building *b);
void report_open(struct building *b);
void report_decisions(struct building *b);
void report_reproduction(struct building *b);
/* From the panels' engine runs; empty if nothing was given. */
void report_procedure(struct building *b);
void report_causes(struct building *b);
void report_settings(struct building *b);
void report_checkpoints(struct building *b);
void report_determinism(struct building *b);
void report_first_step(struct building *b);
void report_norms(struct building *b);
void report_optimizer(struct building *b);
void report_lr0(struct building *b);
void report_long_run(struct building *b);
void report_scaling(struct building *b);
void report_rollout(struct building *b);

/* Parts of sections: */
void report_elements(struct building *b, uint32_t line); /* of a line's tensors */
void report_given(struct building *b);                   /* files given to the panels */
void report_open_panels(struct building *b);              /* panels that wait for something */
void report_panels_again(struct building *b);             /* the commands that show them */
void report_procedure_line(struct building *b);          /* a line of the summary */
bool report_told(const struct building *b);              /* whether something was given to the panels */
/* The result of an engine run, NULL if there is none; adds the reason if an input was given. */
const struct engine_run_result *report_engine_run(struct building *b, enum engine_run_id x);
void report_limits(struct building *b);

/* A cell with the name of a line's row on a side, "·" if absent. */
void report_row_name(struct building *b, uint32_t line, int side);
void report_verdict(struct building *b, uint32_t line); /* a cell: sign and word */
void report_error(struct building *b, uint32_t line);   /* a cell: the judged error */
enum doc_tone report_tone(enum verdict v);
/* A number's text without the digits that nobody reads, but with those that tell it from the one beside it, or from 1;
 * other texts as they are. Lives as long as the document. */
struct str report_digits(struct building *b, const char *text, const char *beside);
/* The number of current findings with a status. */
size_t report_count(const struct building *b, enum finding_status s);

#endif
