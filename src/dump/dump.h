/* One side's recording of one step on one rank: calls in execution order, each with its rows.
 *
 * A reader's thread fills it, batch by batch, with the session's lock held while it appends; others
 * read it under the same lock until `complete`, freely afterwards. Nothing is ever removed, so
 * indices stay good. Strings live in the dump's arena as long as the dump. */
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
/* The first of them, for what goes through a call once for each of its rows: a hostile call has 200,000. */
#define EACH_EARLY_ROW(d, c, r)                                                                    \
    for (uint32_t r = (d)->calls.v[c].first_row, r##_left = 1000; r != NONE && r##_left--; r = (d)->rows.v[r].next)

enum side { TARGET, GOLDEN };
enum { COLUMN_ALL = 2 }; /* dump.column: a result table opened by itself */

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

/* Presence bits of a row: a figure that was not recorded is not zero. */
enum {
    HAS_MAX = 1 << 0,
    HAS_MIN = 1 << 1,
    HAS_MEAN = 1 << 2,
    HAS_NORM = 1 << 3,
    HAS_FILE = 1 << 4,     /* a tensor file is named for it */
    HAS_CHECKSUM = 1 << 5, /* `text` is one */
    HAS_SHAPE = 1 << 6,
    IS_DAMAGED = 1 << 7,   /* a problem is recorded for it; what could be read stays */
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
    uint8_t io : 3, needs_gradient : 1, kind : 4, dtype; /* needs_gradient: recorded so: computed from a parameter */
    uint16_t has;
    double stat[STAT_COUNT]; /* as recorded; of a number row stat[0] is the value */
    const char *text;        /* scalar's own text, or the checksum; NULL when neither */
};

/* What only some formats record of a row. */
struct row_extra {
    const char *file; /* tensor file's name where it does not follow from the row's name, or NULL */
    uint8_t counts;   /* bits below */
    uint16_t part;    /* index of dump.parts the file lies in */
    uint64_t nan, neg_inf, pos_inf, zero;
};
enum { COUNT_NAN = 1, COUNT_NEG_INF = 2, COUNT_POS_INF = 4, COUNT_ZERO = 8 };

enum call_kind { CALL_API, CALL_MODULE, CALL_OPERATOR };
enum call_phase { PHASE_FORWARD, PHASE_BACKWARD, PHASE_OPTIMIZER, PHASE_COUNT };

struct call {
    const char *name; /* "Functional.linear.0.forward" */
    uint32_t first_row, last_row, rows; /* a list by row.next: other calls' rows may lie between */
    uint32_t stack;   /* index of dump.stacks, or NONE */
    uint32_t parent;  /* the module it was called in, or NONE */
    uint32_t twin;    /* forward ↔ backward, or NONE */
    /* the call it was made in, or that was made in it, when both recorded the same tensors; or NONE */
    uint32_t nested;
    uint32_t recomputes; /* the earlier forward call that this one makes again inside the backward pass; or NONE */
    uint64_t offset;  /* of its record in the file, for messages */
    uint32_t scope;   /* index of dump.scopes: module path, or NONE where the format has none */
    uint16_t name_len;
    uint8_t kind, phase;
    uint8_t family;   /* enum of dump/family.h */
    bool gradient;    /* a parameters_grad record */
};

/* The ranks a collective call names as its group. */
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
    const char *raw;                /* the recorded text, set where it could not be taken apart */
};

/* Something wrong with the dump or one row of it: the session goes on. */
struct problem {
    uint32_t row; /* or NONE: the dump as a whole */
    bool recorded;    /* all was read: it is the recording that tells of something wrong */
    const char *kind; /* "damaged", "missing-file", "dtype", "overflow" … */
    const char *text; /* a sentence with file and place */
};

typedef VEC(const char *) known_names; /* each once */

struct dump {
    const struct reader *reader;
    const struct reader *source; /* of a digest: of the recording it was made of; else NULL */
    const char *path;      /* of the folder or file opened */
    const void *given;     /* what is read where no file is: the reader's own, outlives the dump; or NULL */
    const char *shown;     /* what it is called to people, or NULL: its path */
    const char *const *parts; /* all of them, where one step's recording lies in several (graphs) */
    size_t part_count;
    const char *framework; /* "pytorch", "mindspore", "" when unknown */
    const char *level;     /* "L0", "L1", "mix", "graph" … or "" */
    const char *task;      /* "tensor", "statistics", "md5" */
    int step, rank;        /* -1 when the tree does not say */
    bool checksums;        /* rows carry checksums */
    int digits;            /* significant digits the recorded figures carry (17: all) */
    uint8_t column;        /* of a result table (result_table.h): the side whose columns are read */
    char joint;            /* stands between a call's name and its slot */
    bool cut;              /* read up to where it is damaged or ends: calls behind that are missing */
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
    struct recent_keys *recent_frames; /* NULL: few stacks so far */
    struct nmap late_rows;      /* call and slot → row, of rows that stand far behind in calls of very many */
    /* SKETCH_NUMBERS of each row (num/sketch.h), the first NaN where there is none; NULL: of no row; owned */
    double *sketch;
    atomic_uint_fast64_t bytes, bytes_done; /* of the files being read, for progress; no lock needed */
    void *state;                /* the reader's own */
    const struct dump *shared; /* whose columns these are, all but rows, problems and warnings; NULL: its own */
    struct step_before *past;          /* the step before (dump/step_before.h), freed with the dump; NULL: there is
                                          none */
};

void dump_init(struct dump *d);
void dump_release(struct dump *d); /* closes its reader first */
/* A recording that was read already becomes d's, which was set to its place: what is found out about rows, and said of
 * them, stays d's own. It must outlive d. */
void dump_share(struct dump *d, const struct dump *read);

/* The format the calls and names are those of. */
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
/* A call name that is there already gets "#2", "#3" … (a second run of an operator). */
uint32_t dump_add_call(struct dump *d, struct str name, enum call_kind kind, enum call_phase phase);
/* The newest call of a name in `runs` (name → call; the keys are the dump's), for formats that do not number calls: one
 * that has a row of this slot already runs again and is another call. *fresh: it was added now. */
uint32_t dump_run(struct dump *d, struct map *runs, struct str name, uint32_t slot, enum call_kind kind,
                  enum call_phase phase, bool *fresh);
/* So many more will come, as far as can be foretold: room is made at once and not bit by bit. */
void dump_expect(struct dump *d, size_t calls, size_t rows);
/* Appends; the row's call and next are filled in. */
uint32_t dump_add_row(struct dump *d, uint32_t call, struct row r);
/* Two calls become each other's twins: this one and the one of that name, where neither has one. */
void dump_link_twin(struct dump *d, uint32_t call, struct str name);
/* Links forward calls and the backward calls of the same name, once all are there. */
void dump_link_twins(struct dump *d);
/* Two calls one of which was made inside the other and hands its tensors on ("Functional_embedding",
 * "Torch_embedding"). */
void dump_link_nested(struct dump *d, uint32_t inner, uint32_t outer);
void dump_problem(struct dump *d, uint32_t row, const char *kind, const char *text);
/* What the recording itself says is wrong: its row stays as good as it is. */
void dump_recorded(struct dump *d, uint32_t row, const char *kind, const char *text);
void dump_warn(struct dump *d, const char *text);
/* "File a.py, line 3, in f, \n code" → a frame; the number of it */
uint32_t dump_frame(struct dump *d, struct str text);

/* The row's full name, replacing what is in out. */
void dump_row_name(const struct dump *d, uint32_t row, struct buf *out);
struct str dump_call_name(const struct dump *d, uint32_t call);
/* The call of that name, or NONE. Looked at first: `near`, which may be NONE, and some behind it, because whatever
 * lists calls mostly lists them in their order. */
uint32_t dump_find_call(const struct dump *d, struct str name, uint32_t near);
/* By its full name; NONE when there is none. */
uint32_t dump_find_row(const struct dump *d, struct str name);
/* The call's first row of that slot, however many rows it has; NONE when there is none. */
uint32_t dump_slot_row(const struct dump *d, uint32_t call, uint32_t slot);
const struct shape *dump_row_shape(const struct dump *d, uint32_t row); /* NULL when unknown */
uint64_t dump_row_numel(const struct dump *d, uint32_t row); /* 1 for scalars, 0 when unknown */
const struct problem *dump_row_problem(const struct dump *d, uint32_t row); /* or NULL */
/* Opens the row's tensor file: caller closes with tensor_close. Thread-safe once complete. */
/* What the tensors of a call, of all of them, are as files: elements and a header each. */
uint64_t dump_call_bytes(const struct dump *d, uint32_t call);
uint64_t dump_all_bytes(const struct dump *d);
int dump_tensor(const struct dump *d, uint32_t row, struct tensor *t, struct err *e);
/* Whether the row has a tensor file, as far as the recording tells, that nothing is known against. */
bool dump_row_readable(const struct dump *d, uint32_t row);
/* The call's stack; of a backward call its forward twin's where that has one, likewise of any call that has none itself
 * (*of_twin, which may be NULL, tells); NONE where neither has. */
uint32_t dump_call_stack(const struct dump *d, uint32_t call, bool *of_twin);
/* What was recorded, whatever it is called and wherever it lies: a number of all names, types, sizes and figures. */
uint64_t dump_fingerprint(const struct dump *d);
/* Of a framework, of Python or the recording tool itself; models that lie among the installed packages (timm,
 * transformers, mindcv, mindone) are model code. */
bool frame_is_library(const struct frame *f);
/* The first frame of a stack that is model code, 0 where none is. */
uint32_t dump_stack_start(const struct dump *d, uint32_t stack);
/* The frames of model code counted from 0 on: which of them this one is, or for a framework's frame the one before it;
 * and the frame that is so many, the last where there are fewer, 0 where there is none. Frameworks' frames differ
 * between two sides, the model's code hardly does. */
uint32_t dump_stack_depth(const struct dump *d, uint32_t stack, uint32_t frame);
uint32_t dump_stack_at_depth(const struct dump *d, uint32_t stack, uint32_t depth);
void frame_place(const struct frame *f, struct buf *out); /* appends "rope.py:42" */
/* "[2,8,16]" */
void shape_text(const struct shape *s, struct buf *out);

#endif
