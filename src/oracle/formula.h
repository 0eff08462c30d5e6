/* What formulas are given and what they give: one recorded call of one side, its values as doubles, and the
 * candidates for each of its outputs with what honest arithmetic may err by. A formula is a table row of an op_*.c
 * (operators.h).
 *
 * A formula reads arguments through call_value and its kin, adds one candidate or more for each output it knows, and
 * returns. It compares nothing: the engine (recompute.c) takes the candidate that explains the recorded output best,
 * adds the bounds and says whether the side is wrong. All memory is the call's arena's, nothing is freed. */
#ifndef ORACLE_FORMULA_H
#define ORACLE_FORMULA_H

#include <math.h>

#include "base/arena.h"
#include "num/dtype.h"
#include "oracle/unknown.h"

#define REAL_AXES 8 /* a call with a tensor of more axes is unknown before a formula sees it */
/* Doubles of one call's tensors held at once, 1.6 GB. No recorded tensor has more elements, and none whose other axes
 * have more together where one has none: products of a shape's sizes fit. What a formula makes of arguments is compared
 * with it by the formula (real_is_too_large). */
#define REAL_ELEMENTS_MOST 200e6
/* No size or place is as large; numbers of arguments are cut to it, so that sums and products of two of them fit. */
#define WHOLE_MOST (INT64_C(1) << 31)

/* Row-major, contiguous. A scalar tensor has 0 axes and 1 element. Integers and booleans are doubles, too (`dtype`
 * says). */
struct real_tensor {
    int axes;
    int64_t shape[REAL_AXES];
    int64_t count; /* elements */
    double *v;     /* NULL while only sizes are asked for (operator.cost) */
    enum dtype dtype;
};

enum value_kind {
    VALUE_NONE, VALUE_TENSOR, VALUE_NUMBER, VALUE_BOOL, VALUE_TEXT, VALUE_DTYPE, VALUE_LIST, VALUE_SLICE,
    VALUE_ELLIPSIS,
};

#define SLICE_OPEN INT64_MIN /* a bound that is not given: x[1:] */

/* One argument. */
struct value {
    enum value_kind kind;
    struct real_tensor tensor; /* VALUE_TENSOR */
    double number;             /* VALUE_NUMBER, VALUE_BOOL (0 or 1) */
    const char *text;          /* VALUE_TEXT, VALUE_DTYPE as recorded */
    enum dtype dtype;          /* VALUE_DTYPE */
    struct value *item;        /* VALUE_LIST: `items` of them (a tuple, a list, torch.Size; nested as recorded) */
    int items;
    int64_t slice[3];          /* VALUE_SLICE: start, stop, step or SLICE_OPEN */
    uint32_t row;              /* of the dump, or NONE (a list) */
};

struct named_value {
    const char *name; /* "dim"; of parameters "weight" */
    struct value value;
};

/* Elements of a matrix, or of several of one size (a batch): element (batch, row, column) lies at
 * v[(at ? at[batch] : 0) + row * row_step + column * column_step]. A transposed view has the steps exchanged, a
 * broadcast one a step of 0. */
struct matrix {
    const double *v;
    const int64_t *at;
    int64_t row_step, column_step;
};

/* y[batch] = a[batch] b[batch]: computed by the engine, row by row, whole or sampled; nothing is computed by the
 * formula. With `scaled` y is multiplied by `factor`, with `added` `addend` (whose own factor, beta, is
 * `addend_factor`) is added behind that; the roundings of both (contract: c) and the sum of squares s are the
 * engine's, too. */
struct product {
    int64_t batches, rows, columns, terms; /* a: rows × terms, b: terms × columns */
    struct matrix a, b;
    /* Row `row` of a into out[terms] where it lies nowhere as such (the unfolded input of a convolution); NULL: `a`
     * holds it. */
    void (*unfold)(const struct product *p, int64_t batch, int64_t row, double *out);
    const void *ctx; /* unfold's own */
    struct matrix y; /* where (batch, row, column) lies in the output, v unused; all of it is covered once */
    bool scaled, added;
    double factor, addend_factor;
    struct matrix addend;
};

/* What an output may be. Arrays have as many elements as the output, in its order. */
struct candidate {
    int output;              /* which of the call's outputs, from 0; ANY_OUTPUT: whichever it explains (backward) */
    const char *formula;     /* "x W^T + b", "layer_norm, eps = 1e-05" */
    struct real_tensor y;    /* f(x); NAN where nothing is said of an element (a dropped element's gradient). With
                                `product` unset */
    const double *roundings; /* c: what one rounding of each step to the operator's own type errs, in units of u of
                                that type; NULL: 0 */
    const double *inside;    /* a: what float32 inside may err, in units of 2^-24; NULL: 0 */
    const double *squares;   /* s: root of the sum of squared products, of what is a sum of products; NULL: it is none
                                */
    double terms;            /* k: how many products a sum has; with `squares` */
    struct product *product; /* in place of y and the arrays; NULL: none */
    bool move;               /* nothing is computed: every bit is known */
};
#define ANY_OUTPUT (-1)

struct call_values {
    struct arena *arena;    /* the call's: dies with it */
    const char *operator;   /* base name, lower case: "linear", "__mul__", "matmul"; of modules the class as recorded:
                               "LlamaRMSNorm" */
    bool mindspore;         /* else PyTorch */
    bool module;            /* a module or cell: `parameter` is set, arguments it keeps are not recorded */
    bool backward;          /* arguments, parameters and `result` are those of the forward call; `gradient` and
                               `output` of this one */
    struct value *place;    /* arguments by place */
    int places;
    struct named_value *keyword, *parameter;
    int keywords, parameters;
    struct real_tensor *result; /* recorded outputs of the forward call (flat): for formulas that need them, such as
                                   dropout */
    int results;
    struct real_tensor *gradient; /* incoming gradients, backward; at least one, all finite */
    int gradients;
    struct real_tensor *output; /* the recorded outputs that are judged: forward the same as `result` */
    int outputs;

    struct candidate *candidate; /* by candidate_add */
    int candidates;
    enum unknown unknown;   /* by call_unknown */
    bool *default_taken;    /* the engine's: something that is not recorded was asked for and left to its default.
                               Where the recording leaves out what is not a tensor, that makes the call unknown
                               (optional tensors: call_tensor_at asks for nothing else) */
    bool first_unread;      /* set by a formula where the first argument is never read (addmm with beta = 0): NaN in
                               it is no reason */
};

/* A formula: adds candidates, or says why there are none. */
typedef void formula_function(struct call_values *c);

enum formula_family { FORMULA_OTHER, FORMULA_PRODUCT, FORMULA_CONVOLUTION }; /* whose arithmetic is read off together */

/* A table row. Tables of one op_*.c end with an empty row. */
struct operator {
    const char *names;      /* lower case, separated by spaces: all names both frameworks give it; modules: classes,
                               lower case */
    enum formula_family family;
    bool move;              /* not counted among calls that compute */
    formula_function *forward, *backward; /* NULL: no formula */
    const char *source;     /* whose definition it is: "torch.nn.functional.linear" */
    double (*cost)(const struct call_values *c); /* operations of what the formula itself computes, from sizes alone;
                                                    NULL: one an element of the largest tensor. Products (struct
                                                    product) are counted by the engine */
};

/* ---- reading arguments ---- */

/* An argument by one of the names in `words` (separated by spaces), else by its place (-1: it has none); NULL where
 * it is not given or None. */
const struct value *call_value(const struct call_values *c, int place, const char *words);
/* NULL: not given or no tensor. */
const struct real_tensor *call_tensor_at(const struct call_values *c, int place, const char *words);
/* A number or bool (a tensor of one element counts as one), `left_out` where it is not given. */
double call_number(const struct call_values *c, int place, const char *words, double left_out);
/* The same as a whole number, cut to WHOLE_MOST; NaN is 0. */
int64_t call_whole(const struct call_values *c, int place, const char *words, int64_t left_out);
int64_t whole_number(double x);
const char *call_text(const struct call_values *c, int place, const char *words); /* NULL: not given or no text */
/* Whole numbers (as call_whole) of a list, a number or a tensor, at most `most`; how many, 0 where not given, -1 where
 * it is none of these. */
int call_integers(const struct call_values *c, int place, const char *words, int64_t *out, int most);
/* Axes of a reduction as a mask (bit i: axis i) from such numbers, negative ones counted from the end; all of `axes`
 * where not given or empty; -1 where one is out of range. */
int call_axes(const struct call_values *c, int place, const char *words, int axes);
/* The one axis, 0 … axes - 1; left_out (which may be negative) where not given; -1 where out of range. */
int call_axis(const struct call_values *c, int place, const char *words, int axes, int left_out);
/* A module's parameter by one of the names; NULL where it has none. */
const struct real_tensor *call_parameter(const struct call_values *c, const char *words);
/* The nth tensor among the arguments, lists opened, in order of place, keywords last; NULL. */
const struct real_tensor *call_nth_tensor(const struct call_values *c, int nth);

/* ---- giving candidates ---- */

/* A new candidate for that output (0 …, ANY_OUTPUT); only `output` and `formula` (formatted, in the arena) are set.
 * The pointer is good until the next one is added. */
struct candidate *candidate_add(struct call_values *c, int output, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Says why there is no candidate; the first reason stays. */
void call_unknown(struct call_values *c, enum unknown why);

/* ---- tensors ---- */

struct real_tensor real_new(struct call_values *c, int axes, const int64_t *shape); /* values zeroed, DTYPE_F64 */
struct real_tensor real_like(struct call_values *c, const struct real_tensor *t);
double *real_array(struct call_values *c, int64_t n); /* zeroed */
/* x is seen as outer × n × inner around one axis. */
void real_around(const struct real_tensor *t, int axis, int64_t *outer, int64_t *n, int64_t *inner);
/* Whether that many elements are more than one call may hold, said as the reason. */
bool real_is_too_large(struct call_values *c, double elements);
/* The shape two broadcast to; false where they do not, or to more elements than are held. */
bool real_broadcast_shape(const struct real_tensor *a, const struct real_tensor *b, struct real_tensor *out);
/* t spread over that shape (a copy); t itself where it has it already. v NULL where it does not broadcast to it. */
struct real_tensor real_broadcast(struct call_values *c, const struct real_tensor *t, int axes, const int64_t *shape);
/* The element of t that each element of that shape is spread from; NULL where it does not broadcast to it. */
int64_t *real_places(struct call_values *c, const struct real_tensor *t, int axes, const int64_t *shape);
/* t with its axes in that order, a copy. */
struct real_tensor real_permuted(struct call_values *c, const struct real_tensor *t, const int *order);

/* ---- products ---- */

/* A product that is to be filled in, zeroed, in the arena. */
struct product *product_new(struct call_values *c);
/* The candidate y = a b of the last two axes of both, leading axes broadcast, either transposed first; vectors as
 * torch.matmul takes them. NULL where sizes do not fit, or fit to more than is held (that reason is said). An addend or
 * a factor is set in its ->product. */
struct candidate *product_matmul(struct call_values *c, int output, const struct real_tensor *a, bool ta,
    const struct real_tensor *b, bool tb, const char *formula);

#endif
