/* The campaign of failures: a command of the program is run once as it is, then again and again with one failure each,
 * and what comes out is held against the first run. */
#ifndef TESTS_FAULTS_FAULTS_H
#define TESTS_FAULTS_FAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shim.h"

struct text {
    char *p; /* ended by a nought; owned */
    size_t n;
};

/* What fails beside the shim's kinds: what the system gives, or takes. */
enum { LIMIT_FULL = FAULT_KINDS, LIMIT_CLOSED, LIMIT_SIZE, LIMIT_MEMORY, LIMIT_FILES, ALL_KINDS };

struct fault {
    int kind;     /* of the shim or above; -1: none */
    long at; /* the shim's nth; of LIMIT_SIZE bytes a file may have, of LIMIT_MEMORY KB, of LIMIT_FILES open files */
    bool onwards; /* and all after it */
    const char *sites; /* a file where the places of a kind are listed, or NULL */
    bool say;
};

/* A row of the file `cases`. */
struct trial {
    const char *name;
    char **argv;      /* argv[0] is the program's */
    const char *keys; /* of a screen in a terminal; NULL: a command line */
    bool rows;        /* its output is compare's JSON: what was read must stay as it is */
    bool damage;      /* status 1 also says that a file is damaged */
    bool written;     /* status 0 says that it was written, whatever it says */
    const char *acknowledged, *kept_as,
        *kept_in; /* every `acknowledged` on standard output stands as a `kept_as` in the file */
};

enum terminal { TERMINAL_NONE, TERMINAL_WHOLE, TERMINAL_RAW };

struct outcome {
    int status; /* as waitpid gives it */
    bool endless;
    struct text out, err; /* of a screen: all that was written to the terminal, and nothing */
    enum terminal terminal;
    struct fault_counts counts;
};

/* Where one program at a time runs: folders in, w and home in `dir`, restored before each run; runs stands beside
 * them. */
struct slot {
    char dir[400], origin[400];
    const char *program, *shim;
};

/* A file below a folder: its name there and what it holds. */
struct kept {
    char *name;
    struct text content;
};

struct snapshot {
    struct kept *file; /* by name */
    size_t n;
};

/* ---- slot.c ---- */

/* Makes the slot's folders as those of `origin`; what was not touched is not copied again. */
void slot_restore(const struct slot *s);

struct outcome slot_run(const struct slot *s, const struct trial *t, const struct fault *f, int timeout_ms);
void outcome_release(struct outcome *o);

/* All files below the slot's folder `name`. */
struct snapshot slot_snapshot(const struct slot *s, const char *name);
void snapshot_release(struct snapshot *s);
const struct kept *snapshot_find(const struct snapshot *s, const char *name);

struct text text_of_file(const char *path);

/* ---- judgement.c ---- */

enum finding {
    FINE,           /* the same as without a failure, or an error in a sentence, or what was not read is said */
    FALSE_VERDICT,  /* another verdict than the true one, and nothing said */
    ROW_CHANGED,    /* a row that could be read is judged otherwise */
    LOST,           /* what was acknowledged is not there, or a file is neither as before nor as it should be */
    LEFT_RAW,       /* the terminal */
    ENDLESS,        /* no end */
    CRASH,          /* an end by a signal */
    POORER,         /* another result, and nothing said */
    STATUS_HIDES,   /* said, but the exit status is 0 or 1 all the same */
    NO_SENTENCE,    /* an error without its reason, or a status that does not exist */
    LEFT_BEHIND,    /* a temporary file */
    LIBRARY_ENDS,   /* a crash or another result where a library that takes no allocator of ours found no memory */
    FINDINGS
};

extern const char *const finding_names[FINDINGS];

/* What the same command does without a failure: before it, after it. */
struct truth {
    struct outcome o;
    struct snapshot before, after;
    struct text sites; /* where it makes calls that can fail: lines "KIND N", as the shim lists them */
};

/* Detail: a static buffer of one judgement, "" where there is nothing to say. */
enum finding judge_outcome(const struct trial *t, const struct fault *f, const struct truth *truth,
                           const struct outcome *o, const struct snapshot *now, const char **detail);

#endif
