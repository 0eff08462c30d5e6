/* How many digits of two values are worth reading. */
#ifndef BASE_DIGITS_H
#define BASE_DIGITS_H

/* The digits that two values need to look different where they are, at least 6. */
int digits_apart(double a, double b);

#endif
