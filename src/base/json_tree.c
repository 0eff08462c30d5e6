/* Parses regular JSON in one pass, skipping blanks eight bytes at a time. */
#include "base/json_tree.h"

#include <stdint.h>
#include <string.h>

#include "base/decimal.h"
#include "base/json_repeat.h"
#include "base/json_texts.h"

#define PIECE 16384 /* bytes taken from the arena at once */
#define DEEPEST 64

struct reading {
    const char *p, *end;
    struct json_room *room;
    int depth;
    bool special;
};

static cJSON *read_value(struct reading *r);

char *json_room_for(struct json_room *room, size_t n)
{
    if ((size_t)(room->end - room->next) < n) {
        size_t piece = n < PIECE / 4 ? PIECE : n;
        room->next = arena_alloc(room->arena, piece);
        room->end = room->next + piece;
    }
    char *p = room->next;
    room->next += n;
    return p;
}

static cJSON *new_node(struct reading *r, int type)
{
    cJSON *node = (cJSON *)(void *)json_room_for(r->room, sizeof *node);
    *node = (cJSON){.type = type};
    return node;
}

static inline void skip_json_blanks(struct reading *r)
{
    while (r->p < r->end && (unsigned char)*r->p <= ' ') {
        uint64_t v;
        if (r->end - r->p < 8) {
            r->p++;
            continue;
        }
        memcpy(&v, r->p, sizeof v);
        v = (((v & 0x7f7f7f7f7f7f7f7f) + 0x5f5f5f5f5f5f5f5f) | v) & 0x8080808080808080; /* above a blank */
        r->p += v ? __builtin_ctzll(v) / 8 : 8;
    }
}

static inline bool take_json_char(struct reading *r, char c)
{
    skip_json_blanks(r);
    if (r->p == r->end || *r->p != c)
        return false;
    r->p++;
    return true;
}

const char *json_text_end(const char *p, const char *end, bool *escaped)
{
    const char *quote = memchr(p, '"', (size_t)(end - p)), *back;
    *escaped = false;
    while (quote && p < quote && (back = memchr(p, '\\', (size_t)(quote - p)))) {
        *escaped = true;
        p = back + 2;
        if (p > quote)
            quote = memchr(p, '"', (size_t)(end - p));
    }
    return quote;
}

bool json_unescape(const char *p, const char *end, char *to)
{
    static const char plain[256] = {
        ['"'] = '"', ['\\'] = '\\', ['/'] = '/', ['b'] = '\b', ['f'] = '\f', ['n'] = '\n', ['r'] = '\r', ['t'] = '\t',
    };
    while (p < end) {
        const char *back = memchr(p, '\\', (size_t)(end - p));
        size_t n = (size_t)((back ? back : end) - p);
        memcpy(to, p, n);
        to += n;
        p += n;
        if (back && !(*to++ = plain[(unsigned char)p[1]]))
            return false;
        p += back ? 2 : 0;
    }
    *to = 0;
    return true;
}

/* Reads a text after its opening quote. */
static char *read_json_text(struct reading *r)
{
    bool escaped;
    const char *end = json_text_end(r->p, r->end, &escaped);
    if (!end)
        return NULL;
    size_t n = (size_t)(end - r->p);
    char *text = json_room_for(r->room, (n + 8) & ~(size_t)7); /* keeps nodes aligned */
    if (!escaped && r->end - end >= 8) {
        for (size_t i = 0; i < n; i += 8)
            memcpy(text + i, r->p + i, 8); /* in place of memcpy: texts are short */
        text[n] = 0;
    } else if (!json_unescape(r->p, end, text)) {
        return NULL;
    }
    r->p = end + 1;
    return text;
}

static cJSON *text_node(struct reading *r, const char *text)
{
    if (!text)
        return NULL;
    cJSON *node = new_node(r, cJSON_String);
    memcpy(&node->valuestring, &text, sizeof text); /* nobody writes to it */
    return node;
}

static cJSON *text_value(struct reading *r)
{
    struct json_texts *t = r->room->texts;
    uint32_t number = t ? json_texts_find(t, &r->p, r->end) : 0;
    cJSON *node = text_node(r, number ? t->text.v[number].text : read_json_text(r));
    if (node)
        node->valueint = (int)number;
    return node;
}

static cJSON *number_node(struct reading *r)
{
    double v;
    const char *behind = decimal_read(r->p, r->end, &v);
    if (!behind || behind == r->end)
        return NULL;
    r->p = behind;
    cJSON *node = new_node(r, cJSON_Number);
    node->valuedouble = v;
    node->valueint = json_int_of(v);
    return node;
}

static bool is_word(struct reading *r, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(r->end - r->p) <= n || memcmp(r->p, word, n) != 0)
        return false;
    r->p += n;
    return true;
}

static cJSON *special_node(struct reading *r, const char *word, const char *mark)
{
    if (!r->special || !is_word(r, word))
        return NULL;
    char *text = json_room_for(r->room, 8);
    return text_node(r, strcpy(text, mark));
}

static cJSON *json_word_node(struct reading *r, const char *word, int type)
{
    cJSON *node = is_word(r, word) ? new_node(r, type) : NULL;
    if (node)
        node->valueint = type == cJSON_True; /* as in cJSON */
    return node;
}

/* Reads the members or items after the opening bracket. */
static cJSON *read_json_children(struct reading *r, int type, char closing)
{
    cJSON *parent = new_node(r, type), *last = NULL;
    bool object = type == cJSON_Object;
    if (++r->depth > DEEPEST)
        return NULL;
    if (take_json_char(r, closing)) {
        r->depth--;
        return parent;
    }
    do {
        char *key = NULL;
        if (object && (!take_json_char(r, '"') || !(key = read_json_text(r)) ||
                       !take_json_char(r, ':')))
            return NULL;
        cJSON *child = read_value(r);
        if (!child)
            return NULL;
        child->string = key;
        child->prev = last;
        *(last ? &last->next : &parent->child) = child;
        last = child;
    } while (take_json_char(r, ','));
    parent->child->prev = last; /* as in cJSON: the first child points to the last */
    r->depth--;
    return take_json_char(r, closing) ? parent : NULL;
}

/* Whether an object is worth a template: short ones are not. */
static bool is_plain(const cJSON *v)
{
    int n = 0;
    for (const cJSON *it = v->child; it; it = it->next, n++)
        if (cJSON_IsObject(it) || json_is_repeat(it) ||
            (it->child && (cJSON_IsObject(it->child) || json_is_repeat(it->child))))
            return false;
    return n > 2;
}

/* Reads an object as a repeat, or parses it and learns a template: for the requested member, and inside it for
 * objects without nested objects. */
static cJSON *read_object(struct reading *r)
{
    struct json_templates *m = r->depth || r->room->key ? r->room->templates : NULL;
    uint64_t key = r->depth ? 0 : r->room->key;
    const char *begin = r->p;
    cJSON *v = m ? json_repeat_find(m, r->room, key, &r->p, r->end) : NULL;
    if (v)
        return v;
    r->p++;
    v = read_json_children(r, cJSON_Object, '}');
    if (v && m && (key ? v->child != NULL : is_plain(v)))
        json_repeat_learn(m, key, begin, r->p, r->special);
    return v;
}

static cJSON *read_value(struct reading *r)
{
    skip_json_blanks(r);
    if (r->p == r->end)
        return NULL;
    switch (*r->p) {
    case '{':
        return read_object(r);
    case '[':
        r->p++;
        return read_json_children(r, cJSON_Array, ']');
    case '"':
        r->p++;
        return text_value(r);
    case 't':
        return json_word_node(r, "true", cJSON_True);
    case 'f':
        return json_word_node(r, "false", cJSON_False);
    case 'n':
        return json_word_node(r, "null", cJSON_NULL);
    case 'N':
        return special_node(r, "NaN", JSON_MARK_NAN);
    case 'I':
        return special_node(r, "Infinity", JSON_MARK_INF);
    case '-':
        if (r->end - r->p > 1 && r->p[1] == 'I')
            return special_node(r, "-Infinity", JSON_MARK_NEG);
        return number_node(r);
    default:
        return number_node(r);
    }
}

cJSON *json_tree(struct json_room *room, const char **p, const char *end, bool special)
{
    struct reading r = {.p = *p, .end = end, .room = room, .special = special};
    cJSON *tree = read_value(&r);
    if (tree)
        *p = r.p;
    return tree;
}
