/* Texts that a file repeats, as stacks repeat their frames: the known ones are compared instead of parsed, the one that
 * followed last time first, and what a reader found out about one is kept with it. */
#ifndef BASE_JSON_TEXTS_H
#define BASE_JSON_TEXTS_H

#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"

#define JSON_MET 1024

struct json_text {
    const char *raw;  /* as the file has it, with the closing quote */
    const char *text; /* unescaped */
    uint32_t n;       /* bytes of raw */
    uint32_t next;    /* number of the text that followed last time */
    uint32_t user;    /* what the reader of the trees keeps; UINT32_MAX at first */
};

/* Numbers of texts are their places in `text`; 0 is the empty text. */
struct json_texts {
    struct arena arena;
    VEC(struct json_text) text;
    uint32_t last; /* the number of the one found last */
    struct {
        uint64_t hash;
        uint32_t number; /* 0: met once, not kept yet */
    } met[JSON_MET]; /* the texts met last, by their hash */
};

void json_texts_init(struct json_texts *t);
void json_texts_release(struct json_texts *t);

/* For json_tree: the number of the text that begins at *p, after its opening quote, and moves *p after the closing
 * one; 0 if it is not known. */
uint32_t json_texts_find(struct json_texts *t, const char **p, const char *end);

#endif
