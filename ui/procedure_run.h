/* A ticket with all that is judged of it: its dumps compared, its panels' exams held, their pages written. */
#ifndef UI_PROCEDURE_RUN_H
#define UI_PROCEDURE_RUN_H

#include "panel/procedure.h"
#include "session/session.h"
#include "ui/options.h"

struct procedure_run {
    struct investigation inv; /* the caller opens it */
    struct session s;
    struct procedure guide;
    struct err gone; /* what of its inputs is no longer there (procedure_run_read): then nothing is compared */
    bool open;
};

/* Opens the saved investigation named by the first argument, not to be changed. Inputs that are gone are no error:
 * `gone` says which, and what the investigation holds can still be told. */
int procedure_run_read(struct procedure_run *t, const struct options *o, struct err *e);

/* Compares the dumps and holds every exam there are files for. Dumps that could not be read are said on the pages; -1
 * after an interrupt. */
int procedure_run_open(struct procedure_run *t, const struct options *o, struct err *e);
void procedure_run_close(struct procedure_run *t); /* also where it is not open: the investigation is released */

#endif
