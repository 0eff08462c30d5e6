/* Comparison results written by other tools: msprobe compare, ptdbg_ascend. One file holds both sides, paired, with
 * figures of the pairs and the tool's verdicts, which are kept as written; a dump opened from it has one side's columns
 * as rows (dump.column). */
#ifndef FMT_RESULT_TABLE_H
#define FMT_RESULT_TABLE_H

#include "base/json_read.h"
#include "dump/reader.h"

/* The meaning of the tool's own verdict for a pair. */
enum result_word {
    WORD_NONE,    /* none: the column is missing, empty or "Nan" */
    WORD_PASS,    /* pass, Yes, True */
    WORD_WARNING,
    WORD_ERROR,   /* error, No, False, Different */
    WORD_UNMATCHED, /* not compared because the shapes differ */
    WORD_SKIP,      /* not compared; the message says why */
};

/* Figures of a pair, as printed (ptdbg: 6 or 12 decimals). */
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
    uint32_t row;         /* of the dump that was read; NONE if its side has no row here */
    uint8_t word, has;    /* has: bit 1 << figure */
    bool nonfinite;       /* the message reports NaN or Inf on one side */
    const char *said;     /* the verdict as written, "" if none; lives with the dump */
    const char *message;  /* the tool's sentences, "" when none; likewise */
    double figure[RESULT_FIGURES];
};

struct result {
    VEC(struct result_line) lines; /* the file's data rows in order, the same for both sides */
    VEC(uint32_t) line_of;         /* for each row of the dump */
    bool tests; /* of single operators, compile modes or checkpoints: no comparison of two recordings */
};

/* The table data of a dump opened by one of the readers below; NULL for others. */
const struct result *result_of(const struct dump *d);
/* The table line of a row, or NULL. */
const struct result_line *result_at(const struct dump *d, uint32_t row);

extern const struct reader reader_msprobe_result, reader_ptdbg_result, reader_msprobe_diff, reader_msprobe_acc,
    reader_msprobe_compile, reader_msprobe_checkpoints, reader_msprobe_vis, reader_msprobe_vis_db;

/* ---- for the readers ---- */

enum result_column {
    COL_NAME, /* one name for both sides (ptdbg, 2022) */
    COL_TARGET_NAME, COL_GOLDEN_NAME,
    COL_TARGET_DTYPE, COL_GOLDEN_DTYPE,
    COL_TARGET_SHAPE, COL_GOLDEN_SHAPE,
    COL_TARGET_NEEDS, COL_GOLDEN_NEEDS, COL_SAME_NEEDS, /* a gradient */
    COL_COSINE, COL_EUCLID, COL_MAX_ABS, COL_MAX_REL, COL_ONE, COL_FIVE, /* in the order of result_figure */
    COL_TARGET_MAX, COL_TARGET_MIN, COL_TARGET_MEAN, COL_TARGET_NORM,    /* in the order of STAT_* */
    COL_GOLDEN_MAX, COL_GOLDEN_MIN, COL_GOLDEN_MEAN, COL_GOLDEN_NORM,
    COL_TARGET_MD5, COL_GOLDEN_MD5,
    COL_MAX_DIFF, /* present if recorded statistics were compared */
    COL_MIN_DIFF, COL_MEAN_DIFF, COL_NORM_DIFF, COL_MIN_REL, COL_MEAN_REL, COL_NORM_REL, /* likewise; told by figures */
    COL_RMSE,     /* present if the cosine was rescaled to 0 … 1 */
    COL_RESULT, COL_ACCURACY, /* the verdict, in newer and older versions */
    COL_MESSAGE,
    COL_STACK,
    COL_COUNT
};

enum result_tool { TOOL_NONE, TOOL_MSPROBE, TOOL_PTDBG, TOOL_CHECK };

struct result_head {
    bool had[COL_COUNT];
    size_t at[COL_COUNT]; /* column index */
};

/* A table being read into a dump. */
struct result_table {
    struct dump *d;
    struct load *load;
    struct result *result;
    const char *path;
    enum result_tool tool;
    bool own; /* the tool gives figures but no verdicts: the verdicts are ours */
    struct result_head head;
    struct map calls;     /* call name → its newest run */
    struct map rows;      /* full name → row */
    struct map texts;     /* verdicts and messages, each once: indices of pool */
    VEC(const char *) pool;
    struct str odd;       /* of the current row: a cell that is there and is not what its column holds */
    const char *odd_for;  /* what that is; NULL: a number */
    size_t modules, apis, unjudged, damaged, told[WORD_SKIP + 1];
    int batch;            /* rows since the lock was released */
    size_t columns, cells; /* of the header and of the last row */
    uint64_t last_line;
    bool text;            /* no spreadsheet */
    uint64_t unended;     /* the last row, which has no line end and may be cut off; 0: it is whole */
    size_t short_rows, short_cells; /* rows of a text that lack cells; those of the first */
    uint64_t short_line;
    uint64_t swallowed; /* the row last reported to have an unclosed quote */
};

enum result_column result_column(struct str title); /* COL_COUNT: not a known column */
/* The title of a required column that the table lacks; NULL: it has all. */
const char *result_lacks(const struct result_head *h);
/* The tool whose table begins with this header row, possibly with a column missing; TOOL_NONE: unknown. */
enum result_tool result_header(const struct str *cell, size_t n, struct result_head *out);
void result_begin(struct result_table *t); /* takes the lock */
/* Adds a problem: a field's quote is not closed, so following rows may be inside it. */
void result_swallowed(struct result_table *t, uint64_t line);
/* Before result_add: a cell of the row is not what was expected, so that the row is unread. The first one is told. */
void result_odd(struct result_table *t, struct str cell, const char *expected);
/* Notes that the last row has no line end: returns it without its last cell, which may be cut off, in `kept`, which
 * holds SHEET_COLUMNS. */
const struct str *result_unended(struct result_table *t, const struct str *cell, size_t n, uint64_t line,
                                 struct str *kept);
/* Adds a data row, one text per column ("" if absent). frames: of its stack if already split (JSON), otherwise NULL.
 * -1 if a limit is exceeded. */
int result_add(struct result_table *t, const struct str cell[COL_COUNT], const char *const *frames, size_t frame_count,
               uint64_t line, struct err *e);
/* Adds what was found, releases the lock and the table; -1 if there is no row at all. */
int result_end(struct result_table *t, int rc, struct err *e);
/* The rank in the file's name: rank7 → 7. */
int result_rank(const char *path);
void result_close(struct dump *d);

/* The JSON ones (result_json.c). The text of a value as a table has it; what no cell can be, as JSON. In the arena. */
struct str result_json_text(struct arena *a, const cJSON *v);
bool result_json_probe(const char *path, bool diff);
int result_json_read(struct result_table *t, struct err *e);
int result_diff_read(struct result_table *t, struct err *e);

#endif
