/* Shared by the log formats: collecting the values read, and scanning numbers and one-line dictionaries. Only for
 * files of this folder. */
#ifndef LOG_SERIES_BUILDER_H
#define LOG_SERIES_BUILDER_H

#include "base/io.h"
#include "base/reading.h"
#include "log/log_format.h"
#include "log/series.h"

#define LOG_LINE (1u << 20)     /* bytes of a line that are read; the rest is skipped */
/* with the copies needed for sorting they stay within 256 MB */
#define LOG_RECORDS (1u << 20)  /* the most steps kept per log */
#define LOG_POINTS (2u << 20)   /* the most values of named series */
#define LOG_NAMES 200000u
#define LOG_NAME_BYTES 1024u    /* of a weight's name */
#define LOG_STEP ((int64_t)1 << 53) /* a larger number is not a step */

enum log_oddity {
    ODD_STEP,      /* a step that is not a plausible number */
    ODD_LONG,      /* a line longer than LOG_LINE */
    ODD_FULL,      /* more data than the limits above */
    ODD_NO_LOSS,   /* neither skipped nor with a loss (Megatron omits NaN) */
    ODD_CRC,       /* records of an event file with a wrong checksum */
    ODD_BINARY,    /* NUL bytes */
    ODD_UTF16,     /* lines of UTF-16 text */
    ODD_CUT,       /* a record cut off by the end of the file */
    ODD_GROUPS,    /* more groups of norms than steps */
    ODD_NO_STEP,   /* norms without a step of their own, whose step was counted */
    ODD_VALUE,     /* values that are there and cannot be read */
    ODD_RANKS,     /* norms of other ranks than the first in one file */
    ODD_QUOTE,     /* table rows with line ends inside quotes */
    ODD_COUNT
};

/* State while one file is read. */
struct series_builder {
    struct series *s;
    const struct file *file;
    atomic_bool *cancel;
    bool growing;        /* of log_options */
    uint16_t file_index;
    uint32_t line;       /* of the current record */
    uint16_t line_rank;  /* of log_record, which the current line names */
    int kind;            /* index of log_formats, of the current record */
    struct map names;    /* "tag\nname" → series.names */
    bool stepless;   /* as log_format.stepless, found in this file */
    struct {
        bool begun, told;
        int64_t epoch, offset, last, highest, apart; /* of the steps as they are written, but for the offset */
    } epochs;            /* of log_join_epoch */
    bool total_told; /* a note says which of several losses was taken */
    bool mean_lines; /* lines say means over the steps since the line before */
    struct map seen;     /* names in the current group of norms */
    VEC(struct series_pending) pending; /* norms printed without a step, until a record gives it */
    uint32_t groups;     /* groups begun, one per step */
    int64_t last_step;   /* of the last record; 0 before the first */
    int64_t norm_rank;   /* 1 + the rank whose norms are read, of those a file prints; 0: none is said */
    uint16_t replica;    /* 1 + the rank of values to come, of which norms alone are read, as replicas; 0: none */
    int64_t norm_step;   /* of the last group without a step of its own */
    bool group_open;
    /* notes for the end */
    char odd_value[READING_FOUND]; /* the first of ODD_VALUE */
    size_t counted[ODD_COUNT];    /* by enum log_oddity */
    uint32_t odd_line[ODD_COUNT]; /* line of the first one */
    struct {
        uint32_t line;
        int64_t step, reached;
    } resume[4];         /* the first times that the steps went back */
    size_t resumes;
    size_t repeated, differing, zeroes; /* steps printed again; with other values; with a zero loss beside a real one */
    uint16_t one_rank;   /* of log_record: the one whose records are kept; 0: all are */
    size_t other_ranks;  /* records of other ranks */
    size_t limit;        /* records collected before they are sorted and thinned */
    bool full;           /* the limit of steps is reached */
};

struct series_pending {
    uint32_t name, group, line;
    double value;
};

/* Adds a record; sets its file, kind and line. A step out of range is counted and dropped. */
void log_add(struct series_builder *k, struct log_record *r);
/* Adds a value of a named series at a step; square as in log_name. */
void log_point(struct series_builder *k, const char *tag, struct str name, bool square, int64_t step, double v);
/* Steps that begin anew where the epoch grows are counted on from the last one printed before; an epoch that is no
 * whole number is none. For records in order, before log_add. */
void log_join_epoch(struct series_builder *k, struct log_record *r, double epoch);
struct values_taken;
void log_total_taken(struct series_builder *k, const struct values_taken *t); /* says so, once, if a total was taken */
void log_loss_taken(struct series_builder *k, struct str name); /* says so, once, of one of several losses */
struct extra_values;
void log_extra_values(struct series_builder *k, int64_t step, const struct extra_values *x); /* a point each */
uint32_t log_name(struct series_builder *k, const char *tag, struct str name, bool square); /* MAP_NONE: too many */
/* The same for a value printed without a step: it belongs to the next record's step, otherwise to a counted one. A
 * repeated name begins the next step's group; log_norm_group begins it explicitly. */
void log_norm(struct series_builder *k, const char *tag, struct str name, bool square, double v);
void log_norm_group(struct series_builder *k);
void log_odd(struct series_builder *k, enum log_oddity o);
/* Counts a value that is there and cannot be read. */
void log_odd_value(struct series_builder *k, struct str text);
/* A field's text as a number: scan_number, or absent, or unreadable and counted. */
enum reading log_number(struct series_builder *k, struct str text, double *v, double *digit);
/* Records, as a sentence, that the rest of the file could not be read. */
void log_unread_end(struct series_builder *k, const char *text);
/* The same of a file that ends inside a record. */
void log_unread_inside_record(struct series_builder *k);
bool log_cancelled(const struct series_builder *k);

/* log_record.rank of a rank that is written; 0 if it is none. */
uint16_t log_rank_said(int64_t rank);
/* The same of the rank that a line names anywhere: "[rank1]:", "rank 3", "[default0]:"; 0: none. */
uint16_t log_rank_in(struct str line);
/* Whether the word is the name of a parameter, a path that ends as these do: "layers.0.mlp.weight". */
bool log_is_parameter(struct str word);
bool log_names_parameters(struct str text); /* whether a text may have such names */
/* The norms of {"layers.0.wq.weight": 2.5, …}; k may be NULL. Returns their number. */
size_t log_norms_of_object(struct series_builder *k, struct str json, int64_t rank, bool stepped, int64_t step);
/* Takes a norm that a rank printed (-1: none is named): of several ranks those of the lowest. */
void log_printed_norm(struct series_builder *k, struct str name, int64_t rank, bool stepped, int64_t step, double x);
/* Sets a value of r and records its printed resolution. */
void log_set(struct series_builder *k, struct log_record *r, enum log_value v, double x, double digit);

/* Prepares reading an open file (owned by the caller) into s, as the last of s->files. */
void series_builder_init(struct series_builder *k, struct series *s, const struct file *f, atomic_bool *cancel);
/* Sorts, keeps each step once and adds the notes. */
void series_builder_end(struct series_builder *k);
void series_builder_release(struct series_builder *k);
/* Sorts the points by name and step and keeps the last of each; names get their ranges. */
void log_points_end(struct series *s);
/* Appends src's records and points to dst's; if both have a step, src's is kept. src is emptied. */
void log_merge(struct series *dst, struct series *src, bool records);

/* Passes every line of a text file to the formats that read lines, starting at s->tail, which is updated. */
int log_read_lines(struct series_builder *k, struct err *e);
/* Final notes, once all records are there: their interval, and notes on the whole log. For series.c. */
int64_t series_interval(const struct series *s);

/* ---- scanning ---- */

/* Reads a number, "nan", "inf" or "Infinity", at the start of s and removes it: its end is found here, its value is
 * reading_number's (base/reading.h). digit (may be NULL): the unit of its last digit, 0 if it has none. */
bool scan_leading(struct str *s, double *v, double *digit);
/* Whether the whole of `s` is such a number, but for surrounding blanks; other words of a line are no damaged values.
 * A value that a field has to hold is read by log_number, which tells absent and unreadable apart. */
bool scan_number(struct str s, double *v, double *digit);
/* Whether a number read by scan_leading goes on at s as none does: "4" of "4,985", "1e-3" of "1e-3x". */
bool scan_goes_on(struct str s);
struct str scan_unquoted(struct str v); /* without the double quotes around it, if it has them */
/* Reads a step or count with surrounding blanks from the start of s and removes it. */
bool scan_count(struct str *s, int64_t *v);
/* *rest: the text after the first `word`, of n letters (at least 1), in s; false if absent. */
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
/* Whether the texts are equal ignoring blanks and ASCII case (a wrapped line may have lost a blank). */
bool scan_key(struct str s, const char *key);

/* Reads the next member of a one-line dictionary, Python's or JSON's; nested values are returned as text. s begins
 * after the '{' and is advanced. 1: a member, 0: the '}' (s is after it), -1: neither. */
int scan_member(struct str *s, struct str *key, struct str *value);

/* A text file or a stream of bytes, line by line. */
struct log_lines {
    const struct file *file;
    uint64_t at;        /* bytes read from the file, or where to begin */
    uint64_t most; /* end reading after this many bytes, as if the file ended there, even within a line; 0: no limit */
    const atomic_bool *cancel; /* setting it ends reading; may be NULL */
    uint64_t line;      /* the number of the line returned last */
    struct buf chunk, cut;
    size_t pos;
    bool end, newline;
    bool ends; /* a line before the one returned last had an end */
    bool long_line, nul; /* of the line returned last: longer than LOG_LINE, contained NUL bytes */
    /* the file begins like UTF-16: NUL bytes are expected and removing them leaves ASCII */
    bool utf16;
};

/* The next line without its end and without terminal escapes; a '\r' (progress bars) ends a line too. 1, 0 at the
 * end, -1. Valid until the next call. */
int log_line_next(struct log_lines *l, struct str *line, struct err *e);
/* The line returned last is the file's last and has no line end, where others have one. */
bool log_line_unended(const struct log_lines *l);
/* Such a line stops in a number, of which more digits may have been meant to follow. */
bool log_stops_in_number(struct str line);
/* Such a line begins as a record did, whatever its numbers are. */
bool log_begins_as(struct str line, struct str record);
void log_line_close(struct log_lines *l);

/* The functions of the formats, one file each. */
bool megatron_words(struct str line);
enum log_take megatron_take(struct series_builder *k, struct str line, size_t fresh, bool last);
bool megatron_valid_words(struct str line);
enum log_take megatron_valid_take(struct series_builder *k, struct str line, size_t fresh, bool last);
bool mindformers_words(struct str line);
enum log_take mindformers_take(struct series_builder *k, struct str line, size_t fresh, bool last);
bool trainer_words(struct str line);
enum log_take trainer_take(struct series_builder *k, struct str line, size_t fresh, bool last);
bool trainer_jsonl_words(struct str line);
enum log_take trainer_jsonl_take(struct series_builder *k, struct str line, size_t fresh, bool last);
bool trainer_state_sniff(struct str head, const char *path);
int trainer_state_read(struct series_builder *k, struct err *e);
bool norm_line_words(struct str line);
enum log_take norm_line_take(struct series_builder *k, struct str line, size_t fresh, bool last);
bool norm_table_sniff(struct str head, const char *path);
int norm_table_read(struct series_builder *k, struct err *e);
bool norm_dictionary_words(struct str line);
bool norm_dictionary_starts(struct str line);
enum log_take norm_dictionary_take(struct series_builder *k, struct str line, size_t fresh, bool last);
bool norm_printed_words(struct str line);
bool norm_printed_starts(struct str line);
enum log_take norm_printed_take(struct series_builder *k, struct str line, size_t fresh, bool last);
bool norm_list_words(struct str line);
enum log_take norm_list_take(struct series_builder *k, struct str line, size_t fresh, bool last);
bool te_inspect_words(struct str line);
enum log_take te_inspect_take(struct series_builder *k, struct str line, size_t fresh, bool last);
bool step_line_words(struct str line);
bool darknet_words(struct str line);
enum log_take darknet_take(struct series_builder *k, struct str line, size_t fresh, bool last);
bool mindspore_outputs_words(struct str line);
enum log_take mindspore_outputs_take(struct series_builder *k, struct str line, size_t fresh, bool last);
bool step_line_starts(struct str line);
enum log_take step_line_take(struct series_builder *k, struct str line, size_t fresh, bool last);
bool json_values_words(struct str line);
bool json_values_starts(struct str line);
enum log_take json_values_take(struct series_builder *k, struct str line, size_t fresh, bool last);
bool value_table_sniff(struct str head, const char *path);
/* Whether a file begins as a table with a header, or as one JSON object per line, with numbers but no known names;
 * adds their names to names. */
bool value_columns_unknown(struct str head, const char *path, struct buf *names);
int value_table_read(struct series_builder *k, struct err *e);
bool samples_table_sniff(struct str head, const char *path);
int samples_table_read(struct series_builder *k, struct err *e);
bool mlflow_sniff(struct str head, const char *path);
int mlflow_read(struct series_builder *k, struct err *e);
bool wandb_sniff(struct str head, const char *path);
int wandb_read(struct series_builder *k, struct err *e);
bool tfevents_sniff(struct str head, const char *path);
int tfevents_read(struct series_builder *k, struct err *e);
bool monitor_sniff(struct str head, const char *path);
int monitor_read(struct series_builder *k, struct err *e);
/* What a figure of the monitor is of: "grad_reduced", a weight, its stage and micro step as texts of numbers. */
struct monitor_at {
    struct str what, name, stage, micro;
};
/* A figure ("norm") at a step; norms of reduced gradients are local norms. */
void monitor_value(struct series_builder *k, const struct monitor_at *at, struct str op, int64_t step, double x);
bool monitor_db_sniff(struct str head, const char *path);
int monitor_db_read(struct series_builder *k, struct err *e);
/* A scalar of the event files that csv2tensorboard_by_step makes of these tables, "vp0:fc1.weight/norm" in the folder
 * grad_reduced/; false if it is none. */
bool monitor_scalar(struct series_builder *k, struct str tag, int64_t step, double x);
bool monitor_anomalies_sniff(struct str head, const char *path);
int monitor_anomalies_read(struct series_builder *k, struct err *e);

#endif
