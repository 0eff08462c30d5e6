/* Decimal text to double: the same result as strtod in the C locale, several times as fast. Most of the time of
 * reading a dump goes into its numbers. */
#ifndef BASE_DECIMAL_H
#define BASE_DECIMAL_H

/* Reads one number of JSON's grammar ("-12.5e3") at p, rounded to the nearest double, ties to even. Returns where it
 * ends; NULL if there is no number before `end` or it is longer than 63 bytes. */
const char *decimal_read(const char *p, const char *end, double *out);

#endif
