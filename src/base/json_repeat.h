/* Objects that a writer writes over and over, byte for byte alike but for some numbers and texts: the records of calls
 * are, and of tensors. What is alike is compared in place of being read again, a tenth of the work: the first of a
 * kind is the template of those that follow. Whatever fits none is read as ever (base/json_tree.h), so a template
 * changes nothing but the time. */
#ifndef BASE_JSON_REPEAT_H
#define BASE_JSON_REPEAT_H

#include <stdint.h>

#include "base/json_tree.h"
#include "base/map.h"
#include "base/vec.h"

#define JSON_HOLES 64

/* Where repeats differ: a number or a text, the value of one of the keys `varying`. */
struct json_hole {
    uint32_t before; /* bytes from the hole before it, or the object's begin */
    bool text;
    cJSON *node;     /* in the template's tree */
};

struct json_template {
    struct json_hole *hole;
    uint32_t holes, behind;  /* behind: bytes from the last hole to the object's end */
    const char *fixed;       /* all of the bytes between holes */
    struct json_template *alike; /* another one found by the same hash, or NULL */
    struct json_template *next;  /* what followed it the last time, or NULL */
    struct json_template *last;  /* of the first of a key: which of its fitted last */
    cJSON *tree;
    void *user;              /* what the reader of the trees makes of it, NULL to begin with; in json_templates.arena */
};

union json_filling {
    double number;
    const char *text;
};

/* Stands in a tree in the place of an object: its node's type is JSON_REPEAT. */
#define JSON_REPEAT cJSON_Raw /* no tree has these otherwise */
struct json_repeat {
    cJSON node;
    struct json_template *template;
    union json_filling filling[];
};

#define JSON_LENGTHS 16 /* of what stands before the first hole */

/* Found by a hash: of a member of the file, of its key without digits; of an object in it, of what stands before the
 * first hole. What followed the last time is tried first. */
struct json_templates {
    const char *const *varying; /* keys, NULL behind the last */
    struct arena arena;
    struct nmap by_hash;        /* index of `template` */
    VEC(struct json_template *) template;
    uint32_t lengths, length[JSON_LENGTHS];
    struct json_template *last;     /* of those inside a member */
    uint64_t fitted, missed;
};

void json_templates_release(struct json_templates *m);

/* What a member's key is found by. */
uint64_t json_key_hash(struct str key);

/* For json_tree: the object that begins at *p, which moves behind it, as a repeat from `room`; NULL: none fits. key:
 * 0, or the hash of the key of the member it is. */
cJSON *json_repeat_find(struct json_templates *m, struct json_room *room, uint64_t key, const char **p,
                        const char *end);
/* The object that was read from begin to end may be repeated. */
void json_repeat_learn(struct json_templates *m, uint64_t key, const char *begin, const char *end, bool special);

static inline bool json_is_repeat(const cJSON *v)
{
    return (v->type & 0xff) == JSON_REPEAT;
}

static inline const struct json_repeat *json_repeat_of(const cJSON *v)
{
    return (const struct json_repeat *)(const void *)v;
}

/* v, or the object it repeats: the template's tree, which the next one of the same template fills anew. */
const cJSON *json_repeat_whole(const cJSON *v);

#endif
