/* Names of call arguments and the defaults of omitted ones (data/arguments.tsv). */
#ifndef PAIR_CALL_ARGUMENTS_H
#define PAIR_CALL_ARGUMENTS_H

#include "dump/dump.h"

/* torch's name for the argument in that row: "training" for batch_norm's sixth, "dim" for an "axis"; empty if unknown
 * (data/arguments.tsv has positional arguments and MindSpore's own names). */
struct str argument_name(const struct dump *d, uint32_t row);
/* The named numbers, booleans and texts passed to a call, at most ARGUMENTS_MOST; returns how many. */
enum { ARGUMENTS_MOST = 32 };
struct named_argument {
    uint32_t row;
    struct str name;
};
int arguments_named(const struct dump *d, uint32_t call, struct named_argument out[ARGUMENTS_MOST]);
/* Whether two arguments of calls of one operator correspond and a difference matters: false for arguments that change
 * no number, and for one axis counted from the front and from the end. */
bool argument_same(const struct dump *d, struct named_argument a, const struct dump *other, struct named_argument b);
/* Whether what a call omits has its default: MindSpore's kernels hold axes and the like in an object that is not
 * recorded, except those that mint calls. */
bool call_records_arguments(const struct dump *d, uint32_t call);
/* The value of an omitted argument if listed, otherwise empty. */
struct str left_out_value(const struct dump *d, uint32_t call, struct str argument);
/* The same as a number, NAN if unknown: "head_dim**-0.5" is computed from the call's first tensor. */
double left_out_number(const struct dump *d, uint32_t call, struct str argument);
/* Names of the scale factor of attention scores. */
#define ATTENTION_SCALE_WORDS "scale scale_value scalar_value softmax_scale"
/* The argument with one of these names (separated by spaces) that is not a tensor, or NONE. */
uint32_t call_argument(const struct dump *d, uint32_t call, const char *words);
/* The nth tensor argument (from 0) without parameters, or NONE. */
uint32_t call_input(const struct dump *d, uint32_t call, int nth);
/* Whether `word` is one of `words` (separated by spaces), ignoring case. */
bool is_one_of(const char *words, struct str word);

#endif
