/* Which activation function makes an output of an input. */
#ifndef DIAGNOSE_ACTIVATION_FIT_H
#define DIAGNOSE_ACTIVATION_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct activation {
    int kind;     /* row of the table in activation_fit.c, or -1 */
    double value; /* of leaky_relu the slope, of elu alpha */
};

/* The function nearest to y = f(x), n finite elements each; *left2: what it leaves, Σ(y − f(x))². */
struct activation activation_fit(const double *x, const double *y, size_t n, double *left2);
/* Σ(y − f(x))² of one that is given. */
double activation_left(struct activation a, const double *x, const double *y, size_t n);
/* Those (bits, by kind) that can make outputs between y[1] and y[0] of inputs between x[1] and x[0], maximum first,
 * within `tolerance` of the larger magnitude: figures alone. */
uint32_t activations_possible(const double x[2], const double y[2], double tolerance);
const char *activation_name(
    int kind);        /* "gelu (tanh)": a name of the field, the same in every language; NULL behind the last kind */
bool activation_is_called(int kind, struct str name); /* whether a call or a class of that name computes it */
/* The name, and the slope or alpha where it has one. Appends. */
void activation_text(struct activation a, struct buf *out);

#endif
