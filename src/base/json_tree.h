/* Parses regular JSON text, as writers of dumps produce it, into cJSON's trees in a fraction of cJSON's time.
 * Anything else (\u in a text, brackets nested deeper than in dumps, text that is not JSON) is left to cJSON, which
 * also reports what is wrong. */
#ifndef BASE_JSON_TREE_H
#define BASE_JSON_TREE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "base/arena.h"

/* Python's NaN, Infinity and -Infinity as texts that no JSON can contain: a control character that writers always
 * escape. */
#define JSON_MARK_NAN "\xfd"
#define JSON_MARK_INF "\xfe"
#define JSON_MARK_NEG "\xff"

/* The memory of trees: pieces of an arena. Clearing the arena and this struct frees all of it. */
struct json_room {
    struct arena *arena;
    char *next, *end;
    struct json_templates *templates; /* tried first for objects (base/json_repeat.h); NULL: all are parsed */
    uint64_t key;             /* the hash of the key of the member read next, or 0 */
    struct json_texts *texts; /* tried first for texts: the node's valueint is the number (base/json_texts.h), or 0 */
};

char *json_room_for(struct json_room *room, size_t n); /* n: a multiple of 8, so that nodes are aligned */

/* The closing quote of a text that begins at p; *escaped: the text contains a backslash. NULL if it does not end
 * before `end`. */
const char *json_text_end(const char *p, const char *end, bool *escaped);

/* Copies the text from p to end, and a NUL, to `to`, which has room for as much; false if it is not regular. */
bool json_unescape(const char *p, const char *end, char *to);

/* The valueint that cJSON gives a number. */
static inline int json_int_of(double v)
{
    return v >= INT_MAX ? INT_MAX : v <= (double)INT_MIN ? INT_MIN : (int)v;
}

/* The object's member of this name; NULL: there is none, or o is NULL or no object. Its owner stays the tree. */
static inline cJSON *json_member(const cJSON *o, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(o, key);
}

/* Parses the value at *p and moves *p after it; `special`: Python's non-finite numbers may occur. NULL: not regular,
 * or a text or number may continue beyond `end`. */
cJSON *json_tree(struct json_room *room, const char **p, const char *end, bool special);

#endif
