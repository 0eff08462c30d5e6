/* What an operator's arguments and the sizes of its inputs say of the sizes of its result, without any value: for the
 * tables of operators (struct operator.misfit). Each is true only where no such call gives that result; what is not
 * recorded, or is another variant, contradicts nothing. */
#ifndef ORACLE_SIZES_H
#define ORACLE_SIZES_H

#include "oracle/formula.h"

/* The result has the sizes of the first tensor. */
bool misfit_alike(const struct call_values *c);
/* Of softmax and sums along an axis: and the axis is one of it. */
bool misfit_along(const struct call_values *c);
/* Of a layer norm: and its last axes are those that were named. */
bool misfit_normed(const struct call_values *c);
/* Of a cast: and it has the type that was asked for. */
bool misfit_cast(const struct call_values *c);
/* The result has the sizes that all tensors broadcast to. */
bool misfit_broadcast(const struct call_values *c);
/* Of where(condition, a, b): the same. */
bool misfit_choice(const struct call_values *c);
bool misfit_reshape(const struct call_values *c);
/* Axes of one element were added or left out. */
bool misfit_unsqueeze(const struct call_values *c);
bool misfit_permute(const struct call_values *c);
bool misfit_transpose(const struct call_values *c);
bool misfit_last_two(const struct call_values *c);
bool misfit_expand(const struct call_values *c);
bool misfit_repeat(const struct call_values *c);
bool misfit_cat(const struct call_values *c);
bool misfit_stack(const struct call_values *c);
bool misfit_split(const struct call_values *c);
bool misfit_reduce(const struct call_values *c);
bool misfit_linear(const struct call_values *c);
bool misfit_matmul(const struct call_values *c);
bool misfit_embedding(const struct call_values *c);
bool misfit_gather(const struct call_values *c);
bool misfit_attention(const struct call_values *c);

#endif
