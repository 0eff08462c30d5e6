/* Results of a side by operator; all names and classes of one table row are combined. */
#ifndef ORACLE_ORACLE_OPERATORS_H
#define ORACLE_ORACLE_OPERATORS_H

#include "oracle/oracle_side.h"

struct oracle_operator {
    char name[48];              /* the first name of the table row; without a formula the recorded name */
    uint32_t calls, recomputed; /* computing calls */
    uint32_t rows, wrong;       /* outputs recomputed, including moves and modules */
    double worst;               /* the largest excess; NAN if no output was recomputed */
    uint32_t row;               /* the dump row with that excess; NONE */
};
/* Worst first, those without a row last, equal ones by name; the caller frees the result. */
struct oracle_operator *oracle_operators(const struct oracle_side *s, size_t *n);
/* Appends a line per operator: name, calls, worst excess, number of wrong outputs. */
void oracle_operators_text(const struct oracle_side *s, struct buf *out);

#endif
