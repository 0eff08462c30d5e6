/* The state of one comparison after a judgement: recordings, pairs, figures and verdicts. The session
 * (session/session.h) makes one after each judgement and never changes it afterwards. Reference-counted: a holder
 * reads it without a lock for as long as needed, while newer ones are made. Unchanged parts are shared. */
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
#include "measure/token_check.h"
#include "oracle/oracle.h"
#include "pair/mapping_file.h"

enum side_state { SIDE_FINDING, SIDE_LOADING, SIDE_LOADED, SIDE_FAILED };

/* Size of a side, counted once it is loaded. */
struct side_extent {
    uint32_t phase[PHASE_COUNT]; /* rows per phase of the step */
    uint32_t tensors;            /* rows with a tensor file */
    uint32_t computed;           /* rows with figures computed from the tensor file, all or some */
};

/* One side. While it is SIDE_LOADING, its dump grows under the session's lock. */
struct recording {
    char *path;             /* as given; NULL: the side is absent */
    place_list places;      /* recordings found there; owned by `found` */
    size_t place;           /* index of the open one */
    enum side_state state;
    struct file_stamp now; /* of the files read */
    uint64_t glance;        /* file_stamp_glance before they were read */
    struct dump dump;
    struct side_extent extent;
    struct err err;         /* if SIDE_FAILED */
};

/* Inputs and limits of a comparison. Strings and lists must outlive every comparison made with them. */
struct comparison_options {
    const char *path[2];    /* golden NULL: one side alone */
    const char *golden2, *reference; /* a second golden run; a more accurate run; or NULL */
    int step[2], rank[2];   /* requested; -1: the first that both sides have */
    const char *const *maps;
    size_t map_count;
    bool map_only, exact, strict_gaps, strict;
    int preset;             /* of tool_rules.h; 0: our own rule */
    const struct accepted_list *known; /* accepted differences, or NULL */
    bool alone;             /* examine a single side, also of a result table */
    bool pair_only;         /* compute nothing from tensors */
    struct oracle_options oracle; /* recompute calls once everything is judged */
    struct file_stamp was[2]; /* the inputs at the last save of an investigation; zero: unknown */
    const char *pack;       /* the pack from which both sides were unpacked, or NULL */
    struct thresholds tol;
    struct found_trees *found; /* recordings below the paths, shared by successive comparisons; NULL: its own */
};

/* The opened inputs, shared by every comparison of them. Unchanged once both sides are loaded. */
struct recordings {
    atomic_uint holders;
    struct recording side[2];
    struct found_trees found; /* used if the options have none */
    struct dataflow flow[2];
    struct mapping *maps;
    size_t map_count;
    struct third_run golden2, reference; /* path NULL: absent */
    struct round before;    /* the previous round, if before_there */
    bool before_there;
    struct err before_err;  /* why it is not there although it should be */
};

/* State that lasts until rows are paired again. */
struct paired_rows {
    atomic_uint holders;
    struct recordings *recordings; /* held (reference) */
    struct pairing pairing;
    struct measure measure;        /* figures are added while lines are computed */
    struct one_side examined;         /* for a single side */
    _Atomic(struct oracle *) oracle; /* set once, after everything is judged (comparison_oracle) */
    struct round_join join;        /* matches rows with the previous round; `was` NULL: not done yet */
};

struct comparison {
    atomic_uint holders;
    struct recordings *recordings; /* held (reference) */
    struct paired_rows *rows;      /* held (reference); NULL: not paired yet */

    struct comparison_options opt; /* with the limits of this judgement */
    uint64_t serial;          /* of the judgement, 0: none; for a single side 1 once it has been examined */
    uint32_t pairings;        /* number of the pairing; each pairing renumbers the lines */
    bool single;              /* one side only: no golden */
    bool tabled;              /* both sides are columns of one result table, paired and judged there */
    bool paired;              /* pairing, flow and measure are valid; for a single side with one line per row */
    bool complete;            /* everything requested is computed and judged */
    bool failed;              /* with the reason in err; what was loaded stays */
    struct err err;

    const struct recording *side; /* [2] */
    const struct dataflow *flow;      /* [2] */
    const struct mapping *maps;
    size_t map_count;
    const struct pairing *pairing; /* without lines until `paired` */
    struct measure measure;   /* its own copy of `state`: a line's figures may be read if it says MEASURE_DONE */
    struct judgement *judged; /* NULL: not judged yet */
    step_input_list inputs;        /* the step's own inputs */
    struct token_check tokens[2];  /* of each side by itself; nothing is known until all is judged */
    struct one_side examined;    /* for a single side; its own copy of `known` */
    struct third_run_errors golden2, reference; /* `of` NULL: absent */
    struct round_since since;       /* for an investigation with earlier rounds: earlier state and changes */
};

struct recordings *recordings_new(const struct comparison_options *o);
void recordings_drop(struct recordings *r);

/* Without lines; holds a reference to r. */
struct paired_rows *paired_rows_new(struct recordings *r);
void paired_rows_drop(struct paired_rows *p); /* NULL is allowed */

/* Makes a snapshot of p (NULL: not paired yet) for judging and publishing; holds references to both. The caller holds
 * p's lock; lines computed later are not included. */
struct comparison *comparison_new(struct recordings *r, struct paired_rows *p, const struct comparison_options *o);
/* Adds verdicts, step inputs and changes since the previous round. No lock is needed, because nobody else has it yet.
 */
void comparison_judge(struct comparison *c, uint64_t serial, bool whole);
const struct comparison *comparison_hold(const struct comparison *c);
void comparison_drop(const struct comparison *c); /* NULL is allowed */

/* Figures of a row computed from its tensor, for a pair or a single side; NULL if there are none. */
const struct side_figures *comparison_figures(const struct comparison *c, uint32_t line, int side);
/* Which side is wrong; NULL: not requested, or not known yet. Set after a complete judgement, for every comparison of
 * these pairs. */
const struct oracle *comparison_oracle(const struct comparison *c);
/* Whether all of two sides has been judged, and a deviation starts in it. */
bool comparison_deviates(const struct comparison *c);
struct judge_options comparison_judge_options(const struct comparison *c);
struct pairing_options comparison_pairing_options(const struct comparison *c);

#endif
