/* Square weights of products that one side stores as (in, out) and the other as (out, in). Their shapes do not tell,
 * but the products do: x W and x Wᵀ are different results. And square results of products whose operands are exchanged
 * and transposed: they are each other's transposed. */
#ifndef PAIR_PRODUCT_LAYOUT_H
#define PAIR_PRODUCT_LAYOUT_H

#include "pair/pairing.h"

/* Gives pairs of square weights that one side multiplies as stored and the other transposed a view that transposes
 * one of them, and the pairs of their gradients. Each side is asked by its own recorded input and result, whatever
 * the values of the other; a side whose elements do not say leaves the pair as stored. Likewise pairs of
 * square results whose operands are paired crosswise, each transposed. Both dumps are complete. */
void product_layout_find(struct pairing *p, const struct dump *target, const struct dump *golden);

#endif
