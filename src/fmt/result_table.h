/* Tables other tools wrote of their comparisons: msprobe compare, ptdbg_ascend. Both sides are in one
 * file, paired and judged there; a dump opened from it holds one side's columns as rows (dump.column),
 * and what the table says of each pair is kept as said. */
#ifndef FMT_RESULT_TABLE_H
#define FMT_RESULT_TABLE_H

#include "dump/reader.h"

/* The tool's own word for a pair, by what it means. */
enum result_word {
    WORD_NONE,    /* none given: the column is missing, empty or "Nan" */
    WORD_PASS,    /* pass, Yes, True */
    WORD_WARNING,
    WORD_ERROR,   /* error, No, False, Different */
    WORD_UNMATCHED, /* the shapes forbade comparing */
    WORD_SKIP,      /* the tool did not compare, its message says why */
};

/* Figures of a pair, as printed there (ptdbg: 6 or 12 decimals). */
enum result_figure {
    RESULT_COSINE,
    RESULT_EUCLID,
    RESULT_MAX_ABS,
    RESULT_MAX_REL,
    RESULT_ONE_THOUSANDTH,
    RESULT_FIVE_THOUSANDTHS,
    RESULT_FIGURES
};

struct result_line {
    uint32_t row;         /* of the dump that was read, NONE where its side has none here */
    uint8_t word, has;    /* has: bit 1 << figure */
    bool nonfinite;       /* the message is about NaN or Inf on one side */
    const char *said;     /* the word as it stands there, "" when none; lives with the dump */
    const char *message;  /* the tool's sentences, "" when none; likewise */
    double figure[RESULT_FIGURES];
};

struct result {
    VEC(struct result_line) lines; /* the file's data rows, in order: the same of both sides */
    VEC(uint32_t) line_of;         /* of each row of the dump */
};

/* What a dump opened by one of the readers below keeps; NULL for any other. */
const struct result *result_of(const struct dump *d);
/* What its table says of a row, or NULL. */
const struct result_line *result_at(const struct dump *d, uint32_t row);

extern const struct reader reader_msprobe_result, reader_ptdbg_result, reader_msprobe_diff, reader_msprobe_acc,
    reader_msprobe_compile, reader_msprobe_checkpoints;

/* ---- for the readers ---- */

enum result_column {
    COL_NAME, /* one name for both sides (ptdbg, 2022) */
    COL_TARGET_NAME, COL_GOLDEN_NAME,
    COL_TARGET_DTYPE, COL_GOLDEN_DTYPE,
    COL_TARGET_SHAPE, COL_GOLDEN_SHAPE,
    COL_COSINE, COL_EUCLID, COL_MAX_ABS, COL_MAX_REL, COL_ONE, COL_FIVE, /* in the order of result_figure */
    COL_TARGET_MAX, COL_TARGET_MIN, COL_TARGET_MEAN, COL_TARGET_NORM,    /* in the order of STAT_* */
    COL_GOLDEN_MAX, COL_GOLDEN_MIN, COL_GOLDEN_MEAN, COL_GOLDEN_NORM,
    COL_TARGET_MD5, COL_GOLDEN_MD5,
    COL_MAX_DIFF, /* there: recorded statistics were compared */
    COL_RMSE,     /* there: the cosine was moved to 0 … 1 */
    COL_RESULT, COL_ACCURACY, /* the word, newer and older */
    COL_MESSAGE,
    COL_STACK,
    COL_COUNT
};

enum result_tool { TOOL_NONE, TOOL_MSPROBE, TOOL_PTDBG, TOOL_CHECK };

struct result_head {
    bool had[COL_COUNT];
    size_t at[COL_COUNT]; /* where in a row */
};

/* A table being read into a dump. */
struct result_table {
    struct dump *d;
    struct load *load;
    struct result *result;
    const char *path;
    enum result_tool tool;
    bool own; /* the tool gives figures and no words: those handed over are ours */
    struct result_head head;
    struct map calls;     /* call name → its newest run */
    struct map rows;      /* full name → row */
    struct map texts;     /* words and messages, once each: indices of pool */
    VEC(const char *) pool;
    size_t modules, apis, unjudged, damaged;
    int batch;            /* rows since the lock was let go */
    size_t columns, cells; /* of a sheet's header and of its last row */
    uint64_t last_line;
    uint64_t swallowed; /* the row whose quote was last said not to be closed */
};

enum result_column result_column(struct str title); /* COL_COUNT: not ours */
/* The title of a column without which nothing can be told from such a table, and which this one lacks; NULL: it has
 * all. */
const char *result_lacks(const struct result_head *h);
/* Whose table begins with this row, which may lack a column; TOOL_NONE: nobody's. */
enum result_tool result_header(const struct str *cell, size_t n, struct result_head *out);
void result_begin(struct result_table *t); /* takes the lock */
/* Says of a row that others may stand in one of its fields, whose quote is not closed. */
void result_swallowed(struct result_table *t, uint64_t line);
/* One data row, a text a column ("" where it has none). frames: of its stack, where they are already
 * apart (JSON), else NULL. -1 when there is more than can be kept. */
int result_add(struct result_table *t, const struct str cell[COL_COUNT], const char *const *frames, size_t frame_count,
               uint64_t line, struct err *e);
/* Says what it was, releases the lock and the table; -1 without a single row. */
int result_end(struct result_table *t, int rc, struct err *e);
/* An open table's side fields from the file's name: rank7 → 7. */
int result_rank(const char *path);
void result_close(struct dump *d);

/* The JSON ones (result_json.c). */
bool result_json_probe(const char *path, bool diff);
int result_json_read(struct result_table *t, struct err *e);
int result_diff_read(struct result_table *t, struct err *e);

#endif
