/* The report's sections, a function each, and what they share. */
#ifndef REPORT_REPORT_SECTIONS_H
#define REPORT_REPORT_SECTIONS_H

#include "model/investigation.h"
#include "report/report_build.h"

struct building {
    struct document *d;
    const struct session *s;
    const struct judgement *j;
    const struct measure *m;
    const struct report_options *o;
    finding_list findings; /* causes first */
    struct buf name;
};

/* Each adds its blocks to the section that was begun; one that adds nothing is left out. */
void report_summary(struct building *b);
void report_inputs(struct building *b);
void report_weights(struct building *b);
void report_first(struct building *b);
void report_diagnosis(struct building *b);
void report_suspects(struct building *b);
void report_gaps(struct building *b);
void report_known(struct building *b);
void report_precision(struct building *b);
void report_overflow(struct building *b);
void report_findings(struct building *b);
void report_ruled_out(struct building *b);
void report_open(struct building *b);
void report_decisions(struct building *b);
void report_reproduction(struct building *b);
void report_limits(struct building *b);

/* A cell: the name of a line's row on a side, "·" where it has none. */
void report_row_name(struct building *b, uint32_t line, int side);
void report_verdict(struct building *b, uint32_t line); /* a cell: sign and word */
void report_error(struct building *b, uint32_t line);   /* a cell: what was judged */
enum doc_tone report_tone(enum verdict v);
/* Findings that hold, of a status. */
size_t report_count(const struct building *b, enum finding_status s);

#endif
