/* What the files of the session share: its conductor's steps. */
#ifndef SESSION_SESSION_PARTS_H
#define SESSION_SESSION_PARTS_H

#include "session/session.h"

void session_announce(struct session *s); /* something changed; the lock is held */
void session_notify(void *session);       /* the owner is to look; the lock is not held */
/* A comparison without a judgement: of one side alone, or while sides are read. failed: why, or NULL. */
void session_publish_state(struct session *s, const struct err *failed, bool complete);

/* Where it is kept what is below which path. */
struct found_trees *session_found(struct session *s);
int session_find_side(struct session *s, int i, struct err *e);
/* The first target place with a golden one of the same step and rank; numbers the user gave for a side
 * are met on that side and not compared across. */
int session_choose(struct session *s, struct err *e);
int session_load_maps(struct session *s, struct err *e);
int session_load_sides(struct session *s, struct err *e);

/* As many workers as processors, where there is any work: also a single tensor is shared. Fewer where the system gives
 * no more threads; none at all is an error. */
int session_start_workers(struct session *s, struct err *e);
/* Twice as many, where files are far away and lines are still to be taken; the lock is held before and after. */
void session_add_workers(struct session *s);
/* A large tensor is opened to all workers: those that wait for lines are woken. */
void session_call_helpers(void *session);

#endif
