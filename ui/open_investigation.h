/* From the command line to an investigation: what is opened, with which limits, and where it is saved. */
#ifndef UI_OPEN_INVESTIGATION_H
#define UI_OPEN_INVESTIGATION_H

#include "ticket/investigation.h"
#include "session/session.h"
#include "ui/keep_place.h"
#include "ui/options.h"

/* Fills v: a saved investigation named as the only argument or by --investigation, with the command
 * line's own wishes over it. where: of a ticket without a file (NULL: nowhere). claim: it is to be saved, so it is made
 * this program's before it is read (investigation_claim). */
int open_investigation(struct investigation *v, const struct options *o, const struct keep_place *where, bool claim,
                       struct err *e);
/* Where the investigation of these two lies that nobody gave a file: named after its inputs, so that the same dumps
 * find it again. Appends; -1 where the system does not say which inputs they are. */
int open_investigation_own_path(const char *const input[2], const char *folder, struct buf *out, struct err *e);
/* The file `from`, where the round that was left last was kept, says that v goes on in its own beside it: who opens the
 * first gets the other. */
int open_investigation_continue(const struct investigation *v, const char *from, struct err *e);
/* Whether one opens `path` and gets the file `to` beside it. */
bool open_investigation_leads_to(const char *path, const char *to);
/* The investigation named as the first argument, whatever follows it: -1 where it is none, or is to be changed and
 * cannot. read: its inputs are looked for. v is to be released in any case. */
int open_investigation_saved(struct investigation *v, const struct options *o, bool change, bool read, struct err *e);
/* The time reports and findings bear: SOURCE_DATE_EPOCH, else now. */
int64_t open_investigation_date(void);
/* Who writes now, and when: DIVERGE_AUTHOR, else the account's name; SOURCE_DATE_EPOCH, else the clock. */
void open_investigation_sign(struct investigation *v);
/* The session that opens it; strings stay v's and o's. */
void open_investigation_session(const struct investigation *v, const struct options *o, struct session_options *so);

/* What the inputs are now goes into the investigation, to be known when it is opened again. */
void open_investigation_note_inputs(struct investigation *v, const struct comparison *s);

#endif
