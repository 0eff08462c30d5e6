/* Finds the formula of an operator in the tables of the op_*.c, searched in order. */
#ifndef ORACLE_OPERATORS_H
#define ORACLE_OPERATORS_H

#include "base/str.h"
#include "oracle/formula.h"

/* Table rows with name_forward and name_backward, or with one function that checks `backward` itself. */
#define OPERATOR_BY_NAME(words, name, from)                                                             \
    {.names = words, .forward = name##_forward, .backward = name##_backward, .source = from}
#define OPERATOR_BOTH_WAYS(words, function, from)                                                       \
    {.names = words, .forward = function, .backward = function, .source = from}

/* One table per file, ended by a row with names NULL. A new file adds its table here and in operators.c. */
extern const struct operator operators_product[];
extern const struct operator operators_convolution[];
extern const struct operator operators_elementwise[];
extern const struct operator operators_move[];
extern const struct operator operators_index[];
extern const struct operator operators_reduce[];
extern const struct operator operators_pool[];
extern const struct operator operators_activation[];
extern const struct operator operators_dropout[];
extern const struct operator operators_norm[];
extern const struct operator operators_softmax[];
extern const struct operator operators_attention[];
extern const struct operator operators_rotary[];
extern const struct operator operators_loss[];
/* Module classes: arguments stored in a module are not recorded, so every public variant is a candidate. */
extern const struct operator operators_norm_class[];
extern const struct operator operators_product_class[];
extern const struct operator operators_convolution_class[];
extern const struct operator operators_activation_class[];
extern const struct operator operators_move_class[];
extern const struct operator operators_index_class[];
extern const struct operator operators_pool_class[];
extern const struct operator operators_dropout_class[];
extern const struct operator operators_loss_class[];

/* The row after `before` in all tables of operators, or of module classes; NULL: the first row, and after the last
 * one. */
const struct operator *operator_next(bool classes, const struct operator *before);
/* By an API's base name, ignoring case; NULL if there is none. */
const struct operator *operator_find(struct str name);
/* The same for a module's class ("LlamaRMSNorm"); names in these tables may begin or end with "*": "*rmsnorm*". */
const struct operator *operator_find_class(struct str name);

#endif
