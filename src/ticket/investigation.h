/* The saved state of one ticket: inputs, decisions about correspondences, limits, bookmarks, the place one was at. A
 * JSON file (doc/investigation.md) written whole on every change, so that a killed program or a lost connection costs
 * nothing. */
#ifndef TICKET_INVESTIGATION_H
#define TICKET_INVESTIGATION_H

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"
#include "judge/accepted.h"
#include "judge/thresholds.h"
#include "pair/decision.h"
#include "ticket/finding.h"
#include "base/file_stamp.h"
#include "ticket/round_file.h"

#define INVESTIGATION_LARGEST (256u << 20) /* bytes of a file that is read */
#define INVESTIGATION_SCHEMA 1
#define INVESTIGATION_ENDING ".investigation.json"

struct bookmark {
    const char *row[2]; /* full names, "" where a side has none */
    const char *note;
    const char *rest; /* members of a newer version, as JSON, or NULL; likewise below */
};

/* A pair of texts by which something is known: a filter and its name, a path and what stands for it. */
struct named_text {
    const char *name, *text;
    const char *rest;
};

typedef VEC(struct named_text) text_list;

/* A round that was left: what was compared, and the file beside the investigation that holds how it was judged. */
struct round_left {
    uint32_t number;
    const char *file;     /* a name in the investigation's folder */
    uint64_t fingerprint;
    int64_t date;         /* when it was left, 0: not known */
    const char *author;
    const char *input[2], *full[2]; /* as of the investigation; input[GOLDEN] NULL: none */
    int step[2], rank[2];
    struct file_stamp state[2];
    const char *rest;
};

/* A limit this version does not know. */
struct other_limit {
    const char *key;
    double value;
};

struct investigation {
    struct arena arena;
    const char *path;   /* NULL: nowhere to save to */
    const char *state_dir; /* the user's folder of them, or NULL */
    bool read_only;     /* written by a newer version, or open elsewhere */
    bool own;           /* where its inputs lead: nobody named the file */
    const char *elsewhere; /* why its own file is in the folder of the command, a sentence, where it is; or NULL */
    /* why it has no file, a sentence, where a person works on it; NULL where none is wanted (scripts) */
    const char *unkept;
    struct err unsaved; /* why the last change is not in the file; ERR_NONE: it is, or nothing was changed */
    bool seen;          /* its file was there when it was last read or written, with the content this is a number of */
    uint64_t content;
    uint32_t merges;    /* how often what somebody else had saved meanwhile was taken in, and how much the last time */
    size_t taken_in;
    const char *holder; /* who has it open elsewhere, or NULL */
    const char *continued; /* name of the file in the same folder where its next rounds are, or NULL */
    bool went_on;       /* what was given is of an earlier round: this is the newest one's file, with its inputs */
    const char *gone;   /* which inputs are not there any more, a sentence, where it is opened all the same; or NULL */
    const char *pack;   /* the pack it was taken out of, which stays as it is; or NULL */
    int lock;           /* descriptor of investigation_claim, or -1 */
    const char *input[2];
    const char *full[2]; /* where they lay when it was saved, or NULL */
    struct file_stamp state[2]; /* as left; bytes 0: not known */
    int step[2], rank[2];
    VEC(const char *) maps;
    bool map_only, exact, strict_gaps;
    const char *known_path;  /* of accepted differences, or NULL */
    struct accepted_list known; /* what is in it */
    struct thresholds tol;
    VEC(struct other_limit) other_limits;
    struct decisions decisions;
    struct findings findings;
    VEC(struct round_left) rounds; /* in order: round 1 first */
    const char *author;  /* of what is written now, "" where not known */
    int64_t date;        /* the time it is given, seconds since 1970; 0: the clock's */
    VEC(struct bookmark) bookmarks;
    const char *cursor[2]; /* row names, "" */
    const char *columns;   /* names of the fields shown, blanks between; "": what the width gives */
    text_list filters;
    text_list remaps;      /* name: how stacks' paths begin, text: how they do here */
    /* of the guided panels */
    text_list given;       /* name: of a slot, text: the path given for it */
    text_list waived;      /* name: of a panel, a check or an item, text: why it is accepted as it is */
    text_list answers;     /* name: of an item no file can settle, text: what a person found */
    struct {
        bool log;
        double from, to;   /* of 0 … 1; both 0: all */
    } plot;                /* how their curves are looked at */
    const char *rest, *panels_rest;
};

void investigation_init(struct investigation *v);
void investigation_release(struct investigation *v);
/* Reads a file over the initial state; keeps path. */
int investigation_load(struct investigation *v, const char *path, struct err *e);
/* The same of a file's text, of that name in messages. */
int investigation_parse(struct investigation *v, struct str text, const char *name, struct err *e);
/* What was left in the file at v->path, over v: all but its inputs, which are v's own. */
int investigation_recall(struct investigation *v, struct err *e);
void investigation_write(const struct investigation *v, struct buf *out); /* the file's text, appended */
/* 0 also where no file is wanted, and of one that is read-only. What somebody else saved in its file since it was read
 * is taken in where neither contradicts the other (`merges` counts); else, and where the file is gone, -1 and nothing
 * is written. */
int investigation_save(struct investigation *v, struct err *e);
/* Over what is there, whoever wrote it. */
int investigation_save_over(struct investigation *v, struct err *e);
/* From now on in another file, which must not be there yet. */
int investigation_save_as(struct investigation *v, const char *path, struct err *e);
/* 0 where it may be changed; -1 with why not: a pack, open elsewhere, of a newer version. */
int investigation_may_change(const struct investigation *v, struct err *e);
/* Instead of what it holds, what a file's text does: all but the inputs and how they are compared. */
int investigation_take(struct investigation *v, struct str text, struct err *e);
/* Makes it this program's alone until it is released: one that is open elsewhere becomes read-only, and `holder` says
 * who has it. Nothing happens without a path. Before the file is read: what somebody else saves in between would be
 * lost. */
void investigation_claim(struct investigation *v);
void investigation_let_go(struct investigation *v); /* others may have it; investigation_release does this too */
/* It goes on in another file (NULL: in none), and is this program's there as it was here. */
void investigation_move(struct investigation *v, const char *path);
/* Inputs that are not where they were: beside the investigation, or where a remap puts them. -1 with where they were
 * looked for. */
int investigation_find_inputs(struct investigation *v, struct err *e);
/* Whether a path names such a file, also where the system does not say what is there. */
bool investigation_is(const char *path);
const char *investigation_keep(struct investigation *v, const char *s); /* a copy that lives with it */
/* What one of its lists has by this name; NULL: nothing. */
const char *investigation_text(const text_list *l, const char *name);
/* Puts it there, instead of what was; an empty text takes it away. */
void investigation_tell(struct investigation *v, text_list *l, struct str name, struct str text);
/* Where a path given for a panel lies now: as given, from the investigation's folder, where a remap puts it, beside the
 * investigation. Replaces out's content; the path itself where it is nowhere. Of a pack only what lies in it or where a
 * remap of the command line puts it is found: what is called so elsewhere is not meant. */
void investigation_locate(const struct investigation *v, const char *path, struct buf *out);
/* What `from` holds now, for somebody who looks at it while it changes: lists are copied, strings stay its own. */
void investigation_look(struct investigation *v, const struct investigation *from);
void investigation_look_end(struct investigation *v);
int64_t investigation_date(const struct investigation *v); /* now, or what `date` fixes */
/* Adds, or takes away when it is there; true when added. */
bool investigation_bookmark(struct investigation *v, const char *target, const char *golden);
bool investigation_is_bookmarked(const struct investigation *v, const char *target, const char *golden);

/* ---- rounds (round_list.c) ---- */

/* The newest of the rounds that were left; file NULL: there is none. */
struct round_place investigation_before(const struct investigation *v);
/* The next round: other inputs (golden NULL: the same golden run), `left` put behind the others. What was answered
 * about the deviation of the round that is left is not about this one: it goes on under the name
 * "first-deviation@1". */
void investigation_next_round(struct investigation *v, struct round_left left, const char *target, const char *golden);
/* The answers about the deviation of that round, which is left: under their other name. */
void investigation_age_answers(struct investigation *v, uint32_t round);
/* What going back to the round before took away: the round as it was left, with the inputs of the one that was open. */
struct round_undone {
    struct round_left left;
    text_list answers; /* to be released; zeroed before */
};

/* Back to the round before, its inputs and its answers; false where this is the first. */
bool investigation_last_round(struct investigation *v, struct round_undone *u);
/* As it was before that. */
void investigation_round_again(struct investigation *v, struct round_undone *u);

#endif
