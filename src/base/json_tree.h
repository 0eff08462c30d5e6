/* Regular JSON text as the trees cJSON makes of it, in a fraction of the time: what a dump's writer writes. Whatever is not
 * regular (\u in a text, brackets deeper than dumps have, anything that is no JSON) is left to cJSON, which
 * also says what is wrong with it. */
#ifndef BASE_JSON_TREE_H
#define BASE_JSON_TREE_H

#include <stdbool.h>

#include <cjson/cJSON.h>

#include "base/arena.h"

/* Python's NaN, Infinity and -Infinity as texts no JSON can hold: one control character that no writer leaves unescaped. */
#define JSON_MARK_NAN "\xfd"
#define JSON_MARK_INF "\xfe"
#define JSON_MARK_NEG "\xff"

/* Where trees come from: pieces of an arena's memory. All of it is given back by clearing the arena and this. */
struct json_room {
    struct arena *arena;
    char *next, *end;
};

/* The value that begins at *p, which moves behind it; `special` where Python's numbers may stand in it. NULL: not regular, or
 * text or number may go on behind `end`. */
cJSON *json_tree(struct json_room *room, const char **p, const char *end, bool special);

#endif
