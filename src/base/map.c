/* Hash maps from texts and from numbers, and of elements that hold their key, with linear probing. Keys come from
 * files, so texts are hashed by SipHash with a per-process secret: no file can make its names collide. */
#include "base/map.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

#include "base/mem.h"

static uint64_t secret[2];
static pthread_once_t chosen = PTHREAD_ONCE_INIT;

static void choose_secret(void)
{
    if (getrandom(secret, sizeof secret, GRND_NONBLOCK) == (ssize_t)sizeof secret)
        return;
    struct timespec now; /* early in a boot, or on an old kernel: better than a constant */
    clock_gettime(CLOCK_MONOTONIC, &now);
    secret[0] ^= (uint64_t)now.tv_nsec << 32 ^ (uint64_t)now.tv_sec;
    secret[1] ^= (uint64_t)(uintptr_t)&now;
}

static uint64_t mix_bits(uint64_t h)
{
    h ^= h >> 32;
    h *= 0xd6e8feb86659fd93ULL;
    h ^= h >> 32;
    h *= 0xd6e8feb86659fd93ULL;
    return h ^ (h >> 32);
}

uint64_t hash_bytes(const void *p, size_t n, uint64_t seed)
{
    const unsigned char *s = p;
    uint64_t h = seed ^ (n * 0x9e3779b97f4a7c15ULL), w;
    for (; n >= 8; s += 8, n -= 8) {
        memcpy(&w, s, 8);
        h = (h ^ w) * 0xff51afd7ed558ccdULL;
        h ^= h >> 29;
    }
    w = 0;
    if (n)
        memcpy(&w, s, n);
    return mix_bits(h ^ w);
}

static uint64_t rotate_left(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}

static inline void sip_round(uint64_t *a, uint64_t *b, uint64_t *c, uint64_t *d)
{
    *a += *b;
    *b = rotate_left(*b, 13) ^ *a;
    *a = rotate_left(*a, 32);
    *c += *d;
    *d = rotate_left(*d, 16) ^ *c;
    *a += *d;
    *d = rotate_left(*d, 21) ^ *a;
    *c += *b;
    *b = rotate_left(*b, 17) ^ *c;
    *c = rotate_left(*c, 32);
}

/* The last bytes of a key, fewer than eight. */
static inline uint64_t last_bytes(const char *p, size_t n)
{
    uint64_t w = 0;
    for (size_t i = 0; i < n; i++)
        w |= (uint64_t)(unsigned char)p[i] << 8 * i;
    return w;
}

uint64_t map_hash(struct str key)
{
    pthread_once(&chosen, choose_secret);
    uint64_t a = secret[0] ^ 0x736f6d6570736575, b = secret[1] ^ 0x646f72616e646f6d, c = secret[0] ^ 0x6c7967656e657261,
             d = secret[1] ^ 0x7465646279746573, w;
    const char *p = key.n ? key.p : ""; /* an empty key may have a NULL pointer */
    size_t at = 0;
    for (; key.n - at >= 8; at += 8) {
        memcpy(&w, p + at, 8);
        d ^= w;
        sip_round(&a, &b, &c, &d);
        a ^= w;
    }
    w = (uint64_t)key.n << 56 | last_bytes(p + at, key.n - at);
    d ^= w;
    sip_round(&a, &b, &c, &d);
    a ^= w;
    c ^= 0xff;
    for (int i = 0; i < 3; i++)
        sip_round(&a, &b, &c, &d);
    return a ^ b ^ c ^ d;
}

void map_release(struct map *m)
{
    free(m->slots);
    *m = (struct map){0};
}

static struct map_slot *probe_slot(const struct map *m, struct str key, uint64_t h)
{
    size_t mask = m->cap - 1, i = h & mask;
    while (m->slots[i].p) {
        struct map_slot *s = &m->slots[i];
        if (s->hash == h && s->n == key.n && (!key.n || memcmp(s->p, key.p, key.n) == 0))
            return s;
        i = (i + 1) & mask;
    }
    return &m->slots[i];
}

static void rehash_texts(struct map *m, size_t cap)
{
    struct map old = *m;
    m->slots = mem_zalloc(cap * sizeof *m->slots);
    m->cap = cap;
    for (size_t i = 0; i < old.cap; i++)
        if (old.slots[i].p)
            *probe_slot(m, str_n(old.slots[i].p, old.slots[i].n), old.slots[i].hash) = old.slots[i];
    free(old.slots);
}

void map_reserve(struct map *m, size_t n)
{
    size_t cap = m->cap ? m->cap : 16;
    while (cap - cap / 4 <= n)
        cap *= 2;
    if (cap > m->cap)
        rehash_texts(m, cap);
}

uint32_t map_get(const struct map *m, struct str key)
{
    if (!m->n)
        return MAP_NONE;
    struct map_slot *s = probe_slot(m, key, map_hash(key));
    return s->p ? s->value : MAP_NONE;
}

void map_expect(const struct map *m, struct str key)
{
    if (m->n)
        __builtin_prefetch(&m->slots[map_hash(key) & (m->cap - 1)]);
}

static struct map_slot *slot_for(struct map *m, struct str key, bool *fresh)
{
    map_reserve(m, m->n + 1);
    uint64_t h = map_hash(key);
    struct map_slot *s = probe_slot(m, key, h);
    *fresh = !s->p;
    if (*fresh) {
        *s = (struct map_slot){.p = key.n ? key.p : "", .n = (uint32_t)key.n, .hash = h};
        m->n++;
    }
    return s;
}

uint32_t map_add(struct map *m, struct str key, uint32_t value)
{
    bool fresh;
    struct map_slot *s = slot_for(m, key, &fresh);
    if (fresh)
        s->value = value;
    return s->value;
}

void map_set(struct map *m, struct str key, uint32_t value)
{
    bool fresh;
    slot_for(m, key, &fresh)->value = value;
}

void nmap_release(struct nmap *m)
{
    free(m->slots);
    *m = (struct nmap){0};
}

static size_t number_slot_index(const struct nmap *m, uint64_t key)
{
    return mix_bits(key ^ secret[0]) & (m->cap - 1);
}

static struct nmap_slot *probe_number_slot(const struct nmap *m, uint64_t key)
{
    size_t mask = m->cap - 1, i = number_slot_index(m, key);
    while (m->slots[i].used && m->slots[i].key != key)
        i = (i + 1) & mask;
    return &m->slots[i];
}

uint32_t nmap_get(const struct nmap *m, uint64_t key)
{
    if (!m->n)
        return MAP_NONE;
    struct nmap_slot *s = probe_number_slot(m, key);
    return s->used ? s->value : MAP_NONE;
}

static void nmap_reserve(struct nmap *m, size_t n)
{
    struct nmap old = *m;
    size_t cap = old.cap ? old.cap : 16;
    while (cap - cap / 4 <= n)
        cap *= 2;
    if (cap == old.cap)
        return;
    pthread_once(&chosen, choose_secret);
    m->cap = cap;
    m->slots = mem_zalloc(cap * sizeof *m->slots);
    for (size_t i = 0; i < old.cap; i++)
        if (old.slots[i].used)
            *probe_number_slot(m, old.slots[i].key) = old.slots[i];
    free(old.slots);
}

static struct nmap_slot *nslot_for(struct nmap *m, uint64_t key)
{
    nmap_reserve(m, m->n + 1);
    return probe_number_slot(m, key);
}

static struct nmap_slot *added_number_slot(struct nmap *m, uint64_t key, uint32_t value)
{
    struct nmap_slot *s = nslot_for(m, key);
    if (!s->used) {
        *s = (struct nmap_slot){.key = key, .value = value, .used = 1};
        m->n++;
    }
    return s;
}

uint32_t nmap_add(struct nmap *m, uint64_t key, uint32_t value)
{
    return added_number_slot(m, key, value)->value;
}

void nmap_set(struct nmap *m, uint64_t key, uint32_t value)
{
    added_number_slot(m, key, value)->value = value;
}

void key_index_make(struct key_index *x, size_t most)
{
    pthread_once(&chosen, choose_secret);
    for (x->cap = 16; x->cap - x->cap / 4 <= most;)
        x->cap *= 2;
    x->slots = mem_alloc(x->cap * sizeof *x->slots);
    memset(x->slots, 0xff, x->cap * sizeof *x->slots);
}

void key_index_release(struct key_index *x)
{
    free(x->slots);
    *x = (struct key_index){0};
}

void key_index_expect(const struct key_index *x, uint64_t key)
{
    __builtin_prefetch(&x->slots[mix_bits(key ^ secret[0]) & (x->cap - 1)]);
}

uint32_t *key_index_slot(struct key_index *x, uint64_t key, const void *keys, size_t stride)
{
    uint64_t h = mix_bits(key ^ secret[0]), other;
    uint32_t part = (uint32_t)(h >> 32);
    size_t mask = x->cap - 1, i = h & mask;
    for (; x->slots[i].number != MAP_NONE; i = (i + 1) & mask) {
        if (x->slots[i].part != part)
            continue;
        memcpy(&other, (const char *)keys + x->slots[i].number * stride, sizeof other);
        if (other == key)
            break;
    }
    x->slots[i].part = part;
    return &x->slots[i].number;
}
