/* Which formula computes an operator: the tables of the op_*.c, looked through in order. */
#ifndef ORACLE_OPERATORS_H
#define ORACLE_OPERATORS_H

#include "base/str.h"
#include "oracle/formula.h"

/* Rows of tables: name_forward and name_backward; one function that looks at `backward` itself. */
#define OPERATOR_BY_NAME(words, name, from)                                                             \
    {.names = words, .forward = name##_forward, .backward = name##_backward, .source = from}
#define OPERATOR_BOTH_WAYS(words, function, from)                                                       \
    {.names = words, .forward = function, .backward = function, .source = from}

/* One table a file; ends with a row whose names are NULL. A new file: its table here and in operators.c. */
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
/* Classes of modules: what a module keeps is not recorded, so every public variant is a candidate. */
extern const struct operator operators_norm_class[];
extern const struct operator operators_product_class[];
extern const struct operator operators_convolution_class[];
extern const struct operator operators_activation_class[];
extern const struct operator operators_move_class[];
extern const struct operator operators_index_class[];
extern const struct operator operators_pool_class[];
extern const struct operator operators_dropout_class[];

/* The row behind `before` of all tables of operators, or of modules' classes; NULL: the first one, behind the last. */
const struct operator *operator_next(bool classes, const struct operator *before);
/* By an API's base name, lower case or not; NULL where there is none. */
const struct operator *operator_find(struct str name);
/* The same of a module's class ("LlamaRMSNorm") in the tables of modules, whose words may begin or end with "*":
 * "*rmsnorm*". */
const struct operator *operator_find_class(struct str name);

#endif
