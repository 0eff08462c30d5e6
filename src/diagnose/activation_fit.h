/* Finds the activation function that maps an input to an output. */
#ifndef DIAGNOSE_ACTIVATION_FIT_H
#define DIAGNOSE_ACTIVATION_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct activation {
    int kind;     /* row of the table in activation_fit.c, or -1 */
    double value; /* the slope of leaky_relu, alpha of elu */
};

/* The best function y = f(x) for n finite elements; *left2: the residual Σ(y − f(x))². */
struct activation activation_fit(const double *x, const double *y, size_t n, double *left2);
/* The residual Σ(y − f(x))² of a given function. */
double activation_left(struct activation a, const double *x, const double *y, size_t n);
/* Functions (bits by kind) that can map inputs between x[1] and x[0] to outputs between y[1] and y[0] (maximum
 * first), within `tolerance` of the larger magnitude. Uses figures only. */
uint32_t activations_possible(const double x[2], const double y[2], double tolerance);
const char *activation_name(
    int kind);        /* "gelu (tanh)": the usual name, not translated; NULL after the last kind */
/* The functions (bits by kind) that a call or a class of that name computes. */
uint32_t activations_called(struct str name);
/* Appends the name, with its slope or alpha if any. */
void activation_text(struct activation a, struct buf *out);

#endif
