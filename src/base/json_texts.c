/* Repeated texts, kept when they are met the second time. */
#include "base/json_texts.h"

#include <string.h>

#include "base/json_tree.h"
#include "base/map.h"

#define MOST (8 << 20) /* limit for the arena in bytes */

void json_texts_init(struct json_texts *t)
{
    struct json_text empty = {.raw = "\"", .text = "", .n = 1, .user = UINT32_MAX};
    vec_push(&t->text, empty);
}

void json_texts_release(struct json_texts *t)
{
    vec_release(&t->text);
    arena_release(&t->arena);
}

static bool is_at(const struct json_text *x, const char *p, const char *end)
{
    return (size_t)(end - p) >= x->n && memcmp(p, x->raw, x->n) == 0;
}

/* 0 if it cannot be kept. */
static uint32_t keep_json_text(struct json_texts *t, struct str raw)
{
    struct json_text x = {.n = (uint32_t)raw.n, .user = UINT32_MAX};
    if (raw.n > MOST || t->arena.total > MOST)
        return 0;
    char *text = arena_alloc(&t->arena, raw.n);
    if (!json_unescape(raw.p, raw.p + raw.n - 1, text))
        return 0;
    x.text = text;
    x.raw = arena_cstr(&t->arena, raw);
    vec_push(&t->text, x);
    return (uint32_t)t->text.n - 1;
}

/* The number of a text that did not follow last time. */
static uint32_t look_up(struct json_texts *t, const char *p, const char *end)
{
    bool escaped;
    const char *quote = json_text_end(p, end, &escaped);
    if (!quote)
        return 0;
    struct str raw = str_n(p, (size_t)(quote + 1 - p));
    uint64_t hash = hash_bytes(raw.p, raw.n, 1);
    uint32_t *number = &t->met[hash % JSON_MET].number;
    if (t->met[hash % JSON_MET].hash != hash) {
        t->met[hash % JSON_MET].hash = hash;
        *number = 0;
        return 0;
    }
    if (*number == 0)
        *number = keep_json_text(t, raw);
    return is_at(&t->text.v[*number], p, end) ? *number : 0;
}

uint32_t json_texts_find(struct json_texts *t, const char **p, const char *end)
{
    uint32_t before = t->last, number = t->text.v[before].next;
    if (!is_at(&t->text.v[number], *p, end)) {
        number = look_up(t, *p, end);
        t->text.v[before].next = number;
    }
    t->last = number;
    *p += number ? t->text.v[number].n : 0;
    return number;
}
