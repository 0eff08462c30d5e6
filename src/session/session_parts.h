/* Shared by the files of the session. */
#ifndef SESSION_SESSION_PARTS_H
#define SESSION_SESSION_PARTS_H

#include "session/session.h"

void session_announce(struct session *s); /* announces a change; the lock is held */
void session_notify(void *session);       /* notifies the owner; the lock is not held */
/* Publishes a comparison without a judgement: of a single side, or while sides are read. failed: the error, or NULL. */
void session_publish_state(struct session *s, const struct err *failed, bool complete);

/* The cache of recordings found below paths. */
struct found_trees *session_found(struct session *s);
int session_find_side(struct session *s, int i, struct err *e);
/* Chooses the first target recording with a golden one of the same step and rank; steps and ranks requested for a
 * side apply to that side only. */
int session_choose(struct session *s, struct err *e);
int session_load_maps(struct session *s, struct err *e);
int session_load_sides(struct session *s, struct err *e);

/* Starts one worker per processor if there is any work (a single tensor is shared too). Fewer if the system gives no
 * more threads; none is an error. */
int session_start_workers(struct session *s, struct err *e);
/* Doubles the number of workers if files are slow and lines are still waiting; the lock is held before and after. */
void session_add_workers(struct session *s);
/* Wakes workers that wait for lines, to help with a large tensor. */
void session_call_helpers(void *session);

#endif
