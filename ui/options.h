/* The command line as data: subcommands and options are table rows, used for parsing, --help and the man page. */
#ifndef UI_OPTIONS_H
#define UI_OPTIONS_H

#include <stdbool.h>

#include "base/err.h"
#include "config/settings_compare.h"
#include "oracle/oracle.h"
#include "ranks/dims.h"
#include "ticket/finding.h"
#include "ticket/merge.h"
#include "report/compare.h"
#include "report/fail_on.h"
#include "ui/exit_status.h"

#define MAX_MAPS 64
#define MAX_ARGS 16
#define MAX_THRESHOLDS 64
#define MAX_REMAPS 16
#define MAX_DIMS 64
#define MAX_WAIVERS 64

struct options {
    bool nothing; /* starting without inputs is allowed */
    bool unread;  /* an investigation's inputs are not read and may be missing */
    bool gone;    /* an investigation with missing inputs is opened nevertheless (investigation.gone) */
    const char *arg[MAX_ARGS]; /* positional */
    int args;
    int step[2], rank[2];      /* -1: the first that both sides have */
    bool all_steps, all_ranks;
    bool resume;               /* pairs of ranks compared earlier are kept */
    int worker, workers_all;   /* the share of the pairs of ranks: worker of workers_all; workers_all 0: all pairs */
    const char *layout[2];     /* the layout of a side's ranks, or NULL: inferred from the recordings */
    struct dims dims[MAX_DIMS]; /* descriptions of axes */
    int dims_n;
    const char *map[MAX_MAPS];
    int maps;
    bool map_only, exact, strict_gaps, strict, quiet, json, help;
    const char *golden2, *reference, *known;
    int preset; /* of judge/tool_rules.h */
    const char *output, *investigation, *script, *cpu, *lang;
    enum report_rows rows;
    const char *tensor;        /* the row whose tensors are printed; NULL: none */
    const struct field *values; /* the field whose values are counted; NULL: none */
    struct str threshold_key[MAX_THRESHOLDS], threshold_value[MAX_THRESHOLDS];
    int thresholds;
    struct str remap_from[MAX_REMAPS], remap_to[MAX_REMAPS];
    int remaps;
    bool rule, apply;
    int undo;                /* number of decisions to undo; -1: none */
    int withdraw;            /* the decision to withdraw; -1: none */
    const char *view, *export_to, *export_as;
    bool summary;            /* print one line instead of the text */
    struct fail_on policy;    /* --fail-on */
    const char *round;       /* the new target of the next round; NULL: no new round */
    bool allow_paths;        /* files that an investigation names outside of its folder are read */
    const char *format;      /* format of a report on standard output */
    bool paths;              /* reports show paths unchanged */
    int status, severity;    /* of a finding; -1: not given */
    int subject;             /* enum finding_subject of a finding, set by an option; 0: a row */
    const char *subject_name;
    int caused_by, edit;     /* numbers of findings; -1: not given */
    bool taken_out;          /* finding `edit` is removed */
    const char *filter;      /* of a list of findings */
    int workers;
    uint64_t memory;         /* most bytes that are held while ranks are compared; 0: the default */
    bool no_cache;
    const char *cache; /* folder of the figures cache, or NULL: not an option, set by main */
    int heads, kv_heads, tp; /* layout of fused weights; 0: not given */
    const char *element;     /* NAME[I,J]: an element of a weight */
    const char *target_env, *golden_env;
    struct config_waiver waiver[MAX_WAIVERS];
    char waiver_id[MAX_WAIVERS][64]; /* storage for their ids */
    int waivers;
    bool tensorboard;        /* --from: event files rather than text if a folder has both */
    bool log_names;           /* --log-names was given */
    const char *pack;        /* the pack to be written with a report, or NULL */
    uint64_t pack_limit;     /* limit for tensors in a pack, in bytes; 0: the default */
    const char *packed;      /* the open pack: not an option, set by main */
    enum merge_choice choice; /* how merge conflicts are resolved */
    bool force;              /* overwrite files of others; merge even if the inputs differ */
    int framework;           /* of a replay script: enum replay_framework */
    struct oracle_options oracle;
    const char *weights;     /* a checkpoint that names unnamed norms, or NULL */
};

struct subcommand {
    const char *name;    /* "compare"; "" is the program without one */
    const char *args;    /* "TARGET GOLDEN" */
    const char *summary; /* one line */
    const char *details; /* a paragraph for its --help, or NULL */
    int min_args, max_args;
    unsigned options;    /* bits of the option groups it accepts */
    int (*run)(const struct options *o);
};

enum {
    OPT_STEP = 1,   /* one step and rank, or all */
    OPT_ONE_STEP = 1 << 17,
    OPT_PAIR = 2,   /* how a comparison is made: maps, exact, thresholds */
    OPT_ROWS = 4,
    OPT_OUTPUT = 8,
    OPT_SCREEN = 16,
    OPT_WEIGHTS = 32, /* layout of fused weights */
    OPT_MAP = 64,     /* part of OPT_PAIR: maps, exact, threads */
    OPT_REMAP = 128,  /* current location of an investigation's inputs */
    OPT_MARK = 256,   /* making marks */
    OPT_MARKS = 512,  /* listing marks */
    OPT_CONFIG = 1024, /* environments, waivers */
    OPT_LIMITS = 2048, /* part of OPT_PAIR: thresholds */
    OPT_LOGS = 4096,   /* selects one of a folder's logs */
    OPT_NORMS = 8192,  /* names for unnamed norms */
    OPT_TENSOR = 16384, /* tensors of one row, values of one field */
    OPT_REPORT = 32768, /* form of a report */
    OPT_NOTE = 65536,  /* writing findings */
    OPT_PACK = 1 << 24,   /* writing or opening packs */
    OPT_REPLAY = 1 << 25, /* writing scripts */
    OPT_MERGE = 1 << 26,  /* merging investigations */
    OPT_ROUND = 1 << 20, /* listing and removing rounds */
    OPT_ORACLE = 1 << 27,  /* recomputing calls within a budget */
    OPT_ORACLE_ALONE = 1 << 28, /* the same for one side */
    OPT_LOG_NAMES = 1 << 29, /* names of log columns */
    OPT_MEMORY = 1 << 22, /* recordings of many ranks are held */
    OPT_SUMMARY = 1 << 21, /* the summary line and --fail-on */
};

extern const struct subcommand subcommands[]; /* name NULL at the end; [0] is "" */

const struct subcommand *subcommand_find(const char *name);
/* argv after the subcommand's name. 0, or -1 with e that says what was expected. */
int options_parse(struct options *o, const struct subcommand *c, int argc, char **argv, struct err *e);
/* Iterates over the options of a subcommand (NULL: of all): *i starts at 0. False after the last. */
bool option_next(const struct subcommand *c, int *i, const char **name, const char **arg, const char **help);
void help_program(struct buf *out);
void help_subcommand(const struct subcommand *c, struct buf *out);

#endif
