/* Sentences for the oracle's results. */
#ifndef ORACLE_ORACLE_TEXT_H
#define ORACLE_ORACLE_TEXT_H

#include "oracle/oracle.h"

/* Appends "3.1e-03 from what its own inputs give, 42 × what bfloat16 explains; every value is a bfloat16 number",
 * with the probability of a missed fault if only part was compared. */
void oracle_row_text(const struct oracle_row *r, struct buf *out);
/* Appends "target side: …; golden side: …; which is wrong"; nothing if neither side of the line was recomputed. */
void oracle_line_text(const struct oracle *o, const uint32_t row[2], struct buf *out);
/* The same, with the reason if neither side is wrong but their outputs differ. */
void oracle_whole_text(const struct oracle *o, const struct measure *m, const struct judgement *j, uint32_t line,
    struct buf *out);
/* Appends "812 of 1,040 compute calls recomputed; products in TF32". */
void oracle_cover_text(const struct oracle_side *s, struct buf *out);
/* Wrong rows, worst excess first, as indices in s->rows. The caller frees the result. */
uint32_t *oracle_worst(const struct oracle_side *s, size_t *n);

#endif
