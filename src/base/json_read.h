/* Members of a large JSON object one at a time, without holding the file: the text of each value is found by its
 * brackets, then parsed on its own (cJSON). Python writes NaN, Infinity and -Infinity, which are not JSON: json_parse
 * turns them into numbers. */
#ifndef BASE_JSON_READ_H
#define BASE_JSON_READ_H

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/io.h"
#include "base/json_repeat.h"
#include "base/json_texts.h"
#include "base/str.h"

struct json_members {
    struct file file;
    const char *name;    /* for messages */
    const char *descend; /* the top-level key whose members are returned one by one, or NULL */
    struct buf window, key;
    uint64_t base;    /* file offset of the window's first byte */
    size_t at, keep;  /* next byte; first byte that must be kept in the window */
    int level;        /* 0 before the first brace, 1 in the top object, 2 in the descended one */
    bool first, done, too_long;
    bool trees;       /* set by the caller while a pool is entered: regular members come with their trees */
};

struct json_member {
    struct str key;   /* unescaped; valid until the next call */
    struct str value; /* its text; valid until the next call */
    uint64_t offset;  /* of the value in the file */
    bool inside;      /* a member of the descended object */
    bool too_long;    /* more than 32 MB: skipped, `value` is empty */
    bool special;     /* the value may hold NaN or Infinity */
    cJSON *tree;      /* the value's tree if it was parsed on the way; see json_member_tree */
};

int json_members_open(struct json_members *j, const char *path, const char *descend, struct err *e);
/* 1: m is filled; 0: end of the file; -1: e says where and what was expected. */
int json_members_next(struct json_members *j, struct json_member *m, struct err *e);
void json_members_close(struct json_members *j);

/* While a pool is entered, trees parsed by this thread come from it and need no cJSON_Delete: they live until
 * json_pool_clear. With plain cJSON, malloc and free take a third of the time of reading a large dump. */
struct json_pool {
    struct arena arena;
    struct json_room room; /* in it */
    struct json_templates templates;
    struct json_texts texts;
};

void json_pool_enter(struct json_pool *p);
/* From here on repeated objects are returned as repeats (base/json_repeat.h); varying: as in json_templates. */
void json_pool_repeats(struct json_pool *p, const char *const *varying);
/* From here on repeated texts are known by their numbers (base/json_texts.h), while the pool is entered. */
void json_pool_texts(struct json_pool *p);
void json_pool_clear(struct json_pool *p);
void json_pool_leave(struct json_pool *p); /* frees it */

/* A value's text as a tree (free with cJSON_Delete), or NULL with e. Non-finite numbers become strings that no JSON
 * text can contain; json_number recognises them. `name` and `offset` are for the message. */
cJSON *json_parse(struct str text, bool special, const char *name, uint64_t offset, struct err *e);
/* The member's tree, parsed now unless it was parsed on the way. */
cJSON *json_member_tree(const struct json_member *m, const char *name, struct err *e);
bool json_special_number(const cJSON *v, double *out); /* NaN and the infinities */
static inline bool json_number(const cJSON *v, double *out)
{
    if (!v || (v->type & 0xff) != cJSON_Number)
        return json_special_number(v, out);
    *out = v->valuedouble;
    return true;
}
/* The kind of a value, for a message: "a number", "a list" … */
const char *json_kind(const cJSON *v);
/* A whole small file. Out of memory is handled by the handler of base/mem.h, so no cJSON function that creates, adds
 * or copies returns NULL afterwards. */
cJSON *json_load(const char *path, size_t limit, struct err *e);
cJSON *json_text(struct str text, const char *name, struct err *e);

#endif
