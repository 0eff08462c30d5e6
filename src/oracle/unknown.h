/* Reasons why a call has no result; nothing is guessed. */
#ifndef ORACLE_UNKNOWN_H
#define ORACLE_UNKNOWN_H

enum unknown {
    UNKNOWN_NOT,
    UNKNOWN_OPERATOR,   /* no formula for the operator */
    UNKNOWN_CLASS,      /* no formula for the module's class */
    UNKNOWN_UNEXPLAINED_CLASS, /* no public formula explains any module of the class */
    UNKNOWN_TENSOR,     /* a tensor was not recorded, or its file is missing or unreadable */
    UNKNOWN_LARGE,      /* more elements than may be held at once */
    UNKNOWN_BUDGET,     /* the budget was used up */
    UNKNOWN_NAN,        /* NaN in the inputs */
    UNKNOWN_GRADIENT,   /* NaN or Inf in the incoming gradient */
    UNKNOWN_NO_GRADIENT,/* no incoming gradient recorded */
    UNKNOWN_FORWARD,    /* the forward call of a backward call is not recorded */
    UNKNOWN_IN_PLACE,   /* the recorded input is the output */
    UNKNOWN_COMPOSITE,  /* gradients of a composite operator's last node */
    UNKNOWN_ARGUMENT,   /* an argument was not recorded and cannot be inferred */
    UNKNOWN_VARIANT, /* an argument selects a variant without a formula (norm p = 3, padding by name, class weights) */
    UNKNOWN_RANDOM,     /* random values are drawn inside the call */
    UNKNOWN_COLLECTIVE, /* other ranks contribute to the output inside the module */
    UNKNOWN_SHAPE,      /* sizes do not fit the formula; also set by the engine if no candidate has an output's size */
    UNKNOWN_HANDED_ON,  /* the output is the input itself, and the gradient that of the call that made it */
    UNKNOWN_CUT,        /* the recording's tensors were cut before they were saved */
    UNKNOWN_COUNT
};
/* English, for files; _() translates it. */
const char *unknown_text(enum unknown u);

#endif
