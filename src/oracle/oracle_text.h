/* What the oracle found, in sentences. */
#ifndef ORACLE_ORACLE_TEXT_H
#define ORACLE_ORACLE_TEXT_H

#include "oracle/oracle.h"

/* "3.1e-03 from what its own inputs give, 42 × what bfloat16 explains; every value is a bfloat16 number", and of
 * what was compared in part how likely a fault is missed. Appends. */
void oracle_row_text(const struct oracle_row *r, struct buf *out);
/* "target side: …; golden side: …; which is wrong". Nothing where no side of the line was recomputed. Appends. */
void oracle_line_text(const struct oracle *o, const uint32_t row[2], struct buf *out);
/* The same with the reason where neither side is wrong and their outputs differ. */
void oracle_whole_text(const struct oracle *o, const struct measure *m, const struct judgement *j, uint32_t line,
    struct buf *out);
/* "812 of 1,040 compute calls recomputed; products in TF32". Appends. */
void oracle_cover_text(const struct oracle_side *s, struct buf *out);
/* Rows called wrong, worst excess first: their indices in s->rows. The caller frees it. */
uint32_t *oracle_worst(const struct oracle_side *s, size_t *n);

#endif
