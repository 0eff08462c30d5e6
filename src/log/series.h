/* The contents of a training log, whatever wrote it: one record per step, and named series (the gradient norm of each
 * weight, auxiliary losses). A value that was not printed is absent, not zero; a printed NaN is a value. Records are
 * sorted by step and each step occurs once: if a run was resumed, later values replace earlier ones and a note says
 * so. */
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
    LOG_LR,    /* the rate as printed; see series.lr_is_next for the step it belongs to */
    LOG_NORM,  /* global gradient norm, before clipping */
    LOG_SCALE, /* loss scale */
    LOG_EPOCH, /* a fraction; only if the log counts epochs in fractions (Trainer) */
    LOG_VALUES
};

enum {
    LOG_HAS_OVERFLOW = 1 << LOG_VALUES, /* bits of log_record.has above those of enum log_value */
    LOG_HAS_SKIPPED = 2 << LOG_VALUES,
    LOG_HAS_NANS = 4 << LOG_VALUES,
};

struct log_record {
    int64_t step;             /* from 1 over the whole run; the record's number if none is printed */
    double value[LOG_VALUES]; /* valid if `has` contains 1 << its number */
    uint32_t line;            /* line of the loss (or of the first value); its unit is series.unit */
    uint32_t skipped, nans;   /* iterations since the previous record that were skipped, and that had NaN */
    float seconds;            /* one step takes, as printed; 0: not printed */
    uint16_t file;            /* index of series.files */
    uint16_t has;
    uint8_t kind;             /* index of log_formats */
    bool overflow;
    uint16_t rank;            /* 1 + the rank that the record itself names; 0: none */
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
    const char *name;  /* of the weight or loss; "#7" if only the order is known */
    bool square;       /* values are sums of squares, as printed, without a root */
    uint64_t elements; /* of the weight, if the log gives it; otherwise 0 */
    size_t first, n;   /* its points, by step */
};

struct log_file {
    const char *path;
    int rank;        /* -1: not in the name */
    uint64_t lines;
    size_t records;
    bool used;       /* its records are in the series */
    bool real_loss;  /* some loss is not zero */
};

/* The gradient norm of a weight on a rank, beside that of a lower rank, which is in the series' points. */
struct log_replica {
    const char *name;
    bool square;
    int rank;
    int64_t step;
    double value;
};

/* A part of the run that exists but could not be read. */
struct log_unread {
    const char *text; /* a sentence */
    int rank;         /* as log_file.rank */
    bool whole;       /* nothing of a file was read; otherwise only its beginning was */
};

/* The position up to which a text log was read, for resuming: after its last complete line, and before an incomplete
 * record. */
struct log_tail {
    uint64_t at, line;
    uint64_t id[2];     /* device and inode; 0: cannot be resumed */
    uint32_t cut;       /* 1 + the index in series.unread of a record cut off at the end; 0: there is none */
};

struct series {
    struct arena arena; /* owns all texts below */
    struct log_tail tail; /* for a single text file; otherwise zero */
    const char *path;
    const char *format; /* log_format.name of most records */
    const char *framework; /* "pytorch", "mindspore", "" when unknown */
    const char *unit;   /* the unit of `line`: "line" or "record" */
    VEC(struct log_file) files;
    VEC(struct log_record) records; /* by step, each once */
    VEC(struct log_name) names;     /* by tag, then in order of appearance */
    VEC(struct log_point) points;   /* by name, then step, each once */
    VEC(struct log_replica) replicas;
    VEC(struct log_unread) unread;
    VEC(const char *) notes;        /* sentences for readers of the figures, in the language in force */
    bool stepless;    /* no step numbers: records are numbered, to be joined by epoch or order */
    bool lr_is_next;  /* the printed rate belongs to the next step (Megatron) */
    bool loss_is_mean; /* the loss is averaged over the steps since the previous record (Megatron, Trainer) */
    /* the files number values by the samples seen (DeepSpeed's monitor); samples_each: those of a step, by which the
     * numbers were divided when the log was opened, 0 if they were not */
    bool in_samples;
    int64_t samples_each;
    int64_t batch;    /* samples of a step, as each line prints them (Megatron); 0: it does not, -1: they change */
    int64_t interval; /* the most frequent number of steps between records; 0 if there are fewer than two */
    /* The unit of the last printed digit, 0 if none was printed: 0.001 for "5.205". Smaller differences cannot be
     * seen. */
    double digit[LOG_VALUES];
};

struct log_options {
    bool tensorboard;    /* in a folder, read event files rather than text */
    atomic_bool *cancel; /* may be NULL */
    bool growing;        /* the log is still being written: a last line without its end is not read yet */
};

/* Reads a log, or a folder with one run (several ranks, several parts). The caller releases s also after -1. A partly
 * readable file gives 0, and the unreadable part is in `unread`. */
int series_open(struct series *s, const char *path, const struct log_options *o, struct err *e);
/* The same for a log that was read before as `old`: a text file that has grown is read from the previous end, with
 * the same result as reading all of it; anything else is read again. old is unchanged. */
int series_open_after(struct series *s, const struct series *old, const char *path, const struct log_options *o,
                      struct err *e);
void series_release(struct series *s);

/* Whether this file looks like a log, by its first 8 MB; for a folder, whether a file in it does. */
bool series_probe(const char *path);
/* The log_format.name of the log at the path, or NULL. Searches the whole file, because the first record may come
 * after gigabytes of other text. `cancel` (may be NULL) stops it. */
const char *series_kind(const char *path, const atomic_bool *cancel);

/* The index of the first of n records, sorted by step and `each` bytes apart, with this step or a later one; n if
 * there is none. `steps` points to the first record's step. */
size_t step_from(const int64_t *steps, size_t n, size_t each, int64_t step);
/* A named value at a step; false if there is none, or it is not finite. */
bool log_name_at(const struct series *s, const struct log_name *n, int64_t step, double *v);
const struct log_record *series_at(const struct series *s, int64_t step); /* NULL: no record */

/* The rank of the records; -1: unknown. */
int series_rank(const struct series *s);
/* Whether some loss is not zero: in a pipeline the last stage prints it, others print zeros. */
bool series_has_loss(const struct series *s);
bool log_is_norm(const struct log_name *n); /* the gradient norm of a weight */
/* Adds the norm of a weight on a further rank; copies the name. */
void series_replica(struct series *s, struct str name, bool square, int rank, int64_t step, double v);
/* Adds to s->unread and copies the text. */
void series_unread(struct series *s, const char *text, int rank, bool whole);

static inline bool log_has(const struct log_record *r, enum log_value v)
{
    return r->has >> v & 1;
}

/* "global norm", in the language in force. */
const char *log_value_title(enum log_value v);
/* Whether the step had a loss that was not printed: Megatron omits non-finite ones. */
bool log_loss_hidden(const struct series *s, const struct log_record *r);

/* Whether the step did not update the weights; its loss is then not comparable. */
static inline bool log_skipped(const struct log_record *r)
{
    return (r->has & LOG_HAS_SKIPPED) && r->skipped;
}

#endif
