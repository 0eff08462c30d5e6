/* One comparison as it was judged: the recordings, which rows are paired, their figures and the verdicts. Whoever runs
 * a comparison (session/session.h) makes one after each judgement and never changes it afterwards. It is counted: who
 * holds one reads it without a lock for as long as needed, while newer ones are made. What did not change is shared. */
#ifndef COMPARE_COMPARISON_H
#define COMPARE_COMPARISON_H

#include <stdatomic.h>

#include "base/file_stamp.h"
#include "compare/round_since.h"
#include "dump/one_side.h"
#include "dump/reader.h"
#include "judge/verdict.h"
#include "judge/step_inputs.h"
#include "fmt/find_recordings.h"
#include "measure/third_run.h"
#include "oracle/oracle.h"
#include "pair/mapping_file.h"

enum side_state { SIDE_FINDING, SIDE_LOADING, SIDE_LOADED, SIDE_FAILED };

/* What a side holds, counted once it is loaded. */
struct side_extent {
    uint32_t phase[PHASE_COUNT]; /* rows of each part of the step */
    uint32_t tensors;            /* rows with a tensor's file */
    uint32_t computed;           /* rows whose figures, or some of them, were computed from it */
};

/* One side. While it is SIDE_LOADING its dump grows under the lock of who reads it. */
struct recording {
    char *path;             /* as given; NULL: there is no such side */
    place_list places;      /* what was found there; of `found` */
    size_t place;           /* the one that is open */
    enum side_state state;
    struct file_stamp now; /* of the files that are read */
    struct dump dump;
    struct side_extent extent;
    struct err err;         /* of SIDE_FAILED */
};

/* What is compared and by which limits. Strings and lists must outlive every comparison made by them. */
struct comparison_options {
    const char *path[2];    /* golden NULL: one side alone */
    const char *golden2, *reference; /* a second golden run, a run nearer the truth; or NULL */
    int step[2], rank[2];   /* wanted; -1: the first both sides have */
    const char *const *maps;
    size_t map_count;
    bool map_only, exact, strict_gaps;
    int preset;             /* of tool_rules.h; 0: our own rule */
    const struct accepted_list *known; /* accepted differences, or NULL */
    bool alone;             /* one side by itself, also of a result table */
    bool pair_only;         /* nothing is computed from tensors */
    struct oracle_options oracle; /* calls recomputed once all is judged */
    struct file_stamp was[2]; /* the inputs when an investigation was left; zero: not known */
    const char *pack;       /* the pack both sides were taken out of, or NULL */
    struct thresholds tol;
    struct found_trees *found; /* what is below the paths, shared by comparisons one after the other; NULL: its own */
};

/* All that was opened; the same for every comparison of these inputs. Nothing changes once both sides are loaded. */
struct recordings {
    atomic_uint holders;
    struct recording side[2];
    struct found_trees found; /* where the options bring none */
    struct dataflow flow[2];
    struct mapping *maps;
    size_t map_count;
    struct third_run golden2, reference; /* path NULL: not there */
    struct round before;    /* the round before this one, where before_there */
    bool before_there;
    struct err before_err;  /* why it is not, where there should be one */
};

/* What stays until rows are paired again. */
struct paired_rows {
    atomic_uint holders;
    struct recordings *recordings; /* held */
    struct pairing pairing;
    struct measure measure;        /* figures are added to it while lines are computed */
    struct one_side examined;         /* of one side alone */
    _Atomic(struct oracle *) oracle; /* set once, after all is judged (comparison_oracle) */
    struct round_join join;        /* to the rows of the round before; was NULL: not looked up yet */
};

struct comparison {
    atomic_uint holders;
    struct recordings *recordings; /* held */
    struct paired_rows *rows;      /* held; NULL: not paired yet */

    struct comparison_options opt; /* limits as of this judgement */
    uint64_t serial;          /* of the judgement, 0: none; of one side alone 1 once it has been examined */
    uint32_t pairings;        /* counts pairings: lines are numbered again by each */
    bool single;              /* one side only: no golden */
    bool tabled;              /* both sides are columns of one result table, paired and judged there */
    bool paired;              /* pairing, flow and measure are there; of one side alone, a line for each of its rows */
    bool complete;            /* everything that was wanted is computed and judged */
    bool failed;              /* err says why; what was loaded stays */
    struct err err;

    const struct recording *side; /* [2] */
    const struct dataflow *flow;      /* [2] */
    const struct mapping *maps;
    size_t map_count;
    const struct pairing *pairing; /* without lines until `paired` */
    struct measure measure;   /* `state` is its own: a line's figures may be read where it says MEASURE_DONE */
    struct judgement *judged; /* NULL: none yet */
    step_input_list inputs;        /* the step's own inputs */
    struct one_side examined;    /* of one side alone; `known` is its own */
    struct third_run_errors golden2, reference; /* `of` NULL: not there */
    struct round_since since;       /* what was, and what has changed: of an investigation with earlier rounds */
};

struct recordings *recordings_new(const struct comparison_options *o);
void recordings_drop(struct recordings *r);

/* Without lines; holds r. */
struct paired_rows *paired_rows_new(struct recordings *r);
void paired_rows_drop(struct paired_rows *p); /* NULL: nothing */

/* A snapshot of p (NULL: not paired yet) to be judged and published; holds both. p's lock is held by the caller: lines
 * that are computed meanwhile are not in it. */
struct comparison *comparison_new(struct recordings *r, struct paired_rows *p, const struct comparison_options *o);
/* Judges it: verdicts, step inputs, what changed since the round before. No lock is needed; nobody else has it yet. */
void comparison_judge(struct comparison *c, uint64_t serial, bool whole);
const struct comparison *comparison_hold(const struct comparison *c);
void comparison_drop(const struct comparison *c); /* NULL: nothing */

/* A row's own figures as computed from its tensor: of a pair, or of one side alone; NULL where none were. */
const struct side_figures *comparison_figures(const struct comparison *c, uint32_t line, int side);
/* Which side is wrong; NULL: not wanted, or not known yet: it comes after a judgement of all, for every comparison of
 * these pairs. */
const struct oracle *comparison_oracle(const struct comparison *c);
struct judge_options comparison_judge_options(const struct comparison *c);
struct pairing_options comparison_pairing_options(const struct comparison *c);

#endif
