/* The interface between the oracle's engine and formulas: one recorded call of one side with its values as doubles,
 * and the candidates for each of its outputs with their error bounds. A formula is a table row of an op_*.c
 * (operators.h).
 *
 * A formula reads arguments with call_value and related functions, adds at least one candidate for each output it
 * knows, and returns. It compares nothing: the engine (recompute.c) chooses the candidate that explains the recorded
 * output best, computes the bounds and decides whether the side is wrong. All memory is in the call's arena; nothing
 * is freed. */
#ifndef ORACLE_FORMULA_H
#define ORACLE_FORMULA_H

#include <math.h>

#include "base/arena.h"
#include "num/dtype.h"
#include "oracle/unknown.h"

#define REAL_AXES 8 /* the most axes of a tensor; calls with more are unknown */
/* The most doubles held for one call, 1.6 GB. No recorded tensor has more elements, nor do the other axes of an empty
 * one, so products of sizes do not overflow. Formulas check sizes that they derive from arguments with
 * real_is_too_large. */
#define REAL_ELEMENTS_MOST 200e6
/* Sizes and positions are smaller. Integer arguments are clamped to it, so that sums and products of two of them do
 * not overflow. */
#define WHOLE_MOST (INT64_C(1) << 31)

/* A row-major, contiguous tensor. A scalar has 0 axes and 1 element. Integers and booleans are doubles too (see
 * `dtype`). */
struct real_tensor {
    int axes;
    int64_t shape[REAL_AXES];
    int64_t count; /* elements */
    double *v;     /* NULL while only sizes are needed (operator.cost) */
    enum dtype dtype;
};

enum value_kind {
    VALUE_NONE, VALUE_TENSOR, VALUE_NUMBER, VALUE_BOOL, VALUE_TEXT, VALUE_DTYPE, VALUE_LIST, VALUE_SLICE,
    VALUE_ELLIPSIS,
};

#define SLICE_OPEN INT64_MIN /* an omitted bound: x[1:] */

/* One argument. */
struct value {
    enum value_kind kind;
    struct real_tensor tensor; /* VALUE_TENSOR */
    double number;             /* VALUE_NUMBER, VALUE_BOOL (0 or 1) */
    bool fraction;             /* VALUE_NUMBER: recorded as a floating number */
    const char *text;          /* VALUE_TEXT, VALUE_DTYPE as recorded */
    enum dtype dtype;          /* VALUE_DTYPE */
    struct value *item;        /* VALUE_LIST: `items` elements (a tuple, a list, torch.Size; nested as recorded) */
    int items;
    int64_t slice[3];          /* VALUE_SLICE: start, stop, step or SLICE_OPEN */
    uint32_t row;              /* row of the dump, or NONE (a list) */
};

struct named_value {
    const char *name; /* "dim"; for parameters "weight" */
    struct value value;
};

/* Elements of a matrix, or of a batch of matrices of one size: element (batch, row, column) is v[(at ? at[batch] : 0)
 * + row * row_step + column * column_step]. A transposed view has exchanged steps, a broadcast one a step of 0. */
struct matrix {
    const double *v;
    const int64_t *at;
    int64_t row_step, column_step;
};

/* y[batch] = a[batch] b[batch], computed by the engine row by row, for all rows or a sample. With `scaled` y is
 * multiplied by `factor`; with `added` `addend` times `addend_factor` (beta) is added afterwards. The engine also
 * computes the roundings of both (c) and the sum of squares (s). */
struct product {
    int64_t batches, rows, columns, terms; /* a: rows × terms, b: terms × columns */
    struct matrix a, b;
    /* Writes row `row` of a to out[terms] if it is not stored as such (the unfolded input of a convolution); NULL:
     * use `a`. */
    void (*unfold)(const struct product *p, int64_t batch, int64_t row, double *out);
    const void *ctx; /* data for unfold */
    struct matrix y; /* where (batch, row, column) is in the output; v is unused; covers each element once */
    bool scaled, added;
    bool tf32; /* the elements of a and b are rounded to TF32 first */
    double factor, addend_factor;
    struct matrix addend;
};

/* A candidate for an output. Arrays have as many elements as the output, in its order. */
struct candidate {
    int output;              /* index of the output, from 0; ANY_OUTPUT: whichever it explains (backward) */
    const char *formula;     /* "x W^T + b", "layer_norm, eps = 1e-05" */
    /* f(x); NAN for elements without a statement (a dropped element's gradient). Unused if `product` is set */
    struct real_tensor y;
    /* c: the error of one rounding of each step to the operator's own type, in units of its u; NULL: 0 */
    const double *roundings;
    const double *inside;    /* a: the error of float32 arithmetic inside, in units of 2^-24; NULL: 0 */
    const double *squares;   /* s: square root of the sum of squared products, for sums of products; NULL: none */
    double terms;            /* k: number of products per sum; with `squares` */
    struct product *product; /* used in place of y and the arrays; NULL: none */
    bool move;               /* a pure move: every bit is known */
};
#define ANY_OUTPUT (-1)
/* The formula of what a loss's last node returns to the one before it, in place of the gradient of
 * the loss's operand. */
#define FORMULA_LAST_NODE "-onehot g / n of the last node"

/* Figures that a formula fitted to the recorded output because they are not recorded (an epsilon, a slope), in the
 * order in which they were asked for. With `held` they are given again instead of fitted: the same function on other
 * values (crossed.h). */
struct fits {
    double *v; /* in the call's arena */
    int64_t n, at;
    bool held;
};

struct call_values {
    struct arena *arena;    /* freed with the call */
    /* base name, lower case: "linear", "__mul__", "matmul"; for modules the class as recorded: "LlamaRMSNorm" */
    const char *operator;
    bool mindspore;         /* false: PyTorch */
    bool module;            /* a module or cell: `parameter` is set; arguments stored in the module are not recorded */
    /* arguments, parameters and `result` are those of the forward call; `gradient` and `output` of this one */
    bool backward;
    struct value *place;    /* positional arguments */
    int places;
    struct named_value *keyword, *parameter;
    int keywords, parameters;
    /* recorded outputs of the forward call, flattened: for formulas that need them, such as dropout */
    struct real_tensor *result;
    int results;
    struct real_tensor *gradient; /* incoming gradients of a backward call: at least one, all finite */
    int gradients;
    struct real_tensor *output; /* the recorded outputs to be judged; of a forward call the same as `result` */
    int outputs;

    struct candidate *candidate; /* by candidate_add */
    int candidates;
    enum unknown unknown;   /* by call_unknown */
    /* set by the engine's readers: an unrecorded value was requested and its default used. If the recording omits
     * arguments that are not tensors, this makes the call unknown (except for optional tensors: call_tensor_at) */
    bool *default_taken;
    /* set by a formula if a module may store what no recording shows (an activation), taken to be its default */
    bool stored;
    /* set by a formula if the first argument is not read (addmm with beta = 0), so that NaN in it does not matter */
    bool first_unread;
    struct fits *fits; /* NULL: not kept */
};

/* Adds candidates, or says why there are none. */
typedef void formula_function(struct call_values *c);

/* operators whose arithmetic is identified together */
enum formula_family { FORMULA_OTHER, FORMULA_PRODUCT, FORMULA_CONVOLUTION };

/* What figures say of a forward call of one tensor. */
enum figures_kind {
    FIGURES_NONE,
    FIGURES_POINTWISE, /* an element is made of the one at its place: extremes are computed as tensors are */
    FIGURES_DROPPED,   /* the elements that went in where nothing is dropped, others else */
};
/* Whether a forward call's arguments and the sizes of its inputs contradict the sizes of its result (sizes.h). */
typedef bool misfit_function(const struct call_values *c);

/* A table row. The tables of op_*.c end with an empty row. */
struct operator {
    /* lower case, separated by spaces: all names in both frameworks; for modules the classes in lower case */
    const char *names;
    enum formula_family family;
    bool move;              /* not counted as a computing call */
    formula_function *forward, *backward; /* NULL: no formula */
    const char *source;     /* where it is defined: "torch.nn.functional.linear" */
    /* number of operations of the formula itself, computed from sizes; NULL: one per element of the largest tensor.
     * The engine counts products (struct product) */
    double (*cost)(const struct call_values *c);
    misfit_function *misfit; /* reads no values; NULL: not known */
    enum figures_kind figures;
};

/* ---- reading arguments ---- */

/* An argument by one of the names in `words` (separated by spaces), otherwise by position (-1: has none); NULL if it
 * was not passed or is None. */
const struct value *call_value(const struct call_values *c, int place, const char *words);
/* Whether a transposition got an order of all axes, in a list or number by number as MindSpore takes it, and not two
 * axes to exchange. */
bool call_orders_axes(const struct call_values *c);
/* NULL: not passed or no tensor. */
const struct real_tensor *call_tensor_at(const struct call_values *c, int place, const char *words);
/* A number or bool (also a tensor of one element); `left_out` if it was not passed. */
double call_number(const struct call_values *c, int place, const char *words, double left_out);
/* The same as an integer, clamped to WHOLE_MOST; NaN becomes 0. */
int64_t call_whole(const struct call_values *c, int place, const char *words, int64_t left_out);
int64_t whole_number(double x);
const char *call_text(const struct call_values *c, int place, const char *words); /* NULL: not passed or no text */
/* Integers (as call_whole) of a list, a number or a tensor, at most `most`; returns their number, 0 if not passed, -1
 * for another kind. */
int call_integers(const struct call_values *c, int place, const char *words, int64_t *out, int most);
/* Axes of a reduction as a mask (bit i: axis i), negative axes counted from the end; all of `axes` if not passed or
 * empty; -1 if one is out of range. */
int call_axes(const struct call_values *c, int place, const char *words, int axes);
/* A single axis, 0 … axes - 1; left_out (may be negative) if not passed; -1 if out of range. */
int call_axis(const struct call_values *c, int place, const char *words, int axes, int left_out);
/* A module's parameter by one of the names; NULL if absent. */
const struct real_tensor *call_parameter(const struct call_values *c, const char *words);
/* The nth tensor among the arguments, including those in lists, positional first, keywords last; NULL. */
const struct real_tensor *call_nth_tensor(const struct call_values *c, int nth);

/* Visits each tensor among the arguments, with its row: those in lists too, positional first, then keywords, then a
 * module's parameters. */
typedef void tensor_visit(void *ctx, struct real_tensor *t, uint32_t row);
void call_each_tensor(struct call_values *c, tensor_visit *visit, void *ctx);

/* Exchanges n figures fitted to the output for those that are held, or keeps them. Every figure that depends on the
 * output goes through it, also a decision. */
void call_fitted(struct call_values *c, double *v, int64_t n);

/* ---- giving candidates ---- */

/* Adds a candidate for that output (0 …, ANY_OUTPUT); sets only `output` and `formula` (formatted, in the arena). The
 * pointer is valid until the next candidate is added. */
struct candidate *candidate_add(struct call_values *c, int output, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Records why there is no candidate; the first reason stays. */
void call_unknown(struct call_values *c, enum unknown why);

/* ---- tensors ---- */

struct real_tensor real_new(struct call_values *c, int axes, const int64_t *shape); /* values zeroed, DTYPE_F64 */
struct real_tensor real_like(struct call_values *c, const struct real_tensor *t);
double *real_array(struct call_values *c, int64_t n); /* zeroed */
/* Splits the shape at one axis: x is outer × n × inner. */
void real_around(const struct real_tensor *t, int axis, int64_t *outer, int64_t *n, int64_t *inner);
/* Whether one call may not hold that many elements; records that as the reason. */
bool real_is_too_large(struct call_values *c, double elements);
/* The shape to which two broadcast; false if they do not, or the result is too large. */
bool real_broadcast_shape(const struct real_tensor *a, const struct real_tensor *b, struct real_tensor *out);
/* t broadcast to that shape (a copy), or t itself if it has that shape. v NULL if it does not broadcast. */
struct real_tensor real_broadcast(struct call_values *c, const struct real_tensor *t, int axes, const int64_t *shape);
/* For each element of that shape, the index of its element in t; NULL if it does not broadcast. */
int64_t *real_places(struct call_values *c, const struct real_tensor *t, int axes, const int64_t *shape);
/* A copy of t with its axes in that order. */
struct real_tensor real_permuted(struct call_values *c, const struct real_tensor *t, const int *order);

/* ---- products ---- */

/* A zeroed product in the arena, to be filled in. */
struct product *product_new(struct call_values *c);
/* Adds the candidate y = a b over the last two axes of both, with leading axes broadcast and either operand
 * transposed on request; vectors as in torch.matmul. NULL if sizes do not fit, or are too large (recorded as the
 * reason). An addend or a factor is set in its ->product. */
struct candidate *product_matmul(struct call_values *c, int output, const struct real_tensor *a, bool ta,
    const struct real_tensor *b, bool tb, const char *formula);

#endif
