/* Decimal text to double, as strtod reads it in the C locale and several times as fast: a dump's time is its
 * numbers. */
#ifndef BASE_DECIMAL_H
#define BASE_DECIMAL_H

/* One number of JSON's grammar ("-12.5e3") that begins at p, rounded to the nearest double, halves to even. Where it
 * ends, or NULL where none stands there before `end` or it is longer than 63 bytes. */
const char *decimal_read(const char *p, const char *end, double *out);

#endif
