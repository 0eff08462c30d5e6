/* One side's recording of one step on one rank: calls in execution order, each with its rows.
 *
 * A reader's thread fills it batch by batch and holds the session's lock while it appends; others read it under the
 * same lock until `complete`, without it afterwards. Nothing is ever removed, so indices stay valid. Strings are in
 * the dump's arena and live as long as the dump. */
#ifndef DUMP_DUMP_H
#define DUMP_DUMP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "num/dtype.h"
#include "num/tensor.h"

#define NONE UINT32_MAX /* no row, call, stack … */
#define EACH_ROW(d, c, r)                                                                          \
    for (uint32_t r = (d)->calls.v[c].first_row; r != NONE; r = (d)->rows.v[r].next)
/* The first 1000 rows, for loops inside a loop over a call's rows: a hostile call may have 200,000. */
#define EACH_EARLY_ROW(d, c, r)                                                                    \
    for (uint32_t r = (d)->calls.v[c].first_row, r##_left = 1000; r != NONE && r##_left--; r = (d)->rows.v[r].next)

enum side { TARGET, GOLDEN };
enum { COLUMN_ALL = 2 }; /* of dump.column: a result table opened by itself */

enum row_kind {
    ROW_TENSOR,
    ROW_INT,
    ROW_FLOAT,
    ROW_BOOL,
    ROW_STR,
    ROW_DTYPE,
    ROW_OTHER, /* slice, ellipsis, ReduceOp …: compared as text */
    ROW_NULL,  /* recorded as absent */
};

enum row_io { IO_INPUT, IO_OUTPUT, IO_PARAMETER, IO_GRADIENT, IO_COUNT };

/* Bits of a row: which figures are present (an absent figure is not zero), and flags. */
enum {
    HAS_MAX = 1 << 0,
    HAS_MIN = 1 << 1,
    HAS_MEAN = 1 << 2,
    HAS_NORM = 1 << 3,
    HAS_FILE = 1 << 4,     /* it names a tensor file */
    HAS_CHECKSUM = 1 << 5, /* `text` is a checksum */
    HAS_SHAPE = 1 << 6,
    IS_DAMAGED = 1 << 7,   /* a problem is recorded for it; what could be read is kept */
    IS_UNPARSED = 1 << 12, /* a value of it is there and could not be parsed: nothing is concluded from the row */
    /* shift: HAS_MAX << IS_COMPUTED says that the maximum was computed from the file, not recorded */
    IS_COMPUTED = 8,
};

enum { STAT_MAX, STAT_MIN, STAT_MEAN, STAT_NORM, STAT_COUNT };

struct shape {
    int ndim;
    uint64_t numel;
    int64_t dim[]; /* ndim of them */
};

struct row {
    uint32_t call;
    uint32_t slot;  /* index of dump.slots: "input.0", "parameters.weight" */
    uint32_t shape; /* index of dump.shapes, or NONE */
    uint32_t extra; /* index of dump.extras, or NONE */
    uint32_t next;  /* the call's next row, or NONE */
    uint8_t io : 3, needs_gradient : 1, kind : 4, dtype; /* needs_gradient: as recorded (requires_grad) */
    uint16_t has;
    double stat[STAT_COUNT]; /* as recorded; stat[0] of a number row is its value */
    const char *text;        /* scalar's own text, or the checksum; NULL if neither */
};

/* Row data that only some formats record. */
struct row_extra {
    const char *file; /* the tensor file's name if it does not follow from the row's name, or NULL */
    uint8_t counts;   /* bits below */
    uint16_t part;    /* index of dump.parts: the part the file is in */
    uint64_t nan, neg_inf, pos_inf, zero;
};
enum { COUNT_NAN = 1, COUNT_NEG_INF = 2, COUNT_POS_INF = 4, COUNT_ZERO = 8 };

enum call_kind { CALL_API, CALL_MODULE, CALL_OPERATOR };
enum call_phase { PHASE_FORWARD, PHASE_BACKWARD, PHASE_OPTIMIZER, PHASE_COUNT };

struct call {
    const char *name; /* "Functional.linear.0.forward" */
    uint32_t first_row, last_row, rows; /* a list by row.next: rows of other calls may come between */
    uint32_t stack;   /* index of dump.stacks, or NONE */
    uint32_t parent;  /* the module it was called in, or NONE */
    uint32_t twin;    /* forward ↔ backward, or NONE */
    /* the call it was made in, or that was made in it, if both recorded the same tensors; or NONE */
    uint32_t nested;
    /* the earlier forward call that this call repeats inside the backward pass (activation checkpointing); or NONE */
    uint32_t recomputes;
    uint64_t offset;  /* of its record in the file, for messages */
    uint32_t scope;   /* index of dump.scopes: module path, or NONE if the format has none */
    uint16_t name_len;
    uint8_t kind, phase;
    uint8_t family;   /* enum of dump/family.h */
    bool gradient;    /* a parameters_grad record */
};

/* Where in its file a recording lies that shares it with others. */
struct stretch {
    uint64_t from, bytes; /* bytes 0: not known, anywhere in the file */
    uint64_t lines;       /* before it */
    bool sealed;          /* its CRC-32 was stored */
    uint32_t crc;
};

/* The ranks that a collective call names as its group. */
struct call_group {
    uint32_t call;
    const char *ranks; /* "[0,1]", as recorded */
};

struct stack {
    uint32_t first, n; /* in dump.stack_frames */
};

struct frame {
    const char *file, *func, *code; /* "" where not recorded */
    uint32_t line;                  /* 0 when not recorded */
    const char *raw;                /* the recorded text if it could not be parsed */
};

/* Something wrong with the dump or one of its rows; reading continues. */
#define PROBLEM_UNREAD "unread" /* the kind of what is there and is not read: nothing is known to be wrong with it */
struct problem {
    uint32_t row; /* or NONE: the dump as a whole */
    bool recorded;    /* reading succeeded; the recording itself reports the problem */
    const char *kind; /* "damaged", "missing-file", "dtype", "overflow" … */
    const char *text; /* a sentence with file and place */
};

/* Whether a file, or the end of one, exists and could not be read. */
static inline bool problem_is_unread_file(const struct problem *p)
{
    return p->row == NONE && !p->recorded;
}

typedef VEC(const char *) known_names; /* each name once */

/* An axis, counted from the first and from behind the last, of tensors that were cut to n elements of it before they
 * were recorded (cut_tensors.h), and how many were left out. */
struct cut_axis {
    int first, last;
    int64_t n, out;
};

struct dump {
    const struct reader *reader;
    const struct reader *source; /* the format from which a digest was made; otherwise NULL */
    const char *path;      /* of the folder or file opened */
    const void *given; /* source of recordings that are not files; owned by the reader, outlives the dump; or NULL */
    const char *shown;     /* the name shown to people, or NULL: the path */
    const char *const *parts; /* all parts, if one step's recording consists of several (graphs) */
    size_t part_count;
    const char *framework; /* "pytorch", "mindspore", "" when unknown */
    const char *level;     /* "L0", "L1", "mix", "graph" … or "" */
    const char *task;      /* "tensor", "statistics", "md5" */
    int step, rank;        /* -1 if the folders do not say */
    struct stretch stretch; /* of `path` */
    bool checksums;        /* rows carry checksums */
    int digits;            /* significant digits the recorded figures carry (17: all) */
    uint8_t column;        /* of a result table (result_table.h): the side whose columns are read */
    char joint;            /* separator between a call's name and its slot */
    bool cut;              /* read up to where it is damaged or ends: later calls are missing */
    bool tensors_cut;      /* each tensor was cut before it was recorded (cut_tensors.h) */
    VEC(struct cut_axis) cut_axes; /* some were, as the calls of linear layers show */
    bool complete;

    struct arena arena;
    VEC(struct row) rows;
    VEC(struct call) calls;
    known_names slots;
    VEC(const struct shape *) shapes;
    VEC(struct row_extra) extras;
    known_names scopes;
    VEC(struct stack) stacks;
    VEC(uint32_t) stack_frames; /* indices of frames, innermost first */
    VEC(struct frame) frames;
    VEC(struct call_group) groups; /* by call, ascending */
    VEC(struct problem) problems;
    VEC(const char *) warnings; /* the linter's sentences */
    struct map call_names;      /* name → call */
    struct map call_runs;       /* name given more than once → the last run's number, its "#N" */
    struct map slot_names, shape_keys, scope_names, frame_texts;
    struct nmap late_rows;      /* (call, slot) → row, for late rows of calls with very many */
    /* SKETCH_NUMBERS per row (num/sketch.h), the first NaN if the row has none; NULL: no row has one; owned */
    double *sketch;
    atomic_uint_fast64_t bytes, bytes_done; /* of the files being read, for progress; no lock needed */
    void *state;                /* private data of the reader */
    const struct dump *shared; /* the dump that owns all columns except rows, problems and warnings; NULL: this one */
    struct step_before *past;          /* the previous step (dump/step_before.h), freed with the dump; NULL: none */
};

void dump_init(struct dump *d);
void dump_release(struct dump *d); /* first calls its reader's close */
/* Makes d, which place_set has prepared, share a recording that was read already: it has its own copy of the rows and
 * of what is found out about them. `read` must outlive d. */
void dump_share(struct dump *d, const struct dump *read);

/* Whether both were recorded in the same framework; also of two that do not say in which. */
static inline bool dumps_of_one_framework(const struct dump *a, const struct dump *b)
{
    return strcmp(a->framework, b->framework) == 0;
}

/* The format that calls and names come from. */
static inline const struct reader *dump_format(const struct dump *d)
{
    return d->source ? d->source : d->reader;
}

static inline const char *dump_shown(const struct dump *d)
{
    return d->shown ? d->shown : d->path;
}

/* For readers. Strings are copied into the arena. */
uint32_t dump_slot(struct dump *d, struct str name);
uint32_t dump_shape(struct dump *d, const int64_t *dim, int ndim); /* NONE when a size is negative or too big */
uint32_t dump_scope(struct dump *d, struct str path);
/* If a call of that name exists already, the new one gets "#2", "#3" … (a repeated operator). */
uint32_t dump_add_call(struct dump *d, struct str name, enum call_kind kind, enum call_phase phase);
/* For formats that do not number calls: the newest call of a name in `runs` (name → call; the keys belong to the
 * dump), or a new one if that call already has a row of this slot. *fresh: a call was added. */
uint32_t dump_run(struct dump *d, struct map *runs, struct str name, uint32_t slot, enum call_kind kind,
                  enum call_phase phase, bool *fresh);
/* Reserves memory for about this many more calls and rows. */
void dump_expect(struct dump *d, size_t calls, size_t rows);
/* Appends; sets the row's call and next. */
uint32_t dump_add_row(struct dump *d, uint32_t call, struct row r);
/* Links this call and the call of that name as twins unless one of them has a twin. */
void dump_link_twin(struct dump *d, uint32_t call, struct str name);
/* Links forward calls with the backward calls of the same name, once all calls are there. */
void dump_link_twins(struct dump *d);
/* Links two calls, one made inside the other and passing on its tensors ("Functional_embedding", "Torch_embedding"). */
void dump_link_nested(struct dump *d, uint32_t inner, uint32_t outer);
void dump_problem(struct dump *d, uint32_t row, const char *kind, const char *text);
/* The same for a value that is there and could not be parsed (base/reading.h). */
void dump_unparsed(struct dump *d, uint32_t row, const char *text);
/* A problem that the recording itself reports; the row's data are not affected. */
void dump_recorded(struct dump *d, uint32_t row, const char *kind, const char *text);
void dump_warn(struct dump *d, const char *text);
/* Parses "File a.py, line 3, in f, \n code"; returns the frame's index. */
uint32_t dump_frame(struct dump *d, struct str text);

/* Replaces out by the row's full name. */
void dump_row_name(const struct dump *d, uint32_t row, struct buf *out);

static inline struct str dump_call_name(const struct dump *d, uint32_t call)
{
    return str_n(d->calls.v[call].name, d->calls.v[call].name_len);
}

/* The call of that name, or NONE. Tries `near` (may be NONE) and some calls after it first, because lists of calls
 * are mostly in their order. */
uint32_t dump_find_call(const struct dump *d, struct str name, uint32_t near);
/* Whether a call is inside of a module's, at any depth. */
bool dump_call_is_in(const struct dump *d, uint32_t call, uint32_t module);
/* The first tensor of a call's inputs or outputs, or NONE. */
uint32_t dump_first_tensor(const struct dump *d, uint32_t call, enum row_io io);
/* Whether an activation's forward call overwrites its input: "inplace", the one argument that is true or false. */
bool dump_call_overwrites(const struct dump *d, uint32_t call);
/* By its full name; NONE if absent. */
uint32_t dump_find_row(const struct dump *d, struct str name);
/* The call's first row of that slot; NONE if absent. */
uint32_t dump_slot_row(const struct dump *d, uint32_t call, uint32_t slot);

/* NULL if unknown. */
static inline const struct shape *dump_row_shape(const struct dump *d, uint32_t row)
{
    uint32_t s = d->rows.v[row].shape;
    return s == NONE ? NULL : d->shapes.v[s];
}

/* The size of a row's last axis; 0: it has none, or its shape is unknown. */
static inline int64_t dump_row_last_axis(const struct dump *d, uint32_t row)
{
    const struct shape *s = dump_row_shape(d, row);
    return s && s->ndim ? s->dim[s->ndim - 1] : 0;
}

/* Whether a row is a number that stands alone in a file of tensors: a loss, a learning rate, a scale. */
static inline bool dump_row_is_lone_number(const struct dump *d, uint32_t row)
{
    const struct shape *s = dump_row_shape(d, row);
    const struct call *c = &d->calls.v[d->rows.v[row].call];
    return d->rows.v[row].io == IO_PARAMETER && s && !s->ndim && c->kind == CALL_API && c->rows == 1;
}

/* Whether both shapes are known and the same. */
static inline bool shape_same(const struct shape *a, const struct shape *b)
{
    if (!a || !b || a->ndim != b->ndim)
        return false;
    for (int i = 0; i < a->ndim; i++) /* few: a call of memcmp costs more */
        if (a->dim[i] != b->dim[i])
            return false;
    return true;
}

/* 1 for scalars, 0 when unknown. */
static inline uint64_t dump_row_numel(const struct dump *d, uint32_t row)
{
    const struct shape *s = dump_row_shape(d, row);
    return s ? s->numel : d->rows.v[row].kind == ROW_TENSOR ? 0 : 1;
}

const struct problem *dump_row_problem(const struct dump *d, uint32_t row); /* or NULL */
/* The size of the tensors of one call, or of all calls, as files: elements and headers. */
uint64_t dump_call_bytes(const struct dump *d, uint32_t call);
uint64_t dump_all_bytes(const struct dump *d);
/* Opens the row's tensor file; the caller closes it with tensor_close. Thread-safe once the dump is complete. */
int dump_tensor(const struct dump *d, uint32_t row, struct tensor *t, struct err *e);
/* Whether the recording names a tensor file for the row and no problem with it is known. */
static inline bool dump_row_readable(const struct dump *d, uint32_t row)
{
    const struct row *r = &d->rows.v[row];
    return r->kind == ROW_TENSOR && (r->has & HAS_FILE) && !(r->has & IS_DAMAGED);
}

/* The call's stack; if it has none, its forward twin's (*of_twin, may be NULL, is then true). For backward calls the
 * forward twin's stack is preferred. NONE if neither has one. */
uint32_t dump_call_stack(const struct dump *d, uint32_t call, bool *of_twin);
/* A hash of all names, types, sizes and figures: identifies the recording wherever it is stored. */
uint64_t dump_fingerprint(const struct dump *d);
/* Whether the frame belongs to a framework, to Python or to the recording tool. Installed model packages (timm,
 * transformers, mindcv, mindone) count as model code. */
bool frame_is_library(const struct frame *f);
/* The first frame of a stack that is model code; 0 if none is. */
uint32_t dump_stack_start(const struct dump *d, uint32_t stack);
/* The number of model-code frames before this one (for a framework's frame: that of the model frame before it), and
 * its inverse: the frame at that depth, the last if there are fewer, 0 if there is none. Framework frames differ
 * between two sides; frames of the model hardly do. */
uint32_t dump_stack_depth(const struct dump *d, uint32_t stack, uint32_t frame);
uint32_t dump_stack_at_depth(const struct dump *d, uint32_t stack, uint32_t depth);
void frame_place(const struct frame *f, struct buf *out); /* appends "rope.py:42" */
/* "[2,8,16]" */
void sizes_text(const int64_t *size, int axes, struct buf *out);
void shape_text(const struct shape *s, struct buf *out);

#endif
