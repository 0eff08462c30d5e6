/* Tokens in another order: one axis of both sides holds the samples and their positions, batch by batch on one side and
 * position by position on the other, as routers of experts flatten them. The shapes are equal, the rows are not. */
#ifndef PAIR_TOKEN_ROWS_H
#define PAIR_TOKEN_ROWS_H

#include "pair/pairing.h"

/* Gives such pairs without a view the one that divides the axis and exchanges its parts: numbers whose figures agree,
 * and the other rows of their calls (positions, masks). Only between two frameworks; reads a few elements. */
void token_rows_find(struct pairing *p, const struct dump *target, const struct dump *golden);

#endif
