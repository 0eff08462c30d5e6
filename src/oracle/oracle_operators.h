/* What was found of a side by operator: all names and classes of one table row together. */
#ifndef ORACLE_ORACLE_OPERATORS_H
#define ORACLE_ORACLE_OPERATORS_H

#include "oracle/oracle_side.h"

struct oracle_operator {
    char name[48];              /* the first of its table's names; without a formula as recorded */
    uint32_t calls, recomputed; /* calls that compute */
    uint32_t rows, wrong;       /* outputs recomputed, moves and modules of calls among them */
    double worst;               /* the largest excess; NAN where there is no row */
    uint32_t row;               /* of the dump, that has it; NONE */
};
/* Worst first, those without a row last, of equal ones by name; the caller frees it. */
struct oracle_operator *oracle_operators(const struct oracle_side *s, size_t *n);
/* A line each: name, calls, worst excess, how many are wrong. Appends. */
void oracle_operators_text(const struct oracle_side *s, struct buf *out);

#endif
