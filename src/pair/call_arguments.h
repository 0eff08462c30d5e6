/* What calls name the arguments they are given, and what leaving one out means (data/arguments.tsv). */
#ifndef PAIR_CALL_ARGUMENTS_H
#define PAIR_CALL_ARGUMENTS_H

#include "dump/dump.h"

/* What torch calls the argument of that row: "training" of batch_norm's sixth, "dim" of an "axis"; empty where it has
 * no name (data/arguments.tsv has those given by their place, and the names of MindSpore's own). */
struct str argument_name(const struct dump *d, uint32_t row);
/* The numbers, truth values and texts a call was given that have a name, at most that many; how many there are. */
enum { ARGUMENTS_MOST = 32 };
struct named_argument {
    uint32_t row;
    struct str name;
};
int arguments_named(const struct dump *d, uint32_t call, struct named_argument out[ARGUMENTS_MOST]);
/* Whether two of them, given to calls of one operator, are the same argument and may differ: not what changes no
 * number, nor one axis counted from the front and from behind. */
bool argument_same(const struct dump *d, struct named_argument a, const struct dump *other, struct named_argument b);
/* What an argument that is left out counts as, where it is listed; else empty. */
struct str left_out_value(const struct dump *d, uint32_t call, struct str argument);
/* The same as a number, NAN where it is none: "head_dim**-0.5" is computed from the call's first tensor. */
double left_out_number(const struct dump *d, uint32_t call, struct str argument);
/* What the factor of attention's scores is called. */
#define ATTENTION_SCALE_WORDS "scale scale_value scalar_value softmax_scale"
/* The argument of that name (one of `words`, separated by spaces) that is not a tensor, or NONE. */
uint32_t call_argument(const struct dump *d, uint32_t call, const char *words);
/* The nth tensor (from 0) a call was given, parameters apart, or NONE. */
uint32_t call_input(const struct dump *d, uint32_t call, int nth);
/* Whether `words`, separated by spaces, have the word, whatever its case. */
bool is_one_of(const char *words, struct str word);

#endif
