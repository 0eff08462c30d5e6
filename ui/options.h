/* The command line as data: subcommands and their options are table rows, from which parsing, --help
 * and the man page come. */
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
    bool nothing; /* to begin with nothing open is all right */
    bool unread;  /* an investigation's inputs are not read: they may be elsewhere */
    bool gone;    /* one whose inputs are gone is opened all the same (investigation.gone) */
    const char *arg[MAX_ARGS]; /* positional */
    int args;
    int step[2], rank[2];      /* -1: the first both sides have */
    bool all_steps, all_ranks;
    bool resume;               /* pairs of ranks that were compared before are kept */
    int worker, workers_all;   /* the share of the pairs of ranks, of so many; workers_all 0: all of them */
    const char *layout[2];     /* how a side's ranks divide the model, or NULL: found from the recordings */
    struct dims dims[MAX_DIMS]; /* what is said of axes of rows */
    int dims_n;
    const char *map[MAX_MAPS];
    int maps;
    bool map_only, exact, strict_gaps, quiet, json, help;
    const char *golden2, *reference, *known;
    int preset; /* of judge/tool_rules.h */
    const char *output, *investigation, *script, *cpu, *lang;
    enum report_rows rows;
    const char *tensor;        /* the row whose tensors are shown; NULL: none */
    struct str threshold_key[MAX_THRESHOLDS], threshold_value[MAX_THRESHOLDS];
    int thresholds;
    struct str remap_from[MAX_REMAPS], remap_to[MAX_REMAPS];
    int remaps;
    bool rule, apply;
    int undo;                /* decisions to take back; -1: none */
    int withdraw;            /* the one decision that no longer holds; -1: none */
    const char *view, *export_to, *export_as;
    bool summary;            /* one line instead of the text */
    struct fail_on policy;    /* --fail-on */
    const char *round;       /* the new target of the next round; NULL: none begins */
    const char *format;      /* of a report on standard output */
    bool paths;              /* reports show paths as they are */
    int status, severity;    /* of a finding; -1: not given */
    int subject;             /* enum finding_subject of a finding, by an option; 0: a row */
    const char *subject_name;
    int caused_by, edit;     /* numbers of findings; -1: not given */
    bool taken_out;          /* the finding `edit` goes */
    const char *filter;      /* of a list of findings */
    int workers;
    uint64_t memory;         /* most bytes that are held while ranks are compared; 0: the default */
    bool no_cache;
    const char *cache; /* folder for figures, or NULL: not an option, set by main */
    int heads, kv_heads, tp; /* how fused weights lie; 0: not given */
    const char *element;     /* NAME[I,J] of a weight */
    const char *target_env, *golden_env;
    struct config_waiver waiver[MAX_WAIVERS];
    char waiver_id[MAX_WAIVERS][64]; /* the ids of those */
    int waivers;
    bool tensorboard;        /* --from: event files rather than text where a folder has both */
    const char *pack;        /* the pack a report is written with, or NULL */
    uint64_t pack_limit;     /* bytes of tensors in one; 0: the default */
    const char *packed;      /* the pack that is open: not an option, set by main */
    enum merge_choice choice; /* of what two investigations say differently */
    bool force;              /* also of other inputs */
    int framework;           /* of a script: enum replay_framework */
    struct oracle_options oracle;
    const char *weights;     /* a checkpoint that names what norms leave unnamed, or NULL */
};

struct subcommand {
    const char *name;    /* "compare"; "" is the program without one */
    const char *args;    /* "TARGET GOLDEN" */
    const char *summary; /* one line */
    const char *details; /* a paragraph for its --help, or NULL */
    int min_args, max_args;
    unsigned options;    /* which groups of options it takes */
    int (*run)(const struct options *o);
};

enum {
    OPT_STEP = 1,
    OPT_PAIR = 2,   /* maps, exact, thresholds: how a comparison is made */
    OPT_ROWS = 4,
    OPT_OUTPUT = 8,
    OPT_SCREEN = 16,
    OPT_WEIGHTS = 32, /* how fused weights lie */
    OPT_MAP = 64,     /* of OPT_PAIR: maps, exact, threads */
    OPT_REMAP = 128,  /* where an investigation's inputs lie now */
    OPT_MARK = 256,   /* marks are made */
    OPT_MARKS = 512,  /* marks are listed */
    OPT_CONFIG = 1024, /* environments, waivers */
    OPT_LIMITS = 2048, /* of OPT_PAIR: thresholds */
    OPT_LOGS = 4096,   /* which of a folder's logs is read */
    OPT_NORMS = 8192,  /* what gives unnamed norms their names */
    OPT_TENSOR = 16384, /* one row's tensors */
    OPT_REPORT = 32768, /* how a report looks */
    OPT_NOTE = 65536,  /* findings are written */
    OPT_PACK = 1 << 24,   /* packs are written or opened */
    OPT_REPLAY = 1 << 25, /* scripts are written */
    OPT_MERGE = 1 << 26,  /* investigations are merged */
    OPT_ROUND = 1 << 20, /* rounds are listed and taken back */
    OPT_ORACLE = 1 << 27,  /* calls are recomputed, within a budget */
    OPT_ORACLE_ALONE = 1 << 28, /* those of one side */
    OPT_LOG_NAMES = 1 << 29, /* what the columns of logs are called */
    OPT_MEMORY = 1 << 22, /* recordings of many ranks are held */
    OPT_SUMMARY = 1 << 21, /* one line for scripts, and what they fail on */
};

extern const struct subcommand subcommands[]; /* name NULL at the end; [0] is "" */

const struct subcommand *subcommand_find(const char *name);
/* argv behind the subcommand's name. 0, or -1 with a message that says what was expected. */
int options_parse(struct options *o, const struct subcommand *c, int argc, char **argv, struct err *e);
/* The options of a subcommand, or with NULL of all, one after the other: *i begins at 0. False behind the last. */
bool option_next(const struct subcommand *c, int *i, const char **name, const char **arg, const char **help);
void help_program(struct buf *out);
void help_subcommand(const struct subcommand *c, struct buf *out);

#endif
