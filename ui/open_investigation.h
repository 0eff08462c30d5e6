/* Makes an investigation from the command line: inputs, limits, and where it is saved. */
#ifndef UI_OPEN_INVESTIGATION_H
#define UI_OPEN_INVESTIGATION_H

#include "ticket/investigation.h"
#include "session/session.h"
#include "ui/keep_place.h"
#include "ui/options.h"

/* Fills v: a saved investigation given as the only argument or by --investigation, overridden by the command line's
 * options. where: the place for one without a file (NULL: not saved). claim: it will be saved, so it is locked before
 * it is read (investigation_claim). */
int open_investigation(struct investigation *v, const struct options *o, const struct keep_place *where, bool claim,
                       struct err *e);
/* Appends the path of the investigation of these two inputs if the user gave no file: it is derived from the inputs,
 * so that the same dumps find it again. -1 if the inputs cannot be identified. */
int open_investigation_own_path(const char *const input[2], const char *folder, struct buf *out, struct err *e);
/* Records in the file `from`, which held the last closed round, that v continues in its own file beside it: opening
 * the first then opens the second. */
int open_investigation_continue(const struct investigation *v, const char *from, struct err *e);
/* Whether opening `path` leads to the file `to` beside it. */
bool open_investigation_leads_to(const char *path, const char *to);
/* Opens the investigation named as the first argument: -1 if it is none, or is to be changed and cannot be. read: its
 * inputs are searched. Release v in any case. */
int open_investigation_saved(struct investigation *v, const struct options *o, bool change, bool read, struct err *e);
/* The time for reports and findings: SOURCE_DATE_EPOCH, otherwise now. */
int64_t open_investigation_date(void);
/* Sets author and time of new entries: DIVERGE_AUTHOR, otherwise the account's name; SOURCE_DATE_EPOCH, otherwise the
 * clock. */
void open_investigation_sign(struct investigation *v);
/* Fills the options of its session; strings stay owned by v and o. */
void open_investigation_session(const struct investigation *v, const struct options *o, struct session_options *so);

/* Stores the current state of the inputs in the investigation, to detect changes when it is opened again. */
void open_investigation_note_inputs(struct investigation *v, const struct comparison *s);

#endif
