/* Regular JSON text as the trees cJSON makes of it, in a fraction of the time: what a dump's writer writes. Whatever is
 * not regular (\u in a text, brackets deeper than dumps have, anything that is not JSON) is left to cJSON, which also
 * says what is wrong with it. */
#ifndef BASE_JSON_TREE_H
#define BASE_JSON_TREE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "base/arena.h"

/* Python's NaN, Infinity and -Infinity as texts no JSON can hold: one control character that no writer leaves
 * unescaped. */
#define JSON_MARK_NAN "\xfd"
#define JSON_MARK_INF "\xfe"
#define JSON_MARK_NEG "\xff"

/* Where trees come from: pieces of an arena's memory. All of it is given back by clearing the arena and this. */
struct json_room {
    struct arena *arena;
    char *next, *end;
    struct json_templates *templates; /* objects are looked for here first (base/json_repeat.h); NULL: all are read */
    uint64_t key;             /* of the member that is read next, likewise, or 0 */
};

char *json_room_for(struct json_room *room, size_t n); /* n: a multiple of 8, so that nodes lie as they must */

/* The quote that ends a text which begins at p; *escaped: something before it is written with a backslash. NULL: it
 * goes on. It may stand at `end` where the last byte is a backslash. */
const char *json_text_end(const char *p, const char *end, bool *escaped);

/* cJSON's valueint of a number. */
static inline int json_int_of(double v)
{
    return v >= INT_MAX ? INT_MAX : v <= (double)INT_MIN ? INT_MIN : (int)v;
}

/* The value that begins at *p, which moves behind it; `special` where Python's numbers may stand in it. NULL: not
 * regular, or text or number may go on behind `end`. */
cJSON *json_tree(struct json_room *room, const char **p, const char *end, bool special);

#endif
