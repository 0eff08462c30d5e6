/* The saved state of one investigation: inputs, decisions about correspondences, limits, bookmarks, cursor. A JSON
 * file (doc/investigation.md), rewritten as a whole on every change, so that a killed program or a lost connection
 * loses nothing. */
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

#define INVESTIGATION_LARGEST (256u << 20) /* size limit of the file in bytes */
#define INVESTIGATION_SCHEMA 1
#define INVESTIGATION_ENDING ".investigation.json"

struct bookmark {
    const char *row[2]; /* full names, "" if a side has none */
    const char *note;
    const char *rest; /* members written by a newer version, as JSON, or NULL; the same below */
};

/* A text with a name: a filter and its name, a path prefix and its replacement. */
struct named_text {
    const char *name, *text;
    const char *rest;
};

typedef VEC(struct named_text) text_list;

/* An earlier round: what was compared, and the file beside the investigation with its results. */
struct round_left {
    uint32_t number;
    const char *file;     /* a name in the investigation's folder */
    uint64_t fingerprint;
    int64_t date;         /* when the round was closed; 0: unknown */
    const char *author;
    const char *input[2], *full[2]; /* as in struct investigation; input[GOLDEN] NULL: none */
    int step[2], rank[2];
    struct file_stamp state[2];
    const char *rest;
};

/* A limit that this version does not know. */
struct other_limit {
    const char *key;
    double value;
};

struct investigation {
    struct arena arena;
    const char *path;   /* NULL: not saved */
    const char *state_dir; /* the user's folder of investigations, or NULL */
    bool read_only;     /* written by a newer version, or open elsewhere */
    bool own;           /* its path was derived from its inputs, not given by the user */
    /* why its file is in the working folder instead of the user's, as a sentence; NULL otherwise */
    const char *elsewhere;
    /* why it has no file although the user works on it, as a sentence; NULL if none is wanted (scripts) */
    const char *unkept;
    struct err unsaved; /* why the last change is not in the file; ERR_NONE: it is, or nothing was changed */
    bool seen;          /* its file existed when last read or written; `content` is a hash of it */
    uint64_t content;
    /* number of merges with changes saved by others, and number of entries taken over by the last one */
    uint32_t merges;
    size_t taken_in;
    const char *holder; /* who has it open elsewhere, or NULL */
    const char *continued; /* name of the file in the same folder that continues it with later rounds, or NULL */
    /* the number of the earlier round whose inputs are open: `input`, `full`, `state`, `step` and `rank` are its own,
     * and those of the newest round, which the file names, are in `newest`; 0: the newest is open */
    uint32_t shown;
    struct round_left newest;
    const char *gone;   /* the missing inputs, as a sentence, if it is opened nevertheless; or NULL */
    bool allow_paths;   /* its user confirmed that files outside of its folder are read (named_paths.h) */
    const char *pack;   /* the pack it was unpacked from, which is not changed; or NULL */
    int lock;           /* descriptor held by investigation_claim, or -1 */
    const char *input[2];
    const char *full[2]; /* absolute paths when it was saved, or NULL */
    struct file_stamp state[2]; /* of the last comparison; bytes 0: unknown */
    int step[2], rank[2];
    VEC(const char *) maps;
    bool map_only, exact, strict_gaps;
    const char *log_names;   /* names and patterns of logs (log/value_names.h), one a line, or NULL */
    const char *known_path;  /* file of accepted differences, or NULL */
    struct accepted_list known; /* its contents */
    struct thresholds tol;
    VEC(struct other_limit) other_limits;
    struct decisions decisions;
    struct findings findings;
    VEC(struct round_left) rounds; /* in order: round 1 first */
    const char *author;  /* for new entries; "" if unknown */
    int64_t date;        /* time for new entries, seconds since 1970; 0: use the clock */
    VEC(struct bookmark) bookmarks;
    const char *cursor[2]; /* row names, "" */
    const char *columns;   /* names of the visible fields, separated by blanks; "": chosen by width */
    /* kept where the terminal was lost: the line being typed with its kind (":note …"), and the filters in force, one
     * a line, with '!' before inverse ones, else ' '; "" */
    const char *typed, *filtered;
    text_list filters;
    text_list remaps;      /* name: prefix of paths in stacks, text: its local replacement */
    /* data of the guided panels */
    text_list given;       /* name: of an input, text: the path given for it */
    text_list waived;      /* name: of a panel, check or item, text: the reason for the waiver */
    text_list answers;     /* name: of an item that no file can decide, text: the person's answer */
    struct {
        bool log;
        double from, to;   /* visible part, as fractions 0 … 1; both 0: all */
    } plot;                /* display settings of their curves */
    const char *rest, *panels_rest;
};

void investigation_init(struct investigation *v);
void investigation_release(struct investigation *v);
/* Reads a file into the initial state; keeps path. */
int investigation_load(struct investigation *v, const char *path, struct err *e);
/* The same from a text; `name` is for messages. */
int investigation_parse(struct investigation *v, struct str text, const char *name, struct err *e);
/* Restores from the file at v->path everything except the inputs, which stay v's own. */
int investigation_recall(struct investigation *v, struct err *e);
void investigation_write(const struct investigation *v, struct buf *out); /* appends the file's text */
/* Returns 0 also if no file is wanted or the investigation is read-only. Changes that others saved since it was read
 * are merged if they do not conflict (counted in `merges`); if they conflict, or the file has vanished, nothing is
 * written: -1. */
int investigation_save(struct investigation *v, struct err *e);
/* Overwrites the file, whoever wrote it. */
int investigation_save_over(struct investigation *v, struct err *e);
/* Continues in another file, which must not exist yet. */
int investigation_save_as(struct investigation *v, const char *path, struct err *e);
/* 0 if it may be changed; -1 with the reason: a pack, open elsewhere, written by a newer version. */
int investigation_may_change(const struct investigation *v, struct err *e);
/* Replaces its state by that of a file's text, except the inputs and how they are compared. */
int investigation_take(struct investigation *v, struct str text, struct err *e);
/* Locks the file for this program until release; if it is open elsewhere, the investigation becomes read-only and
 * `holder` says who has it. No effect without a path. Call it before reading the file, otherwise changes saved in
 * between are lost. */
void investigation_claim(struct investigation *v);
void investigation_let_go(struct investigation *v); /* unlocks; also done by investigation_release */
/* Continues in another file (NULL: none), with the same lock state. */
void investigation_move(struct investigation *v, const char *path);
/* Finds inputs that have moved: beside the investigation, or by a remap. -1 with the places searched. */
int investigation_find_inputs(struct investigation *v, struct err *e);
/* Whether a path has the name of such a file, also if it cannot be examined. */
bool investigation_is(const char *path);
const char *investigation_keep(struct investigation *v, const char *s); /* copies s into its arena */
/* The text with this name in one of its lists; NULL: none. */
const char *investigation_text(const text_list *l, const char *name);
/* Sets a text of a list, replacing the earlier one; an empty text removes it. */
void investigation_tell(struct investigation *v, text_list *l, struct str name, struct str text);
/* Replaces out by the current location of a path given for a panel: as given, relative to the investigation's folder,
 * by a remap, or beside the investigation; the path itself if it is found nowhere. For a pack only the pack's
 * contents and remaps of the command line are searched, because a file of the same name elsewhere is not the one
 * meant. */
void investigation_locate(const struct investigation *v, const char *path, struct buf *out);
/* Makes v a copy of `from` for reading while `from` changes: lists are copied, strings are shared. */
void investigation_look(struct investigation *v, const struct investigation *from);
void investigation_look_end(struct investigation *v);
int64_t investigation_date(const struct investigation *v); /* now, or the fixed `date` */
/* Toggles the bookmark; true if it was added. */
bool investigation_bookmark(struct investigation *v, const char *target, const char *golden);
bool investigation_is_bookmarked(const struct investigation *v, const char *target, const char *golden);

/* ---- rounds (round_list.c) ---- */

/* The newest earlier round; file NULL: there is none. */
struct round_place investigation_before(const struct investigation *v);
/* Starts the next round with other inputs (golden NULL: the same golden run) and appends `left`. Answers about the
 * previous round's deviation are renamed to "first-deviation@1", because they do not apply to this round. */
void investigation_next_round(struct investigation *v, struct round_left left, const char *target, const char *golden);
/* Renames the answers about the deviation of a closed round. */
void investigation_age_answers(struct investigation *v, uint32_t round);
/* What investigation_last_round removed: the closed round, with the inputs of the one that was open. */
struct round_undone {
    struct round_left left;
    text_list answers; /* zeroed before; to be released */
};

/* Returns to the previous round with its inputs and answers; false if this is the first. */
bool investigation_last_round(struct investigation *v, struct round_undone *u);
/* Opens the inputs of round n, the newest or an earlier one; other numbers: the newest. Nothing of it is stored. */
void investigation_show_round(struct investigation *v, uint32_t n);
/* The number of the round that is open, 1 for the first. */
uint32_t investigation_round(const struct investigation *v);
/* The round with these inputs, paths that exist or were given so (golden NULL: none); 0: none of them. */
uint32_t investigation_round_of(const struct investigation *v, const char *const input[2]);
/* Undoes investigation_last_round. */
void investigation_round_again(struct investigation *v, struct round_undone *u);

#endif
