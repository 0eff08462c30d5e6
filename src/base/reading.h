/* The value of a field: there, absent, or there and not readable. Every reader converts its fields here, so that a
 * value that cannot be read is never taken for one that was not recorded, nor for a default. */
#ifndef BASE_READING_H
#define BASE_READING_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum reading {
    READING_ABSENT,     /* nothing was recorded: no text, null, None, N/A */
    READING_VALUE,      /* *out is set */
    READING_UNREADABLE, /* something is there that is not such a value */
};

/* Whether a text is one of those by which writers say that there is no value. */
bool reading_is_nothing(struct str text);
/* A decimal number, NaN or infinity; the whole text, without the blanks around it. */
enum reading reading_number(struct str text, double *out);
/* A decimal number of no sign. */
enum reading reading_count(struct str text, uint64_t *out);
/* Sizes in brackets, "[2, 3]" or "(2,)"; at most `most` of them, *n is their number. */
enum reading reading_sizes(struct str text, int most, int64_t *dim, int *n);

/* The same for a value of JSON; NULL and null are absent, a text is never a number. */
enum reading reading_json_number(const cJSON *v, double *out);
enum reading reading_json_sizes(const cJSON *v, int most, int64_t *dim, int *n);

/* What was found, for a message: the text in quotes, shortened; of JSON's other values the kind. Returns out. */
#define READING_FOUND 64
const char *reading_found(char out[READING_FOUND], struct str text);
const char *reading_json_found(char out[READING_FOUND], const cJSON *v);

#endif
