/* Templates for repeated objects, learned from objects that were parsed normally, with the places of their holes. */
#include "base/json_repeat.h"

#include <string.h>

#include "base/decimal.h"

#define LONGEST 16384         /* the most bytes of an object used as a template */
#define LEARNED (8 << 20)     /* limit for the arena in bytes, including failed templates */
#define ALIKE 8               /* the most templates with one hash */
#define IN_VAIN 4096          /* after this many more misses than hits, templates are no longer tried */

void json_templates_release(struct json_templates *m)
{
    arena_release(&m->arena);
    nmap_release(&m->by_hash);
    vec_release(&m->template);
    *m = (struct json_templates){.varying = m->varying};
}

/* Eight bytes with zeros for digits. */
static uint64_t without_digits(uint64_t v)
{
    uint64_t x = v ^ 0x3030303030303030; /* digits are now 0 to 9 */
    uint64_t other = (((x & 0x7f7f7f7f7f7f7f7f) + 0x7676767676767676) | x) & 0x8080808080808080;
    return v & (other >> 7) * 0xff;
}

uint64_t json_key_hash(struct str key)
{
    uint64_t h = key.n, v;
    for (; key.n >= 8; key = str_n(key.p + 8, key.n - 8)) {
        memcpy(&v, key.p, 8);
        h = (h ^ without_digits(v)) * 0xff51afd7ed558ccd;
        h ^= h >> 29;
    }
    v = 0;
    if (key.n)
        memcpy(&v, key.p, key.n);
    h = (h ^ without_digits(v)) * 0xff51afd7ed558ccd;
    return (h ^ h >> 32) | 1;
}

static uint64_t front_hash(const char *p, size_t n)
{
    return hash_bytes(p, n, 31) & ~UINT64_C(1);
}

static struct json_template *first_template(const struct json_templates *m, uint64_t hash)
{
    uint32_t at = nmap_get(&m->by_hash, hash);
    return at == MAP_NONE ? NULL : m->template.v[at];
}

/* As memcmp(), without a call for the lengths that most keys have. */
static inline bool same_bytes(const char *a, const char *b, size_t n)
{
    uint64_t x[2], y[2];
    if (n < sizeof *x || n > sizeof x)
        return memcmp(a, b, n) == 0;
    memcpy(&x[0], a, sizeof *x);
    memcpy(&y[0], b, sizeof *y);
    memcpy(&x[1], a + n - sizeof *x, sizeof *x);
    memcpy(&y[1], b + n - sizeof *y, sizeof *y);
    return x[0] == y[0] && x[1] == y[1];
}

/* ---- fitting ---- */

static const char *fill_text(const char *p, const char *end, struct json_room *room, union json_filling *to)
{
    bool escaped;
    const char *stop = json_text_end(p, end, &escaped);
    if (!stop || escaped)
        return NULL;
    size_t n = (size_t)(stop - p);
    char *text = json_room_for(room, (n + 8) & ~(size_t)7);
    memcpy(text, p, n);
    text[n] = 0;
    to->text = text;
    return stop;
}

static const char *fit_template(const struct json_template *m, const char *p, const char *end, struct json_room *room,
                                union json_filling *filling)
{
    const char *fixed = m->fixed;
    for (uint32_t i = 0; i < m->holes; i++) {
        const struct json_hole *h = &m->hole[i];
        if ((size_t)(end - p) <= h->before || !same_bytes(p, fixed, h->before))
            return NULL;
        fixed += h->before;
        p += h->before;
        p = h->text ? fill_text(p, end, room, &filling[i]) : decimal_read(p, end, &filling[i].number);
        if (!p)
            return NULL;
    }
    if ((size_t)(end - p) <= m->behind || memcmp(p, fixed, m->behind) != 0)
        return NULL;
    return p + m->behind;
}

struct search {
    struct json_room *room;
    const char *p, *end;
    union json_filling filling[JSON_HOLES];
};

static struct json_template *fit_one(struct search *s, struct json_template *x)
{
    const char *behind = x ? fit_template(x, s->p, s->end, s->room, s->filling) : NULL;
    if (!behind)
        return NULL;
    s->p = behind;
    return x;
}

static struct json_template *fit_alike(struct search *s, struct json_template *first)
{
    for (struct json_template *x = first; x; x = x->alike)
        if (fit_one(s, x))
            return x;
    return NULL;
}

/* Tries the template that followed last time; `last` points to where it is stored. */
static struct json_template *fit_next(struct search *s, struct json_template **last)
{
    return *last ? fit_one(s, (*last)->next) : NULL;
}

static struct json_template *fit_member(struct json_templates *m, struct search *s, uint64_t key)
{
    struct json_template *first = first_template(m, key), *x;
    if (!first)
        return NULL;
    if (!(x = fit_next(s, &first->last)) && !(x = fit_alike(s, first)))
        return NULL;
    first->last->next = x;
    first->last = x;
    return x;
}

static struct json_template *fit_object(struct json_templates *m, struct search *s)
{
    struct json_template *x = fit_next(s, &m->last);
    for (uint32_t i = 0; !x && i < m->lengths; i++)
        if ((size_t)(s->end - s->p) > m->length[i])
            x = fit_alike(s, first_template(m, front_hash(s->p, m->length[i])));
    if (!x)
        return NULL;
    if (m->last)
        m->last->next = x;
    m->last = x;
    return x;
}

cJSON *json_repeat_find(struct json_templates *m, struct json_room *room, uint64_t key, const char **p, const char *end)
{
    struct search s = {.room = room, .p = *p, .end = end};
    if (m->missed > m->fitted + IN_VAIN)
        return NULL;
    struct json_template *x = key ? fit_member(m, &s, key) : fit_object(m, &s);
    if (!x) {
        m->missed++;
        return NULL;
    }
    m->fitted++;
    *p = s.p;
    size_t filled = x->holes * sizeof *s.filling;
    struct json_repeat *r = (struct json_repeat *)(void *)json_room_for(room, sizeof *r + filled);
    r->node = (cJSON){.type = JSON_REPEAT};
    r->template = x;
    memcpy(r->filling, s.filling, filled);
    return &r->node;
}

/* ---- learning ---- */

struct learning {
    const struct json_templates *m;
    struct json_template *template;
    const char *p, *end, *from; /* from: end of the last hole */
    struct buf fixed;
    struct json_hole hole[JSON_HOLES];
};

static bool is_varying_key(const struct json_templates *m, const char *key)
{
    for (const char *const *k = m->varying; key && *k; k++)
        if (strcmp(*k, key) == 0)
            return true;
    return false;
}

static void skip_learning_blanks(struct learning *l)
{
    while (l->p < l->end && (unsigned char)*l->p <= ' ')
        l->p++;
}

/* Adds a hole; the bytes since the previous hole or the start are fixed. */
static bool add_hole(struct learning *l, cJSON *node, bool text)
{
    if (l->template->holes == JSON_HOLES)
        return false;
    size_t n = (size_t)(l->p - l->from);
    l->hole[l->template->holes++] = (struct json_hole){(uint32_t)n, text, node};
    buf_str(&l->fixed, str_n(l->from, n));
    return true;
}

static bool skip_text(struct learning *l)
{
    bool escaped;
    l->p = json_text_end(l->p + 1, l->end, &escaped);
    return l->p && ++l->p < l->end;
}

/* Walks the text in parallel with its tree; the text is known to be regular. */
static bool find_holes(struct learning *l, cJSON *v)
{
    skip_learning_blanks(l);
    if (l->p >= l->end)
        return false;
    if (*l->p == '{' || *l->p == '[') {
        l->p++;
        for (cJSON *it = v->child; it; it = it->next) {
            skip_learning_blanks(l);
            if (cJSON_IsObject(v)) {
                if (l->p >= l->end || !skip_text(l))
                    return false;
                skip_learning_blanks(l);
                l->p++; /* the colon */
            }
            if (!find_holes(l, it))
                return false;
            skip_learning_blanks(l);
            l->p += it->next != NULL; /* the comma */
        }
        skip_learning_blanks(l);
        return l->p++ < l->end;
    }
    bool hole = is_varying_key(l->m, v->string);
    double number;
    if (cJSON_IsNumber(v)) {
        if (hole && !add_hole(l, v, false))
            return false;
        l->p = decimal_read(l->p, l->end, &number);
        l->from = hole ? l->p : l->from;
        return l->p != NULL;
    }
    if (*l->p == '"' && hole) {
        l->p++;
        if (!add_hole(l, v, true))
            return false;
        l->p--;
        const char *quote = l->p;
        if (!skip_text(l) || memchr(quote, '\\', (size_t)(l->p - quote)))
            return false;
        l->from = l->p - 1;
        return true;
    }
    if (*l->p == '"')
        return skip_text(l);
    while (l->p < l->end && *l->p != ',' && *l->p != '}' && *l->p != ']' && (unsigned char)*l->p > ' ')
        l->p++; /* one character of a literal */
    return true;
}

static bool is_crowded(const struct json_templates *m, uint64_t hash)
{
    int n = 0;
    for (const struct json_template *x = first_template(m, hash); x; x = x->alike)
        n++;
    return n >= ALIKE;
}

static bool is_known_length(struct json_templates *m, uint32_t n)
{
    for (uint32_t i = 0; i < m->lengths; i++)
        if (m->length[i] == n)
            return true;
    if (m->lengths == JSON_LENGTHS)
        return false;
    m->length[m->lengths++] = n;
    return true;
}

static void keep_template(struct json_templates *m, uint64_t key, struct learning *l)
{
    struct json_template *x = l->template;
    uint32_t front = x->holes ? l->hole[0].before : x->behind;
    uint64_t hash = key ? key : front_hash(l->fixed.p, front);
    if (is_crowded(m, hash) || (!key && !is_known_length(m, front)))
        return;
    x->fixed = arena_cstr(&m->arena, buf_view(&l->fixed));
    x->hole = arena_alloc(&m->arena, (x->holes + 1) * sizeof *x->hole);
    memcpy(x->hole, l->hole, x->holes * sizeof *x->hole);
    struct json_template *first = first_template(m, hash), **last = key ? &x->last : &m->last;
    if (first) {
        x->alike = first->alike;
        first->alike = x;
        last = key ? &first->last : last;
    } else {
        nmap_add(&m->by_hash, hash, (uint32_t)m->template.n);
        vec_push(&m->template, x);
    }
    if (*last)
        (*last)->next = x;
    *last = x;
}

void json_repeat_learn(struct json_templates *m, uint64_t key, const char *begin, const char *end, bool special)
{
    struct json_room room = {.arena = &m->arena};
    if (end - begin > LONGEST || m->arena.total > LEARNED)
        return;
    struct json_template *x = arena_zalloc(&m->arena, sizeof *x);
    struct learning l = {.m = m, .template = x, .p = begin, .end = end, .from = begin};
    const char *p = begin;
    x->tree = json_tree(&room, &p, end, special);
    if (x->tree && find_holes(&l, x->tree) && l.p == end) {
        x->behind = (uint32_t)(end - l.from);
        buf_str(&l.fixed, str_n(l.from, x->behind));
        keep_template(m, key, &l);
    }
    buf_release(&l.fixed);
}

const cJSON *json_repeat_whole(const cJSON *v)
{
    if (!json_is_repeat(v))
        return v;
    const struct json_repeat *r = json_repeat_of(v);
    struct json_template *m = r->template;
    for (uint32_t i = 0; i < m->holes; i++)
        if (m->hole[i].text) {
            memcpy(&m->hole[i].node->valuestring, &r->filling[i].text, sizeof r->filling[i].text);
        } else {
            m->hole[i].node->valuedouble = r->filling[i].number;
            m->hole[i].node->valueint = json_int_of(r->filling[i].number);
        }
    m->tree->string = v->string;
    return m->tree;
}
