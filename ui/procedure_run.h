/* An investigation with all its results: dumps compared, engine runs done, pages written. */
#ifndef UI_PROCEDURE_RUN_H
#define UI_PROCEDURE_RUN_H

#include "panel/procedure.h"
#include "session/job_compare.h"
#include "ui/cli.h"

struct procedure_run {
    struct investigation inv; /* the caller opens it */
    struct session s;
    struct procedure guide;
    struct err gone; /* inputs that no longer exist (procedure_run_read); nothing is then compared */
    enum panel_ranks wanted; /* set before procedure_run_open */
    struct job_compare ranks;
    bool ranks_done;         /* there are several, and `ranks` has ended */
    bool open;
};

/* Opens the saved investigation given as the first argument, read-only. Missing inputs are no error: `gone` names
 * them, and the investigation's own contents remain available. */
int procedure_run_read(struct procedure_run *t, const struct options *o, struct err *e);

/* Compares the dumps and executes every engine run that has its files. Unreadable dumps are reported on the pages; -1
 * after an interrupt. */
int procedure_run_open(struct procedure_run *t, const struct options *o, struct err *e);
void procedure_run_close(struct procedure_run *t); /* also if it is not open: releases the investigation */

#endif
