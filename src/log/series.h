/* What a training log tells, whatever wrote it: one record a step, and named series beside them (the
 * gradient norm of each weight, auxiliary losses). A value that was not printed is absent, not zero; a
 * printed NaN is a value. Steps are joined by their number, so the records are sorted by it and each
 * stands once: where a run was resumed the later values win, and a note says so. */
#ifndef LOG_SERIES_H
#define LOG_SERIES_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/map.h"
#include "base/vec.h"

enum log_value {
    LOG_LOSS,
    LOG_LR,    /* the rate as printed; series.lr_is_next says of which step */
    LOG_NORM,  /* global gradient norm, before clipping */
    LOG_SCALE, /* loss scale */
    LOG_EPOCH, /* a fraction; only where the log counts epochs in fractions (Trainer) */
    LOG_VALUES
};

enum {
    LOG_HAS_OVERFLOW = 1 << LOG_VALUES, /* bits of log_record.has above those of enum log_value */
    LOG_HAS_SKIPPED = 2 << LOG_VALUES,
    LOG_HAS_NANS = 4 << LOG_VALUES,
};

struct log_record {
    int64_t step;             /* from 1 over the whole run; the record's number where none is printed */
    double value[LOG_VALUES]; /* valid where has has 1 << its number */
    uint32_t line;            /* where the loss (else the first value) stands; series.unit says of what */
    uint32_t skipped, nans;   /* iterations since the record before that were skipped, that had NaN */
    uint16_t file;            /* index of series.files */
    uint16_t has;
    uint8_t kind;             /* index of log_formats */
    bool overflow;
};

/* One value of a named series. */
struct log_point {
    int64_t step;
    double value;
    uint32_t name; /* index of series.names */
    uint32_t line;
    uint16_t file;
};

struct log_name {
    const char *tag;   /* "local_norm": the gradient norm of one weight; "loss", "eval", "weight_norm" … */
    const char *name;  /* the weight's or loss's; "#7" where only the order is printed */
    bool square;       /* values are sums of squares, as printed: no root was taken */
    uint64_t elements; /* of the weight, where the log tells; else 0 */
    size_t first, n;   /* its points, by step */
};

struct log_file {
    const char *path;
    int rank;        /* -1: the name does not tell */
    uint64_t lines;
    size_t records;
    bool used;       /* its records are the series' */
    bool real_loss;  /* some loss is not zero */
};

/* Something of the run that is there and could not be read. */
struct log_unread {
    const char *text; /* a sentence */
    int rank;         /* as log_file.rank */
    bool whole;       /* a file of which nothing was read; else one whose beginning was */
};

/* How far a text log was read, to go on from there: behind its last whole line, and before a record that was not
 * whole. */
struct log_tail {
    uint64_t at, line;
    uint64_t id[2];     /* device and inode; 0 where it cannot be gone on with */
    uint32_t cut;       /* 1 + the entry of series.unread of a record cut off by the end; 0: there is none */
};

struct series {
    struct arena arena; /* of every text below */
    struct log_tail tail; /* of one file of text; else zero */
    const char *path;
    const char *format; /* log_kind.name of most records */
    const char *framework; /* "pytorch", "mindspore", "" when unknown */
    const char *unit;   /* what `line` counts: "line" or "record" */
    VEC(struct log_file) files;
    VEC(struct log_record) records; /* by step, each once */
    VEC(struct log_name) names;     /* by tag, then as they came */
    VEC(struct log_point) points;   /* by name, then step, each once */
    VEC(struct log_unread) unread;
    VEC(const char *) notes;        /* what a reader of the figures must know, sentences in the language in force */
    bool stepless;    /* no step is printed: records are numbered, to be joined by epoch or in order */
    bool lr_is_next;  /* the printed rate is that of the next step (Megatron) */
    bool loss_is_mean; /* of the steps since the record before (Megatron, Trainer) */
    int64_t interval; /* steps between records, the commonest distance; 0 with fewer than two */
    /* The smallest unit of the last printed digit, 0 where none was printed: 0.001 for "5.205". A
     * difference below it cannot be seen. */
    double digit[LOG_VALUES];
};

struct log_options {
    bool tensorboard;    /* in a folder, event files rather than text */
    atomic_bool *cancel; /* may be NULL */
    bool growing;        /* somebody still writes it: a last line without its end waits */
};

/* Reads a log, or a folder that holds one run (several ranks, several parts). The caller releases it
 * also after -1. A file that could be read in part gives 0, and what of it could not is in `unread`. */
int series_open(struct series *s, const char *path, const struct log_options *o, struct err *e);
/* The same of a log of which `old` was read before: a text file that has grown is read from where reading ended, and
 * what is there is the same as if all of it had been read; anything else is read again. old stays as it is. */
int series_open_after(struct series *s, const struct series *old, const char *path, const struct log_options *o,
                      struct err *e);
void series_release(struct series *s);

/* Whether this file looks like a log, by its first 8 MB; a folder, when a file in it does. */
bool series_probe(const char *path);
/* The log_kind.name of what would be read there, or NULL: a file that is named may have its first record behind
 * gigabytes of something else. `cancel` (may be NULL) ends the look. */
const char *series_kind(const char *path, const atomic_bool *cancel);

/* The first of n records in the order of their steps, `each` bytes apart, that is of this step or a later one; n where
 * there is none. `steps` is the first one's step. */
size_t step_from(const int64_t *steps, size_t n, size_t each, int64_t step);
const struct log_record *series_at(const struct series *s, int64_t step); /* NULL: not printed */

/* The rank of the records; -1: the names do not tell. */
int series_rank(const struct series *s);
/* Whether some loss among the records is not zero: a pipeline's last stage prints it, others zeros. */
bool series_has_loss(const struct series *s);
/* Adds to s->unread; the text is copied. */
void series_unread(struct series *s, const char *text, int rank, bool whole);

static inline bool log_has(const struct log_record *r, enum log_value v)
{
    return r->has >> v & 1;
}

/* "global norm", in the language in force. */
const char *log_value_title(enum log_value v);
/* A loss this step had and did not print: Megatron leaves out what is not finite. */
bool log_loss_hidden(const struct series *s, const struct log_record *r);

/* The step did not update the weights: its loss is no loss of the model's. */
static inline bool log_skipped(const struct log_record *r)
{
    return (r->has & LOG_HAS_SKIPPED) && r->skipped;
}

#endif
