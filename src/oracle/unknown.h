/* Reasons why nothing is said of a call, never a guess. */
#ifndef ORACLE_UNKNOWN_H
#define ORACLE_UNKNOWN_H

enum unknown {
    UNKNOWN_NOT,
    UNKNOWN_OPERATOR,   /* no formula for the operator */
    UNKNOWN_CLASS,      /* no formula for the module's class */
    UNKNOWN_UNEXPLAINED_CLASS, /* no public formula explains any module of the class */
    UNKNOWN_TENSOR,     /* a tensor is not recorded, or its file is missing or not readable */
    UNKNOWN_LARGE,      /* more elements than are held at once */
    UNKNOWN_BUDGET,     /* nothing was left of the budget */
    UNKNOWN_NAN,        /* NaN in the inputs */
    UNKNOWN_GRADIENT,   /* NaN or Inf in the incoming gradient */
    UNKNOWN_NO_GRADIENT,/* no incoming gradient recorded */
    UNKNOWN_FORWARD,    /* the forward call of a backward call is not recorded */
    UNKNOWN_IN_PLACE,   /* the recorded input is the output */
    UNKNOWN_COMPOSITE,  /* gradients of a composite's last node */
    UNKNOWN_ARGUMENT,   /* an argument is not recorded and cannot be inferred */
    UNKNOWN_VARIANT,    /* an argument asks for a variant that has no formula (norm p = 3, padding by name, class
                           weights) */
    UNKNOWN_RANDOM,     /* random values are drawn inside the call */
    UNKNOWN_COLLECTIVE, /* other ranks add to the output inside the module */
    UNKNOWN_SHAPE,      /* sizes do not fit the formula; set by the engine, too, where no candidate has an output's
                           size */
    UNKNOWN_COUNT
};
/* English, for files; _() of it for people. */
const char *unknown_text(enum unknown u);

#endif
