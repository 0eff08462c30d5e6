/* Fast reading of objects that repeat byte for byte except for some numbers and texts, such as the records of calls
 * and tensors. The first of a kind becomes a template; later ones are compared with it instead of parsed, at a tenth
 * of the cost. Whatever fits no template is parsed as usual (base/json_tree.h), so templates change nothing but the
 * time. */
#ifndef BASE_JSON_REPEAT_H
#define BASE_JSON_REPEAT_H

#include <stdint.h>

#include "base/json_tree.h"
#include "base/map.h"
#include "base/vec.h"

#define JSON_HOLES 64

/* A place where repeats differ: a number or a text that is the value of one of the keys `varying`. */
struct json_hole {
    uint32_t before; /* bytes since the previous hole, or since the object's start */
    bool text;
    cJSON *node;     /* in the template's tree */
};

struct json_template {
    struct json_hole *hole;
    uint32_t holes, behind;  /* after: bytes from the last hole to the object's end */
    const char *fixed;       /* all bytes between the holes */
    struct json_template *alike; /* another template with the same hash, or NULL */
    struct json_template *next;  /* the template that followed last time, or NULL */
    struct json_template *last;  /* of the first template of a key: the one that fitted last */
    cJSON *tree;
    void *user;              /* data that the reader of the trees attaches; NULL at first; in json_templates.arena */
};

union json_filling {
    double number;
    const char *text;
};

/* Replaces an object in a tree: its node's type is JSON_REPEAT. */
#define JSON_REPEAT cJSON_Raw /* trees contain no nodes of this type otherwise */
struct json_repeat {
    cJSON node;
    struct json_template *template;
    union json_filling filling[];
};

#define JSON_LENGTHS 16 /* number of different lengths of text before the first hole */

/* Templates are found by a hash: for a member of the file, of its key, where all digits are alike; for an object
 * inside it, of the text before the first hole. The template that followed last time is tried first. */
struct json_templates {
    const char *const *varying; /* keys; NULL after the last */
    struct arena arena;
    struct nmap by_hash;        /* index of `template` */
    VEC(struct json_template *) template;
    uint32_t lengths, length[JSON_LENGTHS];
    struct json_template *last;     /* the last template used inside a member */
    uint64_t fitted, missed;
};

void json_templates_release(struct json_templates *m);

/* The hash by which a member's key is found. */
uint64_t json_key_hash(struct str key);

/* For json_tree: reads the object at *p as a repeat allocated from `room` and moves *p after it; NULL if no template
 * fits. key: the hash of the key of the member it is, or 0. */
cJSON *json_repeat_find(struct json_templates *m, struct json_room *room, uint64_t key, const char **p,
                        const char *end);
/* Makes the object read from begin to end a template. */
void json_repeat_learn(struct json_templates *m, uint64_t key, const char *begin, const char *end, bool special);

static inline bool json_is_repeat(const cJSON *v)
{
    return (v->type & 0xff) == JSON_REPEAT;
}

static inline const struct json_repeat *json_repeat_of(const cJSON *v)
{
    return (const struct json_repeat *)(const void *)v;
}

/* v, or the object it repeats: the template's tree, which the next repeat of the same template overwrites. */
const cJSON *json_repeat_whole(const cJSON *v);

#endif
