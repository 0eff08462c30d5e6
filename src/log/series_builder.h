/* What the kinds of logs share: the place they put what they read, the scanning of
 * numbers and of one-line dictionaries. Only for files of this folder. */
#ifndef LOG_SERIES_BUILDER_H
#define LOG_SERIES_BUILDER_H

#include "base/io.h"
#include "log/log_format.h"
#include "log/series.h"

#define LOG_LINE (1u << 20)     /* bytes of one line that are looked at; the rest is passed over */
/* with the copies sorting needs they stay within 256 MB */
#define LOG_RECORDS (1u << 20)  /* steps kept of one log */
#define LOG_POINTS (2u << 20)   /* values of named series kept */
#define LOG_NAMES 200000u
#define LOG_NAME_BYTES 1024u    /* of a weight's name */
#define LOG_STEP ((int64_t)1 << 53) /* a larger number is no step */

enum log_oddity {
    ODD_STEP,      /* a step that is not a number we believe */
    ODD_LONG,      /* a line longer than LOG_LINE */
    ODD_FULL,      /* more than we keep */
    ODD_NO_LOSS,   /* neither skipped nor a loss (Megatron leaves NaN out) */
    ODD_CRC,       /* records of an event file with a wrong checksum */
    ODD_BINARY,    /* NUL bytes */
    ODD_UTF16,     /* lines of UTF-16 text */
    ODD_CUT,       /* a record the file's end cuts off */
    ODD_GROUPS,    /* more groups of norms than steps */
    ODD_NO_STEP,   /* norms whose step was counted */
    ODD_QUOTE,     /* rows of a table that hold ends of lines */
    ODD_COUNT
};

/* One file being read. */
struct series_builder {
    struct series *s;
    const struct file *file;
    atomic_bool *cancel;
    bool growing;        /* of log_options */
    uint16_t file_index;
    uint32_t line;       /* of what is being read */
    int kind;            /* index of log_formats, of what is being read */
    struct map names;    /* "tag\nname" → series.names */
    struct map seen;     /* names of the group of norms being gathered */
    VEC(struct series_pending) pending; /* norms printed without a step, until a record tells it */
    uint32_t groups;     /* of them begun: one a step */
    int64_t last_step;   /* of the last record, 0 before one */
    int64_t norm_step;   /* of the last group without a step of its own */
    bool group_open;
    /* what has to be said at the end */
    size_t counted[ODD_COUNT];    /* by enum log_oddity */
    uint32_t odd_line[ODD_COUNT]; /* where first */
    struct {
        uint32_t line;
        int64_t step, reached;
    } resume[4];         /* the first times the steps went back */
    size_t resumes;
    size_t repeated, differing, zeroes; /* steps printed again; with other values; a loss of zero beside a real one */
    size_t limit;        /* records gathered before they are sorted and thinned */
    bool full;           /* as many steps as are kept */
};

struct series_pending {
    uint32_t name, group, line;
    double value;
};

/* Adds a record; its file, kind and line are set here. A step out of bounds is counted and dropped. */
void log_add(struct series_builder *k, struct log_record *r);
/* Adds a value of a named series at a step; square as in log_name. */
void log_point(struct series_builder *k, const char *tag, struct str name, bool square, int64_t step, double v);
uint32_t log_name(struct series_builder *k, const char *tag, struct str name, bool square); /* MAP_NONE: too many */
/* The same for a value printed without its step: the next record's, else counted. A name that comes again
 * begins the next step's group; log_norm_group begins it at once. */
void log_norm(struct series_builder *k, const char *tag, struct str name, bool square, double v);
void log_norm_group(struct series_builder *k);
void log_odd(struct series_builder *k, enum log_oddity o);
/* What of the file behind what was taken could not be read: a sentence. */
void log_unread_end(struct series_builder *k, const char *text);
bool log_cancelled(const struct series_builder *k);

/* Gives r its value and remembers how fine it was printed. */
void log_set(struct series_builder *k, struct log_record *r, enum log_value v, double x, double digit);

/* A sink of an open file, which stays the caller's, into s, where it is the last of s->files. */
void series_builder_init(struct series_builder *k, struct series *s, const struct file *f, atomic_bool *cancel);
/* Sorts, keeps each step once, adds the notes. */
void series_builder_end(struct series_builder *k);
void series_builder_release(struct series_builder *k);
/* Sorts the points by name and step and keeps the last of each; names get their ranges. */
void log_points_end(struct series *s);
/* src's records and points behind dst's; where both have a step, src's is kept. src is emptied. */
void log_merge(struct series *dst, struct series *src, bool records);

/* Every line of a text file to the kinds that read lines; from where s->tail says, which it moves on. */
int log_read_lines(struct series_builder *k, struct err *e);
/* What is said at the end, once all records are there: their distance, and of the log as a whole. For series.c. */
int64_t series_interval(const struct series *s);

/* ---- scanning ---- */

/* Whole of `s` but blanks at its ends as a number, "nan", "inf", "Infinity"; digit (may be NULL): the
 * unit of its last digit, 0 for what has none. */
bool scan_number(struct str s, double *v, double *digit);
/* The number s begins with, which is taken away. */
bool scan_leading(struct str *s, double *v, double *digit);
/* A step or count: digits with blanks around them, taken off the front. */
bool scan_count(struct str *s, int64_t *v);
/* Behind the first `word`, of n letters (1 or more), in s; false when it is not there. */
bool scan_word(struct str s, const char *word, size_t n, struct str *rest);
static inline bool scan_behind(struct str s, const char *word, struct str *rest)
{
    return scan_word(s, word, strlen(word), rest);
}
static inline bool scan_has(struct str s, const char *word)
{
    struct str rest;
    return scan_word(s, word, strlen(word), &rest);
}
/* The same text when blanks are left out and ASCII case is folded (a wrapped line may have lost one). */
bool scan_key(struct str s, const char *key);

/* Members of a one-line dictionary, Python's or JSON's, one at a time; nested values come as their text.
 * s begins behind the '{' and moves on. 1: a member, 0: the '}' (s behind it), -1: neither. */
int scan_member(struct str *s, struct str *key, struct str *value);

/* A text file or a stream of bytes in lines. */
struct log_lines {
    const struct file *file;
    uint64_t at;        /* bytes taken from the file, or where to begin */
    uint64_t most;      /* so many are taken, as if the file ended there: of a line without an end too; 0: all */
    const atomic_bool *cancel; /* then it ends as well; may be NULL */
    uint64_t line;      /* the number of the line handed over */
    struct buf chunk, cut;
    size_t pos;
    bool end, newline;
    bool long_line, nul; /* of the line handed over: longer than LOG_LINE, had NUL bytes */
    /* the file begins as UTF-16 does: NUL bytes are to be expected, and taking them out leaves ASCII */
    bool utf16;
};

/* The next line without its end and without terminal escapes; a '\r' (progress bars) ends one too. 1, 0 at
 * the end, -1. Valid until the next call. */
int log_line_next(struct log_lines *l, struct str *line, struct err *e);
void log_line_close(struct log_lines *l);

/* The rows, one file a kind. */
bool megatron_starts(struct str line);
enum log_take megatron_take(struct series_builder *k, struct str line, size_t fresh, bool last);
bool megatron_valid_starts(struct str line);
enum log_take megatron_valid_take(struct series_builder *k, struct str line, size_t fresh, bool last);
bool mindformers_starts(struct str line);
enum log_take mindformers_take(struct series_builder *k, struct str line, size_t fresh, bool last);
bool trainer_starts(struct str line);
enum log_take trainer_take(struct series_builder *k, struct str line, size_t fresh, bool last);
bool trainer_jsonl_starts(struct str line);
enum log_take trainer_jsonl_take(struct series_builder *k, struct str line, size_t fresh, bool last);
bool trainer_state_sniff(struct str head, const char *path);
int trainer_state_read(struct series_builder *k, struct err *e);
bool norm_line_starts(struct str line);
enum log_take norm_line_take(struct series_builder *k, struct str line, size_t fresh, bool last);
bool norm_list_starts(struct str line);
enum log_take norm_list_take(struct series_builder *k, struct str line, size_t fresh, bool last);
bool step_line_starts(struct str line);
enum log_take step_line_take(struct series_builder *k, struct str line, size_t fresh, bool last);
bool json_values_starts(struct str line);
enum log_take json_values_take(struct series_builder *k, struct str line, size_t fresh, bool last);
bool value_table_sniff(struct str head, const char *path);
/* Whether a file begins as a table with a header or as objects, a line each, of numbers: their names, added to
 * names. */
bool value_columns_unknown(struct str head, struct buf *names);
int value_table_read(struct series_builder *k, struct err *e);
bool mlflow_sniff(struct str head, const char *path);
int mlflow_read(struct series_builder *k, struct err *e);
bool wandb_sniff(struct str head, const char *path);
int wandb_read(struct series_builder *k, struct err *e);
bool tfevents_sniff(struct str head, const char *path);
int tfevents_read(struct series_builder *k, struct err *e);
bool monitor_sniff(struct str head, const char *path);
int monitor_read(struct series_builder *k, struct err *e);
bool monitor_anomalies_sniff(struct str head, const char *path);
int monitor_anomalies_read(struct series_builder *k, struct err *e);

#endif
